//! `onca lens`: what a lens shows of a trace, and the looks that are remembered.

use std::io::{self, Write};

use onca_answer::{lens_answer, scope_levels, scope_values, sees_value};
use onca_query::{Appearance, Scope, type_tree_key};

use crate::look::LookArgs;
use crate::remembered;
use crate::trace::{OpenTrace, TraceArgs};
use onca_program::format::{count_of, shown};
use onca_program::table::{Cell, Table};
use onca_program::{Exit, Failure, print, say, write_json};

/// Tell what a lens shows of a trace, and how it looks
///
/// A lens says what of a trace is seen, how containers are grouped and ordered, and how types and
/// values look. It is a JSON file, or it comes from the flags that every command takes.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca lens run.paje --containers 'rank[0-63]' --save-lens first64.json
  onca lens run.paje --lens mine.json
  onca lens run.paje --lens mine.json --remember    use its colours for all such traces")]
pub struct Args {
    #[command(flatten)]
    trace: TraceArgs,

    #[command(flatten)]
    look: LookArgs,

    /// Remember how the lens makes types and values look, for all traces with the same types
    #[arg(long, conflicts_with = "forget")]
    remember: bool,

    /// Forget what was remembered for such traces
    #[arg(long)]
    forget: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Answers.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let trace = args.trace.open()?;
    trace.mention_problems();
    let store = &trace.store;
    let catalog = store.catalog();
    let lens = args.look.lens.lens()?;
    let scope = Scope::new(store, &lens, args.look.window.window(&catalog.facts)?)?;
    let key = type_tree_key(catalog);
    if args.forget {
        remembered::forget(&key)?;
    }
    if args.remember {
        Appearance::new(catalog, &lens, None)?;
        let place = remembered::remember(&key, &lens.appearance)?;
        say!("note: remembered in {}", shown(&place));
    }
    let remembered = remembered::recall(&key)?;
    let appearance = Appearance::new(catalog, &lens, remembered.as_ref())?;
    let answer = Answer { trace: &trace, scope: &scope, appearance: &appearance };
    print(|out| match args.json {
        true => write_json(out, &lens_answer(&trace.name(), &lens, &scope, &appearance)),
        false => answer.print(out),
    })?;
    Ok(Exit::from_lost(catalog.facts.lost))
}

struct Answer<'a> {
    trace: &'a OpenTrace,
    scope: &'a Scope<'a>,
    appearance: &'a Appearance,
}

impl Answer<'_> {
    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let catalog = self.scope.catalog();
        let seen = self.scope.containers().len() as u64;
        let all = count_of(catalog.containers.len() as u64, "container");
        writeln!(out, "{} of {all} seen in {}", seen, self.trace.name())?;
        let mut levels = Table::new(&["level", "#nodes"]);
        for (level, nodes) in scope_levels(self.scope) {
            levels.push(vec![Cell::text(level), Cell::number(nodes.to_string(), nodes)]);
        }
        writeln!(out)?;
        levels.write_text(out)?;
        let mut values = Table::new(&["type", "value", "seen", "role", "colour", "from"]);
        for id in scope_values(self.scope) {
            let def = catalog.value(id);
            let style = self.appearance.of_value(id);
            values.push(vec![
                Cell::name(&catalog.type_def(def.type_id).name),
                Cell::name(&def.name),
                Cell::text(if sees_value(self.scope, id) { "yes" } else { "no" }),
                Cell::text(self.scope.role(id).map_or("-", |role| role.name())),
                Cell::text(style.color.to_string()),
                Cell::text(style.source.name()),
            ]);
        }
        if !values.is_empty() {
            writeln!(out)?;
            values.write_text(out)?;
        }
        Ok(())
    }
}
