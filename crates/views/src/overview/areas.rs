//! The areas of a partition as they can be drawn: where rows are too thin, several become one.

use std::ops::Range;

use onca_aggregate::Tree;
use onca_answer::overview::AreaRow;
use onca_scene::Pattern;

use super::{paint::MARKED, rows::Rows};

/// An area of the picture.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Shown {
    /// Its rows.
    pub rows: Range<usize>,
    /// Its first slice.
    pub first: usize,
    /// Its last slice, which belongs to it.
    pub last: usize,
    /// The first node of those that it shows, and how many siblings it shows.
    pub node: u32,
    /// How many siblings these are.
    pub n_nodes: usize,
    /// How many areas of the partition it shows.
    pub n_areas: usize,
    /// Plain for an area of the partition; else how the areas in it lie.
    pub mark: Pattern,
    /// The mean of each value over the rows.
    pub means: Vec<f64>,
    /// The gains of its areas.
    pub gain: f64,
    /// The losses of its areas.
    pub loss: f64,
}

/// A partition, with its areas where they can be found.
pub(crate) struct Areas<'a> {
    tree: &'a Tree,
    /// By the place of the node in preorder, then by time.
    areas: &'a [AreaRow],
    rows: &'a Rows,
    /// For each node its place in preorder.
    places: Vec<u32>,
    /// For each place where its areas begin; one more at the end.
    starts: Vec<u32>,
}

impl<'a> Areas<'a> {
    /// The areas of a partition, in the order of an answer.
    pub fn new(tree: &'a Tree, areas: &'a [AreaRow], rows: &'a Rows) -> Self {
        let mut places = vec![0; tree.len()];
        for (place, &node) in tree.preorder().iter().enumerate() {
            places[node as usize] = place as u32;
        }
        let mut starts = vec![0; tree.len() + 1];
        for area in areas {
            starts[places[area.node as usize] as usize + 1] += 1;
        }
        for place in 0..tree.len() {
            starts[place + 1] += starts[place];
        }
        Self { tree, areas, rows, places, starts }
    }

