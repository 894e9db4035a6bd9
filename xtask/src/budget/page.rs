//! What a browser loads before the page does anything: the scripts and styles that `index.html`
//! names, and the scripts that those import.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

/// Names a folder with a built page, here as for the build of `onca`.
const READY: &str = "ONCA_WEB_DIST";

/// The folder of the built page.
pub fn folder(root: &Path) -> PathBuf {
    std::env::var_os(READY).map_or_else(|| root.join("web/dist"), PathBuf::from)
}

/// What is loaded at once.
pub struct FirstLoad {
    pub scripts: Loaded,
    pub styles: Loaded,
}

/// Files of one kind.
#[derive(Default)]
pub struct Loaded {
    /// Paths from the folder of the page, in the order in which they are found.
    pub files: Vec<String>,
    /// Their bytes together, each compressed on its own as a server sends it.
    pub bytes: u64,
}

/// Finds and measures what the page in a folder loads at once.
pub fn first_load(folder: &Path) -> Result<FirstLoad, String> {
    let index = folder.join("index.html");
    let html = fs::read_to_string(&index).map_err(|error| {
        format!(
            "{}: {error}; build the page first (npm --prefix web ci, npm --prefix web run build), \
             or name the folder of a built one in {READY}",
            index.display()
        )
    })?;
    let (scripts, styles) = named_files(&html);
    let mut first = FirstLoad { scripts: Loaded::default(), styles: Loaded::default() };
    for path in styles {
        let bytes = read(folder, &path)?;
        first.styles.add(path, &bytes)?;
    }
    let mut waiting = scripts;
    while let Some(path) = waiting.pop() {
        if first.scripts.files.contains(&path) {
            continue;
        }
        let bytes = read(folder, &path)?;
        let imports = static_imports(&String::from_utf8_lossy(&bytes));
        let imports = imports.iter().filter_map(|target| resolve(&path, target));
        // A text in a script can look like an import, but hardly name a file of the page.
        waiting.extend(imports.filter(|path| folder.join(path).is_file()));
        first.scripts.add(path, &bytes)?;
    }
    if first.scripts.files.is_empty() {
        return Err(format!("{}: the page has no script", index.display()));
    }
    Ok(first)
}

fn read(folder: &Path, path: &str) -> Result<Vec<u8>, String> {
    fs::read(folder.join(path)).map_err(|error| format!("{}: {error}", folder.join(path).display()))
}

impl Loaded {
    fn add(&mut self, path: String, bytes: &[u8]) -> Result<(), String> {
        self.bytes += gzip_bytes(bytes).map_err(|error| format!("{path}: {error}"))?;
        self.files.push(path);
        Ok(())
    }
}

fn gzip_bytes(bytes: &[u8]) -> io::Result<u64> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.len() as u64)
}

/// The scripts and the styles that a page names.
fn named_files(html: &str) -> (Vec<String>, Vec<String>) {
    let (mut scripts, mut styles) = (Vec::new(), Vec::new());
    for tag in html.split('<').skip(1).filter_map(|piece| piece.split('>').next()) {
        let path = |name| attribute(tag, name).and_then(|target| resolve("index.html", target));
        match (tag.split_whitespace().next(), attribute(tag, "rel")) {
            (Some("script"), _) => scripts.extend(path("src")),
            (Some("link"), Some("modulepreload")) => scripts.extend(path("href")),
            (Some("link"), Some("stylesheet")) => styles.extend(path("href")),
            _ => {}
        }
    }
    (scripts, styles)
}

/// The value of an attribute of a tag, as build tools write it: `name="value"`.
fn attribute<'tag>(tag: &'tag str, name: &str) -> Option<&'tag str> {
    tag.split_whitespace()
        .find_map(|word| word.strip_prefix(name)?.strip_prefix("=\"")?.split('"').next())
}

