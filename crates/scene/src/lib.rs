//! What to draw.
//!
//! A [`Scene`] is flat lists of marks: rectangles, strips, lines, arrows, polygons, glyphs and
//! labels. Positions are in view space, whatever that is for the view: ticks and rows, or plain
//! pixels. Sizes that belong to the pen (widths of lines, sizes of text and glyphs) are in pixels.
//! Colours are resolved. Every mark says what it stands for, so that a click can ask.
//!
//! A [`Figure`] puts scenes into frames on a page, and a [`Report`] puts figures, tables and texts
//! into a document. A [`Solid`] is the same in space: structure on a base, time upwards. A scene's
//! size is bounded by the picture, never by the trace. Nothing here knows of traces, files or
//! screens.

mod figure;
mod marks;
mod packed_columns;
mod pick;
mod report;
mod solid;
mod strip;
mod strip_pixels;
mod strip_room;

pub use figure::{Bounds, Figure, Panel, Point, Scene};
pub use marks::{
    Align, Arrow, Glyph, Label, Layer, Line, Lines, Pattern, Polygon, Polygons, Rect, Rise, Shape,
    Title, Titles, Weight,
};
pub use packed_columns::{ColumnPacker, PackedColumns};
pub use pick::Pick;
pub use report::{Block, Cell, Heading, Picture, Report, Section, Table};
pub use solid::{
    BaseCell, BaseEdge, BaseKind, BaseNode, BaseNumber, BaseRoute, Cable, Ribbon, Ribbons, Solid,
    StateBox, TimeArrow, TimeMark,
};
pub use strip::{Column, ColumnList, ColumnPart, Strip, Strips};
pub use strip_pixels::{PIXEL_RULES, PixelRules};
pub use strip_room::{StripRoom, StripSize};

use onca_model::Color;

/// Nothing is painted.
pub const CLEAR: Color = Color { red: 0, green: 0, blue: 0, alpha: 0 };
