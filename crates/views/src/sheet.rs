//! A page in the making: title, caption, legend and axes take their room, the view gets the rest.

use onca_layout::text::{self, Font};
use onca_model::{Color, Window};
use onca_scene::{
    Align, Arrow, Bounds, Figure, Glyph, Label, Layer, Lines, Panel, Point, Rect, Rise, Scene,
    Shape, Title, Weight,
};

use crate::{
    Paper, TimeScale, canvas, color,
    legend::{self, Entry, Swatch},
    theme::ThemeColors,
};

/// Sizes of letters, in pixels.
pub(crate) const TITLE_SIZE: f64 = 15.0;
pub(crate) const LABEL_SIZE: f64 = 12.0;
pub(crate) const TICK_SIZE: f64 = 11.0;
pub(crate) const CAPTION_SIZE: f64 = 10.0;

/// Around everything.
pub(crate) const MARGIN: f64 = 12.0;
/// The length of a tick of an axis.
pub(crate) const TICK: f64 = 4.0;
/// An axis below a plot takes this much.
pub(crate) const TIME_AXIS_HEIGHT: f64 = 34.0;
/// Between two texts of an axis.
const TICK_GAP: f64 = 14.0;
/// A legend takes at most this many lines.
const LEGEND_LINES: usize = 4;

/// A page in the making.
pub(crate) struct Sheet<'a> {
    paper: &'a Paper,
    /// The colours of the theme.
    pub colors: &'static ThemeColors,
    /// What is still free.
    pub room: Bounds,
    height: f64,
    behind: Vec<Rect>,
    grid: Lines,
    rects: Vec<Rect>,
    lines: Lines,
    arrows: Vec<Arrow>,
    glyphs: Vec<Glyph>,
    labels: Vec<Label>,
    notes: Vec<String>,
    caption_y: f64,
    captioned: bool,
}

impl<'a> Sheet<'a> {
    /// A page with its title. `height` is what the view wants when the paper does not say.
    pub fn new(paper: &'a Paper, title: &str, height: f64) -> Self {
        let height = paper.height.unwrap_or(height);
        let mut sheet = Self {
            paper,
            colors: paper.theme.colors(),
            room: Bounds::new(0.0, 0.0, paper.width, height).inset(MARGIN),
            height,
            behind: Vec::new(),
            grid: Lines::default(),
            rects: Vec::new(),
            lines: Lines::default(),
            arrows: Vec::new(),
            glyphs: Vec::new(),
            labels: Vec::new(),
            notes: Vec::new(),
            caption_y: height - MARGIN,
            captioned: false,
        };
        sheet.title(paper.title.as_deref().unwrap_or(title));
        if paper.source.is_some() {
            sheet.reserve_caption();
        }
        sheet
    }

    /// All of a page, without a title and a margin.
    pub fn bare(paper: &'a Paper) -> Self {
        let mut sheet = Self::new(paper, "", 0.0);
        sheet.room = Bounds::new(0.0, 0.0, paper.width, sheet.height);
        sheet
    }

    /// How much of the height of a page goes to its title, its caption and a legend. A view that
    /// chooses its height adds what it wants for itself.
    pub fn height_around(paper: &'a Paper, title: &str, entries: &[Entry]) -> f64 {
        let endless = 1e6;
        let paper = Paper { height: Some(endless), ..paper.clone() };
        let mut sheet = Sheet::new(&paper, title, endless);
        sheet.reserve_caption();
        sheet.legend(entries);
        endless - sheet.room.height()
    }

    /// Keeps the lowest line for the caption. A view that finds its notes only while it draws does so
    /// before anything else is put there.
    pub fn reserve_caption(&mut self) {
        if !self.captioned {
            self.captioned = true;
            self.take_bottom(CAPTION_SIZE + 8.0);
        }
    }

    fn title(&mut self, title: &str) {
        let Some(text) = Font::Bold.fit(title, TITLE_SIZE, self.room.width()) else { return };
        if text.is_empty() {
            return;
        }
        let at = Point::new(self.room.x0, self.room.y0 + TITLE_SIZE * 0.8);
        let length = Font::Bold.width(&text, TITLE_SIZE);
        let label = self.label(at, text, TITLE_SIZE);
        self.labels.push(Label { weight: Weight::Bold, length, ..label });
        self.take_top(TITLE_SIZE + 9.0);
    }

