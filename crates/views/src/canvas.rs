//! Where a bare scene goes, and what comes of it.

use onca_layout::text::Font;
use onca_model::{Color, Window};
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

    /// A page of this size.
    pub(crate) fn as_paper(&self) -> crate::Paper {
        crate::Paper {
            width: self.width,
            height: Some(self.height),
            theme: self.theme,
            title: Some(String::new()),
            source: None,
            titles: self.titles,
        }
    }

    /// All of it.
    pub(crate) fn bounds(&self) -> Bounds {
        Bounds::new(0.0, 0.0, self.width, self.height)
    }
}

/// What the height of a scene means.
#[derive(Clone, PartialEq, Debug)]
pub struct UprightAxis {
    /// What is measured.
    pub name: String,
    /// Amounts and where they are, in the space of the scene.
    pub marks: Vec<(f64, String)>,
}

/// Where a histogram is in a scene, and which numbers its columns have.
#[derive(Clone, PartialEq, Debug)]
pub struct HistogramPlot {
    /// Its columns, all of the same width, without that of zeros: it is left of them, where there is one.
    pub bounds: Bounds,
    /// What it counts: a value, if not all.
    pub pick: Pick,
    /// The smallest number of each column, and of one that would come after the last.
    pub edges: Vec<i64>,
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
    /// What its height means, where that is one quantity.
    pub upright: Option<UprightAxis>,
    /// The histograms in it.
    pub plots: Vec<HistogramPlot>,
    /// What of the axis of two runs is seen, in ticks of their comparison; other views show the window.
    pub part: Option<Window>,
}

impl Drawn {
    /// A scene of which nothing else is to be said.
    pub(crate) fn plain(scene: Scene, view: Bounds) -> Self {
        let (notes, plots) = (Vec::new(), Vec::new());
        Self { scene, view, notes, scale: None, upright: None, plots, part: None }
    }

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
