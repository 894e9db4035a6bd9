//! The marks of states in the making.

use onca_layout::text::Font;
use onca_model::{Color, LaneId, ShareEdges, StateRow};
use onca_scene::{
    Align, Bounds, ColumnList, ColumnPart, Label, PIXEL_RULES, Pick, Point, Rect, Rise, Strips,
    Title, Weight,
};

use crate::{color, timeline::stage::Stage};

/// A state is worth a text for the pointer from this width on, in pixels.
const TITLE_WIDTH: f64 = 3.0;
/// Letters in marks.
pub(crate) const MARK_SIZE: f64 = 10.0;

/// The marks of the states of some rows. Those of neighbouring rows can be made at once and put
/// together.
#[derive(Default)]
pub(crate) struct StateMarks {
    /// By depth.
    pub depths: Vec<DepthMarks>,
    /// Rectangles that are worth a text for the pointer.
    pub titled: Vec<Titled>,
    /// Names in rectangles.
    pub labels: Vec<Label>,
}

/// States of one depth: those inside them lie above.
#[derive(Default)]
pub(crate) struct DepthMarks {
    /// Columns of shares.
    pub strips: Strips,
    /// Single states.
    pub rects: Vec<Rect>,
}

/// The rectangle of a state.
pub(crate) struct Titled {
    /// How deep it is nested.
    pub depth: usize,
    /// Its number among the rectangles of its depth.
    pub number: usize,
    /// What it stands for.
    pub state: StateRow,
    /// Where that is.
    pub lane: LaneId,
}

/// What a value has of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TimeOfValue {
    /// The place of its colour in the palette.
    pub color: u16,
    /// Its time, or number.
    pub ticks: u64,
}

/// A strip whose columns are being added.
pub(crate) struct StripBegun {
    place: StripPlace,
    first_column: usize,
}

/// Where a strip is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct StripPlace {
    /// How deep its states are nested.
    pub depth: usize,
    /// Upper side, in pixels.
    pub y0: f64,
    /// Lower side, in pixels.
    pub y1: f64,
    /// What it stands for.
    pub pick: Pick,
}

/// What fills a column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Filling {
    edges: ShareEdges,
    /// What has less ticks is thinner than a pixel, and is marked on the upper edge.
    thin: u64,
}

impl Filling {
    /// This many ticks fill a column, which is this many pixels high.
    pub fn new(ticks: u64, height: f64) -> Self {
        // Marks need room.
        let is_marked = !PIXEL_RULES.is_thin(height);
        let thin = if is_marked { (ticks as f64 / height).ceil() as u64 } else { 0 };
        Self { edges: ShareEdges::of(ticks), thin }
    }
}

impl StripPlace {
    /// How high it is, in pixels.
    pub fn height(&self) -> f64 {
        self.y1 - self.y0
    }
}

/// Appends a column: what values have of it from the bottom up, what would fill it, and whether it
/// hides single entities.
#[inline]
pub(crate) fn paint_column(
    columns: &mut impl ColumnList,
    times: impl Iterator<Item = TimeOfValue>,
    filling: &Filling,
    aggregate: impl FnOnce() -> bool,
) {
    let (mut edges, mut rare, mut n) = (filling.edges, None, 0);
    times.for_each(|TimeOfValue { color, ticks }| {
        if ticks < filling.thin {
            rare = Some(color);
        }
        columns.push_part(ColumnPart { color, share: edges.next(ticks) });
        n += 1;
    });
    // What is alone can be seen, unless it is less than any share.
    let is_marked = n > 1 || edges.edge() == 0;
    columns.end_column(rare.filter(|_| is_marked), aggregate());
}

impl StateMarks {
    fn depth(&mut self, depth: usize) -> &mut DepthMarks {
        if self.depths.len() <= depth {
            self.depths.resize_with(depth + 1, DepthMarks::default);
        }
        &mut self.depths[depth]
    }

    /// Adds the rectangle of a state.
    pub fn add_state(
        &mut self,
        stage: &Stage<'_>,
        depth: usize,
        rect: Rect,
        state: &StateRow,
        lane: LaneId,
    ) {
        let width = stage.pixels(rect.bounds.width());
        let rects = &mut self.depth(depth).rects;
        rects.push(rect);
        let number = rects.len() - 1;
        if width >= TITLE_WIDTH {
            self.titled.push(Titled { depth, number, state: *state, lane });
        }
    }

    /// Begins a strip; its columns follow.
    pub fn begin_strip(&mut self, place: StripPlace, first_column: usize) -> StripBegun {
        // It may be the first of its depth.
        self.depth(place.depth);
        StripBegun { place, first_column }
    }

