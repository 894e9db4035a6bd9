//! `onca profile`: the time of each path of nested states.

use std::io::{self, Write};

use onca_answer::{Cut, Level, Profile, ProfileSpec, profile};
use onca_model::{Nature, ValueId, printable};
use onca_query::Scope;

use crate::look::LookArgs;
use crate::trace::TraceArgs;
use onca_program::format::{
    count_of, exact_time, parse_share, rounded_time, shortened, shortened_path,
};
use onca_program::table::{Cell, FormArgs, Table};
use onca_program::{Exit, Failure, print, write_json};
use onca_views::options::LevelOptions;

/// Tell how long each path of nested states took
///
/// Inclusive time is that of a state with what is inside it, exclusive time without. The
/// exclusive times add up to the time of all states.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca profile run.paje
  onca profile run.paje --level machine --min-share 1%
  onca profile run.paje --folded | flamegraph.pl > run.svg")]
pub struct Args {
    #[command(flatten)]
    trace: TraceArgs,

    #[command(flatten)]
    level: LevelOptions,

    /// Each container for itself
    #[arg(long, conflicts_with_all = ["level", "depth"])]
    each: bool,

    /// Take paths of at most N values; what is deeper counts for the path so far
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    depth_limit: Option<u32>,

    /// Leave out paths that take a smaller share of all time, such as 0.01 or 1%
    #[arg(long, value_name = "SHARE", value_parser = parse_share, default_value = "0")]
    min_share: f64,

    #[command(flatten)]
    look: LookArgs,

    /// Print folded stacks for flame graphs: the values, a space, the exclusive ticks
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    folded: bool,

    #[command(flatten)]
    form: FormArgs,
}

/// Answers.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let trace = args.trace.open()?;
    trace.mention_problems();
    let scope = args.look.scope(&trace.store)?;
    let otherwise = if args.each { Level::Own } else { Level::Whole };
    let spec = ProfileSpec {
        depth_limit: args.depth_limit.map(|limit| limit as usize),
        min_share: args.min_share,
        ..ProfileSpec::new(Cut::new(&scope, &args.level.level().unwrap_or(otherwise))?)
    };
    let shown = Shown { scope: &scope, found: profile(&scope, spec)? };
    print(|out| {
        if args.form.json {
            write_json(out, &shown.found.json(&scope))
        } else if args.form.csv {
            shown.csv().write_csv(out, args.form)
        } else if args.folded {
            shown.print_folded(out)
        } else {
            shown.print(out)
        }
    })?;
    Ok(Exit::from_lost(trace.store.catalog().facts.lost))
}

struct Shown<'a> {
    scope: &'a Scope<'a>,
    found: Profile,
}

impl Shown<'_> {
    /// Is the profile of several nodes?
    fn has_nodes(&self) -> bool {
        self.found.cut.nodes().len() > 1
    }

    /// Are states of several types seen?
    fn has_types(&self) -> bool {
        let mut types = self.scope.tracks(Nature::State).map(|(_, track, _)| track.type_id);
        let first = types.next();
        types.any(|other| Some(other) != first)
    }

    fn name(&self, value: ValueId) -> String {
        printable(&self.scope.catalog().value(value).name).into_owned()
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let catalog = self.scope.catalog();
        let unit = &catalog.facts.unit;
        let total = self.found.total;
        writeln!(
            out,
            "{} {} in {}",
            rounded_time(unit, total as f64),
            printable(unit.name.as_bytes()),
            count_of(self.found.paths.len() as u64 + self.found.left_out, "path"),
        )?;
        let typed = self.has_types();
        let mut columns = vec!["path", "#inclusive", "#share", "#exclusive", "#count"];
        columns.extend(typed.then_some("type"));
        let mut table = Table::for_people(&columns);
        let mut place = None;
        for path in &self.found.paths {
            if self.has_nodes() && place != Some(path.place) {
                table.push_with(|| {
                    let node = self.scope.path(self.found.cut.nodes()[path.place]);
                    let mut cells = vec![Cell::text(""); columns.len()];
                    cells[0] = Cell::text(shortened_path(&node, 40));
                    cells
                });
            }
            place = Some(path.place);
            table.push_with(|| {
                let indent = "  ".repeat(path.depth.min(20) + usize::from(self.has_nodes()));
                let share = (total > 0).then(|| path.inclusive as f64 / total as f64);
                let mut cells = vec![
                    Cell::text(format!("{indent}{}", shortened(&self.name(path.value), 40))),
                    Cell::time(unit, Some(path.inclusive)),
                    Cell::share(share),
                    Cell::time(unit, Some(path.exclusive)),
                    Cell::count(path.count),
                ];
                if typed {
                    let type_id = catalog.value(path.value).type_id;
                    cells.push(Cell::name(&catalog.type_def(type_id).name));
                }
                cells
            });
        }
        table.write_text(out)?;
        table.write_beyond(out)?;
        if self.found.left_out > 0 {
            let paths = count_of(self.found.left_out, "path");
            let time = rounded_time(unit, self.found.left_out_ticks as f64);
            writeln!(out, "{paths} with {time} of exclusive time left out")?;
        }
        Ok(())
    }

    fn csv(&self) -> Table {
        let unit = &self.scope.catalog().facts.unit;
        let columns = ["container", "path", "depth", "value", "count", "inclusive", "exclusive"];
        let mut table = Table::new(&columns);
        for (number, path) in self.found.paths.iter().enumerate() {
            let names =
                self.found.values(number).into_iter().map(|value| stack_name(&self.name(value)));
            table.push(vec![
                Cell::text(self.scope.path(self.found.cut.nodes()[path.place])),
                Cell::text(names.collect::<Vec<_>>().join(";")),
                Cell::count(path.depth as u64),
                Cell::text(self.name(path.value)),
                Cell::count(path.count),
                Cell::number("", exact_time(unit, path.inclusive)),
                Cell::number("", exact_time(unit, path.exclusive)),
            ]);
        }
        table
    }

    /// One line a path. The name of the type goes first where states of several types are seen,
    /// and before that the node, where there are several.
    fn print_folded(&self, out: &mut dyn Write) -> io::Result<()> {
        let catalog = self.scope.catalog();
        let typed = self.has_types();
        for (number, path) in self.found.paths.iter().enumerate() {
            if path.exclusive == 0 {
                continue;
            }
            let mut names = Vec::new();
            if self.has_nodes() {
                names.push(stack_name(&self.scope.path(self.found.cut.nodes()[path.place])));
            }
            if typed {
                let type_id = catalog.value(path.value).type_id;
                names.push(stack_name(&printable(&catalog.type_def(type_id).name)));
            }
            let values = self.found.values(number).into_iter();
            names.extend(values.map(|value| stack_name(&self.name(value))));
            writeln!(out, "{} {}", names.join(";"), path.exclusive)?;
        }
        Ok(())
    }
}

/// A name in a folded stack, where a semicolon ends it.
fn stack_name(name: &str) -> String {
    name.replace(';', "\\u{3b}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_end_its_place_in_a_stack() {
        assert_eq!(stack_name("for (;;)"), "for (\\u{3b}\\u{3b})");
    }
}
