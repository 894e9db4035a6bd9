//! The events of one location, piece by piece.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use foldhash::fast::RandomState;
use onca_model::{Code, Ticks, time_of};

use super::archive::Archive;
use super::believed;
use super::event::{event_kind, has_no_length};
use super::local::Local;
use super::lookup::Named;
use super::messages::Messages;
use super::metric::Variable;
use super::record::{message_values, table_values};
use super::vocabulary::{TypeKey, Wanted};
use super::walk::{Frame, MAX_RECORD, frame, next_chunk, payload};
use crate::batch::{Batch, Locate, Located, Role};
use crate::cursor::{Broken, ByteOrder, Cursor, Field, UNDEFINED_64};
use crate::folder::read_piece;
use crate::piece::Piece;
use crate::symbols::Symbol;

/// Where the reading of a location stands.
pub(super) struct Stream {
    /// The number of its definition.
    pub location: u32,
    pub place_type: u32,
    /// The id of its process.
    pub process: u32,
    pub symbol: Symbol,
    path: PathBuf,
    part: u32,
    size: u64,
    offset: u64,
    /// Where the chunk ends that is being read.
    chunk_end: u64,
    order: Option<ByteOrder>,
    pub ended: bool,
    /// Events so far, in pieces before the one at hand.
    n_events: u64,
    /// The time of the next event; `None` while it cannot be told.
    pub time: Option<Ticks>,
    pub local: Local,
    /// Packed attributes of the next event.
    pub attributes: Vec<u8>,
    pub messages: Messages,
    /// Regions that were entered and not left, for a check.
    pub open_regions: Vec<u32>,
    /// How many more are open, too deep to be checked.
    pub n_unchecked: u64,
    pub collective_since: Option<Ticks>,
    pub measurement_off: bool,
    /// Symbols of types on this location, and of regions.
    pub pairs: HashMap<TypeKey, Symbol, RandomState>,
    pub region_pair: Option<Symbol>,
    /// Symbols of values that have a name of their own.
    pub values: HashMap<Named, Symbol, RandomState>,
    pub regions: Vec<Option<(u32, Symbol)>>,
    /// The variables of metrics; `None` for members that are not defined.
    pub metrics: HashMap<u32, Vec<Option<Variable>>, RandomState>,
    pub seen: HashSet<Wanted, RandomState>,
    /// What the records of this piece need that no earlier piece of this location needed.
    pub wanted: Vec<Wanted>,
    held: usize,
}

/// Why the walk through a piece ended.
enum Stop {
    /// The file ends here.
    End,
    /// The piece ends in the middle of a record.
    Short,
    /// The rest of the chunk is to be passed over.
    NextChunk,
}

impl Stream {
    pub fn new(archive: &Archive<'_>, location: u32, file: (PathBuf, u32, u64)) -> Self {
        let (path, part, size) = file;
        let place = &archive.places.locations[location as usize];
        Self {
            location,
            place_type: place.type_number,
            process: archive.definitions.locations.entries[location as usize].group,
            symbol: archive.symbols.containers.intern(&place.alias),
            path,
            part,
            size,
            offset: 0,
            chunk_end: 0,
            order: None,
            ended: false,
            n_events: 0,
            time: None,
            local: Local::default(),
            attributes: Vec::new(),
            messages: Messages::default(),
            open_regions: Vec::new(),
            n_unchecked: 0,
            collective_since: None,
            measurement_off: false,
            pairs: HashMap::default(),
            region_pair: None,
            values: HashMap::default(),
            regions: Vec::new(),
            metrics: HashMap::default(),
            seen: HashSet::default(),
            wanted: Vec::new(),
            held: 0,
        }
    }

