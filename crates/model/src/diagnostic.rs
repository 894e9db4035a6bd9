//! What is wrong with a source: stable codes, counted, with the first places they were met.

use std::collections::BTreeMap;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Repaired, or suspicious.
    Warning,
    /// A record was lost.
    Error,
    /// Reading stopped.
    Fatal,
}

impl Severity {
    /// All of them, the mildest first.
    pub const ALL: [Self; 4] = [Self::Note, Self::Warning, Self::Error, Self::Fatal];

    /// The word that messages use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Fatal => "fatal",
        }
    }
}

/// Whether what can be repaired is repaired.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Strictness {
    /// Read what can be read.
    #[default]
    Lenient,
    /// Stop at the first problem.
    Strict,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident $text:literal $lenient:ident $strict:ident,)*) => {
        /// The stable name of a kind of problem.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            /// All codes.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The text of the code in messages and JSON.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// How bad it is, under the given strictness.
            pub fn severity(self, strictness: Strictness) -> Severity {
                match (self, strictness) {
                    $((Self::$name, Strictness::Lenient) => Severity::$lenient,
                      (Self::$name, Strictness::Strict) => Severity::$strict,)*
                }
            }
        }
    };
}

codes! {
    /// A line contains a NUL byte.
    NulByte "nul-byte" Error Fatal,
    /// The input is compressed in a way that cannot be read.
    CompressedInput "compressed-input" Fatal Fatal,
    /// There is no record.
    EmptyTrace "empty-trace" Warning Fatal,
    /// A quote is not closed on its line.
    UnterminatedString "unterminated-string" Warning Fatal,
    /// `\"` inside quotes was taken as an escape.
    EscapedQuote "escaped-quote" Warning Fatal,
    /// `#` inside a word was taken literally.
    HashInWord "hash-in-word" Warning Fatal,
    /// A header line is malformed.
    HeaderSyntax "header-syntax" Warning Fatal,
    /// A definition was swallowed by the comment before it.
    EventdefInComment "eventdef-in-comment" Warning Fatal,
    /// An event name that the format does not have.
    UnknownEventName "unknown-event-name" Warning Fatal,
    /// An event that the format leaves to programs.
    UserEvent "user-event" Note Note,
    /// A field has a name that the format keeps for itself.
    ReservedField "reserved-field" Warning Fatal,
    /// A field holds something else than its type says; only strict reading tells it.
    FieldNotOfType "field-not-of-type" Warning Fatal,
    /// A field type that the format does not have.
    UnknownFieldType "unknown-field-type" Warning Fatal,
    /// A field is declared twice.
    DuplicateField "duplicate-field" Warning Fatal,
    /// A definition lacks a mandatory field.
    MissingMandatoryField "missing-mandatory-field" Error Fatal,
    /// An event id is defined again, differently.
    DuplicateEventId "duplicate-event-id" Warning Fatal,
    /// An event id is defined again, the same.
    RepeatedEventId "repeated-event-id" Note Note,
    /// A field has an old spelling.
    OldFieldName "old-field-name" Note Note,
    /// A record's id is not defined.
    UnknownEventId "unknown-event-id" Error Fatal,
    /// A record's id matches only as a number.
    NumericIdMatch "numeric-id-match" Warning Fatal,
    /// A record has more tokens than fields.
    TooManyTokens "too-many-tokens" Warning Fatal,
    /// A record lacks optional fields.
    TooFewTokens "too-few-tokens" Warning Fatal,
    /// A record lacks a mandatory field.
    MissingField "missing-field" Error Fatal,
    /// A number cannot be read.
    BadNumber "bad-number" Error Fatal,
    /// A time is infinite or not a number.
    NonFiniteTime "non-finite-time" Error Fatal,
    /// A variable is infinite or not a number.
    NonFiniteVariable "non-finite-variable" Warning Fatal,
    /// A colour cannot be read.
    BadColor "bad-color" Warning Fatal,
    /// `0` is given as a name or alias.
    ReservedName "reserved-name" Error Fatal,
    /// A type is not defined.
    UnknownType "unknown-type" Error Fatal,
    /// A destruction names a type that is not defined.
    DestroyUnknownType "destroy-unknown-type" Note Fatal,
    /// A value is used that no definition declares; only strict reading tells it.
    UndefinedValue "undefined-value" Warning Fatal,
    /// A container is not created.
    UnknownContainer "unknown-container" Error Fatal,
    /// The parent of a type or container is not known.
    UnknownParent "unknown-parent" Error Fatal,
    /// Something with an alias is referred to by its name.
    ReferenceByName "reference-by-name" Note Note,
    /// Several things have the name that is used as a reference.
    AmbiguousName "ambiguous-name" Error Fatal,
    /// A type of another nature is needed.
    WrongNature "wrong-nature" Error Fatal,
    /// A type is defined again.
    DuplicateType "duplicate-type" Warning Fatal,
    /// A container is created again while it lives.
    DuplicateContainer "duplicate-container" Warning Fatal,
    /// A value is defined again.
    DuplicateValue "duplicate-value" Warning Fatal,
    /// A container's type does not fit its parent, or a destroy names another type.
    ContainerTypeMismatch "container-type-mismatch" Warning Fatal,
    /// Two columns were exchanged.
    SwappedColumns "swapped-columns" Warning Fatal,
    /// An entity type belongs to another container type.
    TypeNotOfContainer "type-not-of-container" Warning Fatal,
    /// A value is defined for a type that has none.
    ValueOnContainerOrVariableType "value-on-container-or-variable-type" Error Fatal,
    /// A record is earlier than one before it on its track.
    NotTimeOrdered "not-time-ordered" Warning Fatal,
    /// A record is earlier than its container.
    BeforeCreation "before-creation" Warning Warning,
    /// A record is later than its container's end.
    AfterDestroy "after-destroy" Warning Fatal,
    /// A container is destroyed again.
    DestroyTwice "destroy-twice" Warning Fatal,
    /// There is no state to pop.
    PopEmpty "pop-empty" Warning Fatal,
    /// A variable is changed before it has a value.
    VariableWithoutValue "variable-without-value" Warning Fatal,
    /// A link key is used again; only strict reading says so.
    LinkKeyReused "link-key-reused" Note Note,
    /// The halves of a link have different values.
    LinkValueMismatch "link-value-mismatch" Warning Fatal,
    /// A link ends at a container of another type.
    LinkEndTypeMismatch "link-end-type-mismatch" Warning Fatal,
    /// A link ends before it starts.
    LinkNegativeDuration "link-negative-duration" Warning Warning,
    /// A half of a link has no other half.
    LinkUnmatched "link-unmatched" Warning Fatal,
    /// Halves of links without another half could be paired.
    LinkRepairable "link-repairable" Note Note,
    /// Two halves of a link were paired by order.
    LinkRepaired "link-repaired" Warning Fatal,
    /// A link that was paired by order could have been paired otherwise.
    LinkRepairAmbiguous "link-repair-ambiguous" Warning Fatal,
    /// A state is open when its container or the trace ends.
    StateOpenAtEnd "state-open-at-end" Note Note,
    /// A part of the trace is not there.
    MissingPartFile "missing-part-file" Warning Fatal,
    /// A part of the trace includes itself.
    PartCycle "part-cycle" Warning Fatal,
    /// The source ends in the middle of a line or of a compressed stream.
    Truncated "truncated" Warning Fatal,
    /// A line or name is too long.
    LineTooLong "line-too-long" Error Fatal,
    /// A time has more decimals than a tick.
    TimeRounded "time-rounded" Note Note,
    /// States nest deeper than is kept.
    NestingTooDeep "nesting-too-deep" Error Fatal,
    /// A record of a binary file cannot be decoded.
    DamagedRecord "damaged-record" Error Fatal,
    /// A record is of a kind that is not known.
    UnknownRecord "unknown-record" Error Fatal,
    /// Records of this kind are not read.
    RecordNotRead "record-not-read" Note Note,
    /// A record refers to something that is not defined.
    UnknownDefinition "unknown-definition" Warning Fatal,
    /// A message goes to or comes from a rank that its communicator does not have.
    UnknownRank "unknown-rank" Note Note,
    /// Another region is left than the innermost.
    LeaveOtherRegion "leave-other-region" Warning Fatal,
    /// A file of a trace lies outside its folder.
    OutsideArchive "outside-archive" Error Fatal,
    /// The trace does not tell its clock.
    UnknownClock "unknown-clock" Warning Fatal,
    /// Links go backwards in time, and nothing tells how far clocks are off.
    UnsynchronisedClocks "unsynchronised-clocks" Warning Warning,
    /// The traced program recorded more than could be written, and dropped the rest.
    DroppedRecords "dropped-records" Error Fatal,
    /// Files of a trace cannot be of one run.
    MixedRuns "mixed-runs" Warning Fatal,
    /// A byte order mark was skipped.
    ByteOrderMark "byte-order-mark" Note Note,
    /// The text is not JSON.
    JsonSyntax "json-syntax" Error Fatal,
    /// An event has a phase that the format does not have.
    UnknownPhase "unknown-phase" Error Fatal,
    /// Events of this phase are not read.
    PhaseNotRead "phase-not-read" Note Note,
    /// A duration is negative.
    NegativeDuration "negative-duration" Warning Fatal,
    /// A slice overlaps another of its thread without being inside it.
    SliceOverlap "slice-overlap" Warning Fatal,
    /// A slice was cut by a rounding error to fit into the one around it.
    SliceClipped "slice-clipped" Note Note,
    /// While a trace is followed: a record is earlier than what waits to be put in order.
    LateRecord "late-record" Warning Warning,
}

