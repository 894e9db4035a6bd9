//! Builds the page and makes a table of its files.
//!
//! The page is built in the folder of the build, so that the sources stay clean and builds of
//! several profiles do not disturb each other. `ONCA_WEB_DIST` names a page that is built already.

use std::collections::hash_map::DefaultHasher;
use std::env;
use std::fmt::Write;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// A folder with a page that is built already.
const READY: &str = "ONCA_WEB_DIST";

/// What the page is made of. Not the folder as a whole: packages and results lie in it too.
const SOURCES: [&str; 10] = [
    "src",
    "public",
    "index.html",
    "package.json",
    "package-lock.json",
    ".npmrc",
    "vite.config.ts",
    "svelte.config.js",
    "tsconfig.json",
    "tsconfig.node.json",
];

fn main() -> ExitCode {
    println!("cargo::rerun-if-env-changed={READY}");
    println!("cargo::rerun-if-changed=build.rs");
    match page().and_then(|page| write_table(&page).map_err(|error| error.to_string())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            println!("cargo::error={why}");
            ExitCode::FAILURE
        }
    }
}

/// The folder of the page, built if it must be.
fn page() -> Result<PathBuf, String> {
    if let Some(ready) = env::var_os(READY) {
        let ready = PathBuf::from(ready);
        for file in files_below(&ready).map_err(|error| format!("{READY}: {error}"))? {
            println!("cargo::rerun-if-changed={}", file.display());
        }
        return Ok(ready);
    }
    let folder = |variable| env::var_os(variable).map(PathBuf::from).unwrap_or_default();
    let web = folder("CARGO_MANIFEST_DIR").join("../../web");
    let copy = folder("OUT_DIR").join("web");
    let copied = copy_sources(&web, &copy);
    copied.map_err(|error| format!("the sources of the page cannot be copied: {error}"))?;
    install_packages(&copy)?;
    npm(&copy, &["run", "build"])?;
    Ok(copy.join("dist"))
}

fn copy_sources(web: &Path, copy: &Path) -> io::Result<()> {
    fs::create_dir_all(copy)?;
    for name in SOURCES {
        let (from, to) = (web.join(name), copy.join(name));
        // What is gone from the sources must not stay in the copy.
        if to.is_dir() {
            fs::remove_dir_all(&to)?;
        } else if to.exists() {
            fs::remove_file(&to)?;
        }
        if !from.exists() {
            continue;
        }
        println!("cargo::rerun-if-changed={}", from.display());
        for file in files_below(&from)? {
            let place = copy.join(file.strip_prefix(web).map_err(io::Error::other)?);
            if let Some(folder) = place.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::copy(&file, &place)?;
        }
    }
    Ok(())
}

/// Installs the packages unless those of this very lock file are there.
fn install_packages(copy: &Path) -> Result<(), String> {
    let stamp = copy.join("node_modules/.onca-lock");
    let lock = fs::read(copy.join("package-lock.json"))
        .map_err(|error| format!("package-lock.json of the page: {error}"))?;
    if fs::read(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    // Settings of the user may leave out what is only needed to build.
    npm(copy, &["ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund"])?;
    fs::write(&stamp, lock).map_err(|error| format!("node_modules: {error}"))
}

fn npm(folder: &Path, arguments: &[&str]) -> Result<(), String> {
    let output = Command::new("npm").args(arguments).current_dir(folder).output();
    let output = output.map_err(|error| {
        format!(
            "the page of \"onca view\" is built by npm, which cannot be run ({error}): install \
             Node.js, or set {READY} to a folder with the built page"
        )
    })?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    eprintln!("{}", String::from_utf8_lossy(&said));
    Err(format!("\"npm {}\" failed; what it said is above", arguments.join(" ")))
}

/// All files below a path, or the file itself, in order.
fn files_below(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut open = vec![path.to_owned()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            for entry in fs::read_dir(&path)? {
                open.push(entry?.path());
            }
        } else {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn write_table(page: &Path) -> io::Result<()> {
    let page = page.canonicalize()?;
    if !page.join("index.html").is_file() {
        let why = format!("{}: there is no index.html", page.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, why));
    }
    let mut table = "static FILES: &[WebFile] = &[\n".to_owned();
    for file in files_below(&page)? {
        let path = file.strip_prefix(&page).map_err(io::Error::other)?;
        let mut hasher = DefaultHasher::new();
        fs::read(&file)?.hash(&mut hasher);
        let tag = format!("\"{:016x}\"", hasher.finish());
        let bytes = format!("include_bytes!({file:?})");
        writeln!(table, "    WebFile {{ path: {path:?}, bytes: {bytes}, tag: {tag:?} }},")
            .map_err(io::Error::other)?;
    }
    table.push_str("];\n");
    let out = env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    fs::write(out.join("web_files.rs"), table)
}
