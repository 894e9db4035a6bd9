//! The types that are written as JSON or read from it, as the source code spells them.
//!
//! This is no parser of Rust: it relies on how rustfmt lays out types, a field a line.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A struct or an enum that serde writes or reads.
#[derive(Debug)]
pub struct Type {
    pub name: String,
    /// The folder of its crate.
    krate: String,
    file: String,
    /// The schemas that its comment names.
    pub schemas: Vec<String>,
    /// The names of its fields in JSON.
    pub fields: Vec<String>,
    /// Other types that it may be made of.
    parts: BTreeSet<String>,
    /// It answers questions; else it only asks them.
    is_written: bool,
}

/// The type of lenses, which have a document of their own.
pub const LENS: &str = "Lens";

/// All types of the crates, and the words that the source code has as texts.
#[derive(Default, Debug)]
pub struct Types {
    pub types: Vec<Type>,
    pub words: BTreeSet<String>,
    /// Fields of questions that are in no type.
    taken: BTreeSet<String>,
}

impl Types {
    /// Reads the sources of all crates.
    pub fn read(root: &Path) -> std::io::Result<Self> {
        let mut types = Self::default();
        for krate in fs::read_dir(root.join("crates"))? {
            let krate = krate?;
            let sources = krate.path().join("src");
            if sources.is_dir() {
                types.read_folder(&krate.file_name().to_string_lossy(), &sources)?;
            }
        }
        Ok(types)
    }

    fn read_folder(&mut self, krate: &str, folder: &Path) -> std::io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                self.read_folder(krate, &path)?;
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                self.add(krate, &path.to_string_lossy(), &fs::read_to_string(&path)?);
            }
        }
        Ok(())
    }

    /// Adds the types and the words of a file.
    pub fn add(&mut self, krate: &str, file: &str, source: &str) {
        let (mut comment, mut attributes) = (String::new(), String::new());
        let mut lines = source.lines();
        while let Some(line) = lines.next() {
            let text = line.trim();
            self.words.extend(texts(text));
            self.taken.extend(taken(text));
            if let Some(said) = text.strip_prefix("///") {
                comment += said;
            } else if text.starts_with("#[") || (!attributes.is_empty() && is_open(&attributes)) {
                attributes += text;
            } else {
                let is_written = attributes.contains("Serialize");
                let is_known = is_written
                    || attributes.contains("Deserialize")
                    || attributes.contains("ValueEnum");
                if let (true, Some(head)) = (is_known, head(text)) {
                    let body = body(line, &mut lines);
                    let (krate, file) = (krate.to_owned(), file.to_owned());
                    let schemas = schemas(&comment);
                    let mut one = Type {
                        name: identifiers(head).next().unwrap_or_default().to_owned(),
                        krate,
                        file,
                        schemas,
                        fields: Vec::new(),
                        parts: identifiers(head).skip(1).map(str::to_owned).collect(),
                        is_written,
                    };
                    self.words.extend(one.take(&attributes, &body));
                    self.types.push(one);
                }
                (comment, attributes) = (String::new(), String::new());
            }
        }
    }

    /// The types that an answer with a schema, or a type, is made of. Lenses and questions are
    /// described by themselves.
    pub fn of_schema(&self, schema: &str) -> BTreeSet<usize> {
        let is_root =
            |one: &Type| one.name == schema || one.schemas.iter().any(|named| named == schema);
        let mut found = BTreeSet::new();
        let mut open: Vec<usize> =
            (0..self.types.len()).filter(|&at| is_root(&self.types[at])).collect();
        while let Some(at) = open.pop() {
            let of = &self.types[at];
            let is_lens = of.name == LENS && of.krate == "query" && schema != LENS;
            let is_elsewhere = is_lens || of.name.ends_with("Question");
            if !is_elsewhere && found.insert(at) {
                open.extend(of.parts.iter().flat_map(|name| self.named(name, of)));
            }
        }
        found
    }

    /// The types of a name, as the code of another sees them: those of its file, else of its crate, else all.
    fn named(&self, name: &str, from: &Type) -> Vec<usize> {
        let all: Vec<usize> =
            (0..self.types.len()).filter(|&at| self.types[at].name == name).collect();
        let of = |near: &dyn Fn(&Type) -> bool| -> Vec<usize> {
            all.iter().copied().filter(|&at| near(&self.types[at])).collect()
        };
        let nearest =
            [of(&|one| one.file == from.file), of(&|one| one.krate == from.krate), all.clone()];
        nearest.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// The fields that questions can have.
    pub fn asked(&self) -> BTreeSet<&str> {
        let asked = self.types.iter().filter(|one| !one.is_written || one.krate == "views");
        let fields = asked.flat_map(|one| &one.fields);
        fields.chain(&self.taken).map(String::as_str).collect()
    }
}

impl Type {
    /// Takes the fields out of the body of a type. Returns the words that variants without fields are.
    fn take(&mut self, attributes: &str, body: &[String]) -> Vec<String> {
        let mut words = Vec::new();
        self.fields.extend(setting(attributes, "tag"));
        let mut settings = String::new();
        for line in body {
            let text = line.trim();
            if text.starts_with("///") || text.starts_with("//") {
                continue;
            }
            if text.starts_with("#[") {
                // What is flat among arguments need not be flat in JSON.
                if text.starts_with("#[serde(") {
                    settings += text;
                }
                continue;
            }
            let text = text.strip_prefix("pub ").unwrap_or(text);
            let text = text.strip_prefix("pub(crate) ").unwrap_or(text);
            let name =
                text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            let after = &text[name.len()..];
            if after.starts_with(':') {
                if !settings.contains("flatten") {
                    self.fields
                        .push(setting(&settings, "rename").unwrap_or_else(|| name.to_owned()));
                }
                self.parts.extend(identifiers(after).map(str::to_owned));
            } else {
                self.parts.extend(identifiers(after).map(str::to_owned));
                words.extend(variant(name));
            }
            settings.clear();
        }
        words
    }
}

