//! The marks of a treemap.

use onca_layout::text::Font;
use onca_layout::treemap::{Nest, Order, Squarified, Tile, nested, squarify};
use onca_model::format::grouped;
use onca_scene::{
    Bounds, Label, Layer, Lines, Pattern, Pick, Point, Rect, Rise, Scene, Title, Titles, Weight,
};

use super::{Understood, amounts::Amounts, cells::Cells};
use crate::{
    Canvas, Drawn,
    canvas::{centred_label, label},
    color,
    sheet::TICK_SIZE,
    theme::ThemeColors,
};

/// The strip with the name of a group or a cell.
const HEADER: f64 = 15.0;
/// Who has a strip is at least so wide, and a group or a cell at least so high. The name of a lower
/// cell is written over its largest value: strips would take too much of the area.
const HEADER_WIDTH: f64 = 44.0;
const GROUP_HEIGHT: f64 = 38.0;
const CELL_HEIGHT: f64 = 90.0;
/// A value is named from this size on.
const NAMED: (f64, f64) = (60.0, 24.0);
/// Beside a text in a tile.
const PADDING: f64 = 4.0;
/// Smaller tiles have no text for the pointer, and no hatch: nobody could point at them.
const POINTABLE: f64 = 4.0;
/// Smaller cells have no line around them: lines would hide them. Up to the second number the line is
/// fine; so is that between values of a cell.
const OUTLINED: (f64, f64) = (3.0, 6.0);
const FINE_LINE: f64 = 0.5;
/// Up to this many cells, names lie over areas instead of taking room from them: with few, strips would
/// make areas differ that are the same.
const FEW_CELLS: usize = 40;
/// The line around the outermost groups.
const WIDEST_LINE: u32 = 4;

/// A treemap in the making.
pub(crate) struct Painter<'a> {
    amounts: &'a Amounts<'a>,
    cells: &'a Cells,
    canvas: Canvas,
    options: &'a Understood,
    colors: &'static ThemeColors,
    rects: Vec<Rect>,
    /// Lines around nodes, by depth: the outer ones lie above.
    outlines: Vec<(u32, Tile)>,
    /// Fine lines around small cells and values.
    fine: Vec<Tile>,
    /// Do names lie over areas?
    lies_over: bool,
    labels: Vec<Label>,
    /// Names that lie over areas: where they begin, what they say, and whose they are.
    over: Vec<(f64, f64, String, Weight, u32)>,
    titles: Titles,
    n_hidden: usize,
}

impl<'a> Painter<'a> {
    /// An empty picture.
    pub fn new(
        amounts: &'a Amounts<'a>,
        cells: &'a Cells,
        canvas: Canvas,
        options: &'a Understood,
    ) -> Self {
        let tree = amounts.tree();
        let has_any = |&&node: &&u32| cells.contains(node) && amounts.total(node) > 0.0;
        let lies_over = tree.preorder().iter().filter(has_any).count() <= FEW_CELLS;
        Self {
            amounts,
            cells,
            canvas,
            options,
            colors: canvas.theme.colors(),
            rects: Vec::new(),
            outlines: Vec::new(),
            fine: Vec::new(),
            lies_over,
            labels: Vec::new(),
            over: Vec::new(),
            titles: Titles::default(),
            n_hidden: 0,
        }
    }

    /// The treemap.
    pub fn draw(mut self) -> Drawn {
        let (tree, options) = (self.amounts.tree(), self.options);
        let bounds = self.canvas.bounds();
        let room = Tile::new(0.0, 0.0, bounds.x1, bounds.y1);
        nested(&mut self, tree.root(), room, options.order(), options.options.thinnest);
        self.finish()
    }

