//! `onca find`: entities and containers by name, extra field and duration.

use std::io::Write;

use clap::ValueEnum;
use onca_answer::{Cursor, Fields, FindSpec, Found, FoundCounts, Hit, count_found, find};
use onca_model::{ContainerId, FieldId, Nature, Ticks, extra_fields, printable};
use onca_query::{NamePattern, Scope, TimeText, container_path};

use crate::look::LookArgs;
use crate::trace::TraceArgs;
use onca_program::format::count_of;
use onca_program::table::{Cell, FormArgs, Table};
use onca_program::{Exit, Failure, print, say, write_json};

/// Find entities and containers by name, extra field or duration
///
/// What is found comes in order of time, in pages. A pattern is a name, MPI_*, rank[0-3] or
/// re:EXPRESSION, as in a lens; "*" takes everything.
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca find run.paje MPI_Wait --longer-than 10ms
  onca find run.paje 're:^rank' --kinds container
  onca find run.paje '*' --containers rank3 --from 1 --to 1.2
  onca find run.paje 'mpi_*' -i --count
  onca find run.paje '1048576' --field Size")]
pub struct Args {
    #[command(flatten)]
    trace: TraceArgs,

    /// What one of the texts must be
    #[arg(value_name = "PATTERN")]
    pattern: String,

    /// Which texts the pattern is compared with
    #[arg(long = "in", value_name = "TEXTS", value_delimiter = ',', default_values_t = [Text::Values, Text::Containers])]
    texts: Vec<Text>,

    /// Compare the pattern with the extra field of this name only; may be given several times
    #[arg(long, value_name = "NAME", conflicts_with = "texts")]
    field: Vec<String>,

    /// Only these kinds; all but variables by default
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    kinds: Vec<Kind>,

    /// Small letters match capital ones
    #[arg(short, long)]
    ignore_case: bool,

    /// Only what lasts longer
    #[arg(long, value_name = "TIME", value_parser = TimeText::parse)]
    longer_than: Option<TimeText>,

    /// Only what lasts less
    #[arg(long, value_name = "TIME", value_parser = TimeText::parse)]
    shorter_than: Option<TimeText>,

    /// How many to a page
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    limit: u32,

    /// The page that follows this place, which the page before printed
    #[arg(long, value_name = "PLACE", allow_hyphen_values = true)]
    after: Option<Cursor>,

    /// Only tell how many there are
    #[arg(long, conflicts_with_all = ["limit", "after"])]
    count: bool,

    #[command(flatten)]
    look: LookArgs,

    #[command(flatten)]
    form: FormArgs,
}

/// A text of an entity.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Text {
    /// The name of the value; for variables the number
    Values,
    /// For containers: the name or alias
    Containers,
    /// The name of the type
    Types,
    /// The extra fields
    Extras,
    /// For links: the key
    Keys,
}

impl std::fmt::Display for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.to_possible_value().map_or(Ok(()), |value| f.write_str(value.get_name()))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Kind {
    State,
    Link,
    Event,
    Variable,
    Container,
}

impl Kind {
    fn nature(self) -> Nature {
        match self {
            Self::State => Nature::State,
            Self::Link => Nature::Link,
            Self::Event => Nature::Event,
            Self::Variable => Nature::Variable,
            Self::Container => Nature::Container,
        }
    }
}

/// Answers.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let trace = args.trace.open()?;
    trace.mention_problems();
    let scope = args.look.scope(&trace.store)?;
    let spec = args.spec(&scope)?;
    match args.count {
        true => print_counts(args, &scope, &count_found(&scope, &spec)?)?,
        false => {
            let found = find(&scope, &spec, args.after, args.limit as usize)?;
            print_found(args, &scope, &found)?;
        }
    }
    Ok(Exit::from_lost(trace.store.catalog().facts.lost))
}

impl Args {
    fn spec(&self, scope: &Scope<'_>) -> Result<FindSpec, Failure> {
        let parse = match self.ignore_case {
            true => NamePattern::parse_ignoring_case,
            false => NamePattern::parse,
        };
        let duration = |text: Option<TimeText>| -> Result<Option<Ticks>, Failure> {
            let ticks = text.map(|text| text.duration(&scope.catalog().facts)).transpose();
            ticks.map_err(Failure::Cannot)
        };
        let extra_fields = self.extra_fields(scope)?;
        let wants = |text: Text| match self.field.is_empty() {
            true => self.texts.contains(&text),
            false => text == Text::Extras,
        };
        let usual = [Kind::State, Kind::Link, Kind::Event, Kind::Container];
        let kinds = if self.kinds.is_empty() { &usual[..] } else { &self.kinds };
        Ok(FindSpec {
            pattern: parse(&self.pattern).map_err(Failure::Cannot)?,
            fields: Fields {
                values: wants(Text::Values),
                containers: wants(Text::Containers),
                types: wants(Text::Types),
                extras: wants(Text::Extras),
                keys: wants(Text::Keys),
            },
            extra_fields,
            kinds: kinds.iter().map(|kind| kind.nature()).collect(),
            longer_than: duration(self.longer_than)?,
            shorter_than: duration(self.shorter_than)?,
            line: None,
        })
    }

