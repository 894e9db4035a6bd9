//! How large a query may be. The engine works on the tree of a query by recursion, and a tree that
//! is too deep exhausts the stack, which ends the process. So a query is measured before it is
//! parsed, from its tokens alone.

use datafusion::logical_expr::sqlparser::dialect::GenericDialect;
use datafusion::logical_expr::sqlparser::keywords::Keyword;
use datafusion::logical_expr::sqlparser::parser::ParserError;
use datafusion::logical_expr::sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer};

use crate::error::{Result, SqlError, parser_message};

/// The longest query, in bytes.
pub const MAX_QUERY_BYTES: usize = 256 << 10;

/// Brackets that may be open at a place of a query. `CASE` and signs before a value count like
/// brackets. So do those in a text: functions read types from texts, by recursion too.
const MAX_NESTING: usize = 50;

/// Words and signs in a row without a comma, brackets that are open included. Each may add a level
/// to the tree: `1 + 1 + 1` is `(1 + 1) + 1`. What stands between commas is side by side, but for
/// tables after `FROM` and `WITH`, which build on each other.
const MAX_RUN: usize = 2_000;

/// Refuses a query that is too long or too deep, with the place where it becomes so.
pub(crate) fn check(sql: &str) -> Result<()> {
    if sql.len() > MAX_QUERY_BYTES {
        let message = format!("the query is longer than {MAX_QUERY_BYTES} bytes");
        return Err(SqlError::Invalid(message));
    }
    let tokens = Tokenizer::new(&GenericDialect {}, sql).tokenize_with_location();
    let tokens =
        tokens.map_err(|error| SqlError::Invalid(parser_message(&ParserError::from(error))))?;
    let mut extent = Extent::default();
    for TokenWithSpan { token, span } in tokens {
        extent.add(&token);
        extent.refuse(span.start)?;
    }
    Ok(())
}

/// What is open at a place of a query.
#[derive(Default)]
struct Extent {
    outermost: Level,
    /// A level for each open bracket.
    open: Vec<Level>,
    /// The runs of all levels together.
    run: usize,
    /// Signs before a value.
    signs: usize,
    /// Brackets that are open at once in a text that was just added.
    in_text: usize,
}

#[derive(Default)]
struct Level {
    run: usize,
    /// `FROM` or `WITH` was here.
    builds: bool,
}

impl Extent {
    fn add(&mut self, token: &Token) {
        if let Token::Whitespace(_) = token {
            return;
        }
        self.run += 1;
        self.level().run += 1;
        self.signs = if is_sign(token) { self.signs + 1 } else { 0 };
        self.in_text = nesting_of_text(token);
        match token {
            Token::LParen | Token::LBracket | Token::LBrace => self.open.push(Level::default()),
            Token::RParen | Token::RBracket | Token::RBrace => self.close(),
            Token::Comma if !self.level().builds => {
                let run = std::mem::take(&mut self.level().run);
                self.run -= run;
            }
            Token::Word(word) => match word.keyword {
                Keyword::CASE => self.open.push(Level::default()),
                Keyword::END => self.close(),
                Keyword::FROM | Keyword::WITH => self.level().builds = true,
                _ => {}
            },
            _ => {}
        }
    }

    fn level(&mut self) -> &mut Level {
        self.open.last_mut().unwrap_or(&mut self.outermost)
    }

    /// A bracket too many is a mistake that the parser tells of.
    fn close(&mut self) {
        if let Some(level) = self.open.pop() {
            self.run -= level.run;
        }
    }

    fn refuse(&self, at: Location) -> Result<()> {
        let why = if self.open.len() + self.signs.max(self.in_text) > MAX_NESTING {
            format!("the query is nested too deeply: more than {MAX_NESTING} levels")
        } else if self.run > MAX_RUN {
            format!(
                "the query is too long here: more than {MAX_RUN} words and signs without a comma; \
                 many values can be written as IN (…)"
            )
        } else {
            return Ok(());
        };
        Err(SqlError::Invalid(format!("line {}, column {}: {why}", at.line, at.column)))
    }
}

/// How many brackets are open at once in a text; none in what is no text.
fn nesting_of_text(token: &Token) -> usize {
    if matches!(token, Token::Word(_) | Token::Number(..)) || token == &Token::LParen {
        return 0;
    }
    let (mut open, mut most) = (0_usize, 0);
    for c in token.to_string().chars() {
        match c {
            '(' => open += 1,
            ')' => open = open.saturating_sub(1),
            _ => {}
        }
        most = most.max(open);
    }
    most
}

/// What may stand before a value any number of times.
fn is_sign(token: &Token) -> bool {
    match token {
        Token::Word(word) => {
            matches!(word.keyword, Keyword::NOT | Keyword::EXPLAIN | Keyword::INTERVAL)
        }
        Token::Plus | Token::Minus | Token::Tilde | Token::ExclamationMark => true,
        _ => false,
    }
}
