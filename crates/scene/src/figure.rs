//! Scenes in frames on a page.

use onca_model::Color;

use crate::{Layer, Titles};

/// A place in view space.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Down.
    pub y: f64,
}

impl Point {
    /// The point at `x`, `y`.
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }
}

/// A rectangle with sides along the axes.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Bounds {
    /// Left side.
    pub x0: f64,
    /// Upper side.
    pub y0: f64,
    /// Right side.
    pub x1: f64,
    /// Lower side.
    pub y1: f64,
}

impl Bounds {
    /// The rectangle between two corners.
    pub const fn new(x0: f64, y0: f64, x1: f64, y1: f64) -> Self {
        Self { x0, y0, x1, y1 }
    }

    /// How wide it is.
    pub fn width(&self) -> f64 {
        self.x1 - self.x0
    }

    /// How high it is.
    pub fn height(&self) -> f64 {
        self.y1 - self.y0
    }

    /// Its middle.
    pub fn center(&self) -> Point {
        Point::new((self.x0 + self.x1) / 2.0, (self.y0 + self.y1) / 2.0)
    }

    /// The rectangle that is smaller by `margin` on all sides, but never inside out.
    pub fn inset(&self, margin: f64) -> Self {
        let (x, y) = (margin.min(self.width() / 2.0), margin.min(self.height() / 2.0));
        Self::new(self.x0 + x, self.y0 + y, self.x1 - x, self.y1 - y)
    }

    /// Do the two share more than a border?
    pub fn overlaps(&self, other: &Self) -> bool {
        self.x0 < other.x1 && other.x0 < self.x1 && self.y0 < other.y1 && other.y0 < self.y1
    }
}

/// Marks in the order in which they are painted, and the texts that they show under the pointer.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Scene {
    /// Later layers lie above earlier ones.
    pub layers: Vec<Layer>,
    /// The texts for hovering.
    pub titles: Titles,
}

/// A scene in a frame.
#[derive(Clone, PartialEq, Debug)]
pub struct Panel {
    /// What it is for, such as `timeline` or `legend`: programs find it by this.
    pub name: &'static str,
    /// Where it is on the page, in pixels.
    pub frame: Bounds,
    /// The part of view space that fills the frame.
    pub view: Bounds,
    /// What is in it.
    pub scene: Scene,
    /// What reaches out of the frame is cut off.
    pub clipped: bool,
    /// It has so many marks that files have an image of it instead.
    pub as_image: bool,
}

impl Panel {
    /// A panel whose view space is the page itself.
    pub fn on_page(name: &'static str, page: Bounds, scene: Scene) -> Self {
        Self { name, frame: page, view: page, scene, clipped: false, as_image: false }
    }

    /// Where a point of view space is on the page.
    pub fn place(&self, point: Point) -> Point {
        let scale = |value: f64, from: f64, to: f64, start: f64, end: f64| match to - from {
            0.0 => start,
            length => start + (value - from) / length * (end - start),
        };
        let (view, frame) = (&self.view, &self.frame);
        Point::new(
            scale(point.x, view.x0, view.x1, frame.x0, frame.x1),
            scale(point.y, view.y0, view.y1, frame.y0, frame.y1),
        )
    }

    /// Where a rectangle of view space is on the page.
    pub fn place_bounds(&self, bounds: &Bounds) -> Bounds {
        let first = self.place(Point::new(bounds.x0, bounds.y0));
        let last = self.place(Point::new(bounds.x1, bounds.y1));
        Bounds::new(first.x, first.y, last.x, last.y)
    }
}

/// A whole picture.
#[derive(Clone, PartialEq, Debug)]
pub struct Figure {
    /// How wide it is, in pixels.
    pub width: f64,
    /// How high it is, in pixels.
    pub height: f64,
    /// What is behind everything.
    pub background: Color,
    /// What it shows, in a sentence, for those who cannot see it.
    pub description: String,
    /// Later panels lie above earlier ones.
    pub panels: Vec<Panel>,
}

impl Figure {
    /// The whole page.
    pub fn page(&self) -> Bounds {
        Bounds::new(0.0, 0.0, self.width, self.height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_shows_its_part_of_view_space() {
        let panel = Panel {
            frame: Bounds::new(100.0, 10.0, 300.0, 20.0),
            view: Bounds::new(1e9, 0.0, 2e9, 5.0),
            ..Panel::on_page("test", Bounds::default(), Scene::default())
        };
        assert_eq!(panel.place(Point::new(1.5e9, 5.0)), Point::new(200.0, 20.0));
        let all = panel.place_bounds(&panel.view.clone());
        assert_eq!(all, panel.frame);
    }

    #[test]
    fn an_empty_view_collapses_to_the_corner_of_its_frame() {
        let panel = Panel {
            frame: Bounds::new(5.0, 6.0, 7.0, 8.0),
            view: Bounds::default(),
            ..Panel::on_page("test", Bounds::default(), Scene::default())
        };
        assert_eq!(panel.place(Point::new(1.0, 1.0)), Point::new(5.0, 6.0));
    }

    #[test]
    fn an_inset_never_turns_inside_out() {
        let inset = Bounds::new(0.0, 0.0, 10.0, 2.0).inset(3.0);
        assert_eq!(inset, Bounds::new(3.0, 1.0, 7.0, 1.0));
    }
}