/// What a script imports when it is loaded: `from"./a.js"` and `import"./a.js"`. What it may load
/// later, `import("./a.js")`, does not count.
fn static_imports(script: &str) -> Vec<String> {
    let mut targets = Vec::new();
    for word in ["from", "import"] {
        for (at, _) in script.match_indices(word) {
            let before = script[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || "_$.".contains(c)) {
                continue;
            }
            let rest = script[at + word.len()..].trim_start();
            let Some(quote) = rest.chars().next().filter(|c| ['"', '\''].contains(c)) else {
                continue;
            };
            let target = rest[1..].split(quote).next().unwrap_or_default();
            targets.push(target.to_owned());
        }
    }
    targets
}

/// The path, from the folder of the page, of what the file `from` calls `target`; `None` for what
/// is not a file of the page.
fn resolve(from: &str, target: &str) -> Option<String> {
    let target = target.split(['?', '#']).next().unwrap_or_default();
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    if target.contains("://") || target.starts_with("//") {
        return None;
    }
    let target = match target.strip_prefix('/') {
        Some(rest) => {
            parts.clear();
            rest
        }
        None => target,
    };
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = r#"<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
    <script type="module" crossorigin src="/assets/index-Dv.js"></script>
    <link rel="modulepreload" crossorigin href="./assets/shared.js">
    <link rel="stylesheet" crossorigin href="/assets/index-DH.css">
    <script src="https://elsewhere.example/x.js"></script>
  </head>
  <body><div id="app"></div></body>
</html>"#;

    #[test]
    fn scripts_and_styles_of_a_page_are_found() {
        let (scripts, styles) = named_files(PAGE);
        assert_eq!(scripts, ["assets/index-Dv.js", "assets/shared.js"]);
        assert_eq!(styles, ["assets/index-DH.css"]);
    }

    #[test]
    fn only_static_imports_count() {
        let script = r#"import{a as b}from"./shared.js";import"./effect.js";
            export { c } from './more.js';
            const later=()=>import("./later.js"),d=e.from"./no.js",f=xfrom"./no.js";"#;
        let mut found = static_imports(script);
        found.sort();
        assert_eq!(found, ["./effect.js", "./more.js", "./shared.js"]);
    }

    #[test]
    fn targets_are_relative_to_the_file_that_names_them() {
        let path = |from, target| resolve(from, target);
        assert_eq!(path("assets/a.js", "./b.js").as_deref(), Some("assets/b.js"));
        assert_eq!(path("assets/a.js", "../b.js?v=1").as_deref(), Some("b.js"));
        assert_eq!(path("assets/a.js", "/c/b.js").as_deref(), Some("c/b.js"));
        assert_eq!(path("a.js", "../../etc/passwd"), None);
        assert_eq!(path("a.js", "https://b.example/b.js"), None);
    }

    #[test]
    fn a_page_is_followed_through_its_imports_once() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("inside")).expect("folder");
            fs::write(path, text).expect("write");
        };
        write("index.html", &PAGE.replace("./assets/shared.js", "/assets/shared.js"));
        write("assets/index-Dv.js", "import{a}from\"./shared.js\";import(\"./later.js\")");
        write("assets/shared.js", "import\"./deep.js\";import\"./gone.js\";export const a=1");
        write("assets/deep.js", "import\"./shared.js\"");
        write("assets/later.js", "later()");
        write("assets/index-DH.css", "a{}");
        let first = first_load(folder.path()).expect("a page");
        let mut scripts = first.scripts.files.clone();
        scripts.sort();
        assert_eq!(scripts, ["assets/deep.js", "assets/index-Dv.js", "assets/shared.js"]);
        assert_eq!(first.styles.files, ["assets/index-DH.css"]);
        assert_eq!(first.styles.bytes, gzip_bytes(b"a{}").expect("memory"));
    }

    #[test]
    fn without_a_page_it_says_what_to_do() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let why = first_load(folder.path()).err().expect("no page");
        assert!(why.contains("npm --prefix web run build"), "{why}");
    }
}
