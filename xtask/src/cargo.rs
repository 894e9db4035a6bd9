//! What Cargo knows of the workspace.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::run;

/// The Cargo that runs this chore, in the root of the project.
pub fn command(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
}

/// The answer of `cargo metadata`.
pub fn metadata(root: &Path, arguments: &[&str]) -> Result<Value, String> {
    let text = run::output(
        command(root).args(["metadata", "--format-version", "1", "--locked"]).args(arguments),
    )?;
    serde_json::from_str(&text).map_err(|error| format!("cargo metadata: {error}"))
}

/// The folder of what Cargo builds.
pub fn target_directory(metadata: &Value) -> Result<PathBuf, String> {
    let directory = metadata["target_directory"].as_str();
    directory.map(PathBuf::from).ok_or_else(|| "the metadata has no target_directory".to_owned())
}

/// A crate of some version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Crate {
    pub name: String,
    pub version: String,
}

/// The crates that a package is built from on this platform, itself included.
///
/// `cargo metadata` would not do: it turns on the features that any package of the workspace asks
/// for, tests included, and so tells of crates that a build of this package alone never sees.
pub fn tree(root: &Path, package: &str, edges: &str) -> Result<BTreeSet<Crate>, String> {
    let listing = run::output(command(root).args([
        "tree",
        "--locked",
        "--package",
        package,
        "--edges",
        edges,
        "--prefix",
        "none",
        "--format",
        "{p}",
    ]))?;
    crates(&listing)
}

/// The crates of lines such as `clap_derive v4.6.1 (proc-macro) (*)`.
fn crates(listing: &str) -> Result<BTreeSet<Crate>, String> {
    let named = |line: &str| {
        let mut words = line.split_whitespace();
        let name = words.next()?.to_owned();
        let version = words.next()?.strip_prefix('v')?.to_owned();
        Some(Crate { name, version })
    };
    let lines = listing.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| named(line).ok_or_else(|| format!("cargo tree: {line:?} names no crate")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_counts_once_a_version() {
        let listing = "\
onca-cli v0.1.0 (/home/me/onca/crates/cli)
clap v4.6.7
clap_derive v4.6.1 (proc-macro)
hashbrown v0.16.0

clap v4.6.7 (*)
hashbrown v0.17.0
";
        let names: Vec<String> = crates(listing)
            .expect("a listing")
            .into_iter()
            .map(|one| format!("{} {}", one.name, one.version))
            .collect();
        let expected = [
            "clap 4.6.7",
            "clap_derive 4.6.1",
            "hashbrown 0.16.0",
            "hashbrown 0.17.0",
            "onca-cli 0.1.0",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn a_listing_of_another_shape_is_refused() {
        assert!(crates("[build-dependencies]\n").is_err());
    }
}
