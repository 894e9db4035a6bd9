//! Problems, with their place in the source.

use onca_model::{Code, Diagnostic, Diagnostics, Position, Severity, Strictness};
use onca_read::{Batch, Role};

/// This many bits of a place number are the line's or the offset's. The next one tells which,
/// and the others are the part's: an archive may have millions of files.
const LINE_BITS: u32 = 40;
const OFFSET_FLAG: u64 = 1 << LINE_BITS;
const LINE_MASK: u64 = OFFSET_FLAG - 1;

/// Part and line, or part and offset, in one number, which grows along the source.
pub(crate) fn place_number(position: Position) -> u64 {
    let part = u64::from(position.part) << (LINE_BITS + 1);
    match position.offset {
        None => part | position.line & LINE_MASK,
        Some(offset) => part | OFFSET_FLAG | offset & LINE_MASK,
    }
}

/// The position that a place number stands for.
pub(crate) fn position_of(place: u64) -> Position {
    let (part, number) = ((place >> (LINE_BITS + 1)) as u32, place & LINE_MASK);
    match place & OFFSET_FLAG {
        0 => Position::at_line(part, number, 1),
        _ => Position::at_offset(part, number),
    }
}

/// Where a record stands.
#[derive(Clone, Copy)]
pub(crate) enum Place<'b> {
    /// In the batch that is being applied.
    Batch(&'b Batch, u32),
    /// At a line that was met before.
    Line(Position),
    /// Nowhere in particular.
    None,
}

/// Counts problems, and stops the work at the first one when it is told to be strict.
#[derive(Clone)]
pub(crate) struct Reporter {
    pub diagnostics: Diagnostics,
    pub strictness: Strictness,
    /// The problem that ends the work.
    pub fatal: Option<Diagnostic>,
    /// Record lines without effect.
    pub lost: u64,
}

impl Reporter {
    pub fn new(strictness: Strictness) -> Self {
        Self { diagnostics: Diagnostics::default(), strictness, fatal: None, lost: 0 }
    }

    /// Reports a problem that costs the record.
    #[cold]
    pub fn lose(
        &mut self,
        place: Place<'_>,
        role: Option<Role>,
        code: Code,
        text: impl FnOnce() -> (String, Option<String>),
    ) {
        self.lost += 1;
        self.report(place, role, code, text);
    }

    /// Reports a problem; its text is made only while samples are wanted.
    #[cold]
    pub fn report(
        &mut self,
        place: Place<'_>,
        role: Option<Role>,
        code: Code,
        text: impl FnOnce() -> (String, Option<String>),
    ) {
        let severity = code.severity(self.strictness);
        if !self.diagnostics.wants_sample(code) {
            return self.diagnostics.count(code, severity, 1);
        }
        let (position, event) = match place {
            Place::Batch(batch, at) => batch.locate(at, role),
            Place::Line(position) => (position, String::new()),
            Place::None => (Position::default(), String::new()),
        };
        let (message, hint) = text();
        let message = if event.is_empty() { message } else { format!("{event}: {message}") };
        self.add(Diagnostic { code, severity, position, message, hint });
    }

    /// Adds a problem that is already complete.
    pub fn add(&mut self, diagnostic: Diagnostic) {
        if diagnostic.severity == Severity::Fatal && self.fatal.is_none() {
            self.fatal = Some(diagnostic.clone());
        }
        self.diagnostics.add(diagnostic);
    }
}
