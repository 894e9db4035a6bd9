//! Metrics as variables.

use onca_model::Code;

use super::archive::Archive;
use super::definitions::Metric;
use super::places::Place;
use super::stream::Stream;
use super::value::{Kind, metric_number};
use super::vocabulary::{Entity, TypeKey};
use crate::batch::Op;
use crate::cursor::{Cursor, Field};
use crate::piece::Piece;
use crate::symbols::Symbol;

impl Stream {
    /// Values of variables, each on the container that it belongs to.
    pub(super) fn metric(
        &mut self,
        archive: &Archive<'_>,
        c: &mut Cursor<'_>,
        piece: &mut Piece<'_>,
    ) -> Field<()> {
        let id = self.local.global(Kind::Metric, c.c32()?.into());
        let n = c.u8()?;
        // Nothing is applied before all is known to be there.
        let mut values = *c;
        for _ in 0..n {
            c.u8()?;
            c.c64()?;
        }
        piece.batch.n_records += 1;
        let Some(time) = self.time_or_lose(piece) else { return Ok(()) };
        let Some(number) = archive.definitions.metrics.number(id) else {
            self.attributes.clear();
            piece.lose(Code::UnknownDefinition, || format!("metric {id} is not defined"));
            return Ok(());
        };
        self.look_up_metric(archive, number);
        let variables = &self.metrics[&number];
        for variable in variables.iter().take(n.into()) {
            let (kind, bits) = (values.u8()?, values.c64()?);
            let (Some(variable), Some(value)) = (variable, metric_number(kind, bits)) else {
                piece.problem(Code::UnknownDefinition, || {
                    format!(
                        "metric {id} has a member, or a value of type {kind}, that is not known"
                    )
                });
                continue;
            };
            let has_extras = piece.take_extras(&mut self.attributes);
            piece.batch.numbers.push(variable.scaled(value));
            let index = piece.batch.numbers.len() as u32 - 1;
            piece.push(time, variable.pair, Op::SetVariable, index, has_extras);
        }
        if usize::from(n) > variables.len() {
            piece.problem(Code::UnknownDefinition, || {
                format!("metric {id} has {n} values but {} members", variables.len())
            });
        }
        Ok(())
    }

    /// Looks up the variables of a metric, if that was not done before.
    fn look_up_metric(&mut self, archive: &Archive<'_>, number: u32) {
        if self.metrics.contains_key(&number) {
            return;
        }
        let definitions = &archive.definitions;
        let (class, scope) = match &definitions.metrics.entries[number as usize] {
            class @ Metric::Class { .. } => (Some(class), None),
            Metric::Instance { class, scope_kind, scope } => {
                (definitions.metrics.get(*class), Some((*scope_kind, *scope)))
            }
        };
        let members = match class {
            Some(Metric::Class { members }) => members.as_slice(),
            _ => &[],
        };
        let own = &archive.places.locations[self.location as usize];
        let place = scope.and_then(|(kind, id)| scope_of(archive, kind, id)).unwrap_or(own);
        let mut variables = Vec::new();
        for &member in members {
            let Some(member) = definitions.members.number(member.into()) else {
                variables.push(None);
                continue;
            };
            let def = &definitions.members.entries[member as usize];
            let entity = Entity::Metric(archive.vocabulary.member(member));
            let key = TypeKey { place_type: Some(place.type_number), entity };
            let base: f64 = if def.base == 0 { 2.0 } else { 10.0 };
            let power = base.powi(def.exponent.unsigned_abs().min(400) as i32);
            let pair = self.pair_of(archive, &place.alias, key);
            variables.push(Some(Variable { pair, power, divides: def.exponent < 0 }));
        }
        self.metrics.insert(number, variables);
    }
}

/// A variable that a metric gives values to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variable {
    pub pair: Symbol,
    /// The scale of its values. A negative power divides, so that values are as exact as can be.
    power: f64,
    divides: bool,
}

impl Variable {
    /// A value, scaled.
    pub fn scaled(&self, value: f64) -> f64 {
        if self.divides { value / self.power } else { value * self.power }
    }
}

/// The container that a metric is about, where it is not about a group of locations.
fn scope_of<'a>(archive: &'a Archive<'_>, kind: u8, id: u64) -> Option<&'a Place> {
    let (definitions, places) = (&archive.definitions, &archive.places);
    match kind {
        0 => places.locations.get(definitions.locations.number(id)? as usize),
        1 => places.groups.get(definitions.location_groups.number(id)? as usize),
        2 => places.nodes.get(definitions.nodes.number(id)? as usize),
        _ => None,
    }
}
