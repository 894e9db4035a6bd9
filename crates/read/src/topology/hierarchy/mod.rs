//! Hierarchies of containers, as property lists or as JSON.
//!
//! ```text
//! {                                   {
//!   name = "site 1"; type = Site;       "name": "site 1", "type": "Site",
//!   children = (                        "children": [
//!     { name = m1; type = Machine; },     { "name": "m1", "type": "Machine" },
//!     m2                                  "m2"
//!   );                                  ]
//! }                                   }
//! ```
//!
//! Both hold the same: a node has a `name` and may have a `type` and `children`. A child that is
//! only a name is a leaf without a type. A list at the top holds several roots. The property list
//! is the old text form of NeXT and GNUstep.

mod lexer;
#[cfg(test)]
mod tests;

use onca_model::display_text;

use self::lexer::{Lexer, Notation, Token};
use super::SyntaxError;
use super::error::{quoted, without_mark};

/// How deep braces and brackets may stand in each other.
const MAX_DEPTH: usize = 1024;
/// The most nodes that are read.
const MAX_NODES: usize = 16 << 20;

/// A tree of names, or several.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct HierarchyFile {
    /// All nodes, parents before children, children in the order of the file.
    pub nodes: Vec<HierarchyNode>,
}

/// A node of a [`HierarchyFile`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HierarchyNode {
    /// Its name.
    pub name: Vec<u8>,
    /// Its type.
    pub kind: Option<String>,
    /// The index of the node that holds it.
    pub parent: Option<usize>,
}

/// Reads a hierarchy from a property list or from JSON, whichever the text is.
pub fn read_hierarchy(text: &[u8]) -> Result<HierarchyFile, SyntaxError> {
    let text = without_mark(text);
    let notation = Notation::detect(text);
    let mut lexer = Lexer::new(text, notation);
    let (token, at) = lexer.next()?;
    Parser { notation, lexer, token, at, open: Vec::new(), nodes: Vec::new() }.read()
}

/// The keys of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Name,
    Type,
    Children,
}

impl Key {
    const ALL: [(&'static str, Key); 3] =
        [("name", Key::Name), ("type", Key::Type), ("children", Key::Children)];

    fn of(text: &[u8]) -> Option<Key> {
        Self::ALL.iter().find(|(name, _)| name.as_bytes() == text).map(|&(_, key)| key)
    }

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, key)| *key == self).map_or("", |(name, _)| name)
    }
}

/// A brace or bracket that is not closed yet.
enum Open {
    Node { node: usize, seen: Vec<Key>, at: usize },
    List { parent: Option<usize>, at: usize },
}

struct Parser<'a> {
    notation: Notation,
    lexer: Lexer<'a>,
    token: Token,
    /// Where the token begins.
    at: usize,
    open: Vec<Open>,
    nodes: Vec<HierarchyNode>,
}

