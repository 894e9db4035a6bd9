//! What the references of a record lead to, and what to say when they lead nowhere.

use onca_model::{Code, ContainerId, EntitySink, Nature, Ticks, TypeId, printable};
use onca_read::{Record, Role, Symbol};

use crate::names::{Found, Missing};
use crate::report::Place;
use crate::track::{DIVERTED, MISFIT};
use crate::{Simulator, UNRESOLVED};

/// This many tracks of a container are looked at one by one; those that come later stand in an
/// index. Of a million containers nearly all have few, and an index of all would be far from the
/// core.
const WALKED_TRACKS: usize = 8;

impl<S: EntitySink> Simulator<'_, S> {
    /// The track of a record whose pair has no lasting answer.
    #[cold]
    pub(crate) fn resolve_pair(&mut self, record: &Record, place: Place<'_>) -> Option<u32> {
        if let Some(&(epoch, Some(track))) = self.brief_pairs.get(&record.pair)
            && epoch == self.names.epoch
            && self.tracks.tracks[track as usize].nature == record.op.nature()
        {
            return Some(track);
        }
        let (container_symbol, type_symbol) = self.symbols.parts_of_pair(record.pair);
        let container = self.find_container(
            container_symbol,
            Some(record.time),
            None,
            &place,
            Role::Container,
        )?;
        let container_id = container.id();
        let container_type = self.names.containers.types[container_id.index()];
        let natures = [record.op.nature()];
        let type_found =
            self.find_type(type_symbol, &natures, Some(container_type), place, Role::Type)?;
        let track = self.track(container_id, type_found.id());
        let index = record.pair as usize;
        let lasting =
            matches!((container, type_found), (Found::Identifier(_), Found::Identifier(_)));
        if lasting {
            if index >= self.track_of_pair.len() {
                self.track_of_pair.resize((index + 1).max(index * 3 / 2), UNRESOLVED);
            }
            self.track_of_pair[index] = track;
            self.pair_of_track[track as usize] = record.pair;
        } else if !matches!(container, Found::OneOfMany(_)) {
            self.brief_pairs.insert(record.pair, (self.names.epoch, Some(track)));
        }
        Some(track)
    }

    /// The track of a container and a type, a new one if need be.
    pub(crate) fn track(&mut self, container: ContainerId, type_id: TypeId) -> u32 {
        let index = container.index();
        let (mut last, mut next) = (UNRESOLVED, self.first_track[index]);
        let mut n_walked = 0;
        while next != UNRESOLVED && n_walked < WALKED_TRACKS {
            if self.tracks.tracks[next as usize].type_id == type_id {
                return next;
            }
            (last, next) = (next, self.next_track[next as usize]);
            n_walked += 1;
        }
        if next != UNRESOLVED
            && let Some(&track) = self.track_index.get(&(container, type_id))
        {
            return track;
        }
        let track = self.new_track(container, type_id);
        if n_walked == WALKED_TRACKS {
            self.track_index.insert((container, type_id), track);
        }
        self.next_track.push(next);
        match self.next_track.get_mut(last as usize) {
            Some(after) => *after = track,
            None => self.first_track[index] = track,
        }
        track
    }

    fn new_track(&mut self, container: ContainerId, type_id: TypeId) -> u32 {
        let def = self.names.type_def(type_id);
        let containers = &self.names.containers;
        let index = container.index();
        let misfit = def.parent != containers.types[index];
        let created =
            if container == ContainerId::ROOT { Ticks::MIN } else { containers.starts[index] };
        let life = (created, containers.ends[index]);
        let number = self.tracks.tracks.len() as u32;
        let diverted = self.plan.within.is_some() || self.plan.diverted.contains(&number);
        let flags = (MISFIT * u8::from(misfit)) | (DIVERTED * u8::from(diverted));
        self.pair_of_track.push(Symbol::MAX);
        self.tracks.add(container, type_id, def.nature, life, flags)
    }

    /// Where the record stands is copied only when there is something to report: it has just been put
    /// together, and to read it at once makes the processor wait.
    pub(crate) fn find_container(
        &mut self,
        symbol: Symbol,
        time: Option<Ticks>,
        of: Option<TypeId>,
        place: &Place<'_>,
        role: Role,
    ) -> Option<Found<ContainerId>> {
        match self.names.find_container(self.symbols, symbol, time, of) {
            Ok(found) => {
                if let Found::Name(id) = found
                    && self.named_containers.insert(id)
                {
                    self.report_by_name(*place, role, &self.symbols.containers.text(symbol));
                }
                Some(found)
            }
            Err(missing) => {
                let unknown = Code::UnknownContainer;
                self.report_missing_container(symbol, missing, *place, role, unknown);
                None
            }
        }
    }

    pub(crate) fn report_by_name(&mut self, place: Place<'_>, role: Role, name: &[u8]) {
        self.reporter.report(place, Some(role), Code::ReferenceByName, || {
            let name = printable(name);
            (format!("\"{name}\" is a name; its alias should be used"), None)
        });
    }

    /// `unknown` is the code when nothing has this identifier or name.
    pub(crate) fn report_missing_container(
        &mut self,
        symbol: Symbol,
        missing: Missing,
        place: Place<'_>,
        role: Role,
        unknown: Code,
    ) {
        let code = match missing {
            Missing::Ambiguous(_) => Code::AmbiguousName,
            _ => unknown,
        };
        let (symbols, names) = (self.symbols, &self.names);
        self.reporter.lose(place, Some(role), code, || {
            let text = symbols.containers.text(symbol);
            let known = printable(&text).into_owned();
            match missing {
                Missing::Ambiguous(n) => (
                    format!("{n} containers are named \"{known}\""),
                    Some("use aliases".to_owned()),
                ),
                _ => {
                    let nearest = nearest(&text, names.containers.len(), |index| {
                        names.containers.identifier(ContainerId(index as u32))
                    });
                    (format!("no container \"{known}\""), nearest)
                }
            }
        });
    }

    pub(crate) fn find_type(
        &mut self,
        symbol: Symbol,
        natures: &[Nature],
        of: Option<TypeId>,
        place: Place<'_>,
        role: Role,
    ) -> Option<Found<TypeId>> {
        match self.names.find_type(self.symbols, symbol, natures, of) {
            Ok(found) => {
                if let Found::Name(id) = found
                    && self.named_types.insert(id)
                {
                    self.report_by_name(place, role, &self.symbols.types.text(symbol));
                }
                Some(found)
            }
            Err(missing) => {
                self.report_missing_type(symbol, natures, missing, place, role, Code::UnknownType);
                None
            }
        }
    }

    pub(crate) fn report_missing_type(
        &mut self,
        symbol: Symbol,
        natures: &[Nature],
        missing: Missing,
        place: Place<'_>,
        role: Role,
        unknown: Code,
    ) {
        let code = match missing {
            Missing::Unknown => unknown,
            Missing::Ambiguous(_) => Code::AmbiguousName,
            Missing::WrongNature(_) => Code::WrongNature,
        };
        let (symbols, names) = (self.symbols, &self.names);
        self.reporter.lose(place, Some(role), code, || {
            let text = symbols.types.text(symbol);
            let shown = printable(&text).into_owned();
            match missing {
                Missing::Unknown => {
                    let nearest =
                        nearest(&text, names.types.len(), |index| names.types[index].identifier());
                    (format!("no type \"{shown}\""), nearest)
                }
                Missing::Ambiguous(n) => {
                    (format!("{n} types are named \"{shown}\""), Some("use aliases".to_owned()))
                }
                Missing::WrongNature(id) => {
                    let is = names.type_def(id).nature.name();
                    let needed: Vec<_> = natures.iter().map(|nature| nature.name()).collect();
                    let needed = needed.join(" or ");
                    (format!("\"{shown}\" is of nature {is}; needed here: {needed}"), None)
                }
            }
        });
    }

    #[cold]
    pub(crate) fn wrong_nature(&mut self, record: &Record, place: Place<'_>, type_id: TypeId) {
        let (_, type_symbol) = self.symbols.parts_of_pair(record.pair);
        let natures = [record.op.nature()];
        let missing = Missing::WrongNature(type_id);
        self.report_missing_type(
            type_symbol,
            &natures,
            missing,
            place,
            Role::Type,
            Code::UnknownType,
        );
    }
}

/// Names are compared for hints only while there are not too many of them.
const MAX_NAMES_COMPARED: usize = 10_000;

/// The nearest spelling among known identifiers, if one is near.
fn nearest<'a>(text: &[u8], n: usize, name: impl Fn(usize) -> &'a [u8]) -> Option<String> {
    // One letter is near to every other.
    let allowed = (text.len() / 3 + 1).min(text.len().saturating_sub(1));
    (1..n.min(MAX_NAMES_COMPARED))
        .map(|index| (distance(text, name(index), allowed), index))
        .filter(|&(distance, _)| distance <= allowed)
        .min()
        .map(|(_, index)| format!("the closest known is \"{}\"", printable(name(index))))
}

/// How many bytes must be changed, inserted or removed; more than `limit` need not be exact.
fn distance(a: &[u8], b: &[u8], limit: usize) -> usize {
    if a.len().abs_diff(b.len()) > limit || a.len() > 64 {
        return limit + 1;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, &byte) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &other) in b.iter().enumerate() {
            let changed = diagonal + usize::from(byte != other);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