    /// Decodes the next piece.
    pub fn decode(&mut self, archive: &Archive<'_>, batch: &mut Batch) {
        let mut text = std::mem::take(&mut batch.text);
        let mut piece = Piece::new(batch, self.part, self.offset, &archive.locator);
        if self.offset == 0 {
            self.local = archive.load_local(self.location, &mut piece);
        }
        let mut want = archive.turns.piece_bytes();
        loop {
            let left = usize::try_from(self.size.saturating_sub(self.offset)).unwrap_or(usize::MAX);
            let len = want.min(left);
            if let Err(error) = read_piece(&self.path, self.offset, len, &mut text) {
                let missing = self.missing(archive, &piece);
                piece.unreadable(&error, missing);
                self.end(archive, &mut piece);
                break;
            }
            let before = self.offset;
            self.walk(archive, &text, &mut piece);
            if self.ended || self.offset > before {
                archive.progress.advance(self.offset - before);
                break;
            }
            // Not one record fits into the piece.
            want *= 2;
            if want > MAX_RECORD {
                let missing = self.missing(archive, &piece);
                piece.lose_many(missing, Code::DamagedRecord, || {
                    "a record of more than 64 MiB; the rest of the file is not read".to_owned()
                });
                self.end(archive, &mut piece);
            }
        }
        self.n_events += piece.batch.n_records;
        text.truncate((self.offset - piece.batch.first_line) as usize);
        piece.batch.text = text;
        self.account(archive);
    }

    /// Decodes the records of a piece that are there whole.
    fn walk(&mut self, archive: &Archive<'_>, text: &[u8], piece: &mut Piece<'_>) {
        if self.order.is_none() {
            self.order = text.get(1).copied().and_then(ByteOrder::of);
        }
        let Some(order) = self.order.filter(|_| self.offset > 0 || text.first() == Some(&3)) else {
            let missing = self.missing(archive, piece);
            piece.lose_many(missing, Code::DamagedRecord, || {
                "this is no event file of OTF2".to_owned()
            });
            return self.end(archive, piece);
        };
        let mut c = Cursor::new(text, 0, order);
        let stop = loop {
            let start = c.at;
            piece.at = start as u32;
            match self.record(archive, &mut c, piece) {
                Ok(None) => {}
                Ok(Some(stop)) => break stop,
                Err(Broken::Short) => {
                    c.at = start;
                    break Stop::Short;
                }
                Err(Broken::Wrong) => {
                    c.at = start;
                    piece.batch.n_records += 1;
                    piece.lose(Code::DamagedRecord, || {
                        "a record that cannot be; the rest of its chunk is not read".to_owned()
                    });
                    break Stop::NextChunk;
                }
            }
        };
        let here = self.offset + c.at as u64;
        match stop {
            Stop::End => {
                self.offset = here;
                self.end(archive, piece);
            }
            Stop::NextChunk => {
                self.offset = next_chunk(here, archive.event_chunk).min(self.size);
                self.cut_if(self.offset == self.size, archive, piece);
            }
            Stop::Short => {
                let at_end = self.offset + text.len() as u64 >= self.size;
                self.offset = here;
                self.cut_if(at_end, archive, piece);
            }
        }
    }

    /// The file is over without an end.
    fn cut_if(&mut self, is_cut: bool, archive: &Archive<'_>, piece: &mut Piece<'_>) {
        if is_cut {
            let missing = self.missing(archive, piece);
            piece.cut(missing);
            self.end(archive, piece);
        }
    }

    /// How many events are missing when the file ends here, by what the definitions tell. They
    /// are believed only where something is missing: not every writer tells the truth.
    fn missing(&self, archive: &Archive<'_>, piece: &Piece<'_>) -> u64 {
        let told = archive.definitions.locations.entries[self.location as usize].n_events;
        let read = self.n_events + piece.batch.n_records;
        if told == UNDEFINED_64 { 1 } else { believed(told.saturating_sub(read)) }
    }

    fn end(&mut self, archive: &Archive<'_>, piece: &mut Piece<'_>) {
        self.release_receives(archive, piece, true);
        self.release_sends(archive, piece);
        self.ended = true;
    }

