//! One rectangle, divided.

use super::Tile;

/// In which order parts are placed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// The largest first: the most square. Of equal ones the first given comes first.
    #[default]
    Largest,
    /// As given: less square, but parts keep their neighbours when their sizes change.
    Given,
}

/// A rectangle, divided.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Squarified {
    /// The parts that have a place of their own, by their number, in the order in which they were
    /// placed.
    pub tiles: Vec<(usize, Tile)>,
    /// The parts that would be too thin to be seen, and the place that they take together.
    pub rest: Option<(Vec<usize>, Tile)>,
}

/// Divides a rectangle in proportion to `values`. What is not above 0, or not finite, gets no
/// place. Tiles thinner than `thinnest` get one place together, as far as they come last.
pub fn squarify(values: &[f64], room: Tile, order: Order, thinnest: f64) -> Squarified {
    let mut parts: Vec<usize> =
        (0..values.len()).filter(|&part| values[part] > 0.0 && values[part].is_finite()).collect();
    match order {
        Order::Largest => parts.sort_by(|&a, &b| values[b].total_cmp(&values[a])),
        Order::Given => {
            // What cannot be seen comes last, or it would lie scattered among what can.
            let sum: f64 = parts.iter().map(|&part| values[part]).sum();
            let smallest = thinnest * thinnest / room.area() * sum;
            parts.sort_by_key(|&part| values[part] < smallest);
        }
    }
    let mut division = Division::new(values, &parts, room);
    while division.next < parts.len() {
        division.place_row();
    }
    division.finish(thinnest)
}

/// The division of a rectangle, row by row.
struct Division<'a> {
    values: &'a [f64],
    parts: &'a [usize],
    /// What is left of the rectangle.
    room: Tile,
    /// For each part the sum of the values from it on, added from the end: many small ones are not
    /// lost beside a large one.
    sums: Vec<f64>,
    /// The first part without a place.
    next: usize,
    tiles: Vec<Tile>,
    /// For each row the number of its first part, and what was left of the rectangle before it.
    rows: Vec<(usize, Tile)>,
}

/// The parts of a row as far as they decide on its form.
#[derive(Clone, Copy)]
struct Row {
    sum: f64,
    min: f64,
    max: f64,
}

impl Row {
    fn with(self, value: f64) -> Self {
        Self { sum: self.sum + value, min: self.min.min(value), max: self.max.max(value) }
    }

    /// The ratio of sides of the least square tile, when the row fills a side of the length
    /// `side`: all in units in which a value is an area.
    fn worst(self, side: f64) -> f64 {
        let (side, sum) = (side * side, self.sum * self.sum);
        (side * self.max / sum).max(sum / (side * self.min))
    }
}

impl<'a> Division<'a> {
    fn new(values: &'a [f64], parts: &'a [usize], room: Tile) -> Self {
        let add = |sum: &mut f64, &part: &usize| {
            *sum += values[part];
            Some(*sum)
        };
        let mut sums: Vec<f64> = parts.iter().rev().scan(0.0, add).collect();
        sums.reverse();
        Self {
            values,
            parts,
            room,
            sums,
            next: 0,
            tiles: Vec::with_capacity(parts.len()),
            rows: Vec::new(),
        }
    }

    fn value(&self, at: usize) -> f64 {
        self.values[self.parts[at]]
    }

    /// Takes as many parts as make the row most square, and puts them along the shorter side.
    fn place_row(&mut self) {
        // The shorter side in the unit in which the room is as large as the sum that is left.
        let unit = (self.sums[self.next] / self.room.area()).sqrt();
        let side = self.room.thickness() * unit;
        let first = self.value(self.next);
        let mut row = Row { sum: first, min: first, max: first };
        let mut end = self.next + 1;
        while end < self.parts.len() {
            let longer = row.with(self.value(end));
            // No number compares as "less square": a room without area takes all in one row.
            if longer.worst(side) > row.worst(side) {
                break;
            }
            row = longer;
            end += 1;
        }
        self.put(end, row.sum);
    }

    /// Puts the parts up to `end` into a row: at the upper edge of a high rectangle from left to
    /// right, at the left edge of a wide one from top to bottom.
    fn put(&mut self, end: usize, sum: f64) {
        self.rows.push((self.next, self.room));
        let room = self.room;
        let lies = room.width() <= room.height();
        let is_last = end == self.parts.len();
        let share = if is_last { 1.0 } else { (sum / self.sums[self.next]).min(1.0) };
        let (near, far) = if lies { (room.y0, room.y1) } else { (room.x0, room.x1) };
        let edge = between(near, far, share);
        let (from, to) = if lies { (room.x0, room.x1) } else { (room.y0, room.y1) };
        let (mut placed, mut begin) = (0.0, from);
        for at in self.next..end {
            placed += self.value(at);
            let share = if at + 1 == end { 1.0 } else { (placed / sum).min(1.0) };
            let stop = between(from, to, share);
            self.tiles.push(match lies {
                true => Tile::new(begin, near, stop, edge),
                false => Tile::new(near, begin, edge, stop),
            });
            begin = stop;
        }
        if lies {
            self.room.y0 = edge
        } else {
            self.room.x0 = edge
        }
        self.next = end;
    }

    /// The tiles, with the last rows together where nothing in them can be seen.
    fn finish(self, thinnest: f64) -> Squarified {
        let is_seen = |tile: &Tile| tile.thickness() >= thinnest;
        let n_seen = self.tiles.iter().rposition(is_seen).map_or(0, |last| last + 1);
        let first_row = self.rows.partition_point(|(first, _)| *first < n_seen);
        let rest = self.rows.get(first_row).map(|&(first, room)| (first, room));
        // One part alone is not "several together".
        let rest = rest.filter(|(first, _)| self.parts.len() - first > 1);
        let n_alone = rest.map_or(self.parts.len(), |(first, _)| first);
        let tiles = self.parts.iter().copied().zip(self.tiles).take(n_alone).collect();
        let rest = rest.map(|(first, room)| (self.parts[first..].to_vec(), room));
        Squarified { tiles, rest }
    }
}

/// The place between two, which is exactly the second for a share of 1.
fn between(from: f64, to: f64, share: f64) -> f64 {
    if share >= 1.0 { to } else { from + (to - from) * share }
}
