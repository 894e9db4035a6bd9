//! What of an entity lies in the window.

use onca_model::{LinkRow, StateRow, Ticks, VariableRow, Window};
use onca_query::Scope;

/// What happens to links that cross a border of the window.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Border {
    /// They are left out: a clipped link would have times that nobody measured.
    #[default]
    Inside,
    /// They are clipped to the window.
    Clip,
}

/// An interval after clipping.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Clipped {
    pub start: Ticks,
    pub end: Ticks,
    /// Was anything cut off?
    pub cut: bool,
}

/// Clips to a window. A window that reaches to the end of the trace holds what happens at its last
/// instant: there is nothing after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clip {
    window: Window,
    border: Border,
}

impl Clip {
    pub(crate) fn new(scope: &Scope<'_>, border: Border) -> Self {
        let facts = &scope.catalog().facts;
        let Window { from, to } = scope.window();
        let from = if from <= facts.start { Ticks::MIN } else { from };
        let to = if to >= facts.end { Ticks::MAX } else { to };
        Self { window: Window { from, to }, border }
    }

    /// The window, open where it reaches a border of the trace.
    pub(crate) fn window(&self) -> Window {
        self.window
    }

    /// The part of an interval that lies in the window, if it touches it.
    pub(crate) fn interval(&self, start: Ticks, end: Ticks) -> Option<Clipped> {
        let Window { from, to } = self.window;
        self.window.touches(start, end).then(|| {
            let cut = start < from || end > to;
            Clipped { start: start.max(from), end: end.min(to), cut }
        })
    }

    pub(crate) fn state(&self, row: &StateRow) -> Option<Clipped> {
        self.interval(row.start, row.end)
    }

    pub(crate) fn variable(&self, row: &VariableRow) -> Option<Clipped> {
        self.interval(row.start, row.end)
    }

    /// A link and what remains of it; nothing if it is left out. Both ends are instants.
    pub(crate) fn link(&self, row: &LinkRow<'_>) -> Option<Clipped> {
        let holds = |time: Ticks| self.window.touches(time, time);
        let (low, high) = (row.start.min(row.end), row.start.max(row.end));
        let Window { from, to } = self.window;
        let cut = !holds(low) || !holds(high);
        match (cut, self.border) {
            (false, _) => Some(Clipped { start: row.start, end: row.end, cut }),
            (true, Border::Inside) => None,
            (true, Border::Clip) => self.window.touches(low, high).then(|| Clipped {
                start: row.start.clamp(from, to),
                end: row.end.clamp(from, to),
                cut,
            }),
        }
    }

    /// The life of a container, moved into the window. One that ended before the window, and still
    /// has records in it, keeps its times: what comes after the end of a container is not what
    /// comes at its end.
    pub(crate) fn life(&self, start: Ticks, end: Ticks) -> (Ticks, Ticks) {
        let before = start < self.window.from && self.interval(start, end).is_none();
        if before { (start, end) } else { (self.clamp(start), self.clamp(end)) }
    }

    /// A time moved into the window.
    pub(crate) fn clamp(&self, time: Ticks) -> Ticks {
        time.clamp(self.window.from, self.window.to)
    }
}
