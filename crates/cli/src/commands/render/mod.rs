//! `onca render`: a view as a picture.

mod page;
mod paper;
mod scaling;

use std::path::PathBuf;

use clap::{Arg, Args as _, Command, FromArgMatches, Subcommand, value_parser};
use onca_program::{Exit, Failure};
use onca_views::registry::{AskedView, FileFlag, VIEWS, ViewEntry};

use crate::look::of_traces;
use crate::platform::PlatformArgs;
use crate::trace::trace_path;
use page::{FindingsArgs, PageArgs};
use paper::{FigureArgs, FileArgs};
use scaling::ScalingArgs;

/// Draw a view of a trace as SVG, PNG or PDF, or everything as one page of HTML
///
/// The picture is the same on every machine, byte for byte.
#[derive(clap::Args, Debug)]
#[command(subcommand_value_name = "VIEW", subcommand_help_heading = "Views")]
pub struct Args {
    #[command(subcommand)]
    picture: Picture,
}

#[derive(Debug)]
enum Picture {
    View(Box<ViewArgs>),
    File(Box<FileArgs>, Box<dyn AskedView>),
    Page(Box<PageArgs>),
    Findings(Box<FindingsArgs>),
    Scaling(Box<ScalingArgs>),
}

/// A view with its own options, and those that every figure has.
#[derive(Debug)]
struct ViewArgs {
    figure: FigureArgs,
    /// The second of two runs.
    after: Option<PathBuf>,
    platform: PlatformArgs,
    view: Box<dyn AskedView>,
}

const PAGE: &str = "page";
const FINDINGS: &str = "findings";
const SCALING: &str = "scaling";
/// What clap calls the file that is drawn instead of a trace, whatever its flag is.
const FILE: &str = "instead";
/// What clap calls the second of two runs.
const AFTER: &str = "after";

/// One subcommand for each view of the registry.
impl Subcommand for Picture {
    fn augment_subcommands(command: Command) -> Command {
        let views = VIEWS.iter().map(subcommand).fold(command, Command::subcommand);
        let findings = FindingsArgs::augment_args(Command::new(FINDINGS));
        let scaling = ScalingArgs::augment_args(Command::new(SCALING));
        let page = PageArgs::augment_args(Command::new(PAGE));
        views.subcommand(scaling).subcommand(page).subcommand(findings)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        [PAGE, FINDINGS, SCALING].contains(&name) || ViewEntry::named(name).is_some()
    }
}

fn subcommand(view: &ViewEntry) -> Command {
    let command = FigureArgs::augment_args(Command::new(view.name));
    let command = match view.uses_network {
        true => PlatformArgs::augment_args(command),
        false => command,
    };
    let command = match view.compares {
        true => with_after(command),
        false => command,
    };
    let command = match view.file {
        Some(file) => with_file(command, file),
        None => command,
    };
    // Last, because it says what the command does.
    view.augment(command)
}

/// A command that takes two runs.
fn with_after(command: Command) -> Command {
    let after = Arg::new(AFTER)
        .value_name("AFTER")
        .value_parser(trace_path())
        .required(true)
        .help("The second run, a trace or a store");
    let command = command.mut_arg("trace", |trace| {
        trace.value_name("BEFORE").help("The first run, a trace or a store")
    });
    command.arg(after)
}

/// A command that takes a file instead of a trace.
fn with_file(command: Command, file: FileFlag) -> Command {
    let named = Arg::new(FILE)
        .long(file.name)
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .conflicts_with_all(of_traces())
        .conflicts_with("remembered")
        .conflicts_with_all(file.decides)
        .help(file.help);
    let command = command.arg(named);
    command.mut_arg("trace", |trace| trace.required(false).required_unless_present(FILE))
}

impl FromArgMatches for Picture {
    fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
        let (name, matches) = matches.subcommand().ok_or_else(missing)?;
        let Some(view) = ViewEntry::named(name) else {
            return Ok(match name {
                FINDINGS => Self::Findings(Box::new(FindingsArgs::from_arg_matches(matches)?)),
                SCALING => Self::Scaling(Box::new(ScalingArgs::from_arg_matches(matches)?)),
                _ => Self::Page(Box::new(PageArgs::from_arg_matches(matches)?)),
            });
        };
        let file = view.file.and_then(|_| matches.get_one::<PathBuf>(FILE));
        if let Some(file) = file {
            let args = FileArgs::new(file.clone(), matches)?;
            return Ok(Self::File(Box::new(args), view.ask_matches(matches)?));
        }
        Ok(Self::View(Box::new(ViewArgs {
            figure: FigureArgs::from_arg_matches(matches)?,
            after: match view.compares {
                true => matches.get_one::<PathBuf>(AFTER).cloned(),
                false => None,
            },
            platform: match view.uses_network {
                true => PlatformArgs::from_arg_matches(matches)?,
                false => PlatformArgs::default(),
            },
            view: view.ask_matches(matches)?,
        })))
    }

    fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Draws.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    match &args.picture {
        Picture::View(args) => match &args.after {
            Some(after) => args.figure.render_both(after, &*args.view),
            None => args.figure.render(&*args.view, &args.platform),
        },
        Picture::File(args, view) => args.render(&**view),
        Picture::Page(args) => args.render(),
        Picture::Findings(args) => args.render(),
        Picture::Scaling(args) => args.render(),
    }
}