impl Code {
    /// The code with this text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.name() == name)
    }
}

/// A place in a source.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Position {
    /// Which file of a trace in several parts, 0 for the first.
    pub part: u32,
    /// Line, from 1; 0 when the problem has no line.
    pub line: u64,
    /// Column in bytes, from 1; 0 when the problem has no column.
    pub column: u32,
    /// Offset in bytes, in files that have no lines.
    pub offset: Option<u64>,
}

impl Position {
    /// A place in a text.
    pub fn at_line(part: u32, line: u64, column: u32) -> Self {
        Self { part, line, column, offset: None }
    }

    /// A place in a file that has no lines.
    pub fn at_offset(part: u32, offset: u64) -> Self {
        Self { part, line: 0, column: 0, offset: Some(offset) }
    }
}

/// One problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// What kind of problem.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// Where.
    pub position: Position,
    /// What is wrong, in one line.
    pub message: String,
    /// What would help, or the related definition.
    pub hint: Option<String>,
}

/// How many samples of one code are kept.
pub const MAX_SAMPLES: usize = 100;

/// All problems of one code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tally {
    /// The worst severity met.
    pub severity: Severity,
    /// How many there are.
    pub count: u64,
    /// The first of them in file order, at most [`MAX_SAMPLES`].
    pub samples: Vec<Diagnostic>,
}

