//! Handing work over to `onca-sql`.

use std::ffi::{OsStr, OsString};
use std::io::Write;

use onca_program::{Exit, Failure, print, say, stop_flag};
use onca_sql_client::{FittingProgram, SqlFailure, SqlProgram};

use crate::trace::{OpenTrace, ReadArgs};

/// Where `onca-sql` is looked for: what ONCA_SQL names, beside this program, in the PATH.
pub fn program() -> SqlProgram {
    SqlProgram {
        named: std::env::var_os("ONCA_SQL").filter(|named| !named.is_empty()).map(Into::into),
        own: std::env::current_exe().ok(),
        search_path: std::env::var_os("PATH"),
    }
}

/// How a command ends without the program, or without its answer.
pub fn failure(failure: SqlFailure) -> Failure {
    match failure {
        SqlFailure::Limit(why) => Failure::Limit(why),
        other => Failure::Cannot(other.to_string()),
    }
}

/// A flag with its value, whatever that begins with.
pub fn flag(name: &str, value: impl AsRef<OsStr>) -> OsString {
    let mut flag = OsString::from(format!("--{name}="));
    flag.push(value);
    flag
}

/// A trace and the command of `onca-sql` that works on it.
pub struct HandOver<'a> {
    pub program: FittingProgram,
    pub command: &'static str,
    pub trace: OpenTrace,
    pub read: &'a ReadArgs,
}

impl HandOver<'_> {
    /// Lets `onca-sql` complete the command.
    pub fn complete(self, more: Vec<OsString>, text: &str) -> Result<Exit, Failure> {
        let (store, _, temporary) = self.trace.into_parts();
        let mut arguments: Vec<OsString> = vec![self.command.into()];
        arguments.extend(self.read.unit.as_ref().map(|unit| flag("unit", unit)));
        arguments.extend(temporary.as_ref().map(|folder| flag("remove", folder.path())));
        arguments.extend(more);
        arguments.extend(["--".into(), store.dir().into()]);
        // While this process is the other one, nothing here is dropped: the other removes the folder.
        hand_over(&self.program, &arguments, text)
    }
}

/// Becomes `onca-sql`, or waits for it in a process that is somebody else's. Its exit status is
/// that of this command.
pub fn hand_over(
    program: &FittingProgram,
    arguments: &[OsString],
    text: &str,
) -> Result<Exit, Failure> {
    if let Some(stop) = stop_flag() {
        let output = program.answer(arguments, text, &stop).map_err(failure)?;
        print(|out| out.write_all(&output.stdout))?;
        let said = String::from_utf8_lossy(&output.stderr);
        said.lines().for_each(say);
        let status = output.status.code().and_then(|code| u8::try_from(code).ok());
        return status.map(Exit::Program).ok_or(Failure::Interrupted);
    }
    match program.hand_over(arguments, text) {
        Ok(never) => match never {},
        Err(why) => Err(failure(why)),
    }
}
