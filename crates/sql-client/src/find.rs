//! Where `onca-sql` is, and whether it fits.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use onca_model::printable;

use crate::SqlFailure;

const NAME: &str = "onca-sql";

/// The one command that installs the program, from a checkout.
pub const INSTALL: &str = "cargo install --path crates/sql-cli --locked";

/// Counts the changes of what `onca` and `onca-sql` say to each other.
const PROTOCOL: u32 = 3;

/// What `onca` and `onca-sql` must have in common.
pub fn identity() -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!("{version} (protocol {PROTOCOL}, store format {})", onca_store::VERSION)
}

/// Where to look for the program. Each place is tried when the program is needed, so that it can be
/// installed while a server runs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SqlProgram {
    /// What the user names; then nothing else is tried.
    pub named: Option<PathBuf>,
    /// The program that asks: the other one may lie beside it.
    pub own: Option<PathBuf>,
    /// Folders with a colon between them.
    pub search_path: Option<OsString>,
}

impl SqlProgram {
    /// The program, without a look at its version.
    pub(crate) fn find(&self) -> Result<PathBuf, SqlFailure> {
        if let Some(named) = &self.named {
            return match named.is_file() {
                true => Ok(named.clone()),
                false => {
                    Err(missing(&format!("ONCA_SQL names {}, which is not there", shown(named))))
                }
            };
        }
        let beside = self.own.as_deref().map(|own| own.with_file_name(NAME));
        let folders = self.search_path.as_deref().unwrap_or_default();
        let in_path = std::env::split_paths(folders)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(NAME));
        let found = beside.clone().into_iter().chain(in_path).find(|place| place.is_file());
        found.ok_or_else(|| {
            let beside = beside.map_or_else(|| NAME.to_owned(), |place| shown(&place));
            missing(&format!("it is neither {beside} nor in the PATH"))
        })
    }

    /// The program, if it is of the version that fits.
    pub fn fitting(&self) -> Result<FittingProgram, SqlFailure> {
        let program = self.find()?;
        let cannot = |why: &str| {
            SqlFailure::NoProgram(format!("{} does not say its version: {why}", shown(&program)))
        };
        let said = Command::new(&program)
            .arg("--version")
            .env_clear()
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .map_err(|error| cannot(&error.to_string()))?;
        let text = String::from_utf8_lossy(&said.stdout);
        let theirs = text.trim().strip_prefix(NAME).map(str::trim);
        match theirs {
            Some(theirs) if said.status.success() => {
                fits(&program, theirs).map(|()| FittingProgram(program.clone()))
            }
            _ => Err(cannot(&format!("it ended with {}", said.status))),
        }
    }
}

/// A program that has said the right version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FittingProgram(pub(crate) PathBuf);

/// Refuses a program that is of another version than this one.
pub(crate) fn fits(program: &Path, theirs: &str) -> Result<(), SqlFailure> {
    let ours = identity();
    if theirs == ours {
        return Ok(());
    }
    let theirs: String = theirs.chars().take(100).collect();
    let (program, theirs) = (shown(program), printable(theirs.as_bytes()));
    Err(SqlFailure::NoProgram(format!(
        "{program} is onca-sql {theirs}, which does not fit onca {ours}; install the one that does: {INSTALL}"
    )))
}

fn missing(why: &str) -> SqlFailure {
    SqlFailure::NoProgram(format!(
        "SQL and Parquet need the program onca-sql, and {why}; install it: {INSTALL}"
    ))
}

fn shown(path: &Path) -> String {
    printable(path.as_os_str().as_encoded_bytes()).into_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn script(folder: &Path, prints: &str) -> PathBuf {
        let place = folder.join(NAME);
        fs::write(&place, format!("#!/bin/sh\necho '{prints}'\n")).unwrap();
        fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).unwrap();
        place
    }

    #[test]
    fn the_named_one_comes_first_then_the_one_beside_then_the_path() {
        let folders = tempfile::tempdir().unwrap();
        let [named, beside, path] = ["named", "beside", "path"].map(|name| {
            let folder = folders.path().join(name);
            fs::create_dir(&folder).unwrap();
            script(&folder, "")
        });
        let all = SqlProgram {
            named: Some(named.clone()),
            own: Some(beside.with_file_name("onca")),
            search_path: path.parent().map(|folder| folder.as_os_str().to_owned()),
        };
        assert_eq!(all.find(), Ok(named.clone()));
        let unnamed = SqlProgram { named: None, ..all.clone() };
        assert_eq!(unnamed.find(), Ok(beside.clone()));
        fs::remove_file(&beside).unwrap();
        assert_eq!(unnamed.find(), Ok(path.clone()));
        fs::remove_file(&path).unwrap();
        let why = unnamed.find().unwrap_err().to_string();
        assert!(why.contains(&*beside.to_string_lossy()) && why.contains(INSTALL), "{why}");
        // What is named is meant: nothing else is tried.
        fs::remove_file(&named).unwrap();
        script(beside.parent().unwrap(), "");
        let why = all.find().unwrap_err().to_string();
        assert!(why.contains("ONCA_SQL") && why.contains(&*named.to_string_lossy()), "{why}");
    }

    #[test]
    fn relative_folders_of_the_path_are_not_searched() {
        let program = SqlProgram { search_path: Some(".:bin".into()), ..SqlProgram::default() };
        assert!(matches!(program.find(), Err(SqlFailure::NoProgram(_))));
    }

    #[test]
    fn another_version_is_refused_with_both() {
        let folder = tempfile::tempdir().unwrap();
        let named = Some(script(folder.path(), "onca-sql 0.0.1 (protocol 0)"));
        let program = SqlProgram { named, ..SqlProgram::default() };
        let why = program.fitting().unwrap_err().to_string();
        assert!(why.contains("0.0.1 (protocol 0)") && why.contains(&identity()), "{why}");
        script(folder.path(), &format!("onca-sql {}", identity()));
        assert_eq!(program.fitting(), Ok(FittingProgram(folder.path().join(NAME))));
        script(folder.path(), "something else");
        assert!(program.fitting().is_err());
    }
}
