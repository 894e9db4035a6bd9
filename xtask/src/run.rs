//! Other programs, and what they say when they fail.

use std::io::ErrorKind;
use std::process::{Command, Output};

/// What a program prints. What it says on standard error is part of the message when it fails.
pub fn output(command: &mut Command) -> Result<String, String> {
    let name = name(command);
    let Output { status, stdout, stderr } =
        command.output().map_err(|error| cannot(command, &error))?;
    if !status.success() {
        return Err(format!("{name}: {status}: {}", String::from_utf8_lossy(&stderr).trim()));
    }
    String::from_utf8(stdout).map_err(|error| format!("{name}: {error}"))
}

/// Runs a program that talks to the user itself.
pub fn aloud(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| cannot(command, &error))?;
    if status.success() { Ok(()) } else { Err(format!("{}: {status}", name(command))) }
}

/// The program and its first argument, which for many says what it was to do.
fn name(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args().take(1));
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

fn cannot(command: &Command, error: &std::io::Error) -> String {
    let name = name(command);
    match error.kind() {
        ErrorKind::NotFound => format!("{name}: there is no such program"),
        _ => format!("{name}: {error}"),
    }
}
