//! Record lines to records: the work that all cores share.
//!
//! Nothing here needs file order. Texts become symbols, times become ticks, and what is wrong
//! with a line by itself is reported; what a symbol refers to is the simulator's business.

use std::sync::Arc;

use onca_model::{Code, FieldId, FieldKind, Nature, Ticks, printable, push_extra};

use super::cache::{Images, Neighbours, PairCache, SymbolCache, image};
use super::color::parse_color;
use super::event::Effect;
use super::header::missing_fields;
use super::layout::{Column, Layout, Layouts};
use super::locate::PajeLocator;
use super::token::{Oddities, Rules, Token, split, split_escaped, split_plain};
use crate::batch::{Batch, LinkHalf, Op, Problem, Record, Role, Span};
use crate::number::{BadTime, has_wide_instructions, parse_plain, parse_time, parse_value};
use crate::symbols::{Image, Symbol, Symbols};

/// Bytes after the last line of a block that may be read, but mean nothing.
pub(super) const PADDING: usize = 80;

/// The longest name that is kept.
const MAX_NAME: usize = 1 << 20;

/// Samples of one kind of problem that a batch carries.
const SAMPLES_PER_BATCH: u16 = 100;

/// Decodes blocks of lines, one after the other; each thread has its own.
pub(super) struct Decoder<'s> {
    pub(super) symbols: &'s Symbols,
    pub(super) tick_exponent: u8,
    pub(super) pairs: PairCache<Images>,
    pub(super) neighbours: PairCache<Neighbours>,
    /// Records of the batch, by number, whose pair is not yet looked up.
    pub(super) postponed: Vec<(usize, Neighbours)>,
    pub(super) values: SymbolCache,
    pub(super) containers: SymbolCache,
    pub(super) types: SymbolCache,
    pub(super) tokens: Vec<Token>,
    sampled: [u16; Code::ALL.len()],
    pub(super) wide: bool,
    /// Compare fields with their types.
    check_types: bool,
}

/// The fields of one record: its tokens after the id.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    pub text: &'a [u8],
    pub tokens: &'a [Token],
}

impl<'a> Fields<'a> {
    #[inline(always)]
    pub fn get(&self, column: usize) -> Option<&'a [u8]> {
        let token = self.tokens.get(column + 1)?;
        Some(&self.text[token.start as usize..token.end as usize])
    }

    /// The text of a mandatory field, which is known to be there.
    #[inline(always)]
    pub fn text(&self, column: usize) -> &'a [u8] {
        self.get(column).unwrap_or_default()
    }

    /// How many fields the record has.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.tokens.len() - 1
    }
}

/// A line of the block, for messages.
#[derive(Clone, Copy)]
pub(super) struct Line {
    pub start: u32,
    /// Position of its newline.
    pub end: u32,
    /// Number within the block, from 0.
    pub number: u32,
}

impl<'s> Decoder<'s> {
    /// One that compares fields with their types, which the short way does not.
    pub fn checking_types(self) -> Self {
        Self { wide: false, check_types: true, ..self }
    }

    /// One whose caches of pairs take at most this many bytes together.
    pub fn new(symbols: &'s Symbols, tick_exponent: u8, cache_bytes: usize) -> Self {
        Self {
            symbols,
            tick_exponent,
            pairs: PairCache::new(cache_bytes / 2),
            neighbours: PairCache::new(cache_bytes / 2),
            postponed: Vec::new(),
            values: SymbolCache::new(),
            containers: SymbolCache::new(),
            types: SymbolCache::new(),
            tokens: Vec::new(),
            sampled: [0; Code::ALL.len()],
            wide: has_wide_instructions(),
            check_types: false,
        }
    }

    /// Decodes the first `len` bytes of the batch's text, which end with a newline and are
    /// followed by [`PADDING`] more bytes.
    pub fn decode(&mut self, batch: &mut Batch, len: usize, layouts: &Arc<Layouts>) {
        self.sampled.fill(0);
        let text = std::mem::take(&mut batch.text);
        #[cfg(target_arch = "x86_64")]
        if self.wide {
            // SAFETY: `wide` is only set when the processor has these instructions.
            unsafe { self.decode_wide(&text, len, layouts, batch) };
        } else {
            self.decode_lines(&text, len, layouts, batch);
        }
        #[cfg(not(target_arch = "x86_64"))]
        self.decode_lines(&text, len, layouts, batch);
        batch.text = text;
        batch.values_are_declared = true;
        batch.locator = Some(Arc::new(PajeLocator { layouts: Arc::clone(layouts) }));
    }

