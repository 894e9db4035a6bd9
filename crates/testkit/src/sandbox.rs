//! What the tests of programs share: a folder of its own for each test, and runs of a program whose
//! end is checked.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// The files of a store.
pub const STORE_FILES: [&str; 4] = ["manifest.json", "tables.bin", "index.bin", "data.bin"];

/// A program of the workspace. Cargo puts it beside the folder of the tests, in the same build.
pub fn program(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    let built = test.ancestors().nth(2).expect("a folder of builds").join(name);
    assert!(built.is_file(), "{} is missing; `cargo build --workspace` makes it", built.display());
    built
}

/// A folder with traces, a cache directory and a temporary directory that no other test sees.
pub struct Sandbox {
    dir: tempfile::TempDir,
}

impl Default for Sandbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Sandbox {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        for name in ["work", "tmp", "cache"] {
            std::fs::create_dir(dir.path().join(name)).expect("a folder");
        }
        Self { dir }
    }

    /// The folder that commands run in; names on command lines are relative to it.
    pub fn work(&self) -> PathBuf {
        self.dir.path().join("work")
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.work().join(name)
    }

    pub fn cache(&self) -> PathBuf {
        self.dir.path().join("cache")
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).expect("a written file");
        path
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// `onca`, with everything that it takes from its surroundings inside the sandbox.
    pub fn command(&self) -> Command {
        self.confined(Command::new(program("onca")))
    }

    /// Any program with the same surroundings.
    pub fn confined(&self, mut command: Command) -> Command {
        command
            .current_dir(self.work())
            .env("XDG_CACHE_HOME", self.cache())
            .env("HOME", self.dir.path())
            .env("TMPDIR", self.dir.path().join("tmp"))
            .env_remove("ONCA_SQL")
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("RUST_BACKTRACE")
            .stdin(Stdio::null());
        command
    }

    /// Runs the program to its end.
    pub fn onca<I: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = I>) -> Run {
        let mut command = self.command();
        command.args(args);
        Run::of(&mut command)
    }

    /// Runs the program with text on its standard input.
    pub fn onca_reading(&self, input: &[u8], args: &[&str]) -> Run {
        let file = self.dir.path().join("input");
        std::fs::write(&file, input).expect("a written file");
        let mut command = self.command();
        command.args(args).stdin(std::fs::File::open(&file).expect("a file to read"));
        Run::of(&mut command)
    }

    /// What `info --json` says, with the exit code that is expected of it.
    pub fn info(&self, trace: &str, code: i32) -> Value {
        self.onca(["info", "--json", trace]).expect(code).json()
    }

    /// The names in a folder, sorted.
    pub fn names(&self, folder: &Path) -> Vec<String> {
        names_in(folder)
    }

    /// Fails if a command left something in the temporary directory, or something in the folder
    /// of the traces besides the given names.
    pub fn expect_only(&self, expected: &[&str]) {
        let mut expected: Vec<String> = expected.iter().map(|&name| name.to_owned()).collect();
        expected.sort();
        assert_eq!(names_in(&self.work()), expected, "files beside the traces");
        let left = names_in(&self.dir.path().join("tmp"));
        assert!(left.is_empty(), "left in the temporary directory: {left:?}");
    }
}

/// The names in a folder, sorted.
pub fn names_in(folder: &Path) -> Vec<String> {
    let entries =
        std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// How a run of the program ended.
pub struct Run {
    pub shown: String,
    pub code: i32,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

impl Run {
    /// Runs a command to its end: whatever it was given, it ends with an exit code of its own.
    pub fn of(command: &mut Command) -> Self {
        let shown = format!("{command:?}");
        let output = command.output().unwrap_or_else(|error| panic!("{shown}: {error}"));
        Self::checked(shown, output)
    }

    pub fn checked(shown: String, output: Output) -> Self {
        let Output { status, stdout, stderr } = output;
        let said = String::from_utf8_lossy(&stderr);
        let code = status.code().unwrap_or_else(|| panic!("{shown}: ended by {status}: {said}"));
        assert!(!said.contains("panicked"), "{shown}: {said}");
        assert!((0..=3).contains(&code), "{shown}: exit code {code}: {said}");
        Self { shown, code, stdout, stderr }
    }

    /// Checks the exit code.
    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(
            self.code,
            code,
            "exit code of {}\n--- standard output\n{}\n--- standard error\n{}",
            self.shown,
            self.out(),
            self.err()
        );
        self
    }

    pub fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    pub fn err(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout)
            .unwrap_or_else(|error| panic!("{}: {error} in\n{}", self.shown, self.out()))
    }

    /// Checks that the command failed with one line of explanation.
    #[track_caller]
    pub fn expect_reason(self, code: i32, part: &str) -> Self {
        let run = self.expect(code);
        let said = run.err();
        assert_eq!(said.trim_end().lines().count(), 1, "{}: not one line:\n{said}", run.shown);
        assert!(said.contains(part), "{}: expected {part:?} in: {said}", run.shown);
        run
    }
}

/// Compares two texts of which only the first difference is of interest.
#[track_caller]
pub fn same_text(found: &[u8], expected: &[u8], what: &str) {
    if found == expected {
        return;
    }
    let (found, expected) = (String::from_utf8_lossy(found), String::from_utf8_lossy(expected));
    let mut pairs = found.lines().zip(expected.lines()).enumerate();
    match pairs.find(|(_, (found, expected))| found != expected) {
        Some((number, (found, expected))) => {
            panic!("{what}: line {}\nfound    {found:?}\nexpected {expected:?}", number + 1)
        }
        None => panic!(
            "{what}: {} lines found, {} expected; the shorter is the beginning of the longer",
            found.lines().count(),
            expected.lines().count()
        ),
    }
}

/// A diagnostic in the answer of `info --json` or `validate --json`.
pub fn diagnostic<'a>(answer: &'a Value, code: &str) -> Option<&'a Value> {
    answer["diagnostics"].as_array()?.iter().find(|found| found["code"] == code)
}

/// How often each problem occurred, as `code severity count`.
pub fn tallies(answer: &Value) -> Vec<String> {
    let problems = answer["diagnostics"].as_array().expect("a list of diagnostics");
    let mut tallies: Vec<String> = problems
        .iter()
        .map(|problem| {
            let text = |field: &str| problem[field].as_str().expect("a text").to_owned();
            format!("{} {} {}", text("code"), text("severity"), problem["count"])
        })
        .collect();
    tallies.sort();
    tallies
}
