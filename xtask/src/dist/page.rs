//! The page that is inside `onca`, and the packages it is made of.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::licences::Package;
use super::pack;
use crate::run;

/// A built page.
pub struct Page {
    pub folder: PathBuf,
    /// The packages whose code is in its scripts.
    pub packages: Vec<Package>,
}

/// Builds the page from exactly the packages of the lock file.
///
/// Which of them are in its scripts is read from source maps: the list of dependencies does not
/// tell, since a tool such as Svelte brings code along.
pub fn build(root: &Path, work: &Path) -> Result<Page, String> {
    let web = root.join("web");
    let folder = work.join("page");
    let npm = || {
        let mut command = Command::new("npm");
        command.current_dir(&web);
        command
    };
    run::aloud(npm().args([
        "ci",
        "--include=dev",
        "--include=optional",
        "--no-audit",
        "--no-fund",
    ]))?;
    run::aloud(
        npm()
            .args(["run", "build", "--", "--sourcemap=hidden", "--emptyOutDir", "--outDir"])
            .arg(&folder),
    )?;
    let mut folders = BTreeSet::new();
    let maps = pack::files_below(&folder)?;
    for path in maps.iter().filter(|path| path.extension().is_some_and(|end| end == "map")) {
        let map: Value = serde_json::from_slice(&pack::read(path)?)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        folders.extend(package_folders(&map));
        fs::remove_file(path).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let packages = folders.iter().map(|folder| package(&web.join(folder)));
    let packages = packages.collect::<Result<Vec<_>, _>>()?;
    if packages.is_empty() {
        return Err(format!("{}: no source map tells of packages", folder.display()));
    }
    Ok(Page { folder, packages })
}

/// The folders of packages that a source map names, from the folder of the page.
fn package_folders(map: &Value) -> BTreeSet<String> {
    let sources = map["sources"].as_array().into_iter().flatten().filter_map(Value::as_str);
    sources.filter_map(package_folder).collect()
}

/// `../../node_modules/@scope/name/src/a.js` is of the package in `node_modules/@scope/name`; a
/// package may have packages of its own inside.
fn package_folder(source: &str) -> Option<String> {
    const PACKAGES: &str = "node_modules/";
    let source = &source[source.find(PACKAGES)?..];
    let name = source.rfind(PACKAGES)? + PACKAGES.len();
    let n_parts = if source[name..].starts_with('@') { 2 } else { 1 };
    let parts: Vec<&str> = source[name..].split('/').take(n_parts).collect();
    Some(format!("{}{}", &source[..name], parts.join("/")))
}

fn package(folder: &Path) -> Result<Package, String> {
    let path = folder.join("package.json");
    let described: Value = serde_json::from_slice(&pack::read(&path)?)
        .map_err(|error| format!("{}: {error}", path.display()))?;
    let text = |field: &str| {
        let text = described[field].as_str().map(str::to_owned);
        text.ok_or_else(|| format!("{}: there is no {field}", path.display()))
    };
    let author = described["author"].as_str().or(described["author"]["name"].as_str());
    Ok(Package {
        name: text("name")?,
        version: text("version")?,
        licence: text("license")?,
        authors: author.into_iter().map(str::to_owned).collect(),
        folder: folder.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn packages_are_found_in_a_source_map() {
        let map = json!({ "sources": [
            "../../../web/node_modules/svelte/src/internal/client/runtime.js",
            "../../../web/node_modules/svelte/src/internal/shared/utils.js",
            "../../node_modules/@scope/name/a.js",
            "../../node_modules/svelte/node_modules/clsx/dist/clsx.mjs",
            "../../src/main.ts",
            null,
        ] });
        let expected = [
            "node_modules/@scope/name",
            "node_modules/svelte",
            "node_modules/svelte/node_modules/clsx",
        ];
        assert_eq!(package_folders(&map).into_iter().collect::<Vec<_>>(), expected);
    }
}
