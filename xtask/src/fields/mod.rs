//! Documents tell the fields that answers have: all of them, and no others.
//!
//! A schema is described by the sections whose titles name it, by the rows of the table of requests that
//! name it, and by the sections of these requests. What is checked:
//!
//! - A word in the first column of a table of fields is a field of the answer that the section is about,
//!   or of a question.
//! - Any other word between backticks in such a text is a field of some answer or question, or a text in
//!   the sources.
//! - A field of an answer is named in the text about it. Fields of types that several answers have need to
//!   be named in one of the documents only.

mod types;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use types::{LENS, Types, schemas};

/// Where the answers of commands and of the server are described.
const DOCUMENTS: [&str; 2] = ["docs/json.md", "docs/http-api.md"];
/// Where lenses are, which are part of many questions. Its examples name the fields.
const LENS_DOCUMENT: &str = "docs/lens.md";
/// What no struct describes: the rows of SQL are written one by one, and measurements are made of pieces.
const UNTYPED: [&str; 2] = ["onca-query/", "onca-bench-"];

/// What documents say that is not so, and what they do not say.
pub fn problems(root: &Path) -> Result<(usize, Vec<String>), String> {
    let cannot = |error: std::io::Error| format!("sources: {error}");
    let types = Types::read(root).map_err(cannot)?;
    let mut texts = Vec::new();
    for name in DOCUMENTS {
        let text =
            fs::read_to_string(root.join(name)).map_err(|error| format!("{name}: {error}"))?;
        texts.extend(described(name, &text));
    }
    let lens = fs::read_to_string(root.join(LENS_DOCUMENT));
    let lens = lens.map_err(|error| format!("{LENS_DOCUMENT}: {error}"))?;
    let mut problems = check(&types, &texts);
    let told: BTreeSet<&str> = lens.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    for one in types.of_schema(LENS).into_iter().map(|at| &types.types[at]) {
        let untold = one.fields.iter().filter(|field| !told.contains(field.as_str()));
        let problem =
            |field| format!("{LENS_DOCUMENT}: the field {field} of {} is not described", one.name);
        problems.extend(untold.map(problem));
    }
    Ok((types.types.len(), problems))
}

/// A part of a document that is about some answers.
#[derive(Debug)]
struct Description {
    document: &'static str,
    /// The number of its first line.
    line: usize,
    schemas: Vec<String>,
    text: String,
}

/// The descriptions of a document.
fn described(document: &'static str, text: &str) -> Vec<Description> {
    let mut sections: Vec<Description> = Vec::new();
    // The schema that each request answers with.
    let mut requests: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (at, line) in text.lines().enumerate() {
        let new = |schemas| Description { document, line: at + 1, schemas, text: String::new() };
        if line.starts_with("## ") || line.starts_with("### ") {
            let of_requests = words(line).filter_map(|word| requests.get(word)).flatten();
            sections.push(new(schemas(line).into_iter().chain(of_requests.cloned()).collect()));
        }
        let request = line.strip_prefix("| `").and_then(|row| row.split_once("` | "));
        if let Some((request, answer)) = request.filter(|(request, _)| request.contains(" /api/")) {
            let mut parts = request.rsplit(['/', ' ', '`', '?']).filter(|part| !part.is_empty());
            let name = parts.find(|part| part.bytes().all(|byte| byte.is_ascii_lowercase()));
            requests.insert(name.unwrap_or_default().to_owned(), schemas(answer));
            sections.push(Description { text: line.to_owned(), ..new(schemas(answer)) });
            sections.push(new(Vec::new()));
            continue;
        }
        if let Some(section) = sections.last_mut() {
            // A title names requests, not fields.
            section.text += if line.starts_with('#') { "" } else { line };
            section.text.push('\n');
        }
    }
    sections
}

/// The words between backticks.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Is it spelt like a field?
fn is_name(word: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    word.starts_with(|c: char| c.is_ascii_lowercase()) && word.bytes().all(fits)
}

fn check(types: &Types, texts: &[Description]) -> Vec<String> {
    let known: BTreeSet<&str> =
        texts.iter().flat_map(|text| &text.schemas).map(String::as_str).collect();
    let mut problems = Vec::new();
    let mut n_answers: BTreeMap<usize, usize> = BTreeMap::new();
    let is_untyped = |schema: &&str| UNTYPED.iter().any(|begin| schema.starts_with(begin));
    let mut answers = BTreeMap::new();
    for schema in known.into_iter().filter(|schema| !is_untyped(schema)) {
        let of = types.of_schema(schema);
        if of.is_empty() {
            problems.push(format!("no type says that it is {schema}"));
        }
        of.iter().for_each(|&at| *n_answers.entry(at).or_default() += 1);
        answers.insert(schema, of);
    }
    let everywhere: BTreeSet<&str> = texts.iter().flat_map(|text| words(&text.text)).collect();
    for (schema, of) in &answers {
        let about: Vec<&Description> =
            texts.iter().filter(|text| text.schemas.iter().any(|named| named == schema)).collect();
        let here: BTreeSet<&str> = about.iter().flat_map(|text| words(&text.text)).collect();
        for &at in of {
            let one = &types.types[at];
            let named = if n_answers[&at] > 1 { &everywhere } else { &here };
            for field in one.fields.iter().filter(|field| !is_told(field, named)) {
                let document = about.first().map_or(DOCUMENTS[0], |text| text.document);
                problems.push(format!(
                    "{document}: {schema}: the field {field} of {} is not described",
                    one.name
                ));
            }
        }
    }
    for text in texts {
        problems.extend(invented(types, &answers, text));
    }
    problems
}

