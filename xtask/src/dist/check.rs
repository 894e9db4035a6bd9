//! Programs are run once from where they were unpacked.

use std::path::Path;
use std::process::Command;

use super::temporary;
use crate::run;

/// A question that only the SQL program can answer.
const QUESTION: &str = "SELECT count(*) AS n FROM states";

/// Asks each program for its version, and `onca` something that it hands to `onca-sql`.
pub fn programs(folder: &Path, version: &str, names: &[&str]) -> Result<(), String> {
    for name in names {
        let said = run::output(&mut program(folder, name, folder, &["--version"]))?;
        if !said.split_whitespace().any(|word| word == version) {
            return Err(format!("{name} says it is {:?}, not {version}", said.trim()));
        }
    }
    let work = temporary()?;
    let onca = |words: &[&str]| run::output(&mut program(folder, "onca", work.path(), words));
    onca(&["demo", "--no-open", "-o", "demo.paje"])?;
    let answer = onca(&["query", "demo.paje", QUESTION])?;
    let number = answer.split_whitespace().last().and_then(|word| word.parse::<u64>().ok());
    match number {
        Some(n) if n > 0 => Ok(()),
        _ => Err(format!("onca query answers {answer:?} to {QUESTION:?}")),
    }
}

/// A program of the folder that sees nothing of this machine: a program that it calls must lie
/// beside it.
fn program(folder: &Path, name: &str, work: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(folder.join(name));
    command.args(words).current_dir(work).env_clear().env("PATH", "").env("HOME", work);
    command
}

#[cfg(test)]
pub mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use tempfile::TempDir;

    use super::*;

    const ONCA: &str = r#"#!/bin/sh
case $1 in
    --version) echo onca VERSION ;;
    demo) : > "$4" ;;
    query) exec "${0%/*}/onca-sql" "$@" ;;
    man) echo page > "$3/onca.1" ;;
    completions) echo "$2" ;;
esac
"#;

    const ONCA_SQL: &str = r#"#!/bin/sh
case $1 in
    --version) echo "onca-sql VERSION (protocol 1)" ;;
    query) printf '%s\n' n - STATES ;;
esac
"#;

    /// A folder with small stand-ins for both programs.
    pub fn stand_ins(version: &str, n_states: u64) -> TempDir {
        let folder = temporary().expect("temporary folder");
        for (name, text) in [("onca", ONCA), ("onca-sql", ONCA_SQL)] {
            let path = folder.path().join(name);
            let text = text.replace("VERSION", version).replace("STATES", &n_states.to_string());
            fs::write(&path, text).expect("write");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("mode");
        }
        folder
    }

    /// Tests that write programs and run them take turns: a program that another thread starts
    /// gets the files that are open, and what is open for writing cannot be run.
    pub fn in_turn() -> MutexGuard<'static, ()> {
        static TURN: Mutex<()> = Mutex::new(());
        TURN.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[test]
    fn programs_must_be_there_and_answer_right() {
        let _turn = in_turn();
        let checked = |folder: &TempDir| programs(folder.path(), "0.1.0", &["onca", "onca-sql"]);
        assert_eq!(checked(&stand_ins("0.1.0", 40_398)), Ok(()));
        assert!(checked(&stand_ins("0.1.1", 40_398)).is_err());
        assert!(checked(&stand_ins("0.1.0", 0)).is_err());
        let alone = stand_ins("0.1.0", 40_398);
        fs::remove_file(alone.path().join("onca-sql")).expect("removed");
        assert!(programs(alone.path(), "0.1.0", &["onca"]).is_err());
    }
}
