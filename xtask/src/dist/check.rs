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
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A folder with stand-ins for both programs.
    fn stand_ins(version: &str, states: &str) -> tempfile::TempDir {
        let folder = temporary().expect("temporary folder");
        let write = |name: &str, text: String| {
            let path = folder.path().join(name);
            fs::write(&path, text).expect("write");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("mode");
        };
        write(
            "onca",
            "#!/bin/sh\ncase $1 in\n--version) echo onca VERSION;;\n\
             query) exec \"${0%/*}/onca-sql\" \"$@\";;\ndemo) :> \"$4\";;\nesac\n"
                .replace("VERSION", version),
        );
        let sql = "#!/bin/sh\ncase $1 in\n--version) echo onca-sql VERSION;;\n*) printf 'n\\n-\\nSTATES\\n';;\nesac\n";
        write("onca-sql", sql.replace("VERSION", version).replace("STATES", states));
        folder
    }

    const NAMES: [&str; 2] = ["onca", "onca-sql"];

    // One test: a program cannot be run while a test beside it, which was writing it, starts
    // another one and so hands on the open file.
    #[test]
    fn programs_must_be_there_and_answer_right() {
        let checked = |folder: &tempfile::TempDir, names| programs(folder.path(), "0.1.0", names);
        assert_eq!(checked(&stand_ins("0.1.0", "40398"), &NAMES), Ok(()));
        assert!(checked(&stand_ins("0.1.1", "40398"), &NAMES).is_err());
        assert!(checked(&stand_ins("0.1.0", "0"), &NAMES).is_err());
        let alone = stand_ins("0.1.0", "40398");
        fs::remove_file(alone.path().join("onca-sql")).expect("removed");
        assert!(checked(&alone, &["onca"]).is_err());
    }
}
