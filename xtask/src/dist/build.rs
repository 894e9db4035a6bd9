//! The programs, linked so that they run on older distributions.
//!
//! A program that is linked as usual needs the C library of the machine it was built on, or a
//! newer one. Zig brings the symbols of older versions, and `cargo-zigbuild` calls it as linker
//! and C compiler.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Built, PROGRAMS, Program, pack};
use crate::run;

/// The version of the C library that programs may ask for. It is that of RHEL 7 and Debian 8, the
/// oldest that Rust's own library runs on; programs for newer ones gain nothing.
pub const GLIBC: &str = "2.17";

pub const TARGET: &str = "x86_64-unknown-linux-gnu";

/// What is installed from PyPI. Other versions may give other bytes.
const TOOLS: &[&str] = &["cargo-zigbuild==0.24.0", "ziglang==0.17.0"];

/// Builds all programs with the page of a folder inside.
pub fn programs(
    root: &Path,
    target: &Path,
    work: &Path,
    page: &Path,
) -> Result<Vec<Built>, String> {
    let tools = install_tools(work)?;
    let built = work.join("build");
    let private = private_paths(root, target)?;
    PROGRAMS
        .iter()
        .map(|program| {
            // One at a time: together, each would get the features that the other asks for.
            build(root, &tools, &built, page, program, &private)?;
            let path = built.join(TARGET).join("dist").join(program.name);
            let bytes = pack::read(&path)?;
            match private.iter().find(|(path, _)| tells_of(&bytes, path)) {
                Some((path, _)) => {
                    Err(format!("{}: the path {path} of this machine is in it", program.name))
                }
                None => Ok(Built { program, path, bytes }),
            }
        })
        .collect()
}

fn build(
    root: &Path,
    tools: &Path,
    built: &Path,
    page: &Path,
    program: &Program,
    private: &[(String, &str)],
) -> Result<(), String> {
    println!("building {} for glibc {GLIBC}", program.name);
    let remaps: Vec<String> =
        private.iter().map(|(from, to)| format!("--remap-path-prefix={from}={to}")).collect();
    let result = run::aloud(
        Command::new(tools.join("bin/cargo-zigbuild"))
            .args(["zigbuild", "--profile", "dist", "--locked", "--package", program.package])
            .args(["--bin", program.name])
            .arg(format!("--target={TARGET}.{GLIBC}"))
            .arg("--target-dir")
            .arg(built)
            .current_dir(root)
            .env("PATH", path_with(&tools.join("bin"))?)
            .env("CARGO_ZIGBUILD_CACHE_DIR", tools.join("cache"))
            .env("CARGO_ENCODED_RUSTFLAGS", remaps.join("\x1f"))
            .env("ONCA_WEB_DIST", page),
    );
    result.map_err(|why| format!("{}: {why}", program.name))
}

/// Folders whose names must not be in a program, and what stands there instead: the same commit
/// gives the same program wherever it is built, and nobody's home is told.
fn private_paths(root: &Path, target: &Path) -> Result<Vec<(String, &'static str)>, String> {
    let cargo_home = match std::env::var_os("CARGO_HOME") {
        Some(home) => PathBuf::from(home),
        None => std::env::home_dir().ok_or("there is no home directory")?.join(".cargo"),
    };
    // The compiler takes the last that fits: what lies inside another comes after it.
    let mut paths = vec![(root, "/onca"), (&cargo_home, "/cargo"), (target, "/target")];
    paths.sort();
    Ok(paths.into_iter().map(|(path, to)| (path.display().to_string(), to)).collect())
}

/// Whether a program has the path of a folder in it. A path of one part, such as `/src`, proves
/// nothing.
fn tells_of(program: &[u8], folder: &str) -> bool {
    let folder = folder.trim_end_matches('/').as_bytes();
    let n_parts = folder.iter().filter(|byte| **byte == b'/').count();
    n_parts > 1 && program.windows(folder.len()).any(|window| window == folder)
}

/// A virtual environment of Python with the tools, made when it is not there.
fn install_tools(work: &Path) -> Result<PathBuf, String> {
    let tools = work.join("tools");
    let stamp = tools.join("onca-tools");
    let wanted = TOOLS.join("\n");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(tools);
    }
    println!("installing {} into {}", TOOLS.join(" and "), tools.display());
    run::aloud(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&tools)).map_err(
        |why| {
            format!(
                "{why}; Python 3 with its module venv is needed (Debian: apt install python3-venv)"
            )
        },
    )?;
    run::aloud(
        Command::new(tools.join("bin/pip"))
            .args(["install", "--quiet", "--disable-pip-version-check"])
            .args(TOOLS),
    )?;
    fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))?;
    Ok(tools)
}

/// The search path with a folder before all others.
fn path_with(folder: &Path) -> Result<OsString, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&path));
    std::env::join_paths(folders).map_err(|error| format!("{}: {error}", folder.display()))
}

/// The licences of Rust's library, which is part of every program, as the compiler brings them.
pub fn rust_licences(root: &Path) -> Result<Vec<u8>, String> {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let sysroot =
        run::output(Command::new(compiler).args(["--print", "sysroot"]).current_dir(root))?;
    let file = Path::new(sysroot.trim()).join("share/doc/rust/COPYRIGHT-library.html");
    pack::read(&file).map_err(|why| format!("{why}; a Rust that rustup installed has it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_folders_come_after_outer_ones() {
        let paths = private_paths(Path::new("/src/onca"), Path::new("/src/onca/target"));
        let paths = paths.expect("a home");
        let place = |wanted: &str| paths.iter().position(|(path, _)| path == wanted);
        assert!(place("/src/onca") < place("/src/onca/target"), "{paths:?}");
        assert_eq!(paths.len(), 3);
    }

    #[test]
    fn a_path_in_a_program_is_found() {
        assert!(tells_of(b"\0/home/me/onca/lib.rs\0", "/home/me/"));
        assert!(!tells_of(b"\0/onca/lib.rs\0", "/home/me"));
        assert!(!tells_of(b"\0/cargo/src/lib.rs\0", "/src"));
    }
}
