//! The README keeps its word: its commands run, print what stands below them, and draw its figure.

use std::path::Path;
use std::process::Command;

use onca_testkit::sandbox::{Run, Sandbox};

const README: &str = include_str!("../../../README.md");
const FIGURE: &[u8] = include_bytes!("../../../docs/pictures/timeline.svg");

#[test]
fn the_readme_says_what_the_program_prints() {
    let sandbox = Sandbox::new();
    let stories = stories(README);
    assert!(stories.len() >= 6, "only {} commands in the README", stories.len());
    for (command, expected) in stories {
        let (printed, expected) = (compared(&run(&sandbox, command)), compared(&expected));
        // What is long is cut short in the document.
        match expected.strip_suffix("...\n") {
            Some(beginning) => assert!(printed.starts_with(beginning), "{command}\n{printed}"),
            None => assert_eq!(printed, expected, "{command}"),
        }
    }
    assert!(sandbox.read("timeline.svg") == FIGURE, "scripts/pictures draws the figure again");
}

/// The commands of a document, each with what stands below it.
fn stories(document: &str) -> Vec<(&str, String)> {
    let mut stories: Vec<(&str, String)> = Vec::new();
    for block in document.split("```console\n").skip(1) {
        for line in block.split("```").next().unwrap_or_default().lines() {
            match line.strip_prefix("$ ") {
                Some(command) => stories.push((command, String::new())),
                None => {
                    let (_, expected) = stories.last_mut().expect("a command before its output");
                    expected.push_str(line);
                    expected.push('\n');
                }
            }
        }
    }
    stories
}

/// Runs a line in a shell that finds the program; damaged traces are no failure.
fn run(sandbox: &Sandbox, line: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_onca"));
    let mut path = program.parent().expect("a folder of the program").as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).env("PATH", path);
    let run = Run::of(&mut sandbox.confined(shell));
    assert!(run.code <= 1, "{line}: exit status {}: {}", run.code, run.err());
    run.out()
}

/// A document does not keep blanks at the ends of lines, and the size of a store depends a little
/// on where the trace lies.
fn compared(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("  store "));
    lines.map(|line| line.trim_end().to_owned() + "\n").collect()
}