/// Is a field described by these words? Times have a second field, in ticks.
fn is_told(field: &str, words: &BTreeSet<&str>) -> bool {
    let in_units = field.strip_suffix("_ticks");
    field == "schema"
        || words.contains(field)
        || in_units.is_some_and(|field| words.contains(field))
}

/// What a text calls a field, and what is none.
fn invented(
    types: &Types,
    answers: &BTreeMap<&str, BTreeSet<usize>>,
    text: &Description,
) -> Vec<String> {
    let typed: Vec<_> =
        text.schemas.iter().filter_map(|schema| answers.get(schema.as_str())).collect();
    if typed.is_empty() || typed.len() < text.schemas.len() {
        return Vec::new();
    }
    let fields: BTreeSet<&str> = typed
        .into_iter()
        .flatten()
        .flat_map(|&at| types.types[at].fields.iter().map(String::as_str))
        .collect();
    let asked = types.asked();
    let others: BTreeSet<&str> = answers
        .values()
        .flatten()
        .flat_map(|&at| types.types[at].fields.iter().map(String::as_str))
        .collect();
    let mut problems = Vec::new();
    let mut in_fields = false;
    for (at, line) in text.text.lines().enumerate() {
        let place = || format!("{}:{}", text.document, text.line + at);
        let first = line.strip_prefix("| ").and_then(|row| row.split(" | ").next());
        match first {
            None => in_fields = false,
            Some("field") => in_fields = true,
            Some(first) if in_fields => {
                let wrong =
                    |name: &&str| is_name(name) && !fields.contains(name) && !asked.contains(name);
                let wrong = words(first).filter(wrong);
                problems.extend(wrong.map(|name| format!("{}: there is no field {name}", place())));
            }
            Some(_) => {}
        }
        let is_known = |name: &str| {
            others.contains(name) || asked.contains(name) || types.words.contains(name)
        };
        let unknown = words(line).filter(|name| is_name(name) && !is_known(name));
        problems.extend(unknown.map(|name| format!("{}: nothing is called {name}", place())));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = r#"
/// What is found: `onca-find/1`.
#[derive(Serialize)]
struct Found {
    schema: &'static str,
    unit: Unit,
    start: f64,
    start_ticks: i64,
    kind: &'static str,
}

const KINDS: [&str; 1] = ["event"];

/// How many: `onca-count/1`.
#[derive(Serialize)]
struct Counted {
    unit: Unit,
    count: u64,
}

#[derive(Serialize)]
struct Unit {
    assumed: bool,
}

#[derive(Deserialize)]
struct Question {
    limit: usize,
}
"#;

    const DOCUMENT: &str = "\
# Answers

## `onca find --json`: `onca-find/1`

| field | meaning |
| --- | --- |
| `unit` | whether it is `assumed` |
| `start` | when it begins, also in ticks |
| `kind` | `event` or another |

## Requests

| request | answer |
| --- | --- |
| `POST /api/traces/ID/count` | `onca-count/1`: `unit`; see below |

### `count`

| field | meaning |
| --- | --- |
| `limit` | no more than this |

The answer has `count`.
";

    fn found(document: &str) -> Vec<String> {
        let mut types = Types::default();
        types.add("answer", "found.rs", SOURCE);
        check(&types, &described("docs/json.md", document))
    }

    #[test]
    fn a_document_that_tells_everything_has_no_problems() {
        assert_eq!(found(DOCUMENT), [""; 0]);
    }

    #[test]
    fn fields_that_are_not_described_are_named() {
        let problems = found(&DOCUMENT.replace("`kind`", "kind").replace("`count`.", "a count."));
        assert_eq!(
            problems,
            [
                "docs/json.md: onca-count/1: the field count of Counted is not described",
                "docs/json.md: onca-find/1: the field kind of Found is not described",
            ]
        );
    }

    #[test]
    fn what_several_answers_have_is_described_once() {
        let once = DOCUMENT.replace("`assumed`", "assumed");
        assert_eq!(found(&once).len(), 2, "{:?}", found(&once));
        // What an answer has of its own is told where it is described.
        let elsewhere = found(&DOCUMENT.replace(": `unit`; see", ": see"));
        assert_eq!(
            elsewhere,
            ["docs/json.md: onca-count/1: the field unit of Counted is not described"]
        );
    }

    #[test]
    fn fields_that_are_not_there_are_named() {
        let problems = found(&DOCUMENT.replace("| `start` |", "| `start`, `stop` |"));
        assert_eq!(
            problems,
            ["docs/json.md:8: there is no field stop", "docs/json.md:8: nothing is called stop",]
        );
        let problems = found(&DOCUMENT.replace("`count`.", "`count` and `sum`."));
        assert_eq!(problems, ["docs/json.md:23: nothing is called sum"]);
    }

    #[test]
    fn a_schema_without_a_type_is_named() {
        let problems = found(&DOCUMENT.replace("`onca-find/1`", "`onca-found/1`"));
        assert_eq!(problems[0], "no type says that it is onca-found/1");
    }
}