    /// Draws a node, and says where those below it go.
    fn draw_node(&mut self, node: u32, tile: &Tile) -> Option<Tile> {
        let tree = self.amounts.tree();
        let depth = tree.depth(node);
        if depth > 0 && tile.thickness() >= OUTLINED.1 {
            self.outlines.push((depth, *tile));
        } else if depth > 0 && tile.thickness() >= OUTLINED.0 {
            self.fine.push(*tile);
        }
        if self.cells.contains(node) {
            self.cell(node, tile);
            return None;
        }
        if tile.thickness() < self.options.options.thinnest {
            self.n_hidden += tree.n_leaves(node) - 1;
            let amounts = self.amounts;
            self.merged(node, amounts.of(node), amounts.changes(node), tile);
            return None;
        }
        // A group that holds a single node needs no strip: that node has the same place, and the names
        // of both.
        let is_group = depth > 0 && tree.children(node).len() > 1;
        Some(if is_group { self.header(node, tile, Weight::Bold, GROUP_HEIGHT) } else { *tile })
    }

    /// Draws a strip with the name of a node where there is room, and returns what is left.
    fn header(&mut self, node: u32, tile: &Tile, weight: Weight, least: f64) -> Tile {
        let has_room = tile.width() >= HEADER_WIDTH && tile.height() >= least;
        if !self.options.options.headers || !has_room {
            return *tile;
        }
        let font = if weight == Weight::Bold { Font::Bold } else { Font::Regular };
        let amounts = self.amounts;
        let name = self.name(node);
        let Some(text) = font.fit(&name, TICK_SIZE, tile.width() - 2.0 * PADDING) else {
            return *tile;
        };
        if self.lies_over {
            // Groups inside each other that begin at the same place have their names below each other.
            let is_taken = |y: f64| {
                let at = (tile.x0 + PADDING, y);
                self.over
                    .iter()
                    .any(|(x, taken, ..)| (x - at.0).abs() < 1.0 && (taken - at.1).abs() < 1.0)
            };
            let mut y = tile.y0 + PADDING;
            while is_taken(y) {
                y += HEADER;
            }
            self.over.push((tile.x0 + PADDING, y, text, weight, node));
            return *tile;
        }
        let below = (tile.y0 + HEADER).round();
        let strip = Tile { y1: below, ..*tile };
        let pick = Pick::Node(self.amounts.node(node).0);
        let title = self.title(&strip, || amounts.description(node));
        self.rects.push(Rect { title, pick, ..Rect::plain(snapped(&strip), self.colors.field) });
        let at = Point::new(tile.x0.round() + PADDING, (tile.y0.round() + below) / 2.0);
        let length = font.width(&text, TICK_SIZE);
        let name = label(at, text, TICK_SIZE, self.colors.text);
        self.labels.push(Label { rise: Rise::Middle, weight, length, pick, ..name });
        Tile { y0: below, ..*tile }
    }

    /// Draws a cell, divided by its values.
    fn cell(&mut self, node: u32, tile: &Tile) {
        let amounts = self.amounts.of(node);
        let n_values = amounts.iter().filter(|amount| **amount > 0.0).count();
        let is_part = self.amounts.tree().depth(node) > 0;
        // One value alone says nothing that its colour does not: its cell has its own name instead.
        let has_strip = is_part && n_values > 1;
        let n_over = self.over.len();
        let room = match has_strip {
            true => self.header(node, tile, Weight::Regular, CELL_HEIGHT),
            false => *tile,
        };
        let is_named = room != *tile || self.over.len() > n_over || !is_part;
        let Squarified { tiles, rest } =
            squarify(amounts, room, Order::Largest, self.options.options.thinnest);
        for (value, tile) in &tiles {
            self.piece(node, *value, tile);
            if n_values > 1 && tile.thickness() >= OUTLINED.0 {
                self.fine.push(*tile);
            }
            if is_named {
                self.name_value(node, *value, tile);
            }
        }
        if let Some((values, tile)) = rest {
            let theirs = |all: &[f64]| {
                let mut some = vec![0.0; all.len()];
                let places = values.iter().filter(|value| **value < all.len());
                places.for_each(|&value| some[value] = all[value]);
                some
            };
            let (sums, changes) = (theirs(amounts), theirs(self.amounts.changes(node)));
            self.merged(node, &sums, &changes, &tile);
        }
        if let (false, Some((value, largest))) = (is_named, tiles.first()) {
            self.name_cell(node, *value, largest);
        }
    }

    /// Draws a value of a cell.
    fn piece(&mut self, node: u32, value: usize, tile: &Tile) {
        let Painter { amounts, .. } = *self;
        let (pick, fill) = (amounts.pick(node, value), amounts.color(node, value));
        let title = self.title(tile, || amounts.value_description(node, value));
        self.rects.push(Rect { title, pick, ..Rect::plain(snapped(tile), fill) });
    }

