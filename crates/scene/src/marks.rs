//! The marks.

use std::ops::Range;

use onca_model::Color;

use crate::{Bounds, Pick, Point, Strips};

/// Marks of one kind, painted in order.
#[derive(Clone, PartialEq, Debug)]
pub enum Layer {
    /// Filled rectangles.
    Rects(Vec<Rect>),
    /// Rows of pixel columns that several states share.
    Strips(Strips),
    /// Lines through points.
    Lines(Lines),
    /// Arrows.
    Arrows(Vec<Arrow>),
    /// Filled outlines.
    Polygons(Polygons),
    /// Small shapes at a point.
    Glyphs(Vec<Glyph>),
    /// Texts.
    Labels(Vec<Label>),
}

/// The number of a text in [`Titles`]; none for most marks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Title(Option<std::num::NonZeroU32>);

impl Title {
    /// No text.
    pub const NONE: Self = Self(None);

    /// The place of the text in [`Titles::texts`] plus 1; 0 for none.
    pub fn number(self) -> u32 {
        self.0.map_or(0, std::num::NonZeroU32::get)
    }
}

/// Texts that marks show under the pointer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Titles {
    texts: Vec<String>,
}

impl Titles {
    /// Keeps a text.
    pub fn add(&mut self, text: impl Into<String>) -> Title {
        self.texts.push(text.into());
        Title(std::num::NonZeroU32::new(self.texts.len() as u32))
    }

    /// All texts, in the order of their numbers.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// The text of a title.
    pub fn get(&self, title: Title) -> Option<&str> {
        let number = title.0?;
        self.texts.get(number.get() as usize - 1).map(String::as_str)
    }
}

/// What is drawn over the fill of a rectangle.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Pattern {
    /// Nothing.
    #[default]
    Plain,
    /// Fine slanted lines: an aggregate.
    Hatch,
    /// One line from corner to corner: merged for lack of pixels, the parts agree in time.
    Diagonal,
    /// Both diagonals: merged for lack of pixels, the parts do not agree in time.
    Cross,
}

/// A filled rectangle.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rect {
    /// Where it is.
    pub bounds: Bounds,
    /// Its colour.
    pub fill: Color,
    /// The colour of its edge, one pixel wide and inside it; clear for none.
    pub edge: Color,
    /// What is drawn over the fill.
    pub pattern: Pattern,
    /// What it shows under the pointer.
    pub title: Title,
    /// What it stands for.
    pub pick: Pick,
}

impl Rect {
    /// A plain rectangle that stands for nothing.
    pub fn plain(bounds: Bounds, fill: Color) -> Self {
        Self {
            bounds,
            fill,
            edge: crate::CLEAR,
            pattern: Pattern::Plain,
            title: Title::NONE,
            pick: Pick::NOTHING,
        }
    }
}

/// Lines through points, with all points in one list.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Lines {
    /// The points of all lines.
    pub points: Vec<Point>,
    /// The lines.
    pub lines: Vec<Line>,
}

/// A line through some of the points.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// Its points.
    pub points: Range<usize>,
    /// Its colour.
    pub color: Color,
    /// Its width, in pixels.
    pub width: f64,
    /// Is it broken into dashes?
    pub dashed: bool,
    /// What it shows under the pointer.
    pub title: Title,
    /// What it stands for.
    pub pick: Pick,
}

impl Lines {
    /// Adds a solid line that stands for nothing.
    pub fn add(&mut self, points: impl IntoIterator<Item = Point>, color: Color, width: f64) {
        let first = self.points.len();
        self.points.extend(points);
        self.lines.push(Line {
            points: first..self.points.len(),
            color,
            width,
            dashed: false,
            title: Title::NONE,
            pick: Pick::NOTHING,
        });
    }

    /// The points of a line.
    pub fn of(&self, line: &Line) -> &[Point] {
        &self.points[line.points.clone()]
    }
}

/// An arrow from one point to another.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Arrow {
    /// Where it begins.
    pub from: Point,
    /// Where it points.
    pub to: Point,
    /// Its colour.
    pub color: Color,
    /// Its width, in pixels.
    pub width: f64,
    /// Has it a head?
    pub head: bool,
    /// Has it a dot where it begins?
    pub dot: bool,
    /// What it shows under the pointer.
    pub title: Title,
    /// What it stands for.
    pub pick: Pick,
}