    /// The fields that `--field` names. Several definitions may have fields of one name.
    fn extra_fields(&self, scope: &Scope<'_>) -> Result<Vec<FieldId>, Failure> {
        let fields = &scope.catalog().fields;
        let mut found = Vec::new();
        for name in &self.field {
            let before = found.len();
            let named = fields.iter().enumerate().filter(|(_, def)| def.name == name.as_bytes());
            found.extend(named.map(|(index, _)| FieldId(index as u32)));
            if found.len() == before {
                let mut known: Vec<_> = fields.iter().map(|def| printable(&def.name)).collect();
                known.sort();
                known.dedup();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                return Err(Failure::Cannot(format!(
                    "there is no extra field {name:?}; the trace has {known}"
                )));
            }
        }
        Ok(found)
    }
}

fn print_counts(args: &Args, scope: &Scope<'_>, counts: &FoundCounts) -> Result<(), Failure> {
    let catalog = scope.catalog();
    if args.form.json {
        return print(|out| write_json(out, &counts.json(scope)));
    }
    let mut table = Table::new(&["kind", "type", "value", "#count"]);
    for row in &counts.rows {
        table.push(vec![
            Cell::text(row.nature.name()),
            Cell::name(&catalog.type_def(row.type_id).name),
            row.value.map_or_else(Cell::none, |value| Cell::name(&catalog.value(value).name)),
            Cell::count(row.count),
        ]);
    }
    print(|out| match args.form.csv {
        true => table.write_csv(out, args.form),
        false if counts.rows.is_empty() => writeln!(out, "nothing found"),
        false => {
            table.write_text(out)?;
            writeln!(out, "{} in all", count_of(counts.total(), "find"))
        }
    })
}

fn print_found(args: &Args, scope: &Scope<'_>, found: &Found) -> Result<(), Failure> {
    print(|out| {
        if args.form.json {
            write_json(out, &found.json(scope))
        } else if args.form.csv {
            table_of(scope, found).write_csv(out, args.form)
        } else if found.hits.is_empty() {
            writeln!(out, "nothing found")
        } else {
            table_of(scope, found).write_text(out)
        }
    })?;
    if let Some(cursor) = found.next.filter(|_| !args.form.json) {
        // Not among the rows: they may go to a file.
        say!("there is more: --after {cursor}");
    }
    Ok(())
}

fn table_of(scope: &Scope<'_>, found: &Found) -> Table {
    let mut table =
        Table::new(&["kind", "#start", "#duration", "container", "value", "type", "texts"]);
    for hit in &found.hits {
        table.push(cells_of(scope, hit));
    }
    table
}

fn cells_of(scope: &Scope<'_>, hit: &Hit) -> Vec<Cell> {
    let catalog = scope.catalog();
    let unit = &catalog.facts.unit;
    let path = |id: Option<ContainerId>| {
        id.map_or("?".to_owned(), |id| container_path(&catalog.containers, id))
    };
    let container = match hit.nature {
        Nature::Link => format!("{} -> {}", path(hit.container), path(hit.destination)),
        _ => path(hit.container),
    };
    let number = |number: f64| Cell::number(number.to_string(), number);
    let value = hit.value.map(|value| Cell::name(&catalog.value(value).name));
    let duration =
        (hit.nature != Nature::Event).then(|| i128::from(hit.end.saturating_sub(hit.start)));
    vec![
        Cell::text(hit.nature.name()),
        Cell::text(unit.format(hit.start)),
        Cell::time(unit, duration),
        Cell::text(container),
        value.or(hit.number.map(number)).unwrap_or_else(Cell::none),
        Cell::name(&catalog.type_def(hit.type_id).name),
        Cell::text(texts_of(scope, hit)),
    ]
}

/// The key and the extra fields.
fn texts_of(scope: &Scope<'_>, hit: &Hit) -> String {
    let key = (!hit.key.is_empty()).then(|| format!("key={}", printable(&hit.key)));
    let extras = extra_fields(&hit.extras).map(|extra| {
        let name = scope.catalog().field_name(extra.field);
        format!("{}={}", printable(&name), printable(extra.text))
    });
    key.into_iter().chain(extras).collect::<Vec<_>>().join(" ")
}
