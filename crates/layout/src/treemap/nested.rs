//! A tree of rectangles in rectangles.

use super::{Order, Squarified, Tile, squarify};

/// A tree whose nodes get places.
pub trait Nest {
    /// The children of a node.
    fn children(&self, node: u32) -> &[u32];

    /// How large a node is to be, beside its siblings.
    fn value(&self, node: u32) -> f64;

    /// Takes the place of a node, before those of the nodes below it, and says which part of it is
    /// for these; with `None` they get none.
    fn place(&mut self, node: u32, tile: &Tile) -> Option<Tile>;

    /// Takes the place that several children of a node share, because each would be too thin.
    fn place_together(&mut self, node: u32, children: &[u32], tile: &Tile);
}

/// Divides a rectangle among the nodes of a tree, from `root` down, without recursion: trees may be
/// as deep as they like. Children thinner than `thinnest` share a place, as [`squarify`] says.
pub fn nested(nest: &mut impl Nest, root: u32, room: Tile, order: Order, thinnest: f64) {
    let mut waiting = vec![(root, room)];
    let mut values = Vec::new();
    while let Some((node, tile)) = waiting.pop() {
        let Some(room) = nest.place(node, &tile) else { continue };
        let children = nest.children(node);
        values.clear();
        values.extend(children.iter().map(|&child| nest.value(child)));
        let Squarified { tiles, rest } = squarify(&values, room, order, thinnest);
        // The last to go in is the first to come out.
        waiting.extend(tiles.into_iter().rev().map(|(child, tile)| (children[child], tile)));
        if let Some((parts, tile)) = rest {
            let parts: Vec<u32> = parts.into_iter().map(|part| children[part]).collect();
            nest.place_together(node, &parts, &tile);
        }
    }
}
