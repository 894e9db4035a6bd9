//! From view space to the page.

use onca_model::Color;
use onca_scene::{Bounds, Figure, Panel, Point, Title};

/// Beyond what can be seen, so much is still written: ends of wide lines, glyphs and their edges.
const MARGIN: f64 = 32.0;

/// Where the marks of a panel are on the page, and how far off they are still written.
pub(crate) struct Place<'a> {
    panel: &'a Panel,
    /// Nothing beyond it can be seen.
    pub reach: Bounds,
    /// What is behind everything.
    pub background: Color,
}

impl<'a> Place<'a> {
    /// The place of a panel in a figure.
    pub fn new(figure: &Figure, panel: &'a Panel) -> Self {
        let seen = if panel.clipped { panel.frame } else { figure.page() };
        let reach =
            Bounds::new(seen.x0 - MARGIN, seen.y0 - MARGIN, seen.x1 + MARGIN, seen.y1 + MARGIN);
        Self { panel, reach, background: figure.background }
    }

    /// A point on the page.
    pub fn point(&self, point: Point) -> Point {
        self.panel.place(point)
    }

    /// A rectangle on the page, upright whichever way the axes run.
    pub fn bounds(&self, bounds: &Bounds) -> Bounds {
        let placed = self.panel.place_bounds(bounds);
        Bounds::new(
            placed.x0.min(placed.x1),
            placed.y0.min(placed.y1),
            placed.x0.max(placed.x1),
            placed.y0.max(placed.y1),
        )
    }

    /// The text of a mark.
    pub fn title(&self, title: Title) -> Option<&'a str> {
        self.panel.scene.titles.get(title)
    }
}