    fn decode_lines(&mut self, text: &[u8], len: usize, layouts: &Layouts, batch: &mut Batch) {
        let mut start = 0;
        let mut number = 0;
        while start < len {
            let end = self.any_line(text, start, number, layouts, batch);
            start = end + 1;
            number += 1;
        }
        batch.n_lines += u64::from(number);
    }

    /// Reads the line that begins at `start` by the byte; returns where its newline is.
    #[inline(never)]
    pub(super) fn any_line(
        &mut self,
        text: &[u8],
        start: usize,
        number: u32,
        layouts: &Layouts,
        batch: &mut Batch,
    ) -> usize {
        let mut tokens = std::mem::take(&mut self.tokens);
        let plain = split_plain(text, start, &mut tokens);
        let end = plain.unwrap_or_else(|| {
            memchr::memchr(b'\n', &text[start..]).map_or(text.len(), |n| start + n)
        });
        let line = Line { start: start as u32, end: end as u32, number };
        match plain {
            None => self.odd_line(text, line, &mut tokens, layouts, batch),
            Some(_) if tokens.is_empty() => {}
            Some(_) => self.record(text, line, &tokens, layouts, batch),
        }
        self.tokens = tokens;
        end
    }

    /// A line with quotes, a comment or a NUL byte.
    fn odd_line(
        &mut self,
        text: &[u8],
        line: Line,
        tokens: &mut Vec<Token>,
        layouts: &Layouts,
        batch: &mut Batch,
    ) {
        let (start, end) = (line.start as usize, line.end as usize);
        let oddities = split(text, start, end, Rules::Standard, tokens);
        if oddities.nul {
            let is_record = u64::from(!tokens.is_empty());
            batch.n_records += is_record;
            batch.n_lost += is_record;
            let at = start + memchr::memchr(0, &text[start..end]).unwrap_or(0);
            return self.problem(batch, line, at as u32, Code::NulByte, || {
                ("a NUL byte; the line is skipped".to_owned(), None)
            });
        }
        if tokens.is_empty() {
            return;
        }
        if self.retry(text, line, tokens, oddities, layouts, batch) {
            return;
        }
        self.check_quotes(oddities.unterminated, line, batch);
        self.record(text, line, tokens, layouts, batch);
    }

    fn check_quotes(&mut self, unterminated: bool, line: Line, batch: &mut Batch) {
        if unterminated {
            self.problem(batch, line, line.end, Code::UnterminatedString, || {
                ("a quote is not closed on this line".to_owned(), None)
            });
        }
    }

    /// Splits a line by other rules when its number of fields does not fit; true if that helped
    /// and the record is dealt with.
    fn retry(
        &mut self,
        text: &[u8],
        line: Line,
        tokens: &[Token],
        oddities: Oddities,
        layouts: &Layouts,
        batch: &mut Batch,
    ) -> bool {
        let (start, end) = (line.start as usize, line.end as usize);
        let id = &text[tokens[0].start as usize..tokens[0].end as usize];
        let Some(layout) = layouts.get(id).or_else(|| layouts.get_by_value(id)) else {
            return false;
        };
        let fits = |n_tokens: usize| n_tokens == layout.columns.len() + 1;
        if fits(tokens.len()) || !layout.is_usable() {
            return false;
        }
        if memchr::memmem::find(&text[start..end], b"\\\"").is_some() {
            let (unescaped, unterminated) = split_escaped(&text[start..end]);
            if fits(unescaped.len()) && unescaped[0] == id {
                self.problem(batch, line, line.start, Code::EscapedQuote, || {
                    ("\\\" is taken as an escaped quote, so that the fields fit".to_owned(), None)
                });
                self.check_quotes(unterminated, line, batch);
                let (text, tokens) = join(&unescaped);
                self.record(&text, line, &tokens, layouts, batch);
                return true;
            }
        }
        if oddities.hash_cut_word {
            let mut literal = Vec::new();
            let oddities = split(text, start, end, Rules::HashInWord, &mut literal);
            if fits(literal.len()) && literal[0] == tokens[0] {
                self.problem(batch, line, line.start, Code::HashInWord, || {
                    ("# inside a word is taken literally, so that the fields fit".to_owned(), None)
                });
                self.check_quotes(oddities.unterminated, line, batch);
                self.record(text, line, &literal, layouts, batch);
                return true;
            }
        }
        false
    }

