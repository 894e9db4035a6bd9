//! What a user without a compiler needs: an archive and a Debian package with the programs, their
//! manual pages, completions and all licences.
//!
//! The same commit gives the same bytes: times are those of the commit, entries are sorted, and
//! owners are root.

mod build;
mod check;
mod debian;
mod elf;
mod licences;
mod pack;
mod page;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Checked, cargo, run};
use pack::{Files, Part};

/// A program that is published.
struct Program {
    name: &'static str,
    package: &'static str,
    /// The most bytes it may have.
    limit: Option<u64>,
}

const PROGRAMS: &[Program] = &[
    Program { name: "onca", package: "onca-cli", limit: Some(25_000_000) },
    Program { name: "onca-sql", package: "onca-sql-cli", limit: None },
];

/// The completions of a shell, and where they lie in the archive and on Debian.
struct Shell {
    name: &'static str,
    archive: &'static str,
    debian: &'static str,
}

const SHELLS: &[Shell] = &[
    Shell {
        name: "bash",
        archive: "completions/onca.bash",
        debian: "usr/share/bash-completion/completions/onca",
    },
    Shell {
        name: "fish",
        archive: "completions/onca.fish",
        debian: "usr/share/fish/vendor_completions.d/onca.fish",
    },
    Shell {
        name: "zsh",
        archive: "completions/_onca",
        debian: "usr/share/zsh/vendor-completions/_onca",
    },
];

/// Documents of the project that go into the archive as they are, and where they lie on Debian.
const DOCUMENTS: &[(&str, Option<&str>)] = &[
    ("README.md", Some("usr/share/doc/onca/README.md.gz")),
    ("CHANGELOG.md", Some("usr/share/doc/onca/changelog.gz")),
    // On Debian both licences are in the file `copyright`.
    ("LICENSE-MIT", None),
    ("LICENSE-APACHE", None),
];

/// Where the folder of manual pages lies on Debian.
const DEBIAN_MANUALS: &str = "usr/share/man/man1";

/// What is made, and of what.
struct Release {
    version: String,
    /// The time of every file, in seconds since 1970.
    time: u64,
}

impl Release {
    fn new(root: &Path, version: &str) -> Result<Self, String> {
        let text = match std::env::var("SOURCE_DATE_EPOCH") {
            Ok(text) => text,
            Err(_) => run::output(
                Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root),
            )
            .map_err(|why| format!("the time of the commit: {why}; set SOURCE_DATE_EPOCH"))?,
        };
        let time = text.trim().parse();
        let time = time.map_err(|error| format!("the time of the release, {text:?}: {error}"))?;
        Ok(Self { version: version.to_owned(), time })
    }

    /// The folder inside the archive, and the name of the archive but for its ending.
    fn folder(&self) -> String {
        format!("onca-{}-x86_64-linux", self.version)
    }
}

/// Builds the programs and packs them into `out`.
pub fn make(root: &Path, out: Option<&Path>) -> Result<Checked, String> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err("releases are made on Linux on x86-64".to_owned());
    }
    let metadata = cargo::metadata(root, &["--filter-platform", build::TARGET])?;
    let target = cargo::target_directory(&metadata)?;
    let release = Release::new(root, &licences::version_of(&metadata, PROGRAMS[0].package)?)?;
    let out = out.map_or_else(|| target.join("dist"), PathBuf::from);
    let work = target.join("dist-work");
    for folder in [&out, &work] {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }

    let page = page::build(root, &work)?;
    let third_party = third_party(root, &metadata, &page)?;
    let programs = build::programs(root, &target, &work, &page.folder)?;
    let needs = inspect(&programs)?;
    if !needs.problems.is_empty() {
        return Ok(Checked { what: String::new(), problems: needs.problems });
    }

    let mut parts = documents(root)?;
    parts.extend(third_party);
    parts.extend(of_programs(programs)?);
    let written = write(&release, &parts, &needs.glibc, &out)?;
    Ok(Checked { what: format!("{} in {}", written.join(", "), out.display()), problems: vec![] })
}

