//! Documents keep their word: every diagnostic code is described as it is, links between files lead to
//! files, and answers have the fields that are described.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use onca_model::{Code, Strictness};

use crate::{Checked, fields};

/// Where the diagnostic codes are described.
const CODES_DOCUMENT: &str = "docs/paje.md";

/// Checks all documents of the project.
pub fn check(root: &Path) -> Result<Checked, String> {
    let Checked { what, mut problems } = check_links_and_codes(root)?;
    let (n_types, of_fields) = fields::problems(root)?;
    problems.extend(of_fields);
    Ok(Checked { what: format!("{what}, {n_types} types"), problems })
}

fn check_links_and_codes(root: &Path) -> Result<Checked, String> {
    let mut documents = Vec::new();
    collect_documents(root, &mut documents)
        .map_err(|error| format!("{}: {error}", root.display()))?;
    documents.sort();
    let mut problems = Vec::new();
    let mut n_links = 0;
    for path in &documents {
        let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
        let text = fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
        let folder = path.parent().unwrap_or(root);
        for link in relative_links(&text) {
            n_links += 1;
            if !folder.join(&link.target).exists() {
                let Link { line, target } = link;
                problems.push(format!("{name}:{line}: the link to {target} leads nowhere"));
            }
        }
        if name == CODES_DOCUMENT {
            problems.extend(code_problems(&text).into_iter().map(|what| format!("{name}: {what}")));
        }
    }
    if !root.join(CODES_DOCUMENT).exists() {
        problems.push(format!("{CODES_DOCUMENT} is missing"));
    }
    let n_codes = Code::ALL.len();
    let what = format!("{} documents, {n_links} links, {n_codes} codes", documents.len());
    Ok(Checked { what, problems })
}

/// All `.md` files below a folder, but for hidden folders and what builds leave behind.
fn collect_documents(folder: &Path, documents: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if entry.file_type()?.is_dir() {
            if !name.starts_with('.') && name != "target" && name != "node_modules" {
                collect_documents(&entry.path(), documents)?;
            }
        } else if name.ends_with(".md") {
            documents.push(entry.path());
        }
    }
    Ok(())
}

/// A link to a file, without its `#fragment`.
#[derive(Debug, PartialEq, Eq)]
struct Link {
    line: usize,
    target: String,
}

/// The links of a document to files of the project: `[text](target)`, outside code.
fn relative_links(document: &str) -> Vec<Link> {
    let mut links = Vec::new();
    let mut fenced = false;
    for (line_idx, line) in document.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        let text = without_code(line);
        for after in text.split("](").skip(1) {
            let target = after.split([')', ' ']).next().unwrap_or_default();
            let file = target.split('#').next().unwrap_or_default();
            if !file.is_empty() && !target.contains("://") && !target.starts_with("mailto:") {
                links.push(Link { line: line_idx + 1, target: file.to_owned() });
            }
        }
    }
    links
}

/// A line without what stands between backticks.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// Codes that are not described, or described wrongly, and descriptions of codes that are not.
///
/// A code is described by a table row that begins with the code, its lenient and its strict
/// severity: ``| `pop-empty` | warning | fatal | ... |``.
fn code_problems(document: &str) -> Vec<String> {
    let rows = code_rows(document);
    let mut problems = Vec::new();
    for &code in Code::ALL {
        let name = code.name();
        let severity = |strictness| code.severity(strictness).name();
        let is = (severity(Strictness::Lenient), severity(Strictness::Strict));
        match rows.get(name) {
            None => problems.push(format!("the code {name} is not described")),
            Some((lenient, strict)) if (lenient.as_str(), strict.as_str()) != is => {
                let (is_lenient, is_strict) = is;
                problems.push(format!(
                    "the code {name} is {is_lenient} or, strictly, {is_strict}; \
                     the document says {lenient} and {strict}"
                ));
            }
            Some(_) => {}
        }
    }
    let unknown = rows.keys().filter(|name| Code::from_name(name).is_none());
    problems.extend(unknown.map(|name| format!("there is no code {name}")));
    problems
}

/// The severities that the document gives each code. Only rows whose second cell is a severity
/// describe a code.
fn code_rows(document: &str) -> BTreeMap<String, (String, String)> {
    const SEVERITIES: [&str; 4] = ["note", "warning", "error", "fatal"];
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim().strip_prefix('|')?.split('|').map(str::trim).collect();
        let [code, lenient, strict, ..] = cells[..] else { return None };
        let code = code.strip_prefix('`')?.strip_suffix('`')?;
        let severities = (lenient.to_owned(), strict.to_owned());
        SEVERITIES.contains(&lenient).then(|| (code.to_owned(), severities))
    };
    document.lines().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_files_are_found_outside_code() {
        let document = "\
See [the format](docs/paje.md#codes) and [Rust](https://www.rust-lang.org).
![a picture](picture.svg \"title\") and `[code](nowhere.md)` and [here](#here).
```
[fenced](nowhere.md)
```
[last](../LICENSE-MIT), [mail](mailto:a@b.c)";
        let found: Vec<_> =
            relative_links(document).into_iter().map(|link| (link.line, link.target)).collect();
        let expected = [(1, "docs/paje.md"), (2, "picture.svg"), (6, "../LICENSE-MIT")];
        assert_eq!(found, expected.map(|(line, target)| (line, target.to_owned())));
    }

    /// A document that describes every code as it is.
    fn complete() -> String {
        let row = |code: &Code| {
            let lenient = code.severity(Strictness::Lenient).name();
            let strict = code.severity(Strictness::Strict).name();
            format!("| `{}` | {lenient} | {strict} | meaning |\n", code.name())
        };
        Code::ALL.iter().map(row).collect()
    }

    #[test]
    fn a_complete_document_has_no_problems() {
        assert_eq!(code_problems(&complete()), [""; 0]);
    }

    #[test]
    fn missing_wrong_and_invented_codes_are_named() {
        let document = complete()
            .replace("| `pop-empty` | warning | fatal |", "| `pop-empty` | error | fatal |")
            .replace("| `nul-byte` |", "| `nil-byte` |");
        let found = code_problems(&document);
        assert_eq!(found.len(), 3, "{found:?}");
        assert_eq!(found[0], "the code nul-byte is not described");
        assert!(found[1].starts_with("the code pop-empty is warning or, strictly, fatal"));
        assert_eq!(found[2], "there is no code nil-byte");
    }

    #[test]
    fn other_tables_describe_no_codes() {
        assert!(code_rows("| `Time` | `date` | when |\n| --- | --- | --- |\n").is_empty());
    }

    #[test]
    fn a_broken_link_in_a_folder_is_found() {
        let folder = std::env::temp_dir().join(format!("onca-xtask-{}", std::process::id()));
        fs::create_dir_all(folder.join("docs")).expect("temporary folder");
        fs::write(folder.join("README.md"), "[a](docs/paje.md) [b](docs/gone.md)").expect("write");
        fs::write(folder.join(CODES_DOCUMENT), complete()).expect("write");
        let checked = check_links_and_codes(&folder);
        fs::remove_dir_all(&folder).expect("remove");
        let problems = checked.expect("readable").problems;
        assert_eq!(problems, ["README.md:1: the link to docs/gone.md leads nowhere"]);
    }
}