    /// The areas of a node itself.
    fn at(&self, node: u32) -> &'a [AreaRow] {
        let place = self.places[node as usize] as usize;
        &self.areas[self.starts[place] as usize..self.starts[place + 1] as usize]
    }

    /// The areas of siblings next to each other and of all nodes below them.
    fn within(&self, siblings: &[u32]) -> &'a [AreaRow] {
        let (Some(&first), Some(&last)) = (siblings.first(), siblings.last()) else { return &[] };
        let from = self.places[first as usize] as usize;
        let to = self.places[last as usize] as usize + self.tree.subtree(last).len();
        &self.areas[self.starts[from] as usize..self.starts[to] as usize]
    }

    /// What is drawn of slices `0..n_slices` when a row is `row_height` pixels high.
    ///
    /// From the root down: what is one area is drawn as one. Where the partition goes on to the
    /// children, those that are at least `thinnest` pixels high are looked at in turn; thinner
    /// neighbours are drawn together.
    pub fn shown(&self, n_slices: usize, row_height: f64, thinnest: f64) -> Vec<Shown> {
        let mut shown = Vec::new();
        let mut waiting = vec![(self.tree.root(), 0, n_slices)];
        while let Some((node, from, to)) = waiting.pop() {
            let mut next = from;
            let areas = self.at(node).iter();
            let inside = areas.filter(|area| area.first >= from && area.last < to);
            let mut gaps = Vec::new();
            for area in inside {
                gaps.push((next, area.first));
                shown.push(self.data(area));
                next = area.last + 1;
            }
            gaps.push((next, to));
            for (from, to) in gaps.into_iter().filter(|(from, to)| from < to) {
                for siblings in self.siblings(node, row_height, thinnest) {
                    match siblings {
                        &[child] if self.height(child, row_height) >= thinnest => {
                            waiting.push((child, from, to));
                        }
                        _ => shown.extend(self.together(siblings, from, to)),
                    }
                }
            }
        }
        shown.retain(|area| !area.rows.is_empty());
        shown.sort_by_key(|area| (area.rows.start, area.first));
        shown
    }

    fn rows_of(&self, node: u32) -> Range<usize> {
        self.rows.of(&self.tree.leaf_range(node))
    }

    fn height(&self, node: u32, row_height: f64) -> f64 {
        self.rows_of(node).len() as f64 * row_height
    }

    /// The children of a node: alone where they are high enough, else as many neighbours as make
    /// up the height of a mark.
    fn siblings(&self, node: u32, row_height: f64, thinnest: f64) -> Vec<&'a [u32]> {
        let children = self.tree.children(node);
        let mut groups = Vec::new();
        let mut begin = 0;
        let mut height = 0.0;
        for (at, &child) in children.iter().enumerate() {
            let own = self.height(child, row_height);
            if own >= thinnest && begin < at {
                groups.push(begin..at);
                (begin, height) = (at, 0.0);
            }
            height += own;
            if own >= thinnest || height >= thinnest.max(MARKED) {
                groups.push(begin..at + 1);
                (begin, height) = (at + 1, 0.0);
            }
        }
        if begin < children.len() {
            // What is left over goes with the neighbours, unless these are one that is high enough.
            match groups.last_mut() {
                Some(group) if group.len() > 1 => group.end = children.len(),
                _ => groups.push(begin..children.len()),
            }
        }
        groups.into_iter().map(|group| &children[group]).collect()
    }

    /// An area of the partition.
    fn data(&self, area: &AreaRow) -> Shown {
        let mut shown = Shown::empty(area.node, self.rows_of(area.node), area.first, area.last);
        shown.take_in(area);
        shown.finish();
        shown
    }

    /// The areas of siblings in some slices, drawn together: cut in time only where all rows are.
    fn together(&self, siblings: &[u32], from: usize, to: usize) -> Vec<Shown> {
        let (Some(&node), Some(&last)) = (siblings.first(), siblings.last()) else {
            return Vec::new();
        };
        let rows = self.rows_of(node).start..self.rows_of(last).end;
        let inside = || {
            let areas = self.within(siblings).iter();
            let areas = areas.filter(|area| area.first >= from && area.last < to);
            areas.filter(|area| !self.rows_of(area.node).is_empty())
        };
        let mut n_cut = vec![0; to - from];
        inside().for_each(|area| n_cut[area.first - from] += self.rows_of(area.node).len());
        // For each slice the stretch that it lies in.
        let mut stretches: Vec<Shown> = Vec::new();
        let mut stretch_of = Vec::with_capacity(to - from);
        for (slice, n_cut) in (from..to).zip(n_cut) {
            if n_cut == rows.len() || stretches.is_empty() {
                let mut stretch = Shown::empty(node, rows.clone(), slice, slice);
                stretch.n_nodes = siblings.len();
                stretches.push(stretch);
            }
            stretch_of.push(stretches.len() - 1);
            if let Some(stretch) = stretches.last_mut() {
                stretch.last = slice;
            }
        }
        inside().for_each(|area| stretches[stretch_of[area.first - from]].take_in(area));
        stretches.iter_mut().for_each(Shown::finish);
        stretches
    }
}

impl Shown {
    /// How many slices it has.
    pub fn n_slices(&self) -> usize {
        self.last + 1 - self.first
    }

    fn empty(node: u32, rows: Range<usize>, first: usize, last: usize) -> Self {
        Self {
            rows,
            first,
            last,
            node,
            n_nodes: 1,
            n_areas: 0,
            mark: Pattern::Diagonal,
            means: Vec::new(),
            gain: 0.0,
            loss: 0.0,
        }
    }

    /// Takes in an area that lies in it.
    fn take_in(&mut self, area: &AreaRow) {
        let n_cells = (area.n_leaves * (area.last + 1 - area.first)) as f64;
        self.means.resize(area.look.means.len(), 0.0);
        self.means.iter_mut().zip(&area.look.means).for_each(|(sum, mean)| *sum += mean * n_cells);
        self.gain += area.gain;
        self.loss += area.loss;
        self.n_areas += 1;
        if (area.first, area.last) != (self.first, self.last) {
            self.mark = Pattern::Cross;
        }
    }

    /// From sums to means. A single area needs no mark.
    fn finish(&mut self) {
        let n_cells = (self.rows.len() * self.n_slices()).max(1) as f64;
        self.means.iter_mut().for_each(|sum| *sum /= n_cells);
        if self.n_areas == 1 {
            self.mark = Pattern::Plain;
        }
    }

    /// The value with the largest mean, the first of several.
    pub fn mode(&self) -> Option<usize> {
        let first_largest = |best: Option<usize>, value: usize| match best {
            Some(best) if self.means[best] >= self.means[value] => Some(best),
            _ => Some(value),
        };
        (0..self.means.len()).filter(|&value| self.means[value] > 0.0).fold(None, first_largest)
    }
}

#[cfg(test)]
mod tests;