/// What serde may call a variant.
fn variant(name: &str) -> Option<String> {
    let mut word = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !word.is_empty() {
            word.push('_');
        }
        word.extend(letter.to_lowercase());
    }
    name.starts_with(|c: char| c.is_uppercase()).then_some(word)
}

/// What comes after `struct` or `enum`.
fn head(line: &str) -> Option<&str> {
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let line =
        line.strip_prefix("pub(crate) ").or(line.strip_prefix("pub(super) ")).unwrap_or(line);
    line.strip_prefix("struct ").or(line.strip_prefix("enum "))
}

/// The lines of a type up to the brace that closes it.
fn body<'a>(first: &str, lines: &mut impl Iterator<Item = &'a str>) -> Vec<String> {
    if !first.ends_with('{') {
        return vec![first.to_owned()];
    }
    let indent = first.len() - first.trim_start().len();
    let end = format!("{}}}", " ".repeat(indent));
    lines.take_while(|line| *line != end).map(str::to_owned).collect()
}

fn is_open(attributes: &str) -> bool {
    attributes.matches('[').count() > attributes.matches(']').count()
}

/// The text of a setting such as `rename = "type"`.
fn setting(attributes: &str, name: &str) -> Option<String> {
    let (_, after) = attributes.split_once(&format!("{name} = \""))?;
    after.split('"').next().map(str::to_owned)
}

/// The names in some code that begin with a capital letter.
fn identifiers(code: &str) -> impl Iterator<Item = &str> {
    let words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// The texts between quotes; of paths of requests the last part.
fn texts(line: &str) -> impl Iterator<Item = String> {
    let texts = line.split('"').skip(1).step_by(2);
    texts.filter_map(|text| text.rsplit('/').next()).map(str::to_owned)
}

/// The fields that a line takes out of a question by name.
fn taken(line: &str) -> impl Iterator<Item = String> {
    let after = |begin| line.split(begin).skip(1);
    let taken = after("take(&mut fields, \"").chain(after("take_needed(&mut fields, \""));
    taken.filter_map(|rest| rest.split('"').next()).map(str::to_owned)
}

/// The schemas, such as `onca-find/1`, that a text names between backticks.
pub fn schemas(text: &str) -> Vec<String> {
    let words = text.split('`').skip(1).step_by(2);
    let is_schema = |word: &&str| {
        let number = word.strip_prefix("onca-").and_then(|rest| rest.split_once('/'));
        number.is_some_and(|(_, number)| number.parse::<u32>().is_ok())
    };
    words.filter(is_schema).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = r#"
/// What is found: `onca-find/1`.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FoundJson<'a, H = HitJson<'a>> {
    /// The unit.
    #[serde(flatten)]
    pub header: HeaderJson<'a>,
    pub found: List<'a, H>,
}

#[derive(Serialize)]
struct HitJson<'a> {
    #[serde(rename = "type")]
    type_name: Cow<'a, str>,
    step: Option<StepJson>,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum StepJson {
    Joined {
        sources: Vec<u32>,
    },
    Corrected(CorrectionJson),
    NothingElse,
}

#[derive(Serialize)]
struct CorrectionJson {
    moved: u64,
}

#[derive(Serialize)]
struct HeaderJson<'a> {
    unit: &'a str,
}

struct Inner {
    hidden: u32,
}

#[derive(Deserialize)]
struct Question {
    limit: usize,
}
"#;

    #[test]
    fn an_answer_has_the_fields_of_all_that_it_is_made_of() {
        let mut types = Types::default();
        types.add("answer", "find.rs", SOURCE);
        let mut fields: Vec<&str> = types
            .of_schema("onca-find/1")
            .into_iter()
            .flat_map(|at| types.types[at].fields.iter().map(String::as_str))
            .collect();
        fields.sort_unstable();
        assert_eq!(fields, ["found", "kind", "moved", "sources", "step", "type", "unit"]);
        assert!(types.of_schema("onca-other/1").is_empty());
        assert!(types.words.contains("nothing_else"));
        assert_eq!(types.asked().into_iter().collect::<Vec<_>>(), ["limit"]);
    }

    #[test]
    fn types_of_the_same_name_are_told_apart_by_where_they_are() {
        let root =
            "/// It: `onca-NAME/1`.\n#[derive(Serialize)]\nstruct Root {\n    row: Row,\n}\n";
        let row = "#[derive(Serialize)]\nstruct Row {\n    of_NAME: u8,\n}\n";
        let mut types = Types::default();
        for name in ["one", "two"] {
            types.add(name, &format!("{name}/root.rs"), &root.replace("NAME", name));
            types.add(name, &format!("{name}/row.rs"), &row.replace("NAME", name));
        }
        let found = types.of_schema("onca-two/1");
        let fields: Vec<_> =
            found.into_iter().flat_map(|at| types.types[at].fields.clone()).collect();
        assert_eq!(fields, ["row", "of_two"]);
    }
}
