//! What part of a trace a command looks at: a window, and a lens from a file and from flags.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::Args as _;
use onca_model::{Ticks, TraceFacts, Window};
use onca_query::{
    Duration, Filter, GroupSpec, HierarchySpec, Lens, OrderKey, Scope, TimeText, TraceColors,
    TypesIn,
};
use onca_store::Store;

use crate::hierarchy_file;
use onca_program::Failure;
use onca_program::format::shown;

/// A window of time, for every command that looks at one.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct WindowArgs {
    /// The time from here on: in the unit of the trace, or with ns, us, ms, s or %
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = TimeText::parse)]
    pub from: Option<TimeText>,

    /// The time before this
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = TimeText::parse)]
    pub to: Option<TimeText>,
}

impl WindowArgs {
    /// The window in ticks: the whole trace by default. It must hold time, and some of the
    /// trace's.
    pub fn window(&self, facts: &TraceFacts) -> Result<Window, Failure> {
        let Window { from, to } = self.unchecked(facts, facts.start, facts.end)?;
        let shown = |ticks| format!("{} {}", facts.unit.format(ticks), facts.unit.name);
        let given = self.from.is_some() || self.to.is_some();
        let outside = self.to.is_some() && to <= facts.start || from > facts.end;
        if given && outside {
            let (start, end) = (shown(facts.start), shown(facts.end));
            return Err(Failure::Cannot(format!(
                "the window lies outside the trace, which lasts from {start} to {end}"
            )));
        }
        if given && from >= to {
            let (from, to) = (shown(from), shown(to));
            return Err(Failure::Cannot(format!("the window from {from} to {to} is empty")));
        }
        Ok(Window { from, to })
    }

    /// The window in ticks, whatever it may hold.
    pub fn unchecked(
        &self,
        facts: &TraceFacts,
        first: Ticks,
        last: Ticks,
    ) -> Result<Window, Failure> {
        let ticks = |time: TimeText| time.ticks(facts).map_err(Failure::Cannot);
        let from = self.from.map_or(Ok(first), ticks)?;
        Ok(Window { from, to: self.to.map_or(Ok(last), ticks)? })
    }
}

/// A lens: from a file, and from flags that add to it.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct LensArgs {
    /// Look through the lens in FILE
    #[arg(long, value_name = "FILE", help_heading = "Lens")]
    pub lens: Option<PathBuf>,

    /// Write the lens that results to FILE
    #[arg(long, value_name = "FILE", help_heading = "Lens")]
    save_lens: Option<PathBuf>,

    /// Only these types, such as STATE or "re:^MPI"; may be given several times
    #[arg(long, value_name = "PATTERN", help_heading = "Lens")]
    types: Vec<String>,

    /// Not these types
    #[arg(long, value_name = "PATTERN", help_heading = "Lens")]
    hide_types: Vec<String>,

    /// Only these values, such as MPI_* or STATE:Wait; numbers of derived states are chosen by --types
    #[arg(long, value_name = "PATTERN", help_heading = "Lens")]
    values: Vec<String>,

    /// Not these values
    #[arg(long, value_name = "PATTERN", help_heading = "Lens")]
    hide_values: Vec<String>,

    /// Only these containers: a name, alias, #id, /path, rank[0-63], rank*, re:EXPRESSION; with
    /// /** at its end also everything below
    #[arg(long, value_name = "REFERENCE", help_heading = "Lens")]
    containers: Vec<String>,

    /// Not these containers
    #[arg(long, value_name = "REFERENCE", help_heading = "Lens")]
    hide_containers: Vec<String>,

    /// A type only in some containers, as TYPE=REFERENCE: "EVENT=node0/**" are the events of node0,
    /// "LINK=node0/**" its links, whichever end they have there; may be given several times
    #[arg(long, value_name = "TYPE=REFERENCE", value_parser = parse_types_in, help_heading = "Lens")]
    types_in: Vec<(String, String)>,

    /// A type in all but some containers
    #[arg(long, value_name = "TYPE=REFERENCE", value_parser = parse_types_in, help_heading = "Lens")]
    hide_types_in: Vec<(String, String)>,

    /// Only states and links that last at least this long
    #[arg(long, value_name = "TIME", help_heading = "Lens")]
    min_duration: Option<String>,

    /// Show containers as one: level:NAME, depth:N, re:EXPRESSION (by what it captures), or
    /// NAME=REFERENCE
    #[arg(long, value_name = "GROUP", value_parser = parse_group, help_heading = "Lens")]
    group: Vec<GroupSpec>,

    /// Order siblings by creation, name, end, messages or time:VALUE
    #[arg(long, value_name = "KEY", value_parser = parse_order, help_heading = "Lens")]
    order: Option<OrderKey>,

    /// The largest or last first
    #[arg(long, help_heading = "Lens")]
    descending: bool,

    /// Place the containers in the tree of FILE: JSON, property list or DOT
    #[arg(long, value_name = "FILE", help_heading = "Lens")]
    hierarchy: Option<PathBuf>,

    /// Place the containers by their names: an expression with a named group for each level
    #[arg(long, value_name = "EXPRESSION", conflicts_with = "hierarchy", help_heading = "Lens")]
    hierarchy_names: Option<String>,

    /// The groups of --hierarchy-names with commas between, the outermost first; by default a group
    /// with fewer different names lies around one with more
    #[arg(
        long,
        value_name = "LEVELS",
        value_delimiter = ',',
        requires = "hierarchy_names",
        help_heading = "Lens"
    )]
    hierarchy_levels: Vec<String>,

    /// Place the containers by an extra field that they have, such as the node of a Paraver trace;
    /// several with commas between are levels, the outermost first
    #[arg(long, value_name = "FIELDS", value_delimiter = ',', conflicts_with_all = ["hierarchy", "hierarchy_names"], help_heading = "Lens")]
    hierarchy_fields: Vec<String>,

    /// Use the colours that the trace gives to values: auto if all can be told apart, always, never
    #[arg(long, value_name = "WHEN", value_parser = parse_trace_colors, help_heading = "Lens")]
    trace_colors: Option<TraceColors>,
}

