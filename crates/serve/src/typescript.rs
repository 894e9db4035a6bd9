//! What the page has to know of the wire, as TypeScript: the types of questions and answers, and the
//! numbers of scenes.

use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet};

use onca_views::registry::{Tab, VIEWS};
use ts_rs::{Config, TS, TypeVisitor};

use crate::{api, wire};

/// Stands for a whole number of 64 bits until the name of its field tells what it counts.
const LARGE: &str = "LargeInteger";

/// Declarations by name, of types and of all that they are made of.
#[derive(Default)]
struct Declarations {
    seen: BTreeSet<TypeId>,
    by_name: BTreeMap<String, String>,
}

impl TypeVisitor for Declarations {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if !self.seen.insert(TypeId::of::<T>()) {
            return;
        }
        T::visit_dependencies(self);
        T::visit_generics(self);
        // What has no name of its own is written where it occurs.
        if T::output_path().is_none() {
            return;
        }
        let config = Config::new().with_large_int(LARGE);
        // In the page names do not say that they are of JSON.
        let (name, docs) = (T::ident(&config).replace("Json", ""), T::docs().unwrap_or_default());
        let text = format!("{docs}export {}", T::decl(&config));
        let other = self.by_name.insert(name.clone(), text.clone());
        assert!(other.is_none_or(|other| other == text), "two types are called {name}");
    }
}

/// The file that the page has.
pub fn page_types() -> String {
    let mut all = Declarations::default();
    api::visit_types(&mut all);
    let mut file = "\
// What the server says and takes, made of its own types. Do not edit: CONTRIBUTING.md tells how to make it again.

/** A whole number that may be too large for a script; such a one arrives as a text. */
export type Exact = number | string;
"
    .to_owned();
    for text in all.by_name.values() {
        file += &format!("\n{}\n", formatted(text));
    }
    file + &titles_of_views() + &wire::constants()
}

/// The tabs of the page, and what people call views.
fn titles_of_views() -> String {
    let tabs = serde_json::json!(Tab::ALL);
    let name = |name: &str| match name.contains('-') {
        true => format!("'{name}'"),
        false => name.to_owned(),
    };
    let titles = VIEWS.iter().map(|view| format!("  {}: '{}',\n", name(view.name), view.title));
    let titles: String = titles.collect();
    format!(
        "
/** The tabs of the page, in order. */
export const TABS = {tabs} as const;

/** What people call views. */
export const VIEW_TITLES: {{ readonly [name: string]: string }} = {{
{titles}}};
"
    )
}

/// A declaration with a field a line, all of them readonly.
fn formatted(declaration: &str) -> String {
    let mut printer = Printer::default();
    let mut rest = declaration;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("/**") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        printer.put(token, after);
        rest = after;
    }
    // To the page there is no other kind of type.
    printer.text.replace("Json", "")
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[derive(Default)]
struct Printer {
    text: String,
    /// How many parentheses are open in each open brace.
    open: Vec<usize>,
    /// A field is to begin.
    begins: bool,
    /// The name of the field that is written.
    field: String,
}

impl Printer {
    fn put(&mut self, token: &str, after: &str) {
        if token.starts_with("/**") {
            self.comment(token);
            return;
        }
        if token.trim().is_empty() {
            let is_wanted =
                !self.begins && !self.text.ends_with([' ', '\n']) && !self.text.is_empty();
            self.text += if is_wanted { " " } else { "" };
            return;
        }
        if token == "}" {
            self.open.pop();
            self.begins = false;
            let end = self.text.trim_end_matches([' ', ';', '\n']).len();
            let is_empty = self.text[..end].ends_with('{');
            self.text.truncate(end);
            self.text += if is_empty { "" } else { ";" };
            self.line();
            self.text.push('}');
            return;
        }
        if self.begins {
            self.begins = false;
            self.field = token.trim_matches('"').to_owned();
            self.line();
            self.text += "readonly ";
            self.text += token.trim_matches('"');
            return;
        }
        match (token, self.open.last_mut()) {
            ("{", _) => {
                self.text.push('{');
                self.open.push(0);
                self.begins = true;
            }
            (",", Some(0)) => {
                self.text.push(';');
                self.begins = true;
            }
            _ => self.plain(token, after),
        }
    }

    fn plain(&mut self, token: &str, after: &str) {
        let is_tuple = token == "[" && !after.starts_with("key in ");
        self.text += match token {
            LARGE if self.field.ends_with("_ticks") || self.field == "ticks_per_unit" => "Exact",
            LARGE => "number",
            "Array" => "ReadonlyArray",
            "[" if is_tuple => "readonly [",
            token => token,
        };
        if let Some(open) = self.open.last_mut() {
            match token {
                "<" | "[" | "(" => *open += 1,
                ">" | "]" | ")" => *open = open.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// Comments of Rust are markdown, and one line is enough.
    fn comment(&mut self, comment: &str) {
        let lines = comment.trim_start_matches("/**").trim_end_matches("*/").lines();
        let words = lines.map(|line| line.trim().trim_start_matches('*').trim());
        let words: Vec<&str> = words.filter(|line| !line.is_empty()).collect();
        if !self.open.is_empty() {
            self.line();
        }
        self.text += &format!("/** {} */", words.join(" "));
        if self.open.is_empty() {
            self.text.push('\n');
        }
    }

    fn line(&mut self) {
        self.text.push('\n');
        self.text += &"  ".repeat(self.open.len());
    }
}
