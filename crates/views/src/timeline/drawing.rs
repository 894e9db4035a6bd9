//! The marks of a diagram in the making.

use std::collections::BTreeMap;

use onca_layout::text::Font;
use onca_model::{Color, LaneId, StateRow, Ticks, ValueId, Window, printable};
use onca_query::{Appearance, Scope};
use onca_scene::{
    Align, Arrow, Bounds, ColumnPart, Glyph, Label, Layer, Lines, Pick, Point, Polygons, Rect,
    Rise, Scene, Strip, Strips, Title, Titles, Weight, add_shares_in_bytes,
};

use crate::{color, theme::ThemeColors, time_scale::duration, timeline::grid::Grid};

/// Texts for the pointer are left out where there would be more: nobody points at so small marks.
const MOST_TITLES: usize = 4000;
/// A state is worth a text for the pointer from this width on, in pixels.
const TITLE_WIDTH: f64 = 3.0;
/// An upper edge to mark rare values on needs a band of this height, in pixels.
const RARE_HEIGHT: f64 = 6.0;
/// Letters in marks.
pub(crate) const MARK_SIZE: f64 = 10.0;

/// What a diagram is made of, and what its marks are gathered in.
pub(crate) struct Drawing<'a, 's> {
    /// What is seen.
    pub scope: &'a Scope<'s>,
    /// How it looks.
    pub appearance: &'a Appearance,
    /// The colours of everything else.
    pub colors: &'static ThemeColors,
    /// The columns.
    pub grid: Grid,
    /// The place of each value in a column: the most common at the bottom.
    pub ranks: Vec<u32>,
    /// What lies behind all.
    pub behind: Vec<Rect>,
    depths: Vec<DepthMarks>,
    titled: Vec<(usize, usize, StateRow, LaneId)>,
    /// Locks that are held or waited for.
    pub locks: Vec<Rect>,
    /// Areas under variables.
    pub areas: Polygons,
    /// Lines of variables.
    pub lines: Lines,
    /// Texts.
    pub labels: Vec<Label>,
    /// Links.
    pub arrows: Vec<Arrow>,
    /// Events.
    pub glyphs: Vec<Glyph>,
    /// Texts for the pointer.
    pub titles: Titles,
    palette: Palette,
    /// The place of each value in the palette, once it is known.
    places: Vec<Option<u16>>,
    scratch: Scratch,
}

/// Lists that every column needs for a moment.
#[derive(Default)]
struct Scratch {
    shares: Vec<u8>,
    rest: Vec<(u64, usize)>,
}

/// States of one depth: those inside them lie above.
#[derive(Default)]
struct DepthMarks {
    strips: Strips,
    rects: Vec<Rect>,
}

/// The colours of columns. Values that look alike share a place.
#[derive(Default)]
struct Palette {
    colors: Vec<Color>,
    places: BTreeMap<[u8; 4], u16>,
}

impl Palette {
    fn place(&mut self, color: Color) -> u16 {
        let key = [color.red, color.green, color.blue, color.alpha];
        let next = u16::try_from(self.colors.len());
        *self.places.entry(key).or_insert_with(|| match next {
            Ok(next) => {
                self.colors.push(color);
                next
            }
            // More colours than anyone can tell apart: the rest look like the last.
            Err(_) => u16::MAX,
        })
    }
}

/// A strip whose columns are being added.
pub(crate) struct StripBegun {
    place: StripPlace,
    first_column: usize,
    /// Its first column among those of its depth.
    first: usize,
}

/// Where a strip is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct StripPlace {
    /// How deep its states are nested.
    pub depth: usize,
    /// Upper side, in pixels.
    pub y0: f64,
    /// Lower side, in pixels.
    pub y1: f64,
    /// What it stands for.
    pub pick: Pick,
}

impl<'a, 's> Drawing<'a, 's> {
    /// An empty diagram.
    pub fn new(
        scope: &'a Scope<'s>,
        appearance: &'a Appearance,
        colors: &'static ThemeColors,
        grid: Grid,
        ranks: Vec<u32>,
    ) -> Self {
        Self {
            scope,
            appearance,
            colors,
            grid,
            ranks,
            behind: Vec::new(),
            depths: Vec::new(),
            titled: Vec::new(),
            locks: Vec::new(),
            areas: Polygons::default(),
            lines: Lines::default(),
            labels: Vec::new(),
            arrows: Vec::new(),
            glyphs: Vec::new(),
            titles: Titles::default(),
            palette: Palette::default(),
            places: vec![None; scope.catalog().values.len()],
            scratch: Scratch::default(),
        }
    }

    /// The time to look at: also the last instant of a trace.
    pub fn instants(&self) -> Window {
        let Window { from, to } = self.grid.window;
        Window::new(from, to.max(self.scope.instants().to))
    }

    /// How many pixels a length of view space has.
    pub fn pixels(&self, length: f64) -> f64 {
        length / self.grid.pixel
    }

    fn depth(&mut self, depth: usize) -> &mut DepthMarks {
        if self.depths.len() <= depth {
            self.depths.resize_with(depth + 1, DepthMarks::default);
        }
        &mut self.depths[depth]
    }

    /// Adds the rectangle of a state.
    pub fn add_state(&mut self, depth: usize, rect: Rect, state: &StateRow, lane: LaneId) {
        let width = self.pixels(rect.bounds.width());
        let rects = &mut self.depth(depth).rects;
        rects.push(rect);
        let number = rects.len() - 1;
        if width >= TITLE_WIDTH {
            self.titled.push((depth, number, *state, lane));
        }
    }

