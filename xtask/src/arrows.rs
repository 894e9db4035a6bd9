//! Data flows one way between the crates: a crate may use only crates that come before it.
//!
//! A dev-dependency on a crate for tests (`testkit`, `generate`, `trace`) is always free. All other
//! dependencies, those of tests and build scripts included, must follow the order.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::{Checked, cargo, rooms};

/// The crates in the direction of data, with places kept for those still to come.
const ORDER: &[&str] = &[
    "model",
    "read",
    "simulate",
    "store",
    "query",
    "aggregate",
    "answer",
    "export",
    "layout",
    "scene",
    "views",
    "draw",
    "tables",
    "sql",
    "sql-client",
    "serve",
    "program",
    "sql-cli",
    "cluster",
    "cli",
    "python",
    "bench",
];

/// They use nothing of ours: a library for other programs, a writer of traces, and a reference
/// that must not share the mistakes of what it is compared with.
const ALONE: &[&str] = &["generate", "trace", "trace-mpi", "testkit"];

/// Who may use a crate that stands alone, other than in tests.
const USERS_OF_ALONE: &[(&str, &[&str])] = &[
    ("generate", &["cli", "bench"]),
    ("trace", &["cli", "bench"]),
    ("trace-mpi", &["cli", "bench"]),
    ("testkit", &[]),
];

/// Who may use a crate of the query engine. Everybody else would make `onca` as large as it.
const USERS_OF_ENGINE: &[(&str, &[&str])] =
    &[("sql", &["sql-cli", "cluster"]), ("tables", &["sql", "cluster", "python"])];

/// Who must ask somebody else instead of a crate that comes before it. Tests may look.
const ASKED_BY_WAY: &[(&str, &str, &str)] = &[("views", "store", "answer")];

/// Tests of any crate may use these.
const FOR_TESTS: &[&str] = &["testkit", "generate", "trace"];

/// The chores may look at the vocabulary; nothing may use the chores.
const CHORES: &str = "xtask";

/// Asks Cargo for the crates of the workspace and checks their dependencies.
pub fn check(root: &Path) -> Result<Checked, String> {
    let metadata = cargo::metadata(root, &["--no-deps"])?;
    let arrows = arrows(&metadata)?;
    let what = format!("{} crates, {} arrows", arrows.crates.len(), arrows.list.len());
    let mut problems = arrows.problems();
    problems.extend(rooms::problems(root)?);
    Ok(Checked { what, problems })
}

/// One crate of the workspace depends on another.
#[derive(Debug, PartialEq, Eq)]
struct Arrow {
    from: String,
    to: String,
    /// Only tests, examples and benchmarks need it.
    dev: bool,
}

/// All crates of the workspace and the arrows between them.
struct Arrows {
    crates: BTreeSet<String>,
    list: Vec<Arrow>,
}

fn arrows(metadata: &Value) -> Result<Arrows, String> {
    let packages = metadata["packages"].as_array().ok_or("the metadata has no packages")?;
    let name_of = |package: &Value| package["name"].as_str().map(short_name);
    let crates: BTreeSet<String> = packages.iter().filter_map(name_of).collect();
    let mut list = Vec::new();
    for package in packages {
        let from = name_of(package).ok_or("a package has no name")?;
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let to = name_of(dependency).ok_or("a dependency has no name")?;
            if crates.contains(&to) {
                let dev = dependency["kind"] == "dev";
                list.push(Arrow { from: from.clone(), to, dev });
            }
        }
    }
    Ok(Arrows { crates, list })
}

/// The name of a crate without that of the project: `onca-model` is `model`.
fn short_name(name: &str) -> String {
    name.strip_prefix("onca-").unwrap_or(name).to_owned()
}

impl Arrows {
    fn problems(&self) -> Vec<String> {
        let strangers = self.crates.iter().filter(|name| !is_known(name)).map(|name| {
            format!(
                "{name}: the crate has no place in the order; give it one in xtask/src/arrows.rs"
            )
        });
        let against = self.list.iter().filter_map(|arrow| {
            let why = objection(arrow)?;
            let kind = if arrow.dev { "dev-depends" } else { "depends" };
            Some(format!("{} {kind} on {}: {why}", arrow.from, arrow.to))
        });
        strangers.chain(against).collect()
    }
}

fn is_known(name: &str) -> bool {
    ORDER.contains(&name) || ALONE.contains(&name) || name == CHORES
}

