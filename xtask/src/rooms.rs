//! The rooms of a crate: folders whose files use only their own room and those before it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Crates with rooms, and their order.
const ROOMS: &[(&str, &[&str])] =
    &[("store", &["format", "folder", "build", "read", "question", "compose"])];

/// Finds what is used against the order.
pub fn problems(root: &Path) -> Result<Vec<String>, String> {
    let mut problems = Vec::new();
    for (name, rooms) in ROOMS {
        let folder = root.join("crates").join(name).join("src");
        let names = names_of_rooms(&read(&folder.join("lib.rs"))?, rooms);
        for (number, room) in rooms.iter().enumerate() {
            for path in files_below(&folder.join(room))? {
                let later = used(&read(&path)?)
                    .into_iter()
                    .filter_map(|used| {
                        let to = rooms.iter().position(|room| *room == used);
                        let to = to.or_else(|| names.get(&used).copied())?;
                        (to > number).then(|| match used == rooms[to] {
                            true => used,
                            false => format!("{used} of {}", rooms[to]),
                        })
                    })
                    .collect::<Vec<_>>();
                if !later.is_empty() {
                    let path = path.strip_prefix(root).unwrap_or(&path).display();
                    let used = later.join(", ");
                    let order = rooms.join(" > ");
                    problems.push(format!("{path} uses {used}: the rooms of {name} are {order}"));
                }
            }
        }
    }
    Ok(problems)
}

/// The rooms of what a crate gives out, by their numbers: `pub use room::file::{A, B};`.
fn names_of_rooms(lib: &str, rooms: &[&str]) -> BTreeMap<String, usize> {
    let mut names = BTreeMap::new();
    for statement in lib.split(';') {
        let Some((_, path)) = statement.split_once("pub use ") else { continue };
        let words: Vec<&str> = words(path).collect();
        let Some(room) = rooms.iter().position(|room| Some(room) == words.first()) else {
            continue;
        };
        let given = words.iter().filter(|word| word.starts_with(char::is_uppercase));
        names.extend(given.map(|word| ((*word).to_owned(), room)));
    }
    names
}

/// The first words of all paths that begin at the root of the crate, but for those of tests.
fn used(text: &str) -> Vec<String> {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let mut found = Vec::new();
    for path in text.split("crate::").skip(1) {
        match path.strip_prefix('{') {
            Some(group) => found.extend(first_words(group)),
            None => found.extend(words(path).next().map(str::to_owned)),
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The first words of the paths in a group, up to the brace that ends it.
fn first_words(group: &str) -> Vec<String> {
    let (mut depth, mut begins, mut found) = (0, true, Vec::new());
    for (at, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => begins = true,
            _ if begins && !letter.is_whitespace() => {
                found.extend(words(&group[at..]).next().map(str::to_owned));
                begins = false;
            }
            _ => {}
        }
    }
    found
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|w| !w.is_empty())
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn files_below(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let cannot = |error| format!("{}: {error}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        match path.is_dir() {
            true => files.extend(files_below(&path)?),
            false => files.push(path),
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_from_the_root_are_found() {
        let text = "use crate::{\n    Store, TrackId,\n    format::block::{Bounds, cold},\n    read::data,\n};\n\
                    use std::fs;\nfn f() { crate::error::damaged(\"x\") }\n\
                    #[cfg(test)]\nmod tests { use crate::build::Builder; }";
        assert_eq!(used(text), ["Store", "TrackId", "error", "format", "read"]);
    }

    #[test]
    fn what_a_crate_gives_out_is_of_its_room() {
        let lib =
            "pub use build::builder::{Options, Builder};\npub use read::store::Store;\nmod error;";
        let names = names_of_rooms(lib, &["read", "build"]);
        let expected = [("Builder", 1), ("Options", 1), ("Store", 0)];
        assert_eq!(names, expected.map(|(name, room)| (name.to_owned(), room)).into());
    }
}
