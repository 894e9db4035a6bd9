//! Spans cut at borders.

use crate::Ticks;

/// Cuts what lasts from `start` to `end` at the borders of neighbouring cells: gives `part` each cell
/// that it touches, with the ticks that it has of it. An instant touches the cell that it lies in.
///
/// `cell` is the one that holds `start`, and `end_of` tells where a cell ends; where it tells nothing,
/// there are no more cells.
#[inline]
pub fn cut(
    start: Ticks,
    end: Ticks,
    mut cell: i64,
    end_of: impl Fn(i64) -> Option<Ticks>,
    mut part: impl FnMut(i64, Ticks),
) {
    let mut from = start;
    while let Some(to) = end_of(cell) {
        // Lengths may pass what a tick count can say; sums of them wrap, and fit in the end.
        if end <= to {
            return part(cell, end.wrapping_sub(from));
        }
        part(cell, to.wrapping_sub(from));
        from = to;
        cell += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts in cells of ten ticks, four of them.
    fn parts(start: Ticks, end: Ticks) -> Vec<(i64, Ticks)> {
        let mut parts = Vec::new();
        let end_of = |cell| (cell < 4).then_some(10 * cell + 10);
        cut(start, end, start / 10, end_of, |cell, ticks| parts.push((cell, ticks)));
        parts
    }

    #[test]
    fn parts_add_up_and_touch_what_the_whole_touches() {
        assert_eq!(parts(3, 8), [(0, 5)]);
        assert_eq!(parts(3, 10), [(0, 7)], "the end is outside");
        assert_eq!(parts(3, 31), [(0, 7), (1, 10), (2, 10), (3, 1)]);
        assert_eq!(parts(25, 90), [(2, 5), (3, 10)], "as far as there are cells");
        assert_eq!(parts(20, 20), [(2, 0)], "an instant");
        assert_eq!(parts(50, 60), []);
    }
}