    #[inline(always)]
    pub(super) fn record(
        &mut self,
        text: &[u8],
        line: Line,
        tokens: &[Token],
        layouts: &Layouts,
        batch: &mut Batch,
    ) {
        batch.n_records += 1;
        let id = &text[tokens[0].start as usize..tokens[0].end as usize];
        let fields = Fields { text, tokens };
        match layouts.get(id) {
            Some(layout)
                if fields.len() == layout.columns.len()
                    && layout.missing.is_empty()
                    && (line.end - line.start) as usize <= MAX_NAME =>
            {
                self.apply(fields, line, layout, batch);
            }
            _ => self.misfit(fields, line, layouts, batch),
        }
    }

    /// A record whose id is not known or whose number of fields does not fit.
    #[cold]
    #[inline(never)]
    fn misfit(&mut self, fields: Fields<'_>, line: Line, layouts: &Layouts, batch: &mut Batch) {
        let id_token = fields.tokens[0];
        let id = &fields.text[id_token.start as usize..id_token.end as usize];
        let layout = match layouts.get(id) {
            Some(layout) => layout,
            None => match layouts.get_by_value(id) {
                Some(layout) => {
                    self.problem(batch, line, id_token.start, Code::NumericIdMatch, || {
                        let known = printable(&layout.id);
                        (format!("event id \"{}\" is taken as {known}", printable(id)), None)
                    });
                    layout
                }
                None => {
                    batch.last_line = Some(None);
                    return self.lose(batch, line, id_token.start, Code::UnknownEventId, || {
                        let hint = layouts.is_empty().then(|| "there is no %EventDef".to_owned());
                        (format!("event id \"{}\" is not defined", printable(id)), hint)
                    });
                }
            },
        };
        if layout.event.effect == Effect::Unknown {
            batch.n_lost += 1;
            batch.last_line = Some(None);
            return;
        }
        if !layout.missing.is_empty() {
            return self.lose(batch, line, line.start, Code::MissingMandatoryField, || {
                let hint = format!("defined in line {}", layout.line);
                (missing_fields(layout), (layout.line > 0).then_some(hint))
            });
        }
        if let Some(token) =
            fields.tokens.iter().find(|token| (token.end - token.start) as usize > MAX_NAME)
        {
            return self.lose(batch, line, token.start, Code::LineTooLong, || {
                ("a name of more than 1 MiB; the line is skipped".to_owned(), None)
            });
        }
        match layout.event.effect {
            Effect::Ignored => self.rare(fields, line, layout, batch),
            _ => self.fit(fields, line, layout, batch),
        }
    }

    /// Makes do with too many or too few fields.
    fn fit(&mut self, fields: Fields<'_>, line: Line, layout: &Layout, batch: &mut Batch) {
        let expected = layout.columns.len();
        let name = || printable(&layout.name).into_owned();
        let id = || printable(&layout.id).into_owned();
        if fields.len() > expected {
            let at = fields.tokens[expected + 1].start;
            self.problem(batch, line, at, Code::TooManyTokens, || {
                let message = format!(
                    "{}: {} values but event id {} declares {expected} fields",
                    name(),
                    fields.len(),
                    id()
                );
                let unquoted = layout.has(Role::Color) && fields.len() == expected + 2;
                let hint = if unquoted { "is the colour unquoted?" } else { "kept as +1, +2, ..." };
                (message, Some(hint.to_owned()))
            });
        } else if fields.len() < expected {
            let missing = |role: &&Role| layout.column(**role) >= fields.len();
            if let Some(role) = layout.event.mandatory.iter().find(missing) {
                return self.lose(batch, line, line.end, Code::MissingField, || {
                    let declared = format!("event id {} declares {expected} fields", id());
                    (format!("{}: the field {role:?} is missing", name()), Some(declared))
                });
            }
            self.problem(batch, line, line.end, Code::TooFewTokens, || {
                let got = fields.len();
                let message =
                    format!("{}: {got} values but event id {} declares {expected}", name(), id());
                let text = &fields.text[line.start as usize..line.end as usize];
                let cut_color =
                    layout.column(Role::Color) == got && memchr::memchr(b'#', text).is_some();
                let hint = match cut_color {
                    true => "is the colour unquoted? # begins a comment",
                    false => "the missing fields are optional",
                };
                (message, Some(hint.to_owned()))
            });
        }
        self.apply(fields, line, layout, batch);
    }

