//! Where a bare scene goes, and what comes of it.

use onca_layout::text::Font;
use onca_model::Color;
use onca_scene::{Align, Bounds, Label, Panel, Pick, Point, Rise, Scene, Title, Weight};

use crate::{ColorScale, Theme};

/// The room for a bare scene, without the page around it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Canvas {
    /// Its width, in pixels.
    pub width: f64,
    /// Its height, in pixels.
    pub height: f64,
    /// Light or dark.
    pub theme: Theme,
    /// Marks carry texts for the pointer.
    pub titles: bool,
}

impl Canvas {
    /// The canvas that fills some bounds of a page.
    pub(crate) fn in_frame(frame: &Bounds, paper: &crate::Paper) -> Self {
        let (width, height) = (frame.width().max(0.0), frame.height().max(0.0));
        Self { width, height, theme: paper.theme, titles: paper.titles }
    }

    /// All of it.
    pub(crate) fn bounds(&self) -> Bounds {
        Bounds::new(0.0, 0.0, self.width, self.height)
    }
}

/// A bare scene.
#[derive(Clone, PartialEq, Debug)]
pub struct Drawn {
    /// What is seen.
    pub scene: Scene,
    /// The part of view space that fills the canvas.
    pub view: Bounds,
    /// What the picture does not show as it is, in words.
    pub notes: Vec<String>,
    /// What the strengths of its colours mean, where they stand for amounts.
    pub scale: Option<ColorScale>,
}

impl Drawn {
    /// The scene in a frame of a page.
    pub(crate) fn panel(self, name: &'static str, frame: Bounds) -> Panel {
        Panel { view: self.view, frame, ..Panel::on_page(name, frame, self.scene) }
    }
}

/// A label in a scene, measured; change what is not usual before adding it.
pub(crate) fn label(at: Point, text: impl Into<String>, size: f64, color: Color) -> Label {
    let text = text.into();
    Label {
        at,
        length: Font::Regular.width(&text, size),
        text,
        size,
        weight: Weight::Regular,
        color,
        align: Align::Start,
        rise: Rise::Baseline,
        turn: 0.0,
        title: Title::NONE,
        pick: Pick::NOTHING,
    }
}

/// A label around its point.
pub(crate) fn centred_label(at: Point, text: impl Into<String>, size: f64, color: Color) -> Label {
    Label { align: Align::Middle, rise: Rise::Middle, ..label(at, text, size, color) }
}