    /// Takes room from the upper side.
    pub fn take_top(&mut self, height: f64) -> Bounds {
        let y1 = (self.room.y0 + height).min(self.room.y1);
        let taken = Bounds { y1, ..self.room };
        self.room.y0 = y1;
        taken
    }

    /// Takes room from the lower side.
    pub fn take_bottom(&mut self, height: f64) -> Bounds {
        let y0 = (self.room.y1 - height).max(self.room.y0);
        let taken = Bounds { y0, ..self.room };
        self.room.y1 = y0;
        taken
    }

    /// Takes room from the left side.
    pub fn take_left(&mut self, width: f64) -> Bounds {
        let x1 = (self.room.x0 + width).min(self.room.x1);
        let taken = Bounds { x1, ..self.room };
        self.room.x0 = x1;
        taken
    }

    /// Takes room from the right side.
    pub fn take_right(&mut self, width: f64) -> Bounds {
        let x0 = (self.room.x1 - width).max(self.room.x0);
        let taken = Bounds { x0, ..self.room };
        self.room.x1 = x0;
        taken
    }

    /// A label in the colour of texts, measured; change what is not usual before adding it.
    pub fn label(&self, at: Point, text: impl Into<String>, size: f64) -> Label {
        canvas::label(at, text, size, self.colors.text)
    }

    /// Adds a label above everything.
    pub fn add_label(&mut self, label: Label) {
        self.labels.push(label);
    }

    /// Adds a rectangle behind the panels.
    pub fn add_behind(&mut self, rect: Rect) {
        self.behind.push(rect);
    }

    /// Adds a rectangle above the panels.
    pub fn add_rect(&mut self, rect: Rect) {
        self.rects.push(rect);
    }

    /// Adds a line above the panels.
    pub fn add_line(&mut self, points: impl IntoIterator<Item = Point>, color: Color, width: f64) {
        self.lines.add(points, color, width);
    }

    /// Adds a line of a grid, behind the panels.
    pub fn add_grid_line(&mut self, from: Point, to: Point) {
        self.grid.add([from, to], self.colors.grid, 1.0);
    }

    /// Adds something that the caption must say. Comes before anything else takes room at the
    /// lower side.
    pub fn note(&mut self, note: impl Into<String>) {
        self.reserve_caption();
        self.notes.push(note.into());
    }

    /// Puts a legend at the lower side.
    pub fn legend(&mut self, entries: &[Entry]) {
        self.legend_with(entries, |_| Swatch::Box);
    }

    /// Puts a legend at the lower side, with the mark of each entry by its number.
    pub fn legend_with(&mut self, entries: &[Entry], swatch_of: impl Fn(usize) -> Swatch) {
        let places = legend::places(entries, LABEL_SIZE, self.room.width(), LEGEND_LINES);
        if places.entries.is_empty() {
            return;
        }
        let taken = self.take_bottom(places.height + 6.0);
        let (left, top) = (taken.x0, taken.y0 + 6.0);
        let shift = |bounds: &Bounds| {
            Bounds::new(bounds.x0 + left, bounds.y0 + top, bounds.x1 + left, bounds.y1 + top)
        };
        let mut end = Point::default();
        for (index, ((swatch, text), entry)) in places.entries.iter().zip(entries).enumerate() {
            let bounds = shift(swatch);
            self.swatch(bounds, entry, swatch_of(index));
            let at = Point::new(left + legend::text_x(swatch), bounds.center().y);
            let label = self.label(at, text, LABEL_SIZE);
            end = Point::new(at.x + label.length + TICK_GAP, at.y);
            self.labels.push(Label { rise: Rise::Middle, pick: entry.pick, ..label });
        }
        if places.left_out > 0 {
            let text = format!("+ {} more", places.left_out);
            let label = self.label(end, text, LABEL_SIZE);
            let color = self.colors.muted;
            self.labels.push(Label { rise: Rise::Middle, color, ..label });
        }
    }

