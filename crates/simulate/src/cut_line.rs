//! The last line of a file that no newline ends: its last word may be the beginning of another one.
//! Files that are written by hand end like this, and so do traces of programs that were killed. The line
//! counts if all that it names is known already; a name that nothing before it has is not believed.

use onca_model::{EntitySink, Nature, TypeId};
use onca_read::{Batch, Op, Rare, Record};

use crate::Simulator;

impl<S: EntitySink> Simulator<'_, S> {
    /// Applies the record of such a line, or counts it as lost.
    #[cold]
    pub(crate) fn cut_record(&mut self, batch: &Batch, record: &Record, extras: &[u8]) {
        match record.op {
            Op::Rare if is_new(&batch.rare[record.value as usize]) => self.reporter.lost += 1,
            Op::Rare => self.rare(batch, record, extras),
            // Its key is new: the other half comes later.
            Op::StartLink => self.reporter.lost += 1,
            _ => self.timed(batch, record, extras),
        }
    }

    /// Is this the record of such a line, and its value one that the type has not had before?
    pub(crate) fn is_half_value(&self, batch: &Batch, record: &Record, type_id: TypeId) -> bool {
        let value = match record.op.nature() {
            Nature::State | Nature::Event if has_value(record.op) => record.value,
            Nature::Link => batch.halves[record.value as usize].value,
            _ => return false,
        };
        batch.cut
            && !self.options.as_pajeng
            && !self.names.knows_value(self.symbols, type_id, value)
    }
}

/// What becomes of the line, for its message.
pub(crate) fn fate(batch: &Batch, is_lost: bool) -> Option<&'static str> {
    batch.cut.then_some(match is_lost {
        true => "the line is lost: it names what nothing before it names",
        false => "the line is taken as it is: all that it names is known",
    })
}

/// Does a record bring a new name?
fn is_new(rare: &Rare) -> bool {
    match rare {
        Rare::Type(_)
        | Rare::Value(_)
        | Rare::Create(_)
        | Rare::Part { .. }
        | Rare::UserEvent { .. } => true,
        Rare::Destroy { .. } | Rare::Ignored => false,
    }
}

fn has_value(op: Op) -> bool {
    matches!(op, Op::SetState | Op::PushState | Op::NewEvent)
}