    /// Adds a column to a strip: what values have of it from the bottom up.
    pub fn add_column(
        &mut self,
        strip: &StripBegun,
        times: impl Iterator<Item = TimeOfValue>,
        filling: &Filling,
        aggregate: bool,
    ) {
        let strips = &mut self.depths[strip.place.depth].strips;
        paint_column(strips, times, filling, || aggregate);
    }

    /// Ends a strip.
    pub fn end_strip(&mut self, stage: &Stage<'_>, strip: StripBegun) {
        let StripBegun { place, first_column } = strip;
        let strips = &mut self.depth(place.depth).strips;
        let end = first_column + strips.n_new();
        let (x0, x1) = (stage.grid.column_x(first_column), stage.grid.column_x(end));
        strips.push_strip(Bounds::new(x0, place.y0, x1, place.y1), place.pick);
    }

    /// Writes a text into the middle of a free place if it fits, in a colour that can be read on
    /// what is behind it.
    pub fn write_into(
        &mut self,
        stage: &Stage<'_>,
        place: Bounds,
        text: &str,
        behind: Color,
        pick: Pick,
    ) {
        let fits_down = place.height() >= Font::Regular.capital_height(MARK_SIZE) + 4.0;
        let room = stage.pixels(place.width()) - 6.0;
        if fits_down && !text.is_empty() && Font::Regular.width(text, MARK_SIZE) <= room {
            let color = color::text_on(color::over(behind, stage.colors.background));
            self.labels.push(Label { pick, ..label(place.center(), text, color, Align::Middle) });
        }
    }

    /// The marks of outermost states in columns.
    pub fn of_strips(strips: Strips) -> Self {
        let depths = vec![DepthMarks { strips, rects: Vec::new() }];
        Self { depths, ..Self::default() }
    }

    /// Appends what was made of rows further down, one run after the other.
    pub fn append(&mut self, runs: Vec<Self>) {
        let n_depths = runs.iter().map(|run| run.depths.len()).max().unwrap_or(0);
        for depth in 0..n_depths {
            let strips = || runs.iter().filter_map(|run| Some(&run.depths.get(depth)?.strips));
            let n_columns = strips().map(|strips| strips.columns.len()).sum();
            let n_parts = strips().map(|strips| strips.shares.len()).sum();
            let rects = runs.iter().filter_map(|run| Some(run.depths.get(depth)?.rects.len()));
            let own = self.depth(depth);
            own.strips.reserve(n_columns, n_parts);
            own.rects.reserve(rects.sum());
        }
        runs.into_iter().for_each(|run| self.append_run(run));
    }

    fn append_run(&mut self, mut run: Self) {
        for titled in run.titled {
            let before = self.depths.get(titled.depth).map_or(0, |before| before.rects.len());
            self.titled.push(Titled { number: titled.number + before, ..titled });
        }
        for (depth, marks) in run.depths.into_iter().enumerate() {
            let own = self.depth(depth);
            own.rects.extend(marks.rects);
            own.strips.append(&marks.strips);
        }
        self.labels.append(&mut run.labels);
    }
}

/// A small text in the middle of a line.
pub(crate) fn label(at: Point, text: &str, color: Color, align: Align) -> Label {
    Label {
        at,
        text: text.to_owned(),
        size: MARK_SIZE,
        weight: Weight::Regular,
        color,
        align,
        rise: Rise::Middle,
        turn: 0.0,
        length: Font::Regular.width(text, MARK_SIZE),
        title: Title::NONE,
        pick: Pick::NOTHING,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shares and the rare value of a column of 1000 ticks.
    fn painted(ticks: &[u64], height: f64) -> (Vec<u8>, Option<u16>) {
        let mut strips = Strips::default();
        let times = ticks.iter().zip(0..).map(|(&ticks, color)| TimeOfValue { color, ticks });
        paint_column(&mut strips, times, &Filling::new(1000, height), || false);
        (strips.shares.clone(), strips.columns[0].rare())
    }

    #[test]
    fn rare_values_are_marked_where_there_is_room() {
        assert_eq!(painted(&[900, 100], 10.0), (vec![230, 25], None));
        assert_eq!(painted(&[920, 80], 10.0), (vec![235, 20], Some(1)), "thinner than a pixel");
        assert_eq!(painted(&[920, 80], 5.0), (vec![235, 20], None), "the row is too low");
        assert_eq!(painted(&[997, 1], 10.0), (vec![254], Some(1)), "less than any share");
    }

    #[test]
    fn what_is_alone_leaves_a_mark_however_short_it_is() {
        assert_eq!(painted(&[80], 10.0), (vec![20], None), "its part can be seen");
        assert_eq!(painted(&[1], 10.0), (vec![], Some(0)));
        assert_eq!(painted(&[0], 10.0), (vec![], Some(0)), "an instant");
        assert_eq!(painted(&[], 10.0), (vec![], None));
    }
}
