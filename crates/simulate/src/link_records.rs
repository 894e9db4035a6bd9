//! Records of links.

use std::collections::BTreeMap;

use onca_model::{
    Code, ContainerId, EntitySink, FieldKind, LinkRow, Position, TypeId, ValueId, printable,
    push_extra,
};
use onca_read::{Batch, LinkHalf, Op, Record, Role, SortKey};

use crate::links::{Half, NewHalf, Side};
use crate::repair;
use crate::report::{Place, place_number};
use crate::track::{DIVERTED, MISFIT};
use crate::{SimulateError, Simulator};

impl<S: EntitySink> Simulator<'_, S> {
    pub(crate) fn link_record(
        &mut self,
        batch: &Batch,
        record: &Record,
        track: u32,
        extras: &[u8],
    ) {
        let place = Place::Batch(batch, record.at);
        let half = &batch.halves[record.value as usize];
        let side = if record.op == Op::StartLink { Side::Start } else { Side::End };
        let line = &self.tracks.tracks[track as usize];
        let (type_id, flags, late) = (line.type_id, line.flags, record.time < line.last_time);
        let ends = self.names.type_def(type_id).ends.unwrap_or((TypeId::ROOT, TypeId::ROOT));
        let (expected, role) = match side {
            Side::Start => (ends.0, Role::StartContainer),
            Side::End => (ends.1, Role::EndContainer),
        };
        let found =
            self.find_container(half.container, Some(record.time), Some(expected), &place, role);
        let Some(found) = found else { return };
        let container = found.id();
        if self.is_half_value(batch, record, type_id) {
            self.reporter.lost += 1;
            return;
        }
        self.extent.include(record.time);
        if flags & MISFIT != 0 {
            self.report_misfit(place, track);
        }
        if self.names.containers.types[container.index()] != expected {
            self.report_link_end(place, role, container, expected);
        }
        let value = self.names.value(self.symbols, type_id, half.value);
        let new = self.new_half(batch, record, half, track, side, value, container, extras);
        let line = &mut self.tracks.tracks[track as usize];
        line.last_time = line.last_time.max(record.time);
        if flags & DIVERTED != 0 {
            return self.divert_half(&new, place);
        }
        if late && !half.unique && self.links.order_matters(&new) {
            return self.divert(track, place);
        }
        self.take_half(&new, place);
    }

    #[allow(clippy::too_many_arguments, reason = "gathers what is scattered over the batch")]
    fn new_half<'a>(
        &self,
        batch: &'a Batch,
        record: &Record,
        half: &LinkHalf,
        track: u32,
        side: Side,
        value: ValueId,
        container: ContainerId,
        extras: &'a [u8],
    ) -> NewHalf<'a> {
        NewHalf {
            track,
            side,
            time: record.time,
            value,
            container,
            size: half.size,
            unique: half.unique,
            key_hash: half.key_hash,
            key: batch.bytes(half.key),
            extras,
            position: batch.position(half.line, 1),
        }
    }

    fn report_link_end(
        &mut self,
        place: Place<'_>,
        role: Role,
        container: ContainerId,
        expected: TypeId,
    ) {
        let names = &self.names;
        self.reporter.report(place, Some(role), Code::LinkEndTypeMismatch, || {
            let is = names.containers.types[container.index()];
            let message = format!(
                "container \"{}\" is of type \"{}\", the link type says \"{}\"",
                printable(names.containers.names.get(container.index())),
                printable(&names.type_def(is).name),
                printable(&names.type_def(expected).name)
            );
            (message, None)
        });
    }

    /// Pairs a half, or lets it wait.
    pub(crate) fn take_half(&mut self, new: &NewHalf<'_>, place: Place<'_>) {
        let line = &self.tracks.tracks[new.track as usize];
        if new.time < line.created || new.time > line.destroyed {
            self.check_life(new.track, new.time, place);
        }
        // Asked before the key of this very pair is noted, told after it is known to be one.
        let reused = self.options.pedantic && self.links.is_used(new);
        let Some(other) = self.links.pair(new) else { return };
        if reused {
            self.reporter.report(place, Some(Role::Key), Code::LinkKeyReused, || {
                (format!("the link key \"{}\" is used again", printable(new.key)), None)
            });
        }
        if other.value != new.value {
            self.reporter.report(place, Some(Role::Value), Code::LinkValueMismatch, || {
                let key = printable(other.key()).into_owned();
                (format!("the two halves of link \"{key}\" have different values"), None)
            });
        }
        self.emit_link(new, &other, place);
        self.links.recycle(other);
    }

    fn emit_link(&mut self, new: &NewHalf<'_>, other: &Half, place: Place<'_>) {
        let other_first = other.time <= new.time;
        let (start, end) = match new.side {
            Side::End => ((other.time, other.container, other.value), (new.time, new.container)),
            Side::Start => ((new.time, new.container, new.value), (other.time, other.container)),
        };
        if end.0 < start.0 {
            self.reporter.report(place, Some(Role::Time), Code::LinkNegativeDuration, || {
                let key = printable(other.key()).into_owned();
                (format!("link \"{key}\" ends before it starts"), None)
            });
        }
        let row = LinkRow {
            start: start.0,
            end: end.0,
            source: Some(start.1),
            destination: Some(end.1),
            value: start.2,
            size: match new.side {
                Side::End => other.size().or(new.size),
                Side::Start => new.size.or(other.size()),
            },
            key: new.key,
        };
        let lane = self.tracks.tracks[new.track as usize].lane;
        self.scratch.clear();
        let (first, second) = match other_first {
            true => (other.extras(), new.extras),
            false => (new.extras, other.extras()),
        };
        self.scratch.extend_from_slice(first);
        self.scratch.extend_from_slice(second);
        if !self.tracks.dry
            && let Err(error) = self.tracks.sink.link(lane, &row, &self.scratch)
        {
            self.tracks.failed.get_or_insert(error);
        }
    }

    /// Puts a half aside to be sorted.
    fn divert_half(&mut self, new: &NewHalf<'_>, place: Place<'_>) {
        if self.aside.is_too_late(new.time) {
            return self.report_late(place);
        }
        // Where records wait for a while only, halves of all links would be too many to remember.
        if self.plan.within.is_none() {
            let late_key = (new.track, new.key_hash, new.side == Side::Start);
            let latest = self.latest_half.entry(late_key).or_insert(new.time);
            if new.time < *latest {
                self.report_disorder(place);
            } else {
                *latest = new.time;
            }
        }
        let mut encoded = std::mem::take(&mut self.scratch);
        encode_half(new, &mut encoded);
        let place = place_number(new.position);
        let key = SortKey { group: u64::from(new.track), time: new.time, rank: 0, place };
        if let Err(error) = self.aside.push(key, &encoded) {
            self.failed.get_or_insert(SimulateError::Temporary(error));
        }
        self.scratch = encoded;
    }

    /// Pairs what can be paired, if that is wanted; else tells how much could be. Returns the
    /// halves that stay alone.
    fn repair(&mut self, unmatched: Vec<Half>) -> Vec<Half> {
        let pairs = repair::pairs(&unmatched);
        let ambiguous = pairs.iter().filter(|pair| pair.ambiguous).count();
        if !self.options.repair_links {
            if !pairs.is_empty() {
                self.reporter.report(Place::None, None, Code::LinkRepairable, || {
                    let message = format!(
                        "{} receives from any source or with any tag have no start; they could be \
                         paired by order, {ambiguous} of them in several ways",
                        pairs.len()
                    );
                    (message, Some("read the trace with \"--repair links\"".to_owned()))
                });
            }
            return unmatched;
        }
        let field = self.symbols.field(b"Repaired", FieldKind::String);
        for pair in &pairs {
            let (start, end) = (&unmatched[pair.start], &unmatched[pair.end]);
            let place = Place::Line(end.position());
            let keys = || (printable(end.key()).into_owned(), printable(start.key()).into_owned());
            self.reporter.report(place, None, Code::LinkRepaired, || {
                let (end, start) = keys();
                (format!("the end \"{end}\" is paired with the start \"{start}\" by order"), None)
            });
            if pair.ambiguous {
                self.reporter.report(place, None, Code::LinkRepairAmbiguous, || {
                    let message =
                        format!("the end \"{}\" could be paired in several ways", keys().0);
                    (message, Some("the message that was sent first is taken".to_owned()))
                });
            }
            let row = LinkRow {
                start: start.time,
                end: end.time,
                source: Some(start.container),
                destination: Some(end.container),
                value: start.value,
                size: start.size().or(end.size()),
                key: start.key(),
            };
            self.scratch.clear();
            self.scratch.extend_from_slice(start.extras());
            self.scratch.extend_from_slice(end.extras());
            let how: &[u8] = if pair.ambiguous { b"by order, ambiguous" } else { b"by order" };
            push_extra(&mut self.scratch, field, how);
            let lane = self.tracks.tracks[start.track as usize].lane;
            if let Err(error) = self.tracks.sink.link(lane, &row, &self.scratch) {
                self.tracks.failed.get_or_insert(error);
                return Vec::new();
            }
        }
        let mut alone = vec![true; unmatched.len()];
        for pair in &pairs {
            (alone[pair.start], alone[pair.end]) = (false, false);
        }
        let left = unmatched.into_iter().zip(alone);
        left.filter_map(|(half, alone)| alone.then_some(half)).collect()
    }

    pub(crate) fn emit_half_links(&mut self) {
        let unmatched = std::mem::take(&mut self.links).into_unmatched();
        let unmatched = self.repair(unmatched);
        let mut by_kind = BTreeMap::new();
        for half in &unmatched {
            let type_id = self.tracks.tracks[half.track as usize].type_id;
            *by_kind.entry((type_id, half.side == Side::End)).or_insert(0u64) += 1;
        }
        for half in unmatched {
            let line = &self.tracks.tracks[half.track as usize];
            let (lane, type_id) = (line.lane, line.type_id);
            let place = Place::Line(half.position());
            self.reporter.report(place, None, Code::LinkUnmatched, || {
                let (there, missing) = match half.side {
                    Side::Start => ("start", "end"),
                    Side::End => ("end", "start"),
                };
                let type_name = printable(&self.names.type_def(type_id).name).into_owned();
                let key = printable(half.key()).into_owned();
                let n = by_kind[&(type_id, half.side == Side::End)];
                let message = format!(
                    "the {there} of link \"{key}\" of type \"{type_name}\" has no {missing}"
                );
                let hint = format!("{n} in all of this type have a {there} and no {missing}");
                (message, (n > 1).then_some(hint))
            });
            let start = half.side == Side::Start;
            let row = LinkRow {
                start: half.time,
                end: half.time,
                source: start.then_some(half.container),
                destination: (!start).then_some(half.container),
                value: half.value,
                size: half.size(),
                key: half.key(),
            };
            if let Err(error) = self.tracks.sink.link(lane, &row, half.extras()) {
                self.tracks.failed.get_or_insert(error);
                return;
            }
        }
    }
}