/// What is wrong with an arrow, if anything is.
fn objection(arrow: &Arrow) -> Option<String> {
    let (from, to) = (arrow.from.as_str(), arrow.to.as_str());
    if !is_known(from) || !is_known(to) || arrow.dev && FOR_TESTS.contains(&to) {
        return None;
    }
    if to == CHORES {
        return Some("nothing may use the chores".to_owned());
    }
    if from == CHORES {
        return (to != "model").then(|| "the chores may use only model".to_owned());
    }
    if ALONE.contains(&from) {
        return Some(format!("{from} uses nothing of ours"));
    }
    if let Some((_, users)) = USERS_OF_ALONE.iter().find(|(name, _)| *name == to) {
        return (!users.contains(&from)).then(|| match users {
            [] => format!("{to} is for tests only"),
            users => format!("only {} and tests may use {to}", users.join(", ")),
        });
    }
    if let Some((_, users)) = USERS_OF_ENGINE.iter().find(|(name, _)| *name == to)
        && !users.contains(&from)
    {
        return Some(format!("only {} may use the query engine", users.join(", ")));
    }
    let by_way = ASKED_BY_WAY.iter().find(|(user, used, _)| (*user, *used) == (from, to));
    if let Some((_, _, way)) = by_way.filter(|_| !arrow.dev) {
        return Some(format!("{from} asks {way}"));
    }
    let place = |name: &str| ORDER.iter().position(|known| *known == name);
    (place(to) >= place(from)).then(|| format!("data flows {}", ORDER.join(" > ")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What Cargo would tell of crates and their dependencies, written `from: to, to (dev)`.
    fn metadata(lines: &[&str]) -> Value {
        let package = |line: &&str| {
            let (name, rest) = line.split_once(':').unwrap_or((line, ""));
            let dependency = |word: &str| {
                let (name, kind) = match word.trim().split_once(' ') {
                    None => (word.trim(), Value::Null),
                    Some((name, kind)) => (name, json!(kind.trim_matches(['(', ')']))),
                };
                json!({ "name": name, "kind": kind })
            };
            let words = rest.split(',').filter(|word| !word.trim().is_empty());
            json!({ "name": name, "dependencies": words.map(dependency).collect::<Vec<_>>() })
        };
        json!({ "packages": lines.iter().map(package).collect::<Vec<_>>() })
    }

    fn problems(lines: &[&str]) -> Vec<String> {
        arrows(&metadata(lines)).expect("made-up metadata is complete").problems()
    }

    #[test]
    fn the_way_of_the_data_is_free() {
        let lines = [
            "onca-model: serde",
            "onca-read: onca-model, memchr",
            "onca-simulate: onca-model, onca-read, onca-testkit (dev)",
            "onca-store: onca-model, onca-generate (dev), onca-simulate (dev)",
            "onca-generate: rand",
            "onca-testkit",
            "onca-cli: onca-store, onca-read, onca-generate, onca-testkit (dev)",
            "xtask: onca-model, serde_json",
        ];
        assert_eq!(problems(&lines), [""; 0]);
    }

    #[test]
    fn an_arrow_against_the_flow_is_named() {
        let found = problems(&["onca-model: onca-store", "onca-store: onca-model"]);
        assert_eq!(found.len(), 1);
        assert!(
            found[0].starts_with("model depends on store: data flows model > read"),
            "{found:?}"
        );
    }

    #[test]
    fn tests_and_build_scripts_are_held_to_the_order() {
        let lines =
            ["onca-read: onca-simulate (dev), onca-store (build)", "onca-simulate", "onca-store"];
        let found = problems(&lines);
        assert_eq!(found.len(), 2);
        assert!(found[0].starts_with("read dev-depends on simulate"), "{found:?}");
        assert!(found[1].starts_with("read depends on store"), "{found:?}");
    }

    #[test]
    fn what_is_for_tests_is_only_for_tests() {
        let found = problems(&["onca-simulate: onca-testkit", "onca-testkit"]);
        assert_eq!(found, ["simulate depends on testkit: testkit is for tests only"]);
        let found = problems(&["onca-store: onca-generate", "onca-generate"]);
        assert_eq!(
            found,
            ["store depends on generate: only cli, bench and tests may use generate"]
        );
    }

    #[test]
    fn the_query_engine_is_for_its_own_program() {
        let found = problems(&["onca-serve: onca-sql", "onca-sql-cli: onca-sql", "onca-sql"]);
        assert_eq!(found, ["serve depends on sql: only sql-cli, cluster may use the query engine"]);
    }

    #[test]
    fn views_ask_for_answers() {
        let lines = ["onca-views: onca-store, onca-answer", "onca-store", "onca-answer"];
        assert_eq!(problems(&lines), ["views depends on store: views asks answer"]);
        let lines = ["onca-views: onca-store (dev)", "onca-store"];
        assert_eq!(problems(&lines), [""; 0]);
    }

    #[test]
    fn crates_that_stand_alone_use_nothing_of_ours() {
        let found =
            problems(&["onca-generate: onca-model", "onca-testkit: onca-model", "onca-model"]);
        assert_eq!(
            found,
            [
                "generate depends on model: generate uses nothing of ours",
                "testkit depends on model: testkit uses nothing of ours",
            ]
        );
        let found = problems(&["onca-trace: onca-testkit (dev)", "onca-testkit"]);
        assert_eq!(found, [""; 0]);
    }

    #[test]
    fn chores_are_apart() {
        let found = problems(&["xtask: onca-store", "onca-store: xtask (dev)"]);
        assert_eq!(
            found,
            [
                "xtask depends on store: the chores may use only model",
                "store dev-depends on xtask: nothing may use the chores",
            ]
        );
    }

    #[test]
    fn a_crate_without_a_place_is_a_problem() {
        let found = problems(&["onca-surprise: onca-model", "onca-model"]);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("surprise: the crate has no place"), "{found:?}");
    }

    #[test]
    fn metadata_of_another_shape_is_refused() {
        assert!(arrows(&json!({})).is_err());
        assert!(arrows(&json!({ "packages": [{}] })).is_err());
    }
}
