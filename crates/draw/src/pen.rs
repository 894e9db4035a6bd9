//! Paths in the language of SVG, as short as they can be.

use onca_scene::{Bounds, Point};

use crate::number::{Hundredths, push};

/// A path in the making.
#[derive(Default)]
pub(crate) struct Pen {
    path: String,
    at: (Hundredths, Hundredths),
    /// A pair of numbers continues the command: a line after a move or a line.
    pairs_are_lines: bool,
}

impl Pen {
    /// The path.
    pub fn finish(self) -> String {
        self.path
    }

    /// How long the path is.
    pub fn bytes(&self) -> usize {
        self.path.len()
    }

    /// Begins at a point.
    pub fn move_to(&mut self, point: Point) {
        self.path.push('M');
        self.push_pair(place(point));
        self.pairs_are_lines = true;
    }

    /// A line to a point; none where it would be too short to be written.
    pub fn line_to(&mut self, point: Point) {
        let to = place(point);
        match (to.0 == self.at.0, to.1 == self.at.1) {
            (true, true) => {}
            (false, true) => self.along('H', to.0),
            (true, false) => self.along('V', to.1),
            (false, false) => {
                if !self.pairs_are_lines {
                    self.path.push('L');
                    self.pairs_are_lines = true;
                }
                self.push_pair(to);
            }
        }
        self.at = to;
    }

    /// Back to where it began.
    pub fn close(&mut self) {
        self.path.push('z');
        self.pairs_are_lines = false;
    }

    /// A rectangle that is filled and has no edge: the way back need not be drawn.
    pub fn rect(&mut self, bounds: &Bounds) {
        self.move_to(Point::new(bounds.x0, bounds.y0));
        for (x, y) in [(bounds.x1, bounds.y0), (bounds.x1, bounds.y1), (bounds.x0, bounds.y1)] {
            self.line_to(Point::new(x, y));
        }
    }

    /// A disc, drawn clockwise.
    pub fn disc(&mut self, center: Point, radius: f64) {
        self.move_to(Point::new(center.x - radius, center.y));
        for end in [center.x + radius, center.x - radius] {
            self.arc_to(radius, Point::new(end, center.y));
        }
    }

    /// Half a circle, clockwise.
    fn arc_to(&mut self, radius: f64, to: Point) {
        self.path.push('A');
        let to = place(to);
        for number in [Hundredths::of(radius), Hundredths::of(radius)] {
            push(&mut self.path, number);
        }
        self.path.push_str(" 0 0 1");
        self.push_pair(to);
        self.pairs_are_lines = false;
    }

    fn along(&mut self, command: char, to: Hundredths) {
        self.path.push(command);
        push(&mut self.path, to);
        self.pairs_are_lines = false;
    }

    fn push_pair(&mut self, (x, y): (Hundredths, Hundredths)) {
        push(&mut self.path, x);
        push(&mut self.path, y);
        self.at = (x, y);
    }
}

fn place(point: Point) -> (Hundredths, Hundredths) {
    (Hundredths::of(point.x), Hundredths::of(point.y))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(points: &[(f64, f64)]) -> String {
        let mut pen = Pen::default();
        pen.move_to(Point::new(points[0].0, points[0].1));
        points[1..].iter().for_each(|&(x, y)| pen.line_to(Point::new(x, y)));
        pen.finish()
    }

    #[test]
    fn lines_along_the_axes_need_one_number() {
        assert_eq!(
            line(&[(0.0, 0.0), (5.0, 0.0), (5.0, 2.5), (6.0, 3.0), (7.0, 9.0)]),
            "M0 0H5V2.5L6 3 7 9"
        );
        assert_eq!(line(&[(1.0, 2.0), (3.0, 4.0), (3.001, 4.001)]), "M1 2 3 4");
    }

    #[test]
    fn shapes_are_short() {
        let mut pen = Pen::default();
        pen.rect(&Bounds::new(1.0, 2.0, 3.0, 4.0));
        pen.rect(&Bounds::new(-1.0, 0.5, 3.0, 4.0));
        pen.close();
        assert_eq!(pen.finish(), "M1 2H3V4H1M-1 .5H3V4H-1z");
        let mut pen = Pen::default();
        pen.disc(Point::new(5.0, 5.0), 1.5);
        assert_eq!(pen.finish(), "M3.5 5A1.5 1.5 0 0 1 6.5 5A1.5 1.5 0 0 1 3.5 5");
    }
}