impl Parser<'_> {
    fn read(mut self) -> Result<HierarchyFile, SyntaxError> {
        match self.token {
            Token::OpenNode => self.open_node(None)?,
            Token::OpenList => self.open_list(None)?,
            _ => return Err(self.expected("a node in braces, or a list of nodes")),
        }
        while let Some(open) = self.open.pop() {
            match open {
                Open::Node { node, seen, at } => self.in_node(node, seen, at)?,
                Open::List { parent, at } => self.in_list(parent, at)?,
            }
        }
        match self.token {
            Token::End => Ok(HierarchyFile { nodes: self.nodes }),
            _ => Err(self.expected("the end of the file")),
        }
    }

    fn advance(&mut self) -> Result<Token, SyntaxError> {
        let (token, at) = self.lexer.next()?;
        self.at = at;
        Ok(std::mem::replace(&mut self.token, token))
    }

    fn error(&self, at: usize, message: impl Into<String>) -> SyntaxError {
        self.lexer.error(at, message)
    }

    fn expected(&self, what: &str) -> SyntaxError {
        let found = self.token.describe(self.notation);
        self.error(self.at, format!("expected {what}, found {found}"))
    }

    fn open_node(&mut self, parent: Option<usize>) -> Result<(), SyntaxError> {
        let at = self.at;
        let node = self.add_node(Vec::new(), parent)?;
        self.enter(Open::Node { node, seen: Vec::new(), at })
    }

    fn open_list(&mut self, parent: Option<usize>) -> Result<(), SyntaxError> {
        self.enter(Open::List { parent, at: self.at })
    }

    fn enter(&mut self, open: Open) -> Result<(), SyntaxError> {
        if self.open.len() >= MAX_DEPTH {
            return Err(self.error(self.at, format!("nested more than {MAX_DEPTH} deep")));
        }
        self.advance()?;
        self.open.push(open);
        Ok(())
    }

    fn add_node(&mut self, name: Vec<u8>, parent: Option<usize>) -> Result<usize, SyntaxError> {
        if self.nodes.len() >= MAX_NODES {
            return Err(self.error(self.at, format!("more than {MAX_NODES} nodes")));
        }
        self.nodes.push(HierarchyNode { name, kind: None, parent });
        Ok(self.nodes.len() - 1)
    }

    /// Reads one entry of a node, or its end.
    fn in_node(&mut self, node: usize, mut seen: Vec<Key>, at: usize) -> Result<(), SyntaxError> {
        match self.token {
            Token::CloseNode => {
                if !seen.contains(&Key::Name) {
                    return Err(self.error(at, "the node that begins here has no name"));
                }
                self.advance()?;
                return self.after_value();
            }
            Token::End => return Err(self.error(at, "the \"{\" here is never closed")),
            _ => {}
        }
        let key = self.key(&seen)?;
        seen.push(key);
        self.open.push(Open::Node { node, seen, at });
        match (&self.token, key) {
            (Token::Text(text), Key::Name) => {
                self.nodes[node].name.clone_from(text);
                self.scalar()
            }
            (Token::Text(text), Key::Type) => {
                self.nodes[node].kind = Some(display_text(text).into_owned());
                self.scalar()
            }
            (Token::Null, Key::Type | Key::Children) => self.scalar(),
            (Token::OpenList, Key::Children) => self.open_list(Some(node)),
            (_, Key::Name) => Err(self.expected("a text as the name")),
            (_, Key::Type) => Err(self.expected("a text as the type")),
            (_, Key::Children) => Err(self.expected("a list of children")),
        }
    }

    /// Reads a key that is known and new, and what assigns.
    fn key(&mut self, seen: &[Key]) -> Result<Key, SyntaxError> {
        let Token::Text(text) = &self.token else {
            return Err(self.expected("a key or \"}\""));
        };
        let Some(key) = Key::of(text) else {
            let known = Key::ALL.map(|(name, _)| name).join(", ");
            let message = format!("unknown key {}; the keys are {known}", quoted(text));
            return Err(self.error(self.at, message));
        };
        if seen.contains(&key) {
            return Err(self.error(self.at, format!("the key {} is given twice", key.name())));
        }
        self.advance()?;
        if self.token != Token::Assign {
            return Err(self.expected(&format!("{} after the key", self.notation.assign())));
        }
        self.advance()?;
        Ok(key)
    }

    /// Leaves a value that is neither a node nor a list.
    fn scalar(&mut self) -> Result<(), SyntaxError> {
        self.advance()?;
        self.after_value()
    }

    /// Reads one child, or the end of the list.
    fn in_list(&mut self, parent: Option<usize>, at: usize) -> Result<(), SyntaxError> {
        match &self.token {
            Token::CloseList => {
                self.advance()?;
                self.after_value()
            }
            Token::End => Err(self.error(at, "the list that begins here is never closed")),
            Token::OpenNode => {
                self.open.push(Open::List { parent, at });
                self.open_node(parent)
            }
            Token::Text(name) => {
                let name = name.clone();
                self.add_node(name, parent)?;
                self.open.push(Open::List { parent, at });
                self.scalar()
            }
            _ => Err(self.expected("a node, a name, or the end of the list")),
        }
    }

    /// Between entries of a node or a list there is a separator; after the last one it may be.
    fn after_value(&mut self) -> Result<(), SyntaxError> {
        let (separator, close, what) = match self.open.last() {
            None => return Ok(()),
            Some(Open::Node { .. }) => (self.notation.entry_separator(), Token::CloseNode, "\"}\""),
            Some(Open::List { .. }) => (b',', Token::CloseList, self.notation.list_end()),
        };
        if self.token == Token::Separator(separator) {
            let at = self.at;
            self.advance()?;
            let last = self.token == Token::CloseNode || self.token == Token::CloseList;
            if last && self.notation == Notation::Json {
                return Err(self.error(at, "a comma after the last value"));
            }
            return Ok(());
        }
        // That the text ends too early is told where the unclosed brace is known.
        if self.token == close || self.token == Token::End {
            return Ok(());
        }
        Err(self.expected(&format!("\"{}\" or {what}", char::from(separator))))
    }
}
