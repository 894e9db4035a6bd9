//! The marks of a diagram in the making.

use onca_model::{LaneId, StateRow, printable};
use onca_scene::{Arrow, Glyph, Layer, Lines, Polygons, Rect, Scene, Title, Titles};

use crate::timeline::{
    stage::Stage,
    state_marks::{DepthMarks, StateMarks, Titled},
};

/// Texts for the pointer are left out where there would be more: nobody points at so small marks.
const MOST_TITLES: usize = 4000;

/// What the marks of a diagram are gathered in.
pub(crate) struct Drawing<'a> {
    /// What it is made of.
    pub stage: &'a Stage<'a>,
    /// What lies behind all.
    pub behind: Vec<Rect>,
    /// States, and events where they are dense.
    pub states: StateMarks,
    /// Locks that are held or waited for.
    pub locks: Vec<Rect>,
    /// Waits.
    pub waits: Vec<Rect>,
    /// Areas under variables.
    pub areas: Polygons,
    /// Lines of variables.
    pub lines: Lines,
    /// The steps of variables, which cannot be seen but pointed at.
    pub steps: Vec<Rect>,
    /// Links.
    pub arrows: Vec<Arrow>,
    /// The critical path.
    pub path: Lines,
    /// Events.
    pub glyphs: Vec<Glyph>,
    /// Texts for the pointer.
    pub titles: Titles,
}

impl<'a> Drawing<'a> {
    /// An empty diagram.
    pub fn new(stage: &'a Stage<'a>) -> Self {
        Self {
            stage,
            behind: Vec::new(),
            states: StateMarks::default(),
            locks: Vec::new(),
            waits: Vec::new(),
            areas: Polygons::default(),
            lines: Lines::default(),
            steps: Vec::new(),
            arrows: Vec::new(),
            path: Lines::default(),
            glyphs: Vec::new(),
            titles: Titles::default(),
        }
    }

    fn state_title(&mut self, state: &StateRow, lane: LaneId) -> Title {
        let catalog = self.stage.scope.catalog();
        let value = printable(&catalog.value(state.value).name);
        let container = catalog.lane(lane).container;
        let name = printable(catalog.containers.names.get(container.index()));
        let text = format!("{value}\n{name}\n{}", self.stage.times_text(state.start, state.end));
        self.titles.add(text)
    }

    /// All marks in the order in which they are painted.
    pub fn finish(mut self, with_titles: bool) -> Scene {
        if with_titles && self.states.titled.len() <= MOST_TITLES {
            for titled in std::mem::take(&mut self.states.titled) {
                let Titled { depth, number, state, lane } = titled;
                let title = self.state_title(&state, lane);
                self.states.depths[depth].rects[number].title = title;
            }
        }
        let mut layers = vec![Layer::Rects(self.behind)];
        for DepthMarks { mut strips, rects } in self.states.depths {
            if !strips.strips.is_empty() {
                strips.palette.clone_from(&self.stage.palette);
                layers.push(Layer::Strips(strips));
            }
            layers.push(Layer::Rects(rects));
        }
        layers.push(Layer::Rects(self.locks));
        layers.push(Layer::Rects(self.waits));
        layers.push(Layer::Polygons(self.areas));
        layers.push(Layer::Lines(self.lines));
        layers.push(Layer::Rects(self.steps));
        layers.push(Layer::Labels(self.states.labels));
        layers.push(Layer::Arrows(self.arrows));
        layers.push(Layer::Lines(self.path));
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
