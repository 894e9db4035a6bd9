//! Rows that fit into the height there is.

use std::ops::Range;

use onca_model::printable;
use onca_query::Scope;

use crate::{
    Result,
    timeline::{
        TimelineOptions,
        content::{Row, STATE_HEIGHT, Wanting},
        plan::Planner,
    },
};

/// How much room there is for rows, in pixels.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Room {
    /// As much as the rows want, but not more than this.
    UpTo(f64),
    /// Exactly this: neighbours are merged where there are too many.
    Exactly(f64),
    /// As much as the rows want. Only those that touch a part of it are painted.
    Natural {
        /// Where the part begins.
        from: f64,
        /// Where it ends.
        to: f64,
    },
}

/// A row of states is at least this high.
const LEAST_HEIGHT: f64 = 1.0;
/// Rows are not stretched beyond this.
const MOST_HEIGHT: f64 = 48.0;
/// Rows of natural height are not lower than this.
const LEAST_NATURAL_HEIGHT: f64 = 4.0;
/// Levels are collapsed only while their rows are not higher than this: else neighbours are
/// merged, which keeps more of the picture.
const COARSE_HEIGHT: f64 = 16.0;

/// Rows with their places.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Fitted {
    /// The rows, from top to bottom.
    pub rows: Vec<Row>,
    /// How high they are together.
    pub height: f64,
    /// Those that are painted.
    pub painted: Range<usize>,
    /// What was done to make them fit.
    pub note: Option<String>,
}

/// Chooses rows and places them.
pub(crate) fn fit(
    scope: &Scope<'_>,
    planner: &Planner<'_, '_>,
    options: &TimelineOptions,
    room: Room,
) -> Result<Fitted> {
    let (mut rows, note) = match room {
        Room::UpTo(height) | Room::Exactly(height) => {
            chosen(scope, planner, options, height.max(LEAST_HEIGHT))?
        }
        Room::Natural { .. } => (planner.rows()?, None),
    };
    let wanting = wanting(&rows, options, room);
    let scale = scale(total(&rows, wanting), options.row_height, room);
    let height = place(&mut rows, scale, wanting);
    let painted = match room {
        Room::Natural { from, to } => touching(&rows, from, to),
        _ => 0..rows.len(),
    };
    Ok(Fitted { rows, height, painted, note })
}

/// The rows that touch the pixels from one place to another.
fn touching(rows: &[Row], from: f64, to: f64) -> Range<usize> {
    let first = rows.partition_point(|row| row.span().1 <= from);
    let end = rows.partition_point(|row| row.span().0 < to);
    first..end.max(first)
}

impl Fitted {
    /// The rows that are painted.
    pub fn painted(&self) -> &[Row] {
        &self.rows[self.painted.clone()]
    }

    /// The upper and lower side of what is painted.
    pub fn sides(&self) -> (f64, f64) {
        match self.painted() {
            [first, .., last] => (first.span().0, last.span().1),
            [one] => one.span(),
            [] => (0.0, 0.0),
        }
    }
}

fn total(rows: &[Row], wanting: Wanting) -> f64 {
    rows.iter().map(|row| row.wanted_height(wanting)).sum()
}

/// Variables yield where groups can be opened and a row be made higher: on a screen, not on paper.
fn wanting(rows: &[Row], options: &TimelineOptions, room: Room) -> Wanting {
    let height = match room {
        Room::UpTo(height) | Room::Exactly(height) => height,
        Room::Natural { .. } => return Wanting::Everything,
    };
    let is_short = total(rows, Wanting::Everything) > height;
    match options.groups && is_short && rows.iter().any(Row::has_states) {
        true => Wanting::StatesFirst,
        false => Wanting::Everything,
    }
}