/// All problems of a source, counted by code.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Diagnostics {
    tallies: BTreeMap<Code, Tally>,
}

impl Diagnostics {
    /// Counts a problem whose text nobody will read.
    pub fn count(&mut self, code: Code, severity: Severity, times: u64) {
        if times > 0 {
            let tally = self.tally(code, severity);
            tally.count += times;
        }
    }

    /// Counts a problem and keeps it as a sample while there is room.
    pub fn add(&mut self, diagnostic: Diagnostic) {
        let tally = self.tally(diagnostic.code, diagnostic.severity);
        tally.count += 1;
        if tally.samples.len() < MAX_SAMPLES {
            tally.samples.push(diagnostic);
        }
    }

    /// Is there still room for a sample of this code? If not, its text need not be made.
    pub fn wants_sample(&self, code: Code) -> bool {
        self.tallies.get(&code).is_none_or(|tally| tally.samples.len() < MAX_SAMPLES)
    }

    /// Puts back a tally that was stored.
    pub fn restore(&mut self, code: Code, tally: Tally) {
        self.tallies.insert(code, tally);
    }

    /// The tallies, by code.
    pub fn iter(&self) -> impl Iterator<Item = (Code, &Tally)> {
        self.tallies.iter().map(|(&code, tally)| (code, tally))
    }

    /// The tally of one code.
    pub fn get(&self, code: Code) -> Option<&Tally> {
        self.tallies.get(&code)
    }

    /// Is nothing wrong at all?
    pub fn is_empty(&self) -> bool {
        self.tallies.is_empty()
    }

    /// How many problems of this severity there are.
    pub fn count_of(&self, severity: Severity) -> u64 {
        self.tallies.values().filter(|tally| tally.severity == severity).map(|t| t.count).sum()
    }

    /// All samples in file order.
    pub fn samples(&self) -> Vec<&Diagnostic> {
        let mut samples: Vec<_> = self.tallies.values().flat_map(|t| &t.samples).collect();
        samples.sort_by_key(|diagnostic| diagnostic.position);
        samples
    }

    fn tally(&mut self, code: Code, severity: Severity) -> &mut Tally {
        let tally = self.tallies.entry(code).or_insert_with(|| Tally {
            severity,
            count: 0,
            samples: Vec::new(),
        });
        tally.severity = tally.severity.max(severity);
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_names_are_unique_and_found_again() {
        for &code in Code::ALL {
            assert_eq!(Code::from_name(code.name()), Some(code));
        }
        assert_eq!(Code::from_name("no-such-code"), None);
    }

    #[test]
    fn samples_are_bounded_and_counts_are_not() {
        let mut diagnostics = Diagnostics::default();
        for line in 1..=250 {
            diagnostics.add(Diagnostic {
                code: Code::PopEmpty,
                severity: Severity::Warning,
                position: Position::at_line(0, line, 1),
                message: String::new(),
                hint: None,
            });
        }
        let tally = diagnostics.get(Code::PopEmpty).expect("counted");
        assert_eq!((tally.count, tally.samples.len()), (250, MAX_SAMPLES));
        assert!(!diagnostics.wants_sample(Code::PopEmpty));
        assert!(diagnostics.wants_sample(Code::BadNumber));
        assert_eq!(diagnostics.count_of(Severity::Warning), 250);
    }
}
