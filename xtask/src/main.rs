//! Project chores that Cargo does not do, called as `cargo xtask CHORE`.
//!
//! Each chore returns a list of what is wrong, one line a problem; an empty list is success.

mod arrows;
mod budget;
mod cargo;
mod dist;
mod docs;
mod fields;
mod rooms;
mod run;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
Usage: cargo xtask CHORE

Chores:
  arrows  fail when a crate depends against the direction of data
  budget  fail when onca has too many crates or the page loads too much at once
          --time  also build from nothing, and print CPU seconds by package
  dist    build the programs for older distributions, and pack an archive and a Debian package
          --out DIR  write them there (target/dist by default)
  docs    fail when a diagnostic code or a field of an answer is not documented, a document tells of
          a field that there is not, or a link in a document leads nowhere";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let Some(notes) = budget::time::notes() {
        return budget::time::compile(&notes, &words);
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (chore, outcome) = match words[..] {
        ["arrows"] => ("arrows", arrows::check(&root())),
        ["budget"] => ("budget", budget::check(&root())),
        ["budget", "--time"] => ("budget", budget::check_and_time(&root())),
        ["dist"] => ("dist", dist::make(&root(), None)),
        ["dist", "--out", out] => ("dist", dist::make(&root(), Some(Path::new(out)))),
        ["docs"] => ("docs", docs::check(&root())),
        ["-h" | "--help" | "help"] => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(Checked { what, problems }) if problems.is_empty() => {
            println!("{chore}: {what}, nothing wrong");
            ExitCode::SUCCESS
        }
        Ok(Checked { problems, .. }) => {
            for problem in &problems {
                eprintln!("{chore}: {problem}");
            }
            ExitCode::FAILURE
        }
        Err(why) => {
            eprintln!("{chore}: cannot do it: {why}");
            ExitCode::from(2)
        }
    }
}

/// What a check looked at and what it found.
struct Checked {
    /// How much was looked at, such as `8 crates`.
    what: String,
    /// One line each.
    problems: Vec<String>,
}

/// The root of the project, wherever the chore is run from.
fn root() -> PathBuf {
    // Clones that share a target folder share this program: `cargo run` tells which one it is for.
    let here = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    here.parent().map_or_else(|| here.clone(), Path::to_owned)
}