/// What the programs need, and what they should not.
struct Needs {
    /// The newest version of the C library that a symbol asks for.
    glibc: elf::Version,
    problems: Vec<String>,
}

/// Prints the sizes of the programs and what they need, and finds what is over a limit.
fn inspect(programs: &[Built]) -> Result<Needs, String> {
    let mut needs = Needs { glibc: elf::Version::default(), problems: Vec::new() };
    for built in programs {
        let Program { name, limit, .. } = built.program;
        let found = elf::needs(&built.bytes).map_err(|why| format!("{name}: {why}"))?;
        let n_bytes = built.bytes.len() as u64;
        println!(
            "{name:10}{n_bytes:>12} bytes, limit {}; needs glibc {}, {} promised",
            limit.map_or_else(|| "none".to_owned(), |limit| limit.to_string()),
            found.glibc,
            build::GLIBC
        );
        if limit.is_some_and(|limit| n_bytes > limit) {
            needs.problems.push(format!("{name} is over its limit of size"));
        }
        let problems = found.problems(&build::GLIBC.parse()?);
        needs.problems.extend(problems.into_iter().map(|what| format!("{name} {what}")));
        needs.glibc = needs.glibc.max(found.glibc);
    }
    Ok(needs)
}

/// A program that has been built.
struct Built {
    program: &'static Program,
    path: PathBuf,
    bytes: Vec<u8>,
}

/// The programs, and what `onca` writes about itself.
fn of_programs(programs: Vec<Built>) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    if let Some(onca) = programs.iter().find(|built| built.program.name == "onca") {
        parts.extend(manuals(&onca.path)?);
        for shell in SHELLS {
            let text = run::output(Command::new(&onca.path).args(["completions", shell.name]))?;
            parts.push(Part::new(text).archive(shell.archive).debian(shell.debian));
        }
    }
    for Built { program, bytes, .. } in programs {
        let name = program.name;
        let part = Part::new(bytes).archive(name).debian(format!("usr/bin/{name}"));
        parts.push(part.executable());
    }
    Ok(parts)
}

fn manuals(onca: &Path) -> Result<Vec<Part>, String> {
    let folder = temporary()?;
    run::output(Command::new(onca).args([OsStr::new("man"), "-o".as_ref()]).arg(folder.path()))?;
    let mut parts = Vec::new();
    for path in pack::files_below(folder.path())? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let part = Part::new(pack::read(&path)?).archive(format!("man/man1/{name}"));
        parts.push(part.debian(format!("{DEBIAN_MANUALS}/{name}.gz")));
    }
    Ok(parts)
}

fn documents(root: &Path) -> Result<Vec<Part>, String> {
    let part = |(name, debian): &(&str, Option<&str>)| {
        let part = Part::new(pack::read(&root.join(name))?).archive(*name);
        Ok(match debian {
            Some(place) => part.debian(*place),
            None => part,
        })
    };
    let mut parts = DOCUMENTS.iter().map(part).collect::<Result<Vec<_>, String>>()?;
    let mit = pack::read(&root.join("LICENSE-MIT"))?;
    let copyright = debian::copyright(&String::from_utf8_lossy(&mit));
    parts.push(Part::new(copyright).debian("usr/share/doc/onca/copyright"));
    Ok(parts)
}

/// The licences of everything that is not ours.
fn third_party(
    root: &Path,
    metadata: &serde_json::Value,
    page: &page::Page,
) -> Result<Vec<Part>, String> {
    let mut crates = std::collections::BTreeSet::new();
    for program in PROGRAMS {
        crates.extend(cargo::tree(root, program.package, "normal")?);
    }
    let groups = [
        ("Crates", licences::crates(metadata, &crates)?),
        ("Packages of the page", page.packages.clone()),
    ];
    let text = licences::document(&groups)?;
    let rust = build::rust_licences(root)?;
    Ok(vec![
        Part::new(text)
            .archive("LICENSES-THIRD-PARTY.txt")
            .debian("usr/share/doc/onca/licenses-third-party.txt.gz"),
        Part::new(rust)
            .archive("LICENSES-RUST-LIBRARY.html")
            .debian("usr/share/doc/onca/licenses-rust-library.html.gz"),
    ])
}

