//! The Debian package.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::pack::{self, File, Files};
use super::{Release, elf, temporary};
use crate::run;

const TOOL: &str = "dpkg-deb";

/// A package that was made, and unpacked again.
pub struct Package {
    pub name: String,
    pub bytes: Vec<u8>,
    pub unpacked: TempDir,
}

/// Makes the package, if the tool for it is there.
pub fn package(
    release: &Release,
    files: &Files,
    glibc: &elf::Version,
) -> Result<Option<Package>, String> {
    if Command::new(TOOL).arg("--version").output().is_err() {
        return Ok(None);
    }
    let tree = temporary()?;
    for (path, file) in files {
        place(tree.path(), path, file)?;
    }
    let control = control(&release.version, files, glibc).into_bytes().into();
    place(tree.path(), "DEBIAN/control", &control)?;
    set_folder_modes(tree.path())?;

    let name = format!("onca_{}_amd64.deb", release.version);
    let results = temporary()?;
    let result = results.path().join(&name);
    // Debian 10 and older cannot unpack zstd, which is what the tool of some distributions takes.
    run::output(
        Command::new(TOOL)
            .args(["--root-owner-group", "-Zxz", "--build"])
            .args([tree.path(), &result])
            .env("SOURCE_DATE_EPOCH", release.time.to_string()),
    )?;
    let unpacked = temporary()?;
    run::output(Command::new(TOOL).arg("--extract").args([&result, unpacked.path()]))?;
    Ok(Some(Package { name, bytes: pack::read(&result)?, unpacked }))
}

fn place(tree: &Path, path: &str, file: &File) -> Result<(), String> {
    let path = tree.join(path);
    let mode = if file.executable { 0o755 } else { 0o644 };
    let folder = path.parent().unwrap_or(tree);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&path, &file.bytes))
        .and_then(|()| fs::set_permissions(&path, fs::Permissions::from_mode(mode)))
        .map_err(|error| format!("{}: {error}", path.display()))
}

/// Folders are made as the user's mask says, and temporary ones are private; both would be in the
/// package.
fn set_folder_modes(tree: &Path) -> Result<(), String> {
    let mut folders = vec![tree.to_owned()];
    for path in pack::files_below(tree)? {
        folders.extend(path.ancestors().skip(1).take_while(|one| *one != tree).map(Path::to_owned));
    }
    for folder in folders {
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755))
            .map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    Ok(())
}

/// What dpkg knows of the package.
fn control(version: &str, files: &Files, glibc: &elf::Version) -> String {
    let n_kib = files.values().map(|file| (file.bytes.len() as u64).div_ceil(1024)).sum::<u64>();
    format!(
        "\
Package: onca
Version: {version}
Architecture: amd64
Maintainer: {}
Installed-Size: {n_kib}
Depends: libc6 (>= {glibc})
Section: science
Priority: optional
Description: see and question the execution of parallel programs
 Onca reads execution traces (Paje, OTF2, Chrome JSON, Paraver, DUMPI), keeps
 them in an exact index on disk, and answers from the whole trace: in the
 browser, on the command line, in figures and in SQL.
",
        maintainer()
    )
}

/// Who makes the package, as the tools of Debian are told.
fn maintainer() -> String {
    match (std::env::var("DEBFULLNAME"), std::env::var("DEBEMAIL")) {
        (Ok(name), Ok(address)) => format!("{name} <{address}>"),
        _ => "the Onca contributors".to_owned(),
    }
}

/// The file `copyright`, in the form that Debian's tools read.
pub fn copyright(mit: &str) -> String {
    let holder = mit.lines().find_map(|line| line.strip_prefix("Copyright (c) "));
    let mut text = format!(
        "\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Onca
Comment: The licences of what the programs are made of are in
 /usr/share/doc/onca/licenses-third-party.txt.gz and
 /usr/share/doc/onca/licenses-rust-library.html.gz.

Files: *
Copyright: {}
License: MIT or Apache-2.0

License: Apache-2.0
 On Debian systems, the text is in /usr/share/common-licenses/Apache-2.0.

License: MIT
",
        holder.unwrap_or("the Onca contributors")
    );
    for line in mit.trim().lines() {
        text += &if line.is_empty() { " .\n".to_owned() } else { format!(" {line}\n") };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_tells_size_and_needs() {
        let mut files = Files::new();
        files.insert("usr/bin/onca".to_owned(), vec![0; 2000].into());
        files.insert("usr/bin/onca-sql".to_owned(), vec![0; 1].into());
        let text = control("0.1.0", &files, &"2.17".parse().expect("a version"));
        for line in ["Version: 0.1.0", "Installed-Size: 3", "Depends: libc6 (>= 2.17)"] {
            assert!(text.lines().any(|one| one == line), "{line} in {text}");
        }
        assert!(text.ends_with(".\n"), "{text}");
    }

    #[test]
    fn copyright_has_no_empty_lines_within_a_licence() {
        let text = copyright("MIT License\n\nCopyright (c) the authors\n\nBe kind.\n");
        assert!(text.contains("\nCopyright: the authors\n"), "{text}");
        let ending = "License: MIT\n MIT License\n .\n Copyright (c) the authors\n .\n Be kind.\n";
        assert!(text.ends_with(ending), "{text}");
    }
}
