//! Records: their tokens, their fields, and which part of the interpreter they concern.

use std::collections::BTreeMap;

use super::{Reader, Refused};
use crate::header::{EventKind, Layout};
use crate::model::{Extras, Nature};
use crate::number::{Time, parse_time};
use crate::token::{Mode, tokenize};

const LONGEST_TOKEN: usize = 1 << 20;

/// A record line cut into the fields of its layout.
pub(super) struct Fields {
    pub(super) by_role: BTreeMap<&'static str, Vec<u8>>,
    pub(super) extras: Extras,
    pub(super) names_a_part: bool,
}

impl Fields {
    /// A mandatory field; `read_fields` has made sure that it is there.
    pub(super) fn get(&self, role: &str) -> Vec<u8> {
        self.by_role.get(role).cloned().unwrap_or_default()
    }

    /// The alias, unless it is one of the ways to write that there is none.
    pub(super) fn alias(&self) -> Option<Vec<u8>> {
        let alias = self.by_role.get("Alias")?;
        (!alias.is_empty() && alias != b"(null)").then(|| alias.clone())
    }
}

impl Reader {
    /// An error with an empty code is a loss that has been counted elsewhere.
    pub(super) fn read_record(&mut self, line: &[u8]) -> Result<(), Refused> {
        let plain = tokenize(line, Mode::Plain);
        let mut layout = None;
        let mut kept = plain.clone();
        match self.find_layout(&plain.words[0]) {
            Ok(found) => {
                let understood = found.is_complete()
                    && !matches!(found.kind, EventKind::Unknown | EventKind::Ignored);
                if understood && plain.words.len() != found.fields.len() + 1 {
                    for (mode, code) in
                        [(Mode::Escapes, "escaped-quote"), (Mode::HashInWord, "hash-in-word")]
                    {
                        if mode == Mode::Escapes && !line.windows(2).any(|pair| pair == b"\\\"") {
                            continue;
                        }
                        let retry = tokenize(line, mode);
                        if retry.words.len() == found.fields.len() + 1
                            && retry.words[0] == plain.words[0]
                        {
                            self.tally(code);
                            kept = retry;
                            break;
                        }
                    }
                }
                layout = Some(found);
            }
            Err(code) => self.tally(code),
        }
        if kept.unterminated {
            self.tally("unterminated-string");
        }
        if kept.words.iter().any(|word| word.len() > LONGEST_TOKEN) {
            return Err("line-too-long");
        }
        let Some(layout) = layout else {
            return Err("");
        };
        match layout.kind {
            // The definition has been reported.
            EventKind::Unknown => return Err(""),
            EventKind::Ignored => return Ok(()),
            _ => {}
        }
        if !layout.is_complete() {
            return Err("missing-mandatory-field");
        }
        let fields = self.read_fields(&layout, &kept.words[1..])?;
        self.apply(layout.kind, &layout.name, fields)
    }

    fn read_fields(&mut self, layout: &Layout, tokens: &[Vec<u8>]) -> Result<Fields, Refused> {
        let mut by_role = BTreeMap::new();
        for &role in layout.kind.mandatory() {
            let column = layout.column(role).ok_or("missing-mandatory-field")?;
            let token = tokens.get(column).ok_or("missing-field")?;
            by_role.insert(role, token.clone());
        }
        for &role in layout.kind.optional() {
            if let Some(token) = layout.column(role).and_then(|column| tokens.get(column)) {
                by_role.insert(role, token.clone());
            }
        }
        if tokens.len() < layout.fields.len() {
            self.tally("too-few-tokens");
        }
        let mut extras = Extras::new();
        let mut names_a_part = false;
        for column in layout.extra_columns() {
            let Some(token) = tokens.get(column) else {
                continue;
            };
            let spelling = &layout.fields[column];
            names_a_part |= match spelling.as_slice() {
                b"Filename" => !token.is_empty(),
                b"File" | b"FileName" => token.ends_with(b".ept"),
                _ => false,
            };
            extras.push((spelling.clone(), token.clone()));
        }
        if tokens.len() > layout.fields.len() {
            self.tally("too-many-tokens");
            for (index, token) in tokens[layout.fields.len()..].iter().enumerate() {
                extras.push((format!("+{}", index + 1).into_bytes(), token.clone()));
            }
        }
        Ok(Fields { by_role, extras, names_a_part })
    }

    fn apply(
        &mut self,
        kind: EventKind,
        layout_name: &[u8],
        fields: Fields,
    ) -> Result<(), Refused> {
        match kind {
            EventKind::DefineContainerType => self.define_type(Nature::Container, kind, &fields),
            EventKind::DefineStateType => self.define_type(Nature::State, kind, &fields),
            EventKind::DefineEventType => self.define_type(Nature::Event, kind, &fields),
            EventKind::DefineVariableType => self.define_type(Nature::Variable, kind, &fields),
            EventKind::DefineLinkType => self.define_type(Nature::Link, kind, &fields),
            EventKind::DefineEntityValue => self.define_value(&fields),
            EventKind::CreateContainer => self.create_container(fields),
            EventKind::DestroyContainer => self.destroy_container(&fields),
            EventKind::SetState
            | EventKind::PushState
            | EventKind::PopState
            | EventKind::ResetState
            | EventKind::NewEvent
            | EventKind::SetVariable
            | EventKind::AddVariable
            | EventKind::SubVariable => self.track_record(kind, fields),
            EventKind::StartLink => self.link_half(true, fields),
            EventKind::EndLink => self.link_half(false, fields),
            EventKind::TraceFile => {
                self.check_not_cut()?;
                self.tally("missing-part-file");
                self.trace.lost += 1;
                Ok(())
            }
            EventKind::User => self.user_event(layout_name, fields),
            EventKind::Ignored | EventKind::Unknown => Ok(()),
        }
    }

    pub(super) fn time(&mut self, fields: &Fields) -> Result<i64, Refused> {
        match parse_time(&fields.get("Time")) {
            Time::Ticks { ticks, rounded } => {
                if rounded {
                    self.tally("time-rounded");
                }
                Ok(ticks)
            }
            Time::NonFinite => Err("non-finite-time"),
            Time::Bad => Err("bad-number"),
        }
    }

    /// A record that was resolved completely moves the end of the trace.
    pub(super) fn saw_time(&mut self, time: i64) {
        self.latest = Some(self.latest.map_or(time, |latest| latest.max(time)));
    }
}