impl LensArgs {
    /// The lens: that of the file, with the flags added.
    pub fn lens(&self) -> Result<Lens, Failure> {
        let mut lens = self.lens.as_deref().map_or_else(|| Ok(Lens::clear()), read_lens)?;
        narrow(&mut lens.select.types, &self.types, &self.hide_types);
        narrow(&mut lens.select.values, &self.values, &self.hide_values);
        narrow(&mut lens.select.containers, &self.containers, &self.hide_containers);
        self.types_in.iter().for_each(|(name, reference)| {
            types_in_of(&mut lens, name).only.get_or_insert_default().push(reference.clone());
        });
        self.hide_types_in.iter().for_each(|(name, reference)| {
            types_in_of(&mut lens, name).hide.push(reference.clone());
        });
        if let Some(text) = &self.min_duration {
            lens.select.min_duration = Some(Duration::Text(text.clone()));
        }
        lens.group.extend(self.group.iter().cloned());
        if let Some(key) = &self.order {
            lens.order.by = key.clone();
        }
        lens.order.descending |= self.descending;
        if let Some(path) = &self.hierarchy {
            lens.hierarchy = Some(hierarchy_file::read(path)?);
        }
        if let Some(expression) = &self.hierarchy_names {
            lens.hierarchy = Some(hierarchy_file::from_names(expression, &self.hierarchy_levels)?);
        }
        if !self.hierarchy_fields.is_empty() {
            lens.hierarchy = Some(HierarchySpec::Fields { levels: self.hierarchy_fields.clone() });
        }
        if let Some(chosen) = self.trace_colors {
            lens.appearance.trace_colors = Some(chosen);
        }
        if let Some(path) = &self.save_lens {
            write_lens(path, &lens)?;
        }
        Ok(lens)
    }

    /// Applies the lens to a trace and a window.
    pub fn scope<'s>(&self, store: &'s Store, window: Window) -> Result<Scope<'s>, Failure> {
        Ok(Scope::new(store, &self.lens()?, window)?)
    }
}

/// Flags of the window and of the lens together, for commands that take both.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct LookArgs {
    #[command(flatten)]
    pub window: WindowArgs,

    #[command(flatten)]
    pub lens: LensArgs,
}