    /// Draws the mark of an entry of a legend.
    fn swatch(&mut self, bounds: Bounds, entry: &Entry, swatch: Swatch) {
        let Entry { color: fill, pick, .. } = *entry;
        let center = bounds.center();
        match swatch {
            Swatch::Box => {
                let edge = color::edge_on(fill, self.colors, color::darker(fill));
                self.rects.push(Rect { edge, pick, ..Rect::plain(bounds, fill) });
            }
            Swatch::Line(width) => {
                let half = f64::from(width) / 20.0;
                let line = Bounds::new(bounds.x0, center.y - half, bounds.x1, center.y + half);
                self.rects.push(Rect { pick, ..Rect::plain(line, fill) });
            }
            Swatch::Arrow => self.arrows.push(Arrow {
                from: Point::new(bounds.x0, center.y),
                to: Point::new(bounds.x1 + 1.0, center.y),
                color: fill,
                width: 1.5,
                head: true,
                dot: false,
                title: Title::NONE,
                pick,
            }),
            Swatch::Glyph(shape) => {
                let size = 8.0;
                let tip = matches!(shape, Shape::Triangle);
                let y = if tip { center.y - size / 2.0 } else { center.y };
                let at = Point::new(center.x, y);
                self.glyphs.push(Glyph { at, shape, size, color: fill, title: Title::NONE, pick });
            }
        }
    }

    /// Draws a time axis below a plot, with a grid behind it. The room must have been taken.
    pub fn time_axis(&mut self, plot: &Bounds, window: Window, scale: &TimeScale) {
        let span = (window.to as f64 - window.from as f64).max(1.0);
        let x_of = |ticks: f64| plot.x0 + (ticks - window.from as f64) / span * plot.width();
        let marks = self.time_marks(plot.width(), window, scale);
        let marks: Vec<(f64, String)> =
            marks.into_iter().map(|(ticks, text)| (x_of(ticks), text)).collect();
        self.bottom_axis(plot, &marks, &scale.title());
    }

    /// Draws an axis below a plot with marks at places of the page, and a grid behind it. Of marks
    /// that touch the first stays. The room must have been taken.
    pub fn bottom_axis(&mut self, plot: &Bounds, marks: &[(f64, String)], title: &str) {
        self.add_line(
            [Point::new(plot.x0, plot.y1), Point::new(plot.x1, plot.y1)],
            self.colors.axis,
            1.0,
        );
        let span = |(x, text): &(f64, String)| {
            let half = Font::Regular.width(text, TICK_SIZE) / 2.0;
            (x - half, x + half)
        };
        let spans: Vec<(f64, f64)> = marks.iter().map(span).collect();
        let kept = text::without_overlaps(&spans, TICK_GAP / 2.0);
        for ((x, text), kept) in marks.iter().zip(kept) {
            self.add_grid_line(Point::new(*x, plot.y0), Point::new(*x, plot.y1));
            self.add_line(
                [Point::new(*x, plot.y1), Point::new(*x, plot.y1 + TICK)],
                self.colors.axis,
                1.0,
            );
            if kept {
                self.tick_label(Point::new(*x, plot.y1 + TICK + 4.0), text.clone(), plot);
            }
        }
        let title = Font::Regular.fit(title, TICK_SIZE, plot.width());
        let Some(title) = title.filter(|title| !title.is_empty()) else { return };
        let at = Point::new(plot.center().x, plot.y1 + TICK + 8.0 + TICK_SIZE);
        let title = self.label(at, title, TICK_SIZE);
        self.labels.push(Label { align: Align::Middle, rise: Rise::Top, ..title });
    }

    /// As many round times as fit without touching.
    fn time_marks(&self, width: f64, window: Window, scale: &TimeScale) -> Vec<(f64, String)> {
        let fits = |marks: &[(f64, String)]| {
            let widest = marks
                .iter()
                .map(|(_, text)| Font::Regular.width(text, TICK_SIZE))
                .fold(0.0, f64::max);
            marks.len() as f64 * (widest + TICK_GAP) <= width
        };
        (1..=12)
            .rev()
            .map(|most| scale.marks(window, most))
            .find(|marks| fits(marks))
            .unwrap_or_default()
    }

    /// A text under a tick, kept inside the page.
    fn tick_label(&mut self, at: Point, text: String, plot: &Bounds) {
        let label = self.label(at, text, TICK_SIZE);
        let half = label.length / 2.0;
        let right = (self.paper.width - 2.0).max(plot.x1);
        let x = at.x.min(right - half).max(half);
        let at = Point { x, ..at };
        let color = self.colors.muted;
        self.labels.push(Label { at, align: Align::Middle, rise: Rise::Top, color, ..label });
    }