/// Writes the archive, the Debian package and their sums, and checks both. Returns the names of
/// what was written.
fn write(
    release: &Release,
    parts: &[Part],
    glibc: &elf::Version,
    out: &Path,
) -> Result<Vec<String>, String> {
    let programs: Vec<&str> = PROGRAMS.iter().map(|program| program.name).collect();
    let mut written = Files::new();

    let mut files = pack::for_archive(parts);
    pack::add_sums(&mut files);
    let archive = pack::archive(&release.folder(), &files, release.time)?;
    let unpacked = temporary()?;
    pack::unpack(&archive, unpacked.path())?;
    check::programs(&unpacked.path().join(release.folder()), &release.version, &programs)?;
    written.insert(format!("{}.tar.gz", release.folder()), archive.into());

    match debian::package(release, &pack::for_debian(parts)?, glibc)? {
        Some(package) => {
            check::programs(&package.unpacked.path().join("usr/bin"), &release.version, &programs)?;
            written.insert(package.name, package.bytes.into());
        }
        None => println!(
            "no dpkg-deb here: the Debian package is not made (on Debian: apt install dpkg)"
        ),
    }

    pack::add_sums(&mut written);
    for (name, file) in &written {
        let path = out.join(name);
        fs::write(&path, &file.bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        println!("{name:40}{:>12} bytes", file.bytes.len());
    }
    Ok(written.into_keys().collect())
}

/// A folder that is removed when it is no longer needed.
fn temporary() -> Result<tempfile::TempDir, String> {
    tempfile::tempdir().map_err(|error| format!("a temporary folder: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packs stand-ins for the programs, and returns what was written.
    fn written() -> Files {
        let folder = check::tests::stand_ins("0.1.0", 7);
        let built = |program: &'static Program| {
            let path = folder.path().join(program.name);
            Built { program, bytes: pack::read(&path).expect("a stand-in"), path }
        };
        let mut parts = of_programs(PROGRAMS.iter().map(built).collect()).expect("parts");
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        parts.extend(documents(&root).expect("documents"));
        let release = Release { version: "0.1.0".to_owned(), time: 1_700_000_000 };
        let out = temporary().expect("temporary folder");
        let glibc = "2.17".parse().expect("a version");
        let names = write(&release, &parts, &glibc, out.path()).expect("written");
        let file = |name: String| {
            let bytes = pack::read(&out.path().join(&name)).expect("written");
            (name, bytes.into())
        };
        names.into_iter().map(file).collect()
    }

    #[test]
    fn a_release_is_complete_and_the_same_every_time() {
        let _turn = check::tests::in_turn();
        let (first, second) = (written(), written());
        let contents = |files: &Files| -> Vec<(String, Vec<u8>)> {
            files.iter().map(|(name, file)| (name.clone(), file.bytes.clone())).collect()
        };
        assert!(contents(&first) == contents(&second), "two runs gave different bytes");

        let unpacked = temporary().expect("temporary folder");
        let archive = &first["onca-0.1.0-x86_64-linux.tar.gz"].bytes;
        pack::unpack(archive, unpacked.path()).expect("an archive");
        let folder = unpacked.path().join("onca-0.1.0-x86_64-linux");
        let files = pack::files_below(&folder).expect("a folder");
        let names: Vec<String> = files
            .iter()
            .map(|path| path.strip_prefix(&folder).expect("inside").display().to_string())
            .collect();
        let expected = [
            "CHANGELOG.md",
            "LICENSE-APACHE",
            "LICENSE-MIT",
            "README.md",
            "SHA256SUMS",
            "completions/_onca",
            "completions/onca.bash",
            "completions/onca.fish",
            "man/man1/onca.1",
            "onca",
            "onca-sql",
        ];
        assert_eq!(names, expected);
    }
}
