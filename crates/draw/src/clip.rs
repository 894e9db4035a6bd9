//! What lies far outside the picture is cut off before it is written: renderers count in short
//! numbers and lose their way when a line begins a million pixels away.

use onca_scene::{Bounds, Point};

/// The common part of two rectangles, if they have one with an area.
pub(crate) fn rect(bounds: &Bounds, reach: &Bounds) -> Option<Bounds> {
    let common = Bounds::new(
        bounds.x0.max(reach.x0),
        bounds.y0.max(reach.y0),
        bounds.x1.min(reach.x1),
        bounds.y1.min(reach.y1),
    );
    let sides = [bounds.x0, bounds.y0, bounds.x1, bounds.y1];
    let is_area = common.x0 < common.x1 && common.y0 < common.y1;
    (is_area && !sides.iter().any(|side| side.is_nan())).then_some(common)
}

/// Is a point inside?
pub(crate) fn holds(reach: &Bounds, point: Point) -> bool {
    (reach.x0..=reach.x1).contains(&point.x) && (reach.y0..=reach.y1).contains(&point.y)
}

/// The part of a line between two points that is inside.
pub(crate) fn segment(from: Point, to: Point, reach: &Bounds) -> Option<(Point, Point)> {
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    if !(dx.is_finite() && dy.is_finite()) {
        return None;
    }
    let (mut first, mut last) = (0.0_f64, 1.0_f64);
    let sides = [
        (-dx, from.x - reach.x0),
        (dx, reach.x1 - from.x),
        (-dy, from.y - reach.y0),
        (dy, reach.y1 - from.y),
    ];
    for (towards, room) in sides {
        if towards == 0.0 {
            if room < 0.0 {
                return None;
            }
        } else if towards < 0.0 {
            first = first.max(room / towards);
        } else {
            last = last.min(room / towards);
        }
    }
    let at = |share: f64| match share {
        0.0 => from,
        1.0 => to,
        _ => Point::new(from.x + share * dx, from.y + share * dy),
    };
    (first <= last).then(|| (at(first), at(last)))
}

/// The part of an outline that is inside: one side after the other cuts off what is beyond it.
pub(crate) fn polygon(corners: &[Point], reach: &Bounds) -> Vec<Point> {
    if corners.iter().any(|corner| !(corner.x.is_finite() && corner.y.is_finite())) {
        return Vec::new();
    }
    let by_x = |point: &Point| point.x;
    let by_y = |point: &Point| point.y;
    let left = cut(corners, by_x, reach.x0, 1.0);
    let right = cut(&left, by_x, reach.x1, -1.0);
    let above = cut(&right, by_y, reach.y0, 1.0);
    cut(&above, by_y, reach.y1, -1.0)
}

/// Keeps what is on the far side of a limit, in the direction of `sign`.
fn cut(corners: &[Point], along: impl Fn(&Point) -> f64, limit: f64, sign: f64) -> Vec<Point> {
    let beyond = |point: &Point| (along(point) - limit) * sign;
    let mut kept = Vec::with_capacity(corners.len());
    let Some(mut before) = corners.last() else { return kept };
    for corner in corners {
        let (first, second) = (beyond(before), beyond(corner));
        if (first < 0.0) != (second < 0.0) {
            let share = first / (first - second);
            kept.push(Point::new(
                before.x + share * (corner.x - before.x),
                before.y + share * (corner.y - before.y),
            ));
        }
        if second >= 0.0 {
            kept.push(*corner);
        }
        before = corner;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const REACH: Bounds = Bounds::new(0.0, 0.0, 10.0, 10.0);

    fn point(x: f64, y: f64) -> Point {
        Point::new(x, y)
    }

    #[test]
    fn rectangles_are_cut_to_the_common_part() {
        let wide = Bounds::new(-1e12, 2.0, 1e12, 4.0);
        assert_eq!(rect(&wide, &REACH), Some(Bounds::new(0.0, 2.0, 10.0, 4.0)));
        assert_eq!(rect(&Bounds::new(10.0, 0.0, 20.0, 5.0), &REACH), None);
        assert_eq!(rect(&Bounds::new(f64::NAN, 0.0, f64::NAN, 5.0), &REACH), None);
    }

    #[test]
    fn lines_keep_their_slope() {
        assert_eq!(
            segment(point(-1000.0, -1000.0), point(1000.0, 1000.0), &REACH),
            Some((point(0.0, 0.0), point(10.0, 10.0)))
        );
        let inside = (point(1.0, 2.0), point(3.0, 4.0));
        assert_eq!(segment(inside.0, inside.1, &REACH), Some(inside));
        assert_eq!(segment(point(-5.0, 1.0), point(5.0, 21.0), &REACH), None);
        assert_eq!(segment(point(-5.0, 20.0), point(5.0, 20.0), &REACH), None);
        assert_eq!(segment(point(f64::NAN, 0.0), point(5.0, 5.0), &REACH), None);
    }

    #[test]
    fn outlines_keep_their_area_inside() {
        let around = [point(-5.0, -5.0), point(20.0, -5.0), point(20.0, 20.0), point(-5.0, 20.0)];
        assert_eq!(area(&polygon(&around, &REACH)), 100.0);
        let triangle = [point(0.0, 0.0), point(20.0, 0.0), point(0.0, 20.0)];
        assert_eq!(area(&polygon(&triangle, &REACH)), 100.0);
        let half = [point(-10.0, 0.0), point(10.0, 0.0), point(-10.0, 20.0)];
        assert_eq!(area(&polygon(&half, &REACH)), 50.0);
        assert_eq!(polygon(&[point(50.0, 50.0), point(60.0, 50.0), point(60.0, 60.0)], &REACH), []);
        assert_eq!(polygon(&[], &REACH), []);
    }

    fn area(corners: &[Point]) -> f64 {
        let next = corners.iter().cycle().skip(1);
        corners.iter().zip(next).map(|(a, b)| a.x * b.y - b.x * a.y).sum::<f64>().abs() / 2.0
    }
}