    /// Tells how much memory is held now.
    fn account(&mut self, archive: &Archive<'_>) {
        let now = match self.ended {
            true => 0,
            false => self.local.bytes() + self.messages.bytes() + self.open_regions.capacity() * 4,
        };
        archive.turns.hold(std::mem::replace(&mut self.held, now), now);
    }

    #[inline(always)]
    fn record(
        &mut self,
        archive: &Archive<'_>,
        c: &mut Cursor<'_>,
        piece: &mut Piece<'_>,
    ) -> Field<Option<Stop>> {
        let kind = match frame(c)? {
            Frame::Record(kind) => kind,
            Frame::ChunkHeader => return Ok(None),
            Frame::EndOfChunk => return Ok(Some(Stop::NextChunk)),
            Frame::EndOfFile => return Ok(Some(Stop::End)),
        };
        match kind {
            5 => self.time = self.ticks(archive, c.u64()?, piece),
            12 => {
                let region = c.c32()?;
                self.enter(archive, region, piece);
            }
            13 => {
                let region = c.c32()?;
                self.leave(archive, region, piece);
            }
            _ => self.other_record(archive, kind, c, piece)?,
        }
        Ok(None)
    }

    #[inline(never)]
    fn other_record(
        &mut self,
        archive: &Archive<'_>,
        kind: u8,
        c: &mut Cursor<'_>,
        piece: &mut Piece<'_>,
    ) -> Field<()> {
        if has_no_length(kind) {
            // The size of the field tells its width.
            let value = if kind == 24 { u64::from(c.c32()?) } else { c.c64()? };
            self.event(archive, kind, &[value, 0, 0, 0, 0, 0], piece);
            return Ok(());
        }
        let here = self.offset + c.at as u64;
        if here > self.chunk_end {
            self.chunk_end = next_chunk(here - 1, archive.event_chunk);
        }
        let mut payload = payload(c, here, self.chunk_end)?;
        let is_event = kind != 6;
        let taken = match (kind, event_kind(kind)) {
            (6, _) => self.attribute_list(archive, &mut payload),
            (31, _) => self.metric(archive, &mut payload, piece),
            (83, _) => self.program_begin(archive, &mut payload, piece),
            (14 | 15 | 18 | 19, _) => {
                message_values(&self.local, matches!(kind, 15 | 19), &mut payload)
                    .map(|values| self.event(archive, kind, &values, piece))
            }
            (_, Some(event)) => table_values(&self.local, event, &mut payload)
                .map(|values| self.event(archive, kind, &values, piece)),
            (_, None) => {
                piece.batch.n_records += 1;
                piece.lose(Code::UnknownRecord, || format!("a record of unknown kind {kind}"));
                Ok(())
            }
        };
        if taken.is_err() {
            piece.batch.n_records += u64::from(is_event);
            piece.lose(Code::DamagedRecord, || {
                let name = event_kind(kind).map_or("an attribute list", |event| event.name);
                format!("{name}: a field does not fit into the record; it is skipped")
            });
        }
        Ok(())
    }

    /// The time that a clock shows, in ticks from the beginning of the trace.
    #[inline]
    pub fn ticks(&self, archive: &Archive<'_>, clock: u64, piece: &mut Piece<'_>) -> Option<Ticks> {
        let ticks = self.local.clock.apply(clock).saturating_sub(archive.clock_offset.into());
        let ticks = time_of(ticks);
        if ticks.is_none() {
            piece.problem(Code::DamagedRecord, || format!("the time {clock} is out of range"));
        }
        ticks
    }
}

/// The place of a record is that of its first byte, which tells its kind.
pub(super) struct EventLocator;

impl Locate for EventLocator {
    fn locate(&self, text: &[u8], at: u32, _: Option<Role>) -> Located {
        let kind = text.get(at as usize).and_then(|&kind| event_kind(kind));
        let event = kind.map_or(String::new(), |kind| kind.name.to_owned());
        Located { line: at, column: 0, event }
    }
}