    #[inline(always)]
    fn apply(&mut self, fields: Fields<'_>, line: Line, layout: &Layout, batch: &mut Batch) {
        if self.check_types {
            self.check_field_types(fields, line, layout, batch);
        }
        match layout.event.effect {
            Effect::Timed(op) => self.timed(op, fields, line, layout, batch),
            _ => self.rare(fields, line, layout, batch),
        }
    }

    #[inline(always)]
    fn timed(
        &mut self,
        op: Op,
        fields: Fields<'_>,
        line: Line,
        layout: &Layout,
        batch: &mut Batch,
    ) {
        let Some(time) = self.time(fields, line, layout, batch) else { return };
        let value = match op {
            Op::PopState | Op::ResetState => 0,
            Op::SetState | Op::PushState | Op::NewEvent => {
                self.value(fields.text, fields.tokens[layout.column(Role::Value) + 1])
            }
            Op::SetVariable | Op::AddVariable | Op::SubVariable => {
                match self.number(fields, line, layout, batch) {
                    Some(index) => index,
                    None => return,
                }
            }
            _ => self.link_half(op, fields, line, layout, batch),
        };
        let pair = self.pair(
            fields.text,
            fields.tokens[layout.column(Role::Container) + 1],
            fields.tokens[layout.column(Role::Type) + 1],
        );
        let has_extras = self.extras(fields, layout, batch);
        batch.records.push(Record { time, at: line.start, pair, value, op, has_extras });
    }

    /// Reports fields that hold something else than their type says. Times, colours and the
    /// values of variables are read by what they are for, and reported where they are read.
    #[cold]
    fn check_field_types(
        &mut self,
        fields: Fields<'_>,
        line: Line,
        layout: &Layout,
        batch: &mut Batch,
    ) {
        for (column, (role, kind)) in layout.columns.iter().zip(&layout.kinds).enumerate() {
            let read_anyway = match role {
                Column::Role(Role::Time | Role::Color) => true,
                Column::Role(Role::Value) => {
                    matches!(layout.event.effect, Effect::Timed(op) if op.nature() == Nature::Variable)
                }
                _ => false,
            };
            let Some(text) = fields.get(column).filter(|_| !read_anyway) else { continue };
            if holds(*kind, text) {
                continue;
            }
            let at = fields.tokens[column + 1].start;
            self.problem(batch, line, at, Code::FieldNotOfType, || {
                let (name, text) = (printable(&layout.name), printable(text));
                let kind = kind.name();
                (format!("{name}: \"{text}\" in a field of type {kind}"), None)
            });
        }
    }

    /// Reads the time, or reports why there is none.
    #[inline(always)]
    pub fn time(
        &mut self,
        fields: Fields<'_>,
        line: Line,
        layout: &Layout,
        batch: &mut Batch,
    ) -> Option<Ticks> {
        let column = layout.column(Role::Time);
        match parse_time(fields.text(column), self.tick_exponent) {
            Ok(time) => {
                batch.last_line = Some(Some(time.ticks));
                if time.rounded {
                    self.rounded(fields, line, column, batch);
                }
                Some(time.ticks)
            }
            Err(bad) => {
                self.bad_time(fields, line, layout, bad, batch);
                None
            }
        }
    }

