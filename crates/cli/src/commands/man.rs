//! `onca man`: the manual pages.

use std::io::Write;
use std::path::PathBuf;

use onca_program::{Exit, Failure, print};

/// Print the manual page, or write one page a command into a directory
#[derive(clap::Args, Debug)]
#[command(after_long_help = "\
Examples:
  onca man | man -l -
  onca man -o ~/.local/share/man/man1")]
pub struct Args {
    /// Write the pages of all commands into this directory
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Makes the pages.
pub fn run(args: &Args, command: clap::Command) -> Result<Exit, Failure> {
    match &args.output {
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(command)
                .render(&mut page)
                .map_err(|error| Failure::Cannot(error.to_string()))?;
            print(|out| out.write_all(&page))?;
        }
        Some(dir) => {
            let cannot = |error| Failure::Cannot(format!("{}: {error}", dir.display()));
            std::fs::create_dir_all(dir).map_err(cannot)?;
            clap_mangen::generate_to(command, dir).map_err(cannot)?;
            clap_mangen::generate_to(engine(), dir).map_err(cannot)?;
        }
    }
    Ok(Exit::Fine)
}

/// The program that answers queries, for its own page. It cannot be asked: it may not be installed.
fn engine() -> clap::Command {
    clap::Command::new("onca-sql")
        .version(env!("CARGO_PKG_VERSION"))
        .about("SQL and Parquet for Onca")
        .long_about(
            "\"onca query\", \"onca export --format parquet\" and \"onca view\" start this program; it is not \
             meant to be run by hand. They look for it in the place that the variable ONCA_SQL names, beside \
             onca, and in the folders of PATH. It must have the version of onca.",
        )
        .after_help("See also: onca-query(1), onca-export(1), onca-view(1)")
}