    /// Draws an axis of numbers at the left side of a plot, from `from` below to `to` above, with a
    /// grid behind it. `text` writes the numbers.
    pub fn value_axis(
        &mut self,
        plot: &Bounds,
        (from, to): (f64, f64),
        title: &str,
        text: impl Fn(f64, usize) -> String,
    ) {
        let most = (plot.height() / 28.0).clamp(1.0, 10.0) as usize;
        let ticks = onca_layout::axis::ticks(from, to, most + 1);
        let span = if to > from { to - from } else { 1.0 };
        let y_of = |at: f64| plot.y1 - (at - from) / span * plot.height();
        let marks: Vec<(f64, String)> =
            ticks.at.iter().map(|&at| (y_of(at), text(at, ticks.decimals))).collect();
        self.left_axis(plot, &marks, title);
    }

    /// Draws an axis at the left side of a plot with marks at places of the page, and a grid behind
    /// it. The room must have been taken.
    pub fn left_axis(&mut self, plot: &Bounds, marks: &[(f64, String)], title: &str) {
        let mut widest: f64 = 0.0;
        for (y, text) in marks {
            self.add_grid_line(Point::new(plot.x0, *y), Point::new(plot.x1, *y));
            let label = self.label(Point::new(plot.x0 - 6.0, *y), text, TICK_SIZE);
            widest = widest.max(label.length);
            let color = self.colors.muted;
            self.labels.push(Label { align: Align::End, rise: Rise::Middle, color, ..label });
        }
        self.upright_title(plot, plot.x0 - 12.0 - widest, title);
    }

    /// The title of an axis, turned, at the left side of a plot.
    pub fn upright_title(&mut self, plot: &Bounds, x: f64, title: &str) {
        let Some(text) = Font::Regular.fit(title, TICK_SIZE, plot.height()) else { return };
        let label = self.label(Point::new(x, plot.center().y), text, TICK_SIZE);
        self.labels.push(Label { align: Align::Middle, turn: -90.0, ..label });
    }

    /// A scene in pixels of the page between what lies behind it and what lies above.
    pub fn around(self, scene: Scene) -> Scene {
        let (behind, above) = self.into_layers();
        let layers = behind.into_iter().chain(scene.layers).chain(above).collect();
        Scene { layers, ..scene }
    }

    fn into_layers(self) -> ([Layer; 2], [Layer; 5]) {
        let behind = [Layer::Rects(self.behind), Layer::Lines(self.grid)];
        let above = [
            Layer::Rects(self.rects),
            Layer::Lines(self.lines),
            Layer::Arrows(self.arrows),
            Layer::Glyphs(self.glyphs),
            Layer::Labels(self.labels),
        ];
        (behind, above)
    }

    /// The page with its panels.
    pub fn finish(mut self, description: String, panels: Vec<Panel>) -> Figure {
        self.caption();
        let page = Bounds::new(0.0, 0.0, self.paper.width, self.height);
        let (width, height) = (self.paper.width, self.height);
        let background = self.colors.background;
        let scene = |layers: Vec<Layer>| Scene { layers, ..Scene::default() };
        let (behind, above) = self.into_layers();
        let (behind, above) = (scene(behind.into()), scene(above.into()));
        let mut all = vec![Panel::on_page("behind", page, behind)];
        all.extend(panels);
        all.push(Panel::on_page("furniture", page, above));
        Figure { width, height, background, description, panels: all }
    }

    /// One line at the foot: notes that the picture must not keep back come first.
    fn caption(&mut self) {
        let version = concat!("onca ", env!("CARGO_PKG_VERSION"));
        let source = self.paper.source.as_deref().map(|source| format!("{source} · {version}"));
        let parts: Vec<String> = self.notes.drain(..).chain(source).collect();
        if parts.is_empty() {
            return;
        }
        let width = self.paper.inner_width();
        let text = Font::Regular.fit(&parts.join(" · "), CAPTION_SIZE, width).unwrap_or_default();
        let label = self.label(Point::new(MARGIN, self.caption_y), text, CAPTION_SIZE);
        self.labels.push(Label { color: self.colors.muted, ..label });
    }
}
