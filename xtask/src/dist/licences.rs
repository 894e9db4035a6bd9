//! The licences of what the programs are made of, with their texts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::pack;
use crate::cargo::Crate;

/// A package of others.
#[derive(Clone, Debug)]
pub struct Package {
    pub name: String,
    pub version: String,
    /// What it says of its licence, such as `MIT OR Apache-2.0`.
    pub licence: String,
    pub authors: Vec<String>,
    pub folder: PathBuf,
}

/// The version of a package of the workspace.
pub fn version_of(metadata: &Value, package: &str) -> Result<String, String> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let version = packages.filter(|one| one["name"] == package && one["source"].is_null());
    let version = version.filter_map(|one| one["version"].as_str()).next();
    version.map(str::to_owned).ok_or_else(|| format!("there is no package {package}"))
}

/// What Cargo knows of those crates that are not ours.
pub fn crates(metadata: &Value, wanted: &BTreeSet<Crate>) -> Result<Vec<Package>, String> {
    let mut found = BTreeMap::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let text = |field: &str| package[field].as_str().unwrap_or_default().to_owned();
        let one = Crate { name: text("name"), version: text("version") };
        if !wanted.contains(&one) {
            continue;
        }
        let ours = package["source"].is_null();
        let authors = package["authors"].as_array().into_iter().flatten();
        let manifest = PathBuf::from(text("manifest_path"));
        let licence = match (package["license"].as_str(), package["license_file"].as_str()) {
            (Some(licence), _) => licence.to_owned(),
            (None, Some(file)) => format!("see {file}"),
            (None, None) => return Err(format!("{} tells no licence", one.name)),
        };
        let package = Package {
            name: one.name.clone(),
            version: one.version.clone(),
            licence,
            authors: authors.filter_map(Value::as_str).map(str::to_owned).collect(),
            folder: manifest.parent().unwrap_or(Path::new("")).to_owned(),
        };
        found.insert(one, (!ours).then_some(package));
    }
    if let Some(missing) = wanted.iter().find(|one| !found.contains_key(one)) {
        return Err(format!("Cargo knows no {} {}", missing.name, missing.version));
    }
    Ok(found.into_values().flatten().collect())
}

/// The files of a package that are licences, notices or lists of authors' rights, with their
/// paths in the package. Sources of others that a package brings along have theirs in a folder.
fn texts(folder: &Path) -> Result<Vec<(String, String)>, String> {
    let mut texts = Vec::new();
    for path in pack::files_below(folder)? {
        let inside = path.strip_prefix(folder).unwrap_or(&path);
        let name = inside.file_name().unwrap_or_default().to_string_lossy();
        if is_licence(&name) && !inside.components().any(|part| part.as_os_str() == "node_modules")
        {
            let text = pack::read(&path)?;
            texts.push((inside.display().to_string(), tidy(&String::from_utf8_lossy(&text))));
        }
    }
    Ok(texts)
}

/// `LICENSE-MIT`, `COPYING.LESSER`, `notice.txt`, and not `license.rs`.
fn is_licence(name: &str) -> bool {
    const WORDS: [&str; 6] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];
    const SOURCES: [&str; 12] =
        ["c", "cpp", "css", "h", "html", "js", "json", "py", "rs", "sh", "toml", "ts"];
    let upper = name.to_uppercase();
    let word = upper.split(['.', '-', '_']).next().unwrap_or_default();
    let word = word.strip_suffix('S').filter(|_| word != "NOTICES").unwrap_or(word);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    WORDS.contains(&word) && !SOURCES.contains(&ending)
}

