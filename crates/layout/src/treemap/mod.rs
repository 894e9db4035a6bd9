//! Treemaps: a rectangle divided so that the parts are as large as numbers say, and nearly square.
//!
//! [`squarify`] divides one rectangle (Bruls, Huizing and van Wijk, *Squarified Treemaps*, 2000):
//! rows fill the shorter side of what is left, and a row grows while its tiles get no less square.
//! [`nested`] does so for a whole tree.
//!
//! Edges that two tiles share are the same number to the last bit. Whoever draws on a grid of
//! pixels rounds edges, and gets neither gaps nor overlaps.

mod nested;
mod squarify;

pub use nested::{Nest, nested};
pub use squarify::{Order, Squarified, squarify};

/// A rectangle.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Tile {
    /// Left side.
    pub x0: f64,
    /// Upper side.
    pub y0: f64,
    /// Right side.
    pub x1: f64,
    /// Lower side.
    pub y1: f64,
}

impl Tile {
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

    /// How large it is.
    pub fn area(&self) -> f64 {
        self.width() * self.height()
    }

    /// Its shorter side.
    pub fn thickness(&self) -> f64 {
        self.width().min(self.height())
    }
}