    #[cold]
    fn rounded(&mut self, fields: Fields<'_>, line: Line, column: usize, batch: &mut Batch) {
        let at = fields.tokens[column + 1].start;
        self.problem(batch, line, at, Code::TimeRounded, || {
            let text = printable(fields.text(column)).into_owned();
            (format!("the time {text} has more decimals than a tick and is rounded"), None)
        });
    }

    #[cold]
    fn bad_time(
        &mut self,
        fields: Fields<'_>,
        line: Line,
        layout: &Layout,
        bad: BadTime,
        batch: &mut Batch,
    ) {
        let column = layout.column(Role::Time);
        let at = fields.tokens.get(column + 1).map_or(line.start, |token| token.start);
        let text = fields.text(column);
        batch.last_line = Some(None);
        match bad {
            BadTime::TooLarge { exponent: Some(exponent) } => {
                let needed = batch.tick_exponent_needed.unwrap_or(u8::MAX).min(exponent);
                batch.tick_exponent_needed = Some(needed);
            }
            BadTime::NonFinite => self.lose(batch, line, at, Code::NonFiniteTime, || {
                let name = printable(&layout.name);
                (format!("{name}: the time \"{}\" is not finite", printable(text)), None)
            }),
            BadTime::Syntax | BadTime::TooLarge { .. } => {
                self.lose(batch, line, at, Code::BadNumber, || bad_number(layout, text));
            }
        }
    }

    #[inline(always)]
    fn number(
        &mut self,
        fields: Fields<'_>,
        line: Line,
        layout: &Layout,
        batch: &mut Batch,
    ) -> Option<u32> {
        let column = layout.column(Role::Value);
        let text = fields.text(column);
        let Some(number) = parse_value(text) else {
            let at = fields.tokens[column + 1].start;
            self.lose(batch, line, at, Code::BadNumber, || bad_number(layout, text));
            return None;
        };
        if !number.is_finite() {
            let at = fields.tokens[column + 1].start;
            self.problem(batch, line, at, Code::NonFiniteVariable, || {
                (format!("the value {} of a variable is not finite", printable(text)), None)
            });
        }
        batch.numbers.push(number);
        Some(batch.numbers.len() as u32 - 1)
    }

    #[inline(always)]
    pub(super) fn link_half(
        &mut self,
        op: Op,
        fields: Fields<'_>,
        line: Line,
        layout: &Layout,
        batch: &mut Batch,
    ) -> u32 {
        let end = if op == Op::StartLink { Role::StartContainer } else { Role::EndContainer };
        let end = fields.tokens[layout.column(end) + 1];
        let container = self.containers.get(fields.text, end, &self.symbols.containers);
        let key = fields.text(layout.column(Role::Key));
        let size = layout.size_column.and_then(|column| parse_size(fields.get(column)?));
        let half = LinkHalf {
            value: self.value(fields.text, fields.tokens[layout.column(Role::Value) + 1]),
            container,
            key_hash: self.symbols.key_hash(key),
            key: batch.keep(key),
            size,
            line: line.number,
            unique: false,
        };
        batch.halves.push(half);
        batch.halves.len() as u32 - 1
    }

    #[inline(always)]
    pub fn extras(&mut self, fields: Fields<'_>, layout: &Layout, batch: &mut Batch) -> bool {
        if layout.extras.is_empty() && fields.len() <= layout.columns.len() {
            return false;
        }
        keep_extras(fields, layout, batch)
    }

    /// The symbol of a container and a type.
    #[inline]
    pub(super) fn pair(&mut self, text: &[u8], container: Token, type_: Token) -> Symbol {
        let (container_image, type_image) = (image(text, container), image(text, type_));
        let (Some(short_container), Some(short_type)) = (container_image, type_image) else {
            return self.intern_pair(text, container, container_image, type_);
        };
        let images = Images { container: short_container, type_: short_type };
        if let Some(pair) = self.pairs.get(images) {
            return pair;
        }
        let pair = self.intern_pair(text, container, container_image, type_);
        self.pairs.insert(images, pair);
        pair
    }

    #[inline(never)]
    pub(super) fn intern_pair(
        &mut self,
        text: &[u8],
        container: Token,
        container_image: Option<Image>,
        type_: Token,
    ) -> Symbol {
        let type_symbol = self.types.get(text, type_, &self.symbols.types);
        let container = &text[container.start as usize..container.end as usize];
        self.symbols.pair(container, container_image, type_symbol)
    }

