//! `onca store`: the stores on this machine.

use std::io::Write;
use std::path::{Path, PathBuf};

use onca_store::{Freshness, Scrutiny, Store, StoreError};
use serde::Serialize;

use crate::place::{STORE_SUFFIX, beside, cache_dir};
use crate::trace::{is_store, refuse_datasets};
use onca_program::format::{byte_size, count_of, shown};
use onca_program::{Exit, Failure, print, say, write_json};

/// List, verify and remove stores
#[derive(clap::Args, Debug)]
#[command(
    subcommand_value_name = "ACTION",
    after_long_help = "\
Examples:
  onca store list
  onca store verify run.paje
  onca store rm run.paje"
)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand, Debug)]
enum Action {
    /// List the stores in folders and in the user's cache directory
    List {
        /// Folders to look in; the current one by default
        #[arg(value_name = "DIR")]
        folders: Vec<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Read every byte of a store and check it, and whether its trace has changed
    Verify {
        /// A store, or a trace that has one
        #[arg(value_name = "STORE", required = true)]
        stores: Vec<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove stores; traces are never touched
    Rm {
        /// A store, or a trace that has one
        #[arg(value_name = "STORE", required = true)]
        stores: Vec<PathBuf>,
    },
}

/// Does what is asked.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    match &args.action {
        Action::List { folders, json } => list(folders, *json),
        Action::Verify { stores, json } => verify(stores, *json),
        Action::Rm { stores } => remove(stores),
    }
}

/// Stores as JSON: `onca-store-list/1` or `onca-store-verify/1`.
#[derive(Serialize)]
struct StoresJson<T> {
    schema: &'static str,
    stores: Vec<T>,
}

/// A store in a list: part of `onca-store-list/1`.
#[derive(Serialize)]
struct ListedJson {
    /// Where it is.
    store: String,
    /// Its size; 0 if it cannot be opened.
    bytes: u64,
    /// `fresh`, `stale`, `trace gone`, `from stream`, `other version`, `damaged` or `unknown`.
    status: &'static str,
    /// The trace that it was made from.
    trace: Option<String>,
}

/// A store that was read as a whole: part of `onca-store-verify/1`.
#[derive(Serialize)]
struct VerifiedJson {
    /// Where it is.
    store: String,
    /// Every byte was read and is as it was written.
    good: bool,
    #[serde(flatten)]
    found: FoundJson,
}

/// What was found in a store.
#[derive(Serialize)]
#[serde(untagged)]
enum FoundJson {
    Good {
        /// As in a list.
        status: &'static str,
        /// The rows of all columns.
        rows: u64,
    },
    Bad {
        /// What is wrong.
        error: String,
    },
}

fn list(folders: &[PathBuf], json: bool) -> Result<Exit, Failure> {
    let current = [PathBuf::from(".")];
    let folders = if folders.is_empty() { &current } else { folders };
    let mut stores: Vec<PathBuf> =
        folders.iter().cloned().chain(cache_dir()).flat_map(|folder| stores_in(&folder)).collect();
    stores.sort();
    stores.dedup();
    let mut rows = Vec::new();
    for place in &stores {
        let (status, bytes, trace) = describe(place);
        if json {
            let store = place.display().to_string();
            rows.push(ListedJson { store, bytes, status, trace });
        } else {
            let size = byte_size(bytes);
            print(|out| writeln!(out, "{size:>10}  {status:<12}  {}", shown(place)))?;
        }
    }
    if json {
        let answer = StoresJson { schema: "onca-store-list/1", stores: rows };
        print(|out| write_json(out, &answer))?;
    } else if stores.is_empty() {
        say!("no stores here or in the cache directory; \"onca index TRACE\" makes one");
    }
    Ok(Exit::Fine)
}

fn stores_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir() && path.to_string_lossy().ends_with(STORE_SUFFIX))
        .collect()
}

/// The state of a store in a word, its size, and its trace.
fn describe(place: &Path) -> (&'static str, u64, Option<String>) {
    match Store::open(place) {
        Ok(store) => {
            let trace =
                store.source().files.first().map(|file| file.location().display().to_string());
            (freshness_word(&store, Scrutiny::Quick), store.bytes(), trace)
        }
        Err(StoreError::OtherVersion { .. }) => ("other version", 0, None),
        Err(_) => ("damaged", 0, None),
    }
}

fn freshness_word(store: &Store, scrutiny: Scrutiny) -> &'static str {
    match store.freshness(scrutiny) {
        Ok(Freshness::Fresh) => "fresh",
        Ok(Freshness::Changed(_)) => "stale",
        Ok(Freshness::Missing(_)) => "trace gone",
        Ok(Freshness::Unknown) => "from stream",
        Err(_) => "unknown",
    }
}

/// The store that is meant: itself, or the one of a trace.
fn resolve(path: &Path) -> Result<PathBuf, Failure> {
    if is_store(path) {
        refuse_datasets(path)?;
        return Ok(path.to_owned());
    }
    let found = candidates(path).into_iter().find(|place| place.is_dir());
    found.ok_or_else(|| Failure::Cannot(format!("{} has no store", shown(path))))
}

/// Where the store of a trace may be.
fn candidates(trace: &Path) -> Vec<PathBuf> {
    [Some(beside(trace)), crate::place::in_cache(trace)].into_iter().flatten().collect()
}

fn verify(stores: &[PathBuf], json: bool) -> Result<Exit, Failure> {
    let mut exit = Exit::Fine;
    let mut rows = Vec::new();
    for path in stores {
        let place = resolve(path)?;
        let shown = shown(&place);
        let checked = Store::open(&place).and_then(|store| Ok((store.verify()?, store)));
        let (good, text, found) = match checked {
            Ok((report, store)) => {
                let status = freshness_word(&store, Scrutiny::Thorough);
                let rows = count_of(report.rows, "row");
                let text =
                    format!("{shown}: good, {rows} in {}, {status}", byte_size(report.bytes));
                let found = FoundJson::Good { status, rows: report.rows };
                (true, text, found)
            }
            Err(error) => {
                let text = format!("{shown}: {error}");
                (false, text, FoundJson::Bad { error: error.to_string() })
            }
        };
        if !good {
            exit = Exit::Lost;
        }
        if json {
            rows.push(VerifiedJson { store: shown, good, found });
        } else {
            print(|out| writeln!(out, "{text}"))?;
        }
    }
    if json {
        let answer = StoresJson { schema: "onca-store-verify/1", stores: rows };
        print(|out| write_json(out, &answer))?;
    }
    Ok(exit)
}

fn remove(stores: &[PathBuf]) -> Result<Exit, Failure> {
    for path in stores {
        // Also where there is nothing but what is left of a store that was never finished.
        candidates(path).iter().for_each(|place| onca_store::clean_up(place));
        let place = resolve(path)?;
        Store::remove(&place)?;
        say!("removed {}", shown(&place));
    }
    Ok(Exit::Fine)
}