fn encode_half(half: &NewHalf<'_>, out: &mut Vec<u8>) {
    out.clear();
    let flags = [half.side == Side::End, half.size.is_some(), half.unique];
    out.push(flags.iter().rev().fold(0, |tag, &flag| tag << 1 | u8::from(flag)));
    out.extend_from_slice(&half.value.0.to_le_bytes());
    out.extend_from_slice(&half.container.0.to_le_bytes());
    out.extend_from_slice(&half.size.unwrap_or(0).to_le_bytes());
    out.extend_from_slice(&half.key_hash.to_le_bytes());
    out.extend_from_slice(&(half.key.len() as u32).to_le_bytes());
    out.extend_from_slice(half.key);
    out.extend_from_slice(half.extras);
}

pub(crate) fn decode_half(key: SortKey, position: Position, record: &[u8]) -> Option<NewHalf<'_>> {
    let (&tag, rest) = record.split_first()?;
    let (value, rest) = rest.split_first_chunk::<4>()?;
    let (container, rest) = rest.split_first_chunk::<4>()?;
    let (size, rest) = rest.split_first_chunk::<8>()?;
    let (key_hash, rest) = rest.split_first_chunk::<8>()?;
    let (key_len, rest) = rest.split_first_chunk::<4>()?;
    let (key_text, extras) = rest.split_at_checked(u32::from_le_bytes(*key_len) as usize)?;
    Some(NewHalf {
        track: key.group as u32,
        side: if tag & 1 == 0 { Side::Start } else { Side::End },
        time: key.time,
        value: ValueId(u32::from_le_bytes(*value)),
        container: ContainerId(u32::from_le_bytes(*container)),
        unique: tag & 4 != 0,
        size: (tag & 2 != 0).then_some(u64::from_le_bytes(*size)),
        key_hash: u64::from_le_bytes(*key_hash),
        key: key_text,
        extras,
        position,
    })
}