    /// The symbol of a value.
    #[inline(always)]
    fn value(&mut self, text: &[u8], token: Token) -> Symbol {
        self.values.get(text, token, &self.symbols.values)
    }

    /// Reports a problem that costs the record.
    #[cold]
    fn lose(
        &mut self,
        batch: &mut Batch,
        line: Line,
        at: u32,
        code: Code,
        text: impl FnOnce() -> (String, Option<String>),
    ) {
        batch.n_lost += 1;
        batch.last_line = Some(None);
        self.problem(batch, line, at, code, text);
    }

    /// Reports a problem; its text is made only while samples are wanted.
    #[cold]
    pub fn problem(
        &mut self,
        batch: &mut Batch,
        line: Line,
        at: u32,
        code: Code,
        text: impl FnOnce() -> (String, Option<String>),
    ) {
        let sampled = &mut self.sampled[code as usize];
        if *sampled >= SAMPLES_PER_BATCH {
            match batch.unsampled.iter_mut().find(|(other, _)| *other == code) {
                Some((_, count)) => *count += 1,
                None => batch.unsampled.push((code, 1)),
            }
            return;
        }
        *sampled += 1;
        let (message, hint) = text();
        let column = at.saturating_sub(line.start) + 1;
        let (at, line) = (line.start, line.number);
        batch.problems.push(Problem { at, line, column, code, message, hint });
    }
}

#[inline(never)]
fn keep_extras(fields: Fields<'_>, layout: &Layout, batch: &mut Batch) -> bool {
    let start = batch.arena.len() as u32;
    for &(column, field) in &layout.extras {
        if let Some(text) = fields.get(column) {
            push_extra(&mut batch.arena, field, text);
        }
    }
    for column in layout.columns.len()..fields.len() {
        let number = (column - layout.columns.len() + 1) as u32;
        push_extra(&mut batch.arena, FieldId::surplus(number), fields.text(column));
    }
    let len = batch.arena.len() as u32 - start;
    if len > 0 {
        batch.extras.push(Span { start, len });
    }
    len > 0
}

/// A size: a whole number, or a number that is written with a point or an exponent.
fn parse_size(text: &[u8]) -> Option<u64> {
    if let Some(size) = parse_plain(text, 0) {
        return u64::try_from(size).ok();
    }
    let text = std::str::from_utf8(text).ok()?;
    text.parse().ok().or_else(|| {
        let size: f64 = text.parse().ok()?;
        (size >= 0.0 && size < u64::MAX as f64 && size.fract() == 0.0).then_some(size as u64)
    })
}

fn bad_number(layout: &Layout, text: &[u8]) -> (String, Option<String>) {
    let comma = memchr::memchr(b',', text).is_some();
    let hint = comma.then(|| "decimal comma? write a point".to_owned());
    (format!("{}: \"{}\" is not a number", printable(&layout.name), printable(text)), hint)
}

/// Can a text stand in a field of a type?
fn holds(kind: FieldKind, text: &[u8]) -> bool {
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    match kind {
        FieldKind::String => true,
        FieldKind::Int => {
            digits(text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text))
        }
        FieldKind::Double | FieldKind::Date => parse_value(text).is_some(),
        FieldKind::Hex => {
            let text = text.strip_prefix(b"0x").or(text.strip_prefix(b"0X")).unwrap_or(text);
            !text.is_empty() && text.iter().all(u8::is_ascii_hexdigit)
        }
        FieldKind::Color => parse_color(text).is_some(),
    }
}

/// Puts tokens with texts of their own into one text, with room to read beyond the last.
fn join(texts: &[Vec<u8>]) -> (Vec<u8>, Vec<Token>) {
    let mut joined = Vec::new();
    let mut tokens = Vec::with_capacity(texts.len());
    for text in texts {
        let start = joined.len() as u32;
        joined.extend_from_slice(text);
        tokens.push(Token { start, end: joined.len() as u32 });
    }
    joined.resize(joined.len() + PADDING, b'\n');
    (joined, tokens)
}