    /// Begins a strip; its columns follow.
    pub fn begin_strip(&mut self, place: StripPlace, first_column: usize) -> StripBegun {
        let first = self.depth(place.depth).strips.columns.len();
        StripBegun { place, first_column, first }
    }

    /// Adds a column to a strip: the times of values, the lowest first, the time that would fill
    /// it, and whether several entities share it.
    pub fn add_column(
        &mut self,
        strip: &StripBegun,
        times: &[(ValueId, u64)],
        whole: u64,
        aggregate: bool,
    ) {
        let height = strip.place.y1 - strip.place.y0;
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.shares.clear();
        let amounts = times.iter().map(|(_, ticks)| *ticks);
        add_shares_in_bytes(amounts, whole, &mut scratch.rest, &mut scratch.shares);
        let mut rare: Option<(u32, ValueId)> = None;
        if times.len() > 1 && height >= RARE_HEIGHT {
            let thin = times.iter().filter(|(_, ticks)| (*ticks as f64) * height < whole as f64);
            rare = thin.map(|(value, _)| (self.ranks[value.index()], *value)).max();
        }
        let rare = rare.map(|(_, value)| self.place_of(value));
        self.depth(strip.place.depth).strips.push_column([], rare, aggregate);
        for (&(value, _), &share) in times.iter().zip(&scratch.shares).filter(|(_, s)| **s > 0) {
            let color = self.place_of(value);
            self.depth(strip.place.depth).strips.parts.push(ColumnPart { color, share });
        }
        self.scratch = scratch;
    }

    /// Ends a strip.
    pub fn end_strip(&mut self, strip: StripBegun) {
        let StripBegun { place, first_column, first } = strip;
        let grid = self.grid;
        let strips = &mut self.depth(place.depth).strips;
        let columns = first..strips.columns.len();
        let (x0, x1) = (grid.column_x(first_column), grid.column_x(first_column + columns.len()));
        let bounds = Bounds::new(x0, place.y0, x1, place.y1);
        strips.strips.push(Strip { bounds, columns, pick: place.pick });
    }

    fn place_of(&mut self, value: ValueId) -> u16 {
        let color = self.appearance.of_value(value).color;
        *self.places[value.index()].get_or_insert_with(|| self.palette.place(color))
    }

    /// Writes a text into the middle of a free place if it fits, in a colour that can be read on
    /// what is behind it.
    pub fn write_into(&mut self, place: Bounds, text: &str, behind: Color, pick: Pick) -> bool {
        let length = Font::Regular.width(text, MARK_SIZE);
        let fits = self.pixels(place.width()) >= length + 6.0
            && place.height() >= Font::Regular.capital_height(MARK_SIZE) + 4.0;
        if fits && !text.is_empty() {
            let color = color::text_on(color::over(behind, self.colors.background));
            let label = self.label(place.center(), text, color, Align::Middle);
            self.labels.push(Label { pick, ..label });
        }
        fits
    }

    /// A small text in the middle of a line.
    pub fn label(&self, at: Point, text: &str, color: Color, align: Align) -> Label {
        Label {
            at,
            text: text.to_owned(),
            size: MARK_SIZE,
            weight: Weight::Regular,
            color,
            align,
            rise: Rise::Middle,
            turn: 0.0,
            length: Font::Regular.width(text, MARK_SIZE),
            title: Title::NONE,
            pick: Pick::NOTHING,
        }
    }

    /// `1.234 s, 3.112 ms long`, for the pointer.
    pub fn times_text(&self, start: Ticks, end: Ticks) -> String {
        let unit = &self.scope.catalog().facts.unit;
        let length = duration(end as f64 - start as f64, unit);
        format!("{} {}, {length} long", unit.format(start), unit.name)
    }

    fn state_title(&mut self, state: &StateRow, lane: LaneId) -> Title {
        let catalog = self.scope.catalog();
        let value = printable(&catalog.value(state.value).name);
        let container = catalog.lane(lane).container;
        let name = printable(catalog.containers.names.get(container.index()));
        let text = format!("{value}\n{name}\n{}", self.times_text(state.start, state.end));
        self.titles.add(text)
    }

    /// All marks in the order in which they are painted.
    pub fn finish(mut self, with_titles: bool) -> Scene {
        if with_titles && self.titled.len() <= MOST_TITLES {
            for (depth, number, state, lane) in std::mem::take(&mut self.titled) {
                let title = self.state_title(&state, lane);
                self.depths[depth].rects[number].title = title;
            }
        }
        let mut layers = vec![Layer::Rects(self.behind)];
        for DepthMarks { mut strips, rects } in self.depths {
            if !strips.strips.is_empty() {
                strips.palette.clone_from(&self.palette.colors);
                layers.push(Layer::Strips(strips));
            }
            layers.push(Layer::Rects(rects));
        }
        layers.push(Layer::Rects(self.locks));
        layers.push(Layer::Polygons(self.areas));
        layers.push(Layer::Lines(self.lines));
        layers.push(Layer::Labels(self.labels));
        layers.push(Layer::Arrows(self.arrows));
        layers.push(Layer::Glyphs(self.glyphs));
        layers.retain(|layer| !is_empty(layer));
        Scene { layers, titles: self.titles }
    }
}

fn is_empty(layer: &Layer) -> bool {
    match layer {
        Layer::Rects(rects) => rects.is_empty(),
        Layer::Strips(strips) => strips.strips.is_empty(),
        Layer::Lines(lines) => lines.lines.is_empty(),
        Layer::Arrows(arrows) => arrows.is_empty(),
        Layer::Polygons(polygons) => polygons.polygons.is_empty(),
        Layer::Glyphs(glyphs) => glyphs.is_empty(),
        Layer::Labels(labels) => labels.is_empty(),
    }
}