/// All rows if they fit, else fewer.
fn chosen(
    scope: &Scope<'_>,
    planner: &Planner<'_, '_>,
    options: &TimelineOptions,
    height: f64,
) -> Result<(Vec<Row>, Option<String>)> {
    let fits = |rows: &[Row]| {
        let wanted = total(rows, wanting(rows, options, Room::UpTo(height)));
        wanted / STATE_HEIGHT * LEAST_HEIGHT <= height
    };
    let rows = planner.rows()?;
    if fits(&rows) {
        return Ok((rows, None));
    }
    if options.level.level().is_none() {
        let collapsed = deepest_rows(planner, scope.hierarchy().max_depth(), fits);
        if let Some(collapsed) = collapsed.filter(|r| r.len() as f64 * COARSE_HEIGHT >= height) {
            let note = collapsed_note(scope, &collapsed);
            return Ok((collapsed, Some(note)));
        }
    }
    let merged = merge_until(planner, &rows, fits)
        .or_else(|| merge_until(planner, &planner.rows_to_depth(1), fits));
    Ok(match merged {
        Some((merged, n)) => (merged, Some(format!("up to {n} neighbours share a row"))),
        None => (planner.rows_to_depth(0), Some("all rows are summed up in one".to_owned())),
    })
}

/// The rows down to the greatest depth, below that of all, that fits. A tree that is cut higher never
/// needs more room, so half of the depths need no look each time.
fn deepest_rows(
    planner: &Planner<'_, '_>,
    max_depth: usize,
    fits: impl Fn(&[Row]) -> bool,
) -> Option<Vec<Row>> {
    let (mut found, mut from, mut to) = (None, 1, max_depth);
    while from < to {
        let depth = from + (to - from) / 2;
        let rows = planner.rows_to_depth(depth);
        if fits(&rows) {
            (found, from) = (Some(rows), depth + 1);
        } else {
            to = depth;
        }
    }
    found
}

/// Merges twice as many neighbours each time until the rows fit.
fn merge_until(
    planner: &Planner<'_, '_>,
    rows: &[Row],
    fits: impl Fn(&[Row]) -> bool,
) -> Option<(Vec<Row>, usize)> {
    let mut n = 2;
    while n / 2 < rows.len() {
        let merged = planner.merged(rows, n);
        if fits(&merged) {
            return Some((merged, n));
        }
        n *= 2;
    }
    None
}

fn collapsed_note(scope: &Scope<'_>, rows: &[Row]) -> String {
    let hierarchy = scope.hierarchy();
    let deepest = rows.iter().map(|row| row.nodes[0]).max_by_key(|node| hierarchy.depth(*node));
    let level =
        deepest.map_or_else(String::new, |node| printable(hierarchy.kind(node)).into_owned());
    format!("a row sums up all below its {level}")
}

/// What the wanted heights are multiplied by.
fn scale(wanted: f64, row_height: f64, room: Room) -> f64 {
    if wanted <= 0.0 {
        return 1.0;
    }
    let usual = row_height / STATE_HEIGHT;
    match room {
        Room::Natural { .. } => row_height.clamp(LEAST_NATURAL_HEIGHT, MOST_HEIGHT) / STATE_HEIGHT,
        Room::UpTo(height) if wanted * usual <= height => usual,
        Room::UpTo(height) => {
            // Rows of one height look calmer than rows of nearly one height.
            let rows = (STATE_HEIGHT * height / wanted).floor();
            if rows >= 2.0 { rows / STATE_HEIGHT } else { height / wanted }
        }
        Room::Exactly(height) => (height / wanted).min(MOST_HEIGHT / STATE_HEIGHT),
    }
}

/// Gives every band its place on whole pixels and returns the height of all.
fn place(rows: &mut [Row], scale: f64, wanting: Wanting) -> f64 {
    let mut wanted = 0.0;
    for row in rows.iter_mut() {
        let alone = row.bands.len() == 1;
        let mut before = (0.0, 0.0);
        for band in &mut row.bands {
            let begin = f64::round(wanted * scale);
            wanted += band.wanted_height(alone, wanting);
            let own = (begin, f64::round(wanted * scale));
            (band.y0, band.y1) = if band.over { before } else { own };
            before = (band.y0, band.y1);
        }
    }
    (wanted * scale).round()
}