    /// The name and the share of a value, or the share alone, where there is room. Colours of a
    /// change do not tell the value: then its name comes before how it changed.
    fn name_value(&mut self, node: u32, value: usize, tile: &Tile) {
        if tile.width() < NAMED.0 || tile.height() < NAMED.1 {
            return;
        }
        let seen = &self.amounts.values[value];
        let share = self.amounts.share(node, value);
        let room = tile.width() - 2.0 * PADDING;
        let fits = |text: &String| Font::Regular.width(text, TICK_SIZE) <= room;
        let is_compared = !self.amounts.changes(node).is_empty();
        let short = if is_compared { seen.name.clone() } else { share.clone() };
        let texts = [format!("{}  {share}", seen.name), short];
        let Some(text) = texts.into_iter().find(fits) else { return };
        let ink = color::text_on(self.amounts.color(node, value));
        let name = centred_label(snapped(tile).center(), text, TICK_SIZE, ink);
        self.labels.push(Label { pick: self.amounts.pick(node, value), ..name });
    }

    /// The name of a cell without a strip, over its largest value.
    fn name_cell(&mut self, node: u32, value: usize, tile: &Tile) {
        let room = tile.width() - 2.0 * PADDING;
        if tile.height() < TICK_SIZE + 4.0 || room < TICK_SIZE {
            return;
        }
        let name = self.name(node);
        // The amount too, where there is room: of a change, how large that is.
        let amount = match self.amounts.changes(node).is_empty() {
            true => self.amounts.quantity.text(self.amounts.total(node)),
            false => self.amounts.share(node, value),
        };
        let whole = format!("{name}  {amount}");
        let is_short = Font::Regular.width(&whole, TICK_SIZE) <= room;
        let text = if is_short { Some(whole) } else { Font::Regular.fit(&name, TICK_SIZE, room) };
        let Some(text) = text else { return };
        let ink = color::text_on(self.amounts.color(node, value));
        let name = centred_label(snapped(tile).center(), text, TICK_SIZE, ink);
        self.labels.push(Label { pick: self.amounts.pick(node, value), ..name });
    }

    /// What a node is called: with the names of groups around it that hold nothing else.
    fn name(&self, node: u32) -> String {
        let tree = self.amounts.tree();
        let (mut name, mut at) = (self.amounts.name(node), node);
        while let Some(parent) = tree.parent(at) {
            if tree.depth(parent) == 0 || tree.children(parent).len() != 1 {
                break;
            }
            name = format!("{}/{name}", self.amounts.name(parent));
            at = parent;
        }
        name
    }

    /// Draws children that cannot be told apart.
    fn draw_together(&mut self, parent: u32, parts: &[u32], tile: &Tile) {
        let amounts = self.amounts;
        let n_leaves: usize = parts.iter().map(|&part| amounts.tree().n_leaves(part)).sum();
        self.n_hidden += n_leaves;
        let mut sums = vec![0.0; amounts.values.len()];
        let mut changes = vec![0.0; amounts.changes(parent).len()];
        for &part in parts {
            sums.iter_mut().zip(amounts.of(part)).for_each(|(sum, amount)| *sum += amount);
            changes.iter_mut().zip(amounts.changes(part)).for_each(|(sum, by)| *sum += by);
        }
        self.merged(parent, &sums, &changes, tile);
    }

    /// Draws several things as one, in the mean of their colours.
    fn merged(&mut self, node: u32, sums: &[f64], changes: &[f64], tile: &Tile) {
        let amounts = self.amounts;
        let fill = amounts.mean_color(sums, changes);
        let is_visible = tile.thickness() >= POINTABLE;
        let pattern = if is_visible { Pattern::Hatch } else { Pattern::Plain };
        let title = self.title(tile, || {
            let shares = amounts.shares(node, sums, changes);
            format!("{}, parts of it{shares}", amounts.path(node))
        });
        let pick = Pick::Node(amounts.node(node).0);
        let bounds = snapped(tile);
        self.rects.push(Rect { pattern, title, pick, ..Rect::plain(bounds, fill) });
    }

