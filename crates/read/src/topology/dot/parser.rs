//! Tokens to statements. Subgraphs are kept on a stack of scopes, not on that of the machine.

use std::borrow::Cow;
use std::sync::Arc;

use super::MAX_DEPTH;
use super::builder::{Builder, Endpoint, Limited, ROOT};
use super::lexer::{Keyword, Lexer, Token};
use crate::topology::{Attributes, SyntaxError, Topology};

/// What holds between a pair of braces.
struct Scope {
    subgraph: usize,
    /// Where its brace is, for a message if it is never closed.
    opened_at: usize,
    node_defaults: Attributes,
    edge_defaults: Attributes,
    /// The ends read so far of the statement that is under way. It waits here while a subgraph
    /// that is one of its ends is read.
    chain: Vec<Endpoint>,
}

pub(super) struct Parser<'a> {
    lexer: Lexer<'a>,
    token: Token<'a>,
    /// Where the token begins.
    at: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a [u8]) -> Result<Self, SyntaxError> {
        let mut lexer = Lexer::new(text);
        let (token, at) = lexer.next()?;
        Ok(Self { lexer, token, at })
    }

    /// Reads the whole file.
    pub(super) fn graph(mut self) -> Result<Topology, SyntaxError> {
        let strict = self.skip(&Token::Keyword(Keyword::Strict))?;
        let directed = match self.token {
            Token::Keyword(Keyword::Graph) => false,
            Token::Keyword(Keyword::Digraph) => true,
            _ => return Err(self.expected("graph or digraph")),
        };
        self.advance()?;
        let name = self.optional_name()?.map(Cow::into_owned);
        let builder = Builder::new(directed, strict, name);
        let mut statements = Statements { parser: self, builder, outer: Vec::new() };
        let root = statements.open(ROOT, None)?;
        statements.read(root)
    }

    fn advance(&mut self) -> Result<Token<'a>, SyntaxError> {
        let (token, at) = self.lexer.next()?;
        self.at = at;
        Ok(std::mem::replace(&mut self.token, token))
    }

    /// Takes the token if it is this one.
    fn skip(&mut self, token: &Token<'_>) -> Result<bool, SyntaxError> {
        let found = self.token == *token;
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn optional_name(&mut self) -> Result<Option<Cow<'a, [u8]>>, SyntaxError> {
        if !matches!(self.token, Token::Name(_)) {
            return Ok(None);
        }
        match self.advance()? {
            Token::Name(name) => Ok(Some(name)),
            _ => Ok(None),
        }
    }

    fn name(&mut self, what: &str) -> Result<Cow<'a, [u8]>, SyntaxError> {
        let name = self.optional_name()?;
        name.ok_or_else(|| self.expected(what))
    }

    fn expected(&self, what: &str) -> SyntaxError {
        self.lexer.error(self.at, format!("expected {what}, found {}", self.token.describe()))
    }

    /// Any number of lists of attributes, as one; later values win.
    fn attribute_lists(&mut self) -> Result<Attributes, SyntaxError> {
        let mut attributes = Attributes::default();
        while self.skip(&Token::Mark(b'['))? {
            while !self.skip(&Token::Mark(b']'))? {
                let at = self.at;
                let key = self.name("an attribute or \"]\"")?;
                let value = match self.skip(&Token::Mark(b'='))? {
                    true => self.name("the value of the attribute")?,
                    false => Cow::Borrowed(&b"true"[..]),
                };
                attributes.set(&Arc::from(&key[..]), &Arc::from(&value[..]));
                if attributes.len() > super::MAX_KEYS {
                    let message = format!("more than {} attributes of one thing", super::MAX_KEYS);
                    return Err(self.lexer.error(at, message));
                }
                _ = self.skip(&Token::Mark(b','))? || self.skip(&Token::Mark(b';'))?;
            }
        }
        Ok(attributes)
    }

    /// Ports say where an edge touches its node; they are dropped.
    fn skip_ports(&mut self) -> Result<(), SyntaxError> {
        while self.skip(&Token::Mark(b':'))? {
            self.name("a port")?;
        }
        Ok(())
    }
}

/// What a statement begins with, for messages.
const STATEMENT: &str = "a node, an edge, a subgraph or \"}\"";

/// Reads statements into a [`Builder`].
struct Statements<'a> {
    parser: Parser<'a>,
    builder: Builder,
    /// The scopes around the current one.
    outer: Vec<Scope>,
}

impl<'a> Statements<'a> {
    fn read(mut self, mut scope: Scope) -> Result<Topology, SyntaxError> {
        loop {
            match &self.parser.token {
                Token::Mark(b'}') => {
                    let at = self.parser.at;
                    self.parser.advance()?;
                    let Some(outer) = self.outer.pop() else { break };
                    let closed = std::mem::replace(&mut scope, outer);
                    let done = self.builder.close(closed.subgraph);
                    self.at(at, done)?;
                    scope.chain.push(Endpoint::Subgraph(closed.subgraph));
                    scope = self.after_endpoint(scope)?;
                }
                Token::End => return Err(self.unclosed(&scope)),
                _ => scope = self.statement(scope)?,
            }
        }
        match self.parser.token {
            Token::End => Ok(self.builder.finish()),
            _ => Err(self.parser.expected("the end of the file after the graph")),
        }
    }

    fn unclosed(&self, scope: &Scope) -> SyntaxError {
        self.parser.lexer.error(scope.opened_at, "the \"{\" here is never closed")
    }

    /// Gives a limit of the builder its place in the text.
    fn at<T>(&self, at: usize, result: Limited<T>) -> Result<T, SyntaxError> {
        result.map_err(|message| self.parser.lexer.error(at, message))
    }