/// Filled outlines, with all points in one list.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Polygons {
    /// The corners of all outlines.
    pub points: Vec<Point>,
    /// The outlines.
    pub polygons: Vec<Polygon>,
}

/// A filled outline through some of the points.
#[derive(Clone, PartialEq, Debug)]
pub struct Polygon {
    /// Its corners.
    pub points: Range<usize>,
    /// Its colour.
    pub fill: Color,
    /// The colour of its edge; clear for none.
    pub edge: Color,
    /// What it shows under the pointer.
    pub title: Title,
    /// What it stands for.
    pub pick: Pick,
}

impl Polygons {
    /// Adds an outline without an edge that stands for nothing, and returns it for changes.
    pub fn add(&mut self, points: impl IntoIterator<Item = Point>, fill: Color) -> &mut Polygon {
        let first = self.points.len();
        self.points.extend(points);
        self.polygons.push(Polygon {
            points: first..self.points.len(),
            fill,
            edge: crate::CLEAR,
            title: Title::NONE,
            pick: Pick::NOTHING,
        });
        self.polygons.last_mut().expect("one was just added")
    }

    /// The corners of an outline.
    pub fn of(&self, polygon: &Polygon) -> &[Point] {
        &self.points[polygon.points.clone()]
    }
}

/// The form of a glyph.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    /// A triangle with its tip at the point, below it.
    Triangle,
    /// A diamond around the point.
    Diamond,
    /// A disc around the point.
    Disc,
    /// A square around the point.
    Square,
    /// An upright line through the point.
    Bar,
}

/// A small shape at a point.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Glyph {
    /// Where it is.
    pub at: Point,
    /// Its form.
    pub shape: Shape,
    /// Its height, in pixels.
    pub size: f64,
    /// Its colour.
    pub color: Color,
    /// What it shows under the pointer.
    pub title: Title,
    /// What it stands for.
    pub pick: Pick,
}

/// Which part of a text stands at its point, along the line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Align {
    /// Its beginning.
    #[default]
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

/// Which part of a text stands at its point, across the line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Rise {
    /// The line on which letters stand.
    #[default]
    Baseline,
    /// Half the height of capital letters.
    Middle,
    /// The tops of capital letters.
    Top,
}

/// How heavy letters are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Weight {
    /// As usual.
    #[default]
    Regular,
    /// Bold.
    Bold,
}

/// A text. It has been measured and shortened: who draws it need not look for room.
#[derive(Clone, PartialEq, Debug)]
pub struct Label {
    /// Where it is.
    pub at: Point,
    /// What it says.
    pub text: String,
    /// How large it is, in pixels.
    pub size: f64,
    /// How heavy it is.
    pub weight: Weight,
    /// Its colour.
    pub color: Color,
    /// Its place along the line.
    pub align: Align,
    /// Its place across the line.
    pub rise: Rise,
    /// How far it is turned around its point, clockwise, in degrees.
    pub turn: f64,
    /// How long it was measured, in pixels.
    pub length: f64,
    /// What it shows under the pointer.
    pub title: Title,
    /// What it stands for.
    pub pick: Pick,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_found_by_their_number() {
        let mut titles = Titles::default();
        let (first, second) = (titles.add("one"), titles.add("two"));
        assert_eq!((titles.get(first), titles.get(second)), (Some("one"), Some("two")));
        assert_eq!(titles.get(Title::NONE), None);
        assert_eq!((second.number(), Title::NONE.number()), (2, 0));
        assert_eq!(titles.texts(), ["one", "two"]);
    }

    #[test]
    fn lines_and_polygons_keep_their_own_points() {
        let mut lines = Lines::default();
        let point = Point::new;
        lines.add([point(0.0, 0.0), point(1.0, 0.0)], crate::CLEAR, 1.0);
        lines.add([point(5.0, 5.0), point(6.0, 6.0), point(7.0, 7.0)], crate::CLEAR, 1.0);
        assert_eq!(lines.of(&lines.lines[1])[0], point(5.0, 5.0));
        assert_eq!(lines.of(&lines.lines[0]).len(), 2);
        let mut polygons = Polygons::default();
        polygons.add([point(0.0, 0.0); 3], crate::CLEAR).edge = Color::rgb(1, 2, 3);
        assert_eq!(polygons.polygons[0].edge, Color::rgb(1, 2, 3));
        assert_eq!(polygons.of(&polygons.polygons[0]).len(), 3);
    }
}
