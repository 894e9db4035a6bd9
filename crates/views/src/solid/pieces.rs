//! States as pieces of time, of which no two overlap.

use onca_answer::{TrackId, entities};
use onca_model::{LaneId, Ticks, ValueId};
use onca_query::Scope;

use crate::Result;

/// A stretch of time in which one state is the innermost. A state with others inside has several.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    pub start: Ticks,
    pub end: Ticks,
    pub value: ValueId,
    pub depth: usize,
    pub lane: LaneId,
    pub row: u64,
}

/// An open state.
struct Open {
    end: Ticks,
    /// What it is seen as; `None` if the lens hides it, for hidden time goes to nobody.
    seen: Option<(ValueId, u64)>,
}

/// The pieces of a track in the window, in order.
pub(super) fn pieces(scope: &Scope<'_>, track: TrackId) -> Result<Vec<Piece>> {
    let lanes = entities::lanes_of(scope, track);
    let mut walk =
        Walk { scope, lanes, open: Vec::new(), at: scope.window().from, found: Vec::new() };
    entities::visit_nested_states(scope, track, |depth, row, state, is_seen| {
        walk.close_to(depth);
        walk.go_to(state.start);
        let seen = is_seen.then_some((state.value, row));
        walk.open.push(Open { end: state.end, seen });
    })?;
    walk.close_to(0);
    Ok(walk.found)
}

struct Walk<'a> {
    scope: &'a Scope<'a>,
    lanes: &'a [LaneId],
    open: Vec<Open>,
    /// Everything before is done.
    at: Ticks,
    found: Vec<Piece>,
}

impl Walk<'_> {
    /// Ends the states deeper than a depth.
    fn close_to(&mut self, depth: usize) {
        while self.open.len() > depth {
            let end = self.open[self.open.len() - 1].end;
            self.go_to(end);
            self.open.pop();
        }
    }

    /// Goes on in time: what passes belongs to the innermost state.
    fn go_to(&mut self, time: Ticks) {
        let time = time.min(self.scope.window().to);
        if time <= self.at {
            return;
        }
        if let Some(Open { seen: Some((value, row)), .. }) = self.open.last() {
            let depth = self.open.len() - 1;
            self.found.push(Piece {
                start: self.at,
                end: time,
                value: *value,
                depth,
                lane: self.lanes[depth],
                row: *row,
            });
        }
        self.at = time;
    }
}