    /// Reads a statement, or its beginning up to a subgraph; returns the scope to go on in.
    fn statement(&mut self, mut scope: Scope) -> Result<Scope, SyntaxError> {
        let at = self.parser.at;
        match self.parser.token {
            Token::Mark(b';') => {
                self.parser.advance()?;
                Ok(scope)
            }
            Token::Keyword(keyword @ (Keyword::Graph | Keyword::Node | Keyword::Edge)) => {
                self.parser.advance()?;
                self.defaults(keyword, &mut scope, at)?;
                Ok(scope)
            }
            Token::Keyword(Keyword::Subgraph) | Token::Mark(b'{') => self.subgraph(scope),
            Token::Name(_) => {
                let name = self.parser.name(STATEMENT)?;
                if self.parser.skip(&Token::Mark(b'='))? {
                    let value = self.parser.name("the value of the attribute")?;
                    let mut given = Attributes::default();
                    given.set(&Arc::from(&name[..]), &Arc::from(&value[..]));
                    let set = self.builder.set_graph_attributes(scope.subgraph, &given);
                    self.at(at, set)?;
                    return Ok(scope);
                }
                self.node_endpoint(&name, &mut scope, at)?;
                self.after_endpoint(scope)
            }
            _ => Err(self.parser.expected(STATEMENT)),
        }
    }

    fn defaults(
        &mut self,
        keyword: Keyword,
        scope: &mut Scope,
        at: usize,
    ) -> Result<(), SyntaxError> {
        if self.parser.token != Token::Mark(b'[') {
            return Err(self.parser.expected("a list of attributes, \"[...]\""));
        }
        let given = self.parser.attribute_lists()?;
        let set = match keyword {
            Keyword::Node => self.builder.extend_defaults(&mut scope.node_defaults, &given),
            Keyword::Edge => self.builder.extend_defaults(&mut scope.edge_defaults, &given),
            _ => self.builder.set_graph_attributes(scope.subgraph, &given),
        };
        self.at(at, set)
    }

    /// Takes a node as the next end of the statement.
    fn node_endpoint(
        &mut self,
        name: &[u8],
        scope: &mut Scope,
        at: usize,
    ) -> Result<(), SyntaxError> {
        let node = self.builder.node(name, &scope.node_defaults, scope.subgraph);
        scope.chain.push(Endpoint::Node(self.at(at, node)?));
        self.parser.skip_ports()
    }

    /// Takes a subgraph as the next end: enters it, or names one that may be known already.
    fn subgraph(&mut self, scope: Scope) -> Result<Scope, SyntaxError> {
        let named = self.parser.skip(&Token::Keyword(Keyword::Subgraph))?;
        let name = if named { self.parser.optional_name()? } else { None };
        let only_named = name.is_some() && self.parser.token != Token::Mark(b'{');
        let subgraph = self.builder.subgraph(scope.subgraph, name.map(Cow::into_owned));
        if only_named {
            let mut scope = scope;
            scope.chain.push(Endpoint::Subgraph(subgraph));
            return self.after_endpoint(scope);
        }
        let inner = self.open(subgraph, Some(&scope))?;
        self.outer.push(scope);
        Ok(inner)
    }

    /// Enters a pair of braces.
    fn open(&mut self, subgraph: usize, around: Option<&Scope>) -> Result<Scope, SyntaxError> {
        let opened_at = self.parser.at;
        if self.outer.len() >= MAX_DEPTH {
            let message = format!("subgraphs stand more than {MAX_DEPTH} deep in each other");
            return Err(self.parser.lexer.error(opened_at, message));
        }
        if !self.parser.skip(&Token::Mark(b'{'))? {
            return Err(self.parser.expected("\"{\""));
        }
        let defaults = |of: fn(&Scope) -> &Attributes| around.map(of).cloned().unwrap_or_default();
        Ok(Scope {
            subgraph,
            opened_at,
            node_defaults: defaults(|scope| &scope.node_defaults),
            edge_defaults: defaults(|scope| &scope.edge_defaults),
            chain: Vec::new(),
        })
    }

    /// Goes on with a statement behind one of its ends: with another one, or to the end.
    fn after_endpoint(&mut self, mut scope: Scope) -> Result<Scope, SyntaxError> {
        while let Token::Edge { directed } = self.parser.token {
            if directed != self.builder.directed() {
                return Err(self.parser.expected(match directed {
                    true => "\"--\" in an undirected graph",
                    false => "\"->\" in a directed graph",
                }));
            }
            self.parser.advance()?;
            let at = self.parser.at;
            if let Token::Keyword(Keyword::Subgraph) | Token::Mark(b'{') = self.parser.token {
                return self.subgraph(scope);
            }
            let name = self.parser.name("a node or a subgraph")?;
            self.node_endpoint(&name, &mut scope, at)?;
        }
        self.end_of_statement(scope)
    }

    fn end_of_statement(&mut self, mut scope: Scope) -> Result<Scope, SyntaxError> {
        let at = self.parser.at;
        let given = self.parser.attribute_lists()?;
        match scope.chain[..] {
            [Endpoint::Node(node)] => {
                let set = self.builder.set_node_attributes(node, &given);
                self.at(at, set)?;
            }
            [Endpoint::Subgraph(_)] if !given.is_empty() => {
                let message = "a subgraph has its attributes inside, as in { graph [...] }";
                return Err(self.parser.lexer.error(at, message));
            }
            [_] | [] => {}
            _ => {
                let mut attributes = scope.edge_defaults.clone();
                let extended = self.builder.extend_defaults(&mut attributes, &given);
                self.at(at, extended)?;
                for ends in scope.chain.windows(2) {
                    let connected = self.builder.connect(ends[0], ends[1], &attributes);
                    self.at(at, connected)?;
                }
            }
        }
        scope.chain.clear();
        Ok(scope)
    }
}