impl LookArgs {
    /// What is seen of a trace.
    pub fn scope<'s>(&self, store: &'s Store) -> Result<Scope<'s>, Failure> {
        let window = self.window.window(&store.catalog().facts)?;
        self.lens.scope(store, window)
    }
}

/// The arguments that say which trace is read, how, and what is seen of it: they have no place beside a file that is
/// no trace. Groups would do, but all of a group is named where one argument is wrong.
pub fn of_traces() -> Vec<clap::Id> {
    let look = LookArgs::augment_args(clap::Command::new("look"));
    let look = look.get_arguments().map(|argument| argument.get_id().clone());
    ["trace", "strict", "unit", "repair"].into_iter().map(clap::Id::from).chain(look).collect()
}

/// Adds what flags say to a filter.
fn narrow(filter: &mut Filter, only: &[String], hide: &[String]) {
    if !only.is_empty() {
        filter.only.get_or_insert_default().extend(only.iter().cloned());
    }
    filter.hide.extend(hide.iter().cloned());
}

/// Reads the lens in a file.
pub fn read_lens(path: &Path) -> Result<Lens, Failure> {
    let cannot = |why: String| Failure::Cannot(format!("{}: {why}", shown(path)));
    let text = fs::read_to_string(path).map_err(|error| match error.kind() {
        ErrorKind::InvalidData => cannot("not a lens: the file is no text".to_owned()),
        _ => cannot(error.to_string()),
    })?;
    Lens::from_json(&text).map_err(|error| cannot(error.to_string()))
}

/// Writes a lens to a file, whole or not at all.
pub fn write_lens(path: &Path, lens: &Lens) -> Result<(), Failure> {
    let text = lens.to_json() + "\n";
    onca_program::new_file::write(path, text.as_bytes())
}

fn parse_types_in(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, reference)) if !name.is_empty() && !reference.is_empty() => {
            Ok((name.to_owned(), reference.to_owned()))
        }
        _ => Err("write TYPE=REFERENCE".to_owned()),
    }
}

/// What a lens says of a type in some containers, to which flags add.
fn types_in_of<'l>(lens: &'l mut Lens, name: &str) -> &'l mut TypesIn {
    let rules = &mut lens.select.types_in;
    let is_own = |rule: &TypesIn| !rule.both_ends && rule.types == [name];
    let at = rules.iter().position(is_own).unwrap_or_else(|| {
        rules.push(TypesIn { types: vec![name.to_owned()], ..TypesIn::default() });
        rules.len() - 1
    });
    &mut rules[at]
}

fn parse_group(text: &str) -> Result<GroupSpec, String> {
    if let Some(level) = text.strip_prefix("level:") {
        return Ok(GroupSpec::Level(level.to_owned()));
    }
    if let Some(depth) = text.strip_prefix("depth:") {
        let depth = depth.parse().map_err(|_| format!("{depth:?} is no depth"))?;
        return Ok(GroupSpec::Depth(depth));
    }
    if let Some(expression) = text.strip_prefix("re:") {
        return Ok(GroupSpec::Pattern { expression: expression.to_owned(), within: None });
    }
    match text.split_once('=') {
        Some((name, reference)) if !name.is_empty() && !reference.is_empty() => {
            Ok(GroupSpec::Containers { name: name.to_owned(), of: vec![reference.to_owned()] })
        }
        _ => Err("write level:NAME, depth:N, re:EXPRESSION or NAME=REFERENCE".to_owned()),
    }
}

fn parse_trace_colors(text: &str) -> Result<TraceColors, String> {
    let found = TraceColors::ALL.into_iter().find(|choice| choice.name() == text);
    found.ok_or_else(|| "write auto, always or never".to_owned())
}

fn parse_order(text: &str) -> Result<OrderKey, String> {
    match (text, text.strip_prefix("time:")) {
        ("creation", _) => Ok(OrderKey::Creation),
        ("name", _) => Ok(OrderKey::Name),
        ("end", _) => Ok(OrderKey::End),
        ("messages", _) => Ok(OrderKey::Messages),
        (_, Some(value)) if !value.is_empty() => Ok(OrderKey::Time(vec![value.to_owned()])),
        _ => Err("write creation, name, end, messages or time:VALUE".to_owned()),
    }
}