    /// Keeps a text for tiles that can be pointed at.
    fn title(&mut self, tile: &Tile, text: impl FnOnce() -> String) -> Title {
        if self.canvas.titles && tile.thickness() >= POINTABLE {
            self.titles.add(text())
        } else {
            Title::NONE
        }
    }

    fn finish(mut self) -> Drawn {
        let mut notes = Vec::new();
        if self.n_hidden > 0 {
            let n_hidden = grouped(self.n_hidden as u64);
            notes.push(format!("{n_hidden} containers are too small to be told apart"));
        }
        if self.amounts.n_negative > 0 {
            let n_negative = grouped(self.amounts.n_negative as u64);
            notes.push(format!("{n_negative} amounts below 0 have no size"));
        }
        // The deeper ones first: where lines meet, the outer group's is above.
        self.outlines.sort_by_key(|(depth, _)| std::cmp::Reverse(*depth));
        let deepest = self.outlines.first().map_or(0, |(depth, _)| *depth);
        let mut lines = Lines::default();
        for tile in &self.fine {
            lines.add(around(tile), self.colors.background, FINE_LINE);
        }
        for (depth, tile) in &self.outlines {
            let width = (deepest - depth + 1).min(WIDEST_LINE);
            lines.add(around(tile), self.colors.background, f64::from(width));
        }
        let mut pills = Vec::new();
        for (x, y, text, weight, node) in self.over {
            let font = if weight == Weight::Bold { Font::Bold } else { Font::Regular };
            let length = font.width(&text, TICK_SIZE);
            let pill = Bounds::new(x - 2.0, y, x + length + 2.0, y + HEADER - 1.0);
            // What a name lies on would be hard to read, or to find.
            self.labels.retain(|label| {
                let half = label.length / 2.0;
                let reach = TICK_SIZE / 2.0;
                let (x, y) = (label.at.x, label.at.y);
                !Bounds::new(x - half, y - reach, x + half, y + reach).overlaps(&pill)
            });
            let pick = Pick::Node(self.amounts.node(node).0);
            let title = match self.canvas.titles {
                true => self.titles.add(self.amounts.description(node)),
                false => Title::NONE,
            };
            let fill = color::faded(self.colors.background, 0.8);
            pills.push((Rect { pick, title, ..Rect::plain(pill, fill) }, x, text, weight, length));
        }
        let mut rects_above = Vec::new();
        for (rect, x, text, weight, length) in pills {
            let at = Point::new(x, rect.bounds.center().y);
            let name = label(at, text, TICK_SIZE, self.colors.text);
            let pick = rect.pick;
            self.labels.push(Label { rise: Rise::Middle, weight, length, pick, ..name });
            rects_above.push(rect);
        }
        let layers = vec![
            Layer::Rects(self.rects),
            Layer::Lines(lines),
            Layer::Rects(rects_above),
            Layer::Labels(self.labels),
        ];
        let scene = Scene { layers, titles: self.titles };
        Drawn { notes, ..Drawn::plain(scene, self.canvas.bounds()) }
    }
}

impl Nest for Painter<'_> {
    fn children(&self, node: u32) -> &[u32] {
        self.amounts.tree().children(node)
    }

    fn value(&self, node: u32) -> f64 {
        self.amounts.total(node)
    }

    fn place(&mut self, node: u32, tile: &Tile) -> Option<Tile> {
        self.draw_node(node, tile)
    }

    fn place_together(&mut self, node: u32, children: &[u32], tile: &Tile) {
        self.draw_together(node, children, tile);
    }
}

/// The tile on whole pixels: neighbours share their edges, so that nothing gapes.
fn snapped(tile: &Tile) -> Bounds {
    Bounds::new(tile.x0.round(), tile.y0.round(), tile.x1.round(), tile.y1.round())
}

/// The line around a tile.
fn around(tile: &Tile) -> [Point; 5] {
    let Bounds { x0, y0, x1, y1 } = snapped(tile);
    let corner = Point::new;
    [corner(x0, y0), corner(x1, y0), corner(x1, y1), corner(x0, y1), corner(x0, y0)]
}