/// A text without differences that mean nothing, so that equal licences are equal.
fn tidy(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

/// All packages with their licences, then each text once.
pub fn document(groups: &[(&str, Vec<Package>)]) -> Result<String, String> {
    let mut list = String::new();
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut bodies = String::new();
    for (title, packages) in groups {
        list += &format!("{title}\n{}\n\n", "-".repeat(title.len()));
        for package in packages {
            let Package { name, version, licence, authors, folder } = package;
            list += &format!("{name} {version}: {licence}");
            let texts = texts(folder)?;
            if texts.is_empty() {
                list += &format!("\n  no text in the package; authors: {}", authors.join(", "));
            }
            for (path, text) in texts {
                let next = numbers.len() + 1;
                let number = *numbers.entry(text.clone()).or_insert(next);
                if number == next {
                    let rule = "=".repeat(80);
                    bodies += &format!("{rule}\n[{number}] {path} of {name} {version}\n{rule}\n\n");
                    bodies += &format!("{text}\n\n");
                }
                list += &format!(" [{number}]");
            }
            list.push('\n');
        }
        list.push('\n');
    }
    let head = "\
The programs of Onca are made of the following packages, besides Onca itself and Rust's own
library, which have files of their own. A number in brackets is that of a text below.

";
    Ok(format!("{head}{list}{bodies}"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;

    fn package(name: &str, folder: &Path) -> Package {
        Package {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            licence: "MIT".to_owned(),
            authors: vec!["A. U. Thor".to_owned()],
            folder: folder.to_owned(),
        }
    }

    #[test]
    fn licences_are_known_by_their_names() {
        let licences = [
            "LICENSE",
            "LICENSE-MIT",
            "LICENSES.md",
            "license.txt",
            "LICENCE",
            "COPYING.0BSD",
            "NOTICE",
            "UNLICENSE",
            "LICENSE_OFL.txt",
            "COPYRIGHT.md",
        ];
        for name in licences {
            assert!(is_licence(name), "{name}");
        }
        for name in ["license.rs", "README.md", "licensed", "notice.html", "copy.c"] {
            assert!(!is_licence(name), "{name}");
        }
    }

    #[test]
    fn each_text_is_told_once() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("inside")).expect("folder");
            fs::write(path, text).expect("write");
        };
        write("a/LICENSE", "Be kind.\r\n");
        write("a/src/license.rs", "fn main() {}");
        write("b/LICENSE-MIT", "Be kind.\n\n");
        write("b/vendored/COPYING", "Share.");
        write("b/node_modules/x/LICENSE", "Not part of it.");
        write("c/README", "Nothing.");
        let packages = ["a", "b", "c"].map(|name| package(name, &folder.path().join(name)));
        let text = document(&[("Crates", packages.to_vec())]).expect("readable");
        let (_, text) = text.split_once("below.\n\n").expect("a head");
        let rule = "=".repeat(80);
        let expected = format!(
            "Crates\n------\n\n\
             a 1.0.0: MIT [1]\n\
             b 1.0.0: MIT [1] [2]\n\
             c 1.0.0: MIT\n  no text in the package; authors: A. U. Thor\n\n\
             {rule}\n[1] LICENSE of a 1.0.0\n{rule}\n\nBe kind.\n\n\
             {rule}\n[2] vendored/COPYING of b 1.0.0\n{rule}\n\nShare.\n\n"
        );
        assert_eq!(text, expected);
    }

    fn metadata() -> Value {
        let crates = "registry";
        json!({ "packages": [
            { "name": "onca-cli", "version": "0.1.0", "source": null, "license": "MIT",
              "manifest_path": "/onca/crates/cli/Cargo.toml" },
            { "name": "clap", "version": "4.6.7", "source": crates, "license": "MIT",
              "authors": [], "manifest_path": "/crates/clap/Cargo.toml" },
            { "name": "clap", "version": "3.0.0", "source": crates, "license": "MIT",
              "manifest_path": "/crates/clap-3/Cargo.toml" },
            { "name": "odd", "version": "1.0.0", "source": crates, "license": null,
              "license_file": "TERMS", "manifest_path": "/crates/odd/Cargo.toml" },
            { "name": "dark", "version": "1.0.0", "source": crates, "license": null,
              "manifest_path": "/crates/dark/Cargo.toml" },
        ] })
    }

    fn wanted(crates: &[(&str, &str)]) -> BTreeSet<Crate> {
        let one = |(name, version): &(&str, &str)| Crate {
            name: (*name).to_owned(),
            version: (*version).to_owned(),
        };
        crates.iter().map(one).collect()
    }

    #[test]
    fn crates_of_others_are_found_in_metadata() {
        let wanted = wanted(&[("onca-cli", "0.1.0"), ("clap", "4.6.7"), ("odd", "1.0.0")]);
        let found = crates(&metadata(), &wanted).expect("known crates");
        let told: Vec<_> =
            found.iter().map(|one| (one.name.as_str(), one.licence.as_str())).collect();
        assert_eq!(told, [("clap", "MIT"), ("odd", "see TERMS")]);
        assert_eq!(found[0].folder, Path::new("/crates/clap"));
        assert_eq!(version_of(&metadata(), "onca-cli").as_deref(), Ok("0.1.0"));
    }

    #[test]
    fn a_crate_without_licence_or_metadata_is_refused() {
        assert!(crates(&metadata(), &wanted(&[("dark", "1.0.0")])).is_err());
        assert!(crates(&metadata(), &wanted(&[("gone", "1.0.0")])).is_err());
    }
}
