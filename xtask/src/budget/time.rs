//! How long a build of `onca` from nothing takes, in CPU seconds by package.
//!
//! Cargo's own report has wall-clock times, which depend on what runs beside. Here Cargo calls
//! this program instead of the compiler; it runs the compiler and notes the CPU time it took.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use super::PACKAGE;
use crate::{cargo, run};

/// Names the file of notes, and says that this program is called in place of the compiler.
const NOTES: &str = "ONCA_XTASK_TIMES";

/// Packages that take less are told as one line.
const SMALL_SECS: f64 = 0.5;

/// `/proc` counts CPU time in this unit on every Linux, whatever the kernel's own clock.
const TICKS_PER_SEC: f64 = 100.0;

/// The file of notes, when this program is called in place of the compiler.
pub fn notes() -> Option<PathBuf> {
    std::env::var_os(NOTES).map(PathBuf::from)
}

/// Runs the compiler, the first word, and adds a line to the notes.
pub fn compile(notes: &Path, words: &[String]) -> ExitCode {
    let [compiler, arguments @ ..] = words else {
        eprintln!("xtask: {NOTES} is set, and no compiler is named");
        return ExitCode::from(2);
    };
    let status = match Command::new(compiler).args(arguments).status() {
        Ok(status) => status,
        Err(error) => {
            eprintln!("xtask: {compiler}: {error}");
            return ExitCode::from(2);
        }
    };
    if let Err(why) = note(notes) {
        eprintln!("xtask: {why}");
        return ExitCode::from(2);
    }
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    ExitCode::from(code.unwrap_or(1))
}

/// Adds the package that Cargo names in the environment, and the time of the compiler.
fn note(notes: &Path) -> Result<(), String> {
    let variable = |name| std::env::var(name).unwrap_or_default();
    let line = format!(
        "{} {} {}\n",
        variable("CARGO_PKG_NAME"),
        variable("CARGO_PKG_VERSION"),
        children_secs()?
    );
    // Compilers run at the same time: one write at the end of the file keeps lines whole.
    OpenOptions::new()
        .append(true)
        .create(true)
        .open(notes)
        .and_then(|mut file| file.write_all(line.as_bytes()))
        .map_err(|error| format!("{}: {error}", notes.display()))
}

/// The CPU seconds of the processes that this one has started and waited for, theirs included.
fn children_secs() -> Result<f64, String> {
    let text = fs::read_to_string("/proc/self/stat")
        .map_err(|error| format!("/proc/self/stat: {error}"))?;
    children_ticks(&text)
        .map(|ticks| ticks as f64 / TICKS_PER_SEC)
        .ok_or_else(|| format!("/proc/self/stat: {text:?} has another shape"))
}

/// `cutime` and `cstime` together, fields 16 and 17 of proc(5). Field 2, the name, may have blanks
/// and parentheses in it.
fn children_ticks(stat: &str) -> Option<u64> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(13);
    let mut next = || fields.next()?.parse::<u64>().ok();
    Some(next()? + next()?)
}

/// Builds the release from nothing, and prints what took how long.
pub fn measure(root: &Path) -> Result<(), String> {
    let metadata = cargo::metadata(root, &["--no-deps"])?;
    let target = cargo::target_directory(&metadata)?;
    let own = std::env::current_exe().map_err(|error| format!("this program: {error}"))?;
    let scratch = fs::create_dir_all(&target).and_then(|()| tempfile::tempdir_in(&target));
    let scratch = scratch.map_err(|error| format!("{}: {error}", target.display()))?;
    let notes = scratch.path().join("times");

    let before_secs = children_secs()?;
    let start = Instant::now();
    run::aloud(
        cargo::command(root)
            .args(["build", "--release", "--locked", "--package", PACKAGE, "--target-dir"])
            .arg(scratch.path())
            .env("RUSTC_WRAPPER", own)
            .env(NOTES, &notes),
    )?;
    let wall_secs = start.elapsed().as_secs_f64();
    let all_secs = children_secs()? - before_secs;
    let notes =
        fs::read_to_string(&notes).map_err(|error| format!("{}: {error}", notes.display()))?;
    print!("{}", report(&packages(&notes)?, all_secs, wall_secs));
    Ok(())
}

/// The CPU seconds of each package: its library, its programs and its build script.
fn packages(notes: &str) -> Result<BTreeMap<String, f64>, String> {
    let mut packages = BTreeMap::new();
    for line in notes.lines() {
        let (name, secs) = line.rsplit_once(' ').ok_or_else(|| format!("a note is {line:?}"))?;
        let secs: f64 = secs.parse().map_err(|error| format!("a note is {line:?}: {error}"))?;
        // Cargo also asks the compiler for its version, for no package.
        let name = if name.trim().is_empty() { "questions of Cargo" } else { name };
        *packages.entry(name.to_owned()).or_insert(0.0) += secs;
    }
    Ok(packages)
}

fn report(packages: &BTreeMap<String, f64>, all_secs: f64, wall_secs: f64) -> String {
    let mut large: Vec<(&str, f64)> =
        packages.iter().map(|(name, secs)| (name.as_str(), *secs)).collect();
    large.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    let small = large.split_off(large.partition_point(|(_, secs)| *secs >= SMALL_SECS));
    let small_secs: f64 = small.iter().map(|(_, secs)| secs).sum();
    let compiled_secs: f64 = packages.values().sum();

    let mut text = " CPU s\n".to_owned();
    let mut line = |secs: f64, what: &str| text += &format!("{secs:6.1}  {what}\n");
    for (name, secs) in large {
        line(secs, name);
    }
    if !small.is_empty() {
        line(small_secs, &format!("{} packages under {SMALL_SECS} s", small.len()));
    }
    line(all_secs - compiled_secs, "build scripts, with the page and C code, and Cargo itself");
    line(all_secs, "all of it");
    line(wall_secs, "seconds by the clock");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_children_is_read_whatever_the_name() {
        let stat = "4242 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 11 12 130 12 20 0 1 0 99";
        assert_eq!(children_ticks(stat), Some(142));
        assert_eq!(children_ticks("4242 (xtask) S 1 2"), None);
        assert!(children_secs().is_ok());
    }

    #[test]
    fn packages_are_summed_and_told_largest_first() {
        let notes = "a 1.0.0 1.5\nb 2.0.0 0.1\na 1.0.0 0.75\n  0.02\nc 1.0.0 9\n";
        let packages = packages(notes).expect("notes");
        let expected = " CPU s
   9.0  c 1.0.0
   2.2  a 1.0.0
   0.1  2 packages under 0.5 s
   1.6  build scripts, with the page and C code, and Cargo itself
  13.0  all of it
   8.0  seconds by the clock
";
        assert_eq!(report(&packages, 13.0, 8.0), expected);
    }

    #[test]
    fn torn_notes_are_refused() {
        assert!(packages("serde").is_err());
        assert!(packages("serde 1.0 x").is_err());
    }
}
