//! Who is next to whom in grids and trees.

use super::Options;
use crate::run::grid;

/// The messages of a stencil on the most square grid, which does not wrap around.
pub(crate) fn stencil(procs: u32, mut send: impl FnMut(u32, u32)) {
    let (rows, columns) = grid(procs);
    for process in 0..procs {
        let (row, column) = (process / columns, process % columns);
        if row > 0 {
            send(process, process - columns);
        }
        if row + 1 < rows {
            send(process, process + columns);
        }
        if column > 0 {
            send(process, process - 1);
        }
        if column + 1 < columns {
            send(process, process + 1);
        }
    }
}

/// The first process of a level of the tree where each process has `children` children; levels are contiguous and
/// process 0 is level 0.
fn first_of_level(level: u32, children: u32) -> u64 {
    // With one child each the tree is a chain; the general sum would be right but slow.
    if children == 1 {
        return u64::from(level);
    }
    (0..level).fold(0, |first, _| first * u64::from(children) + 1)
}

/// The deepest level of the tree.
pub(super) fn tree_depth(procs: u32, children: u32) -> u32 {
    if children == 1 {
        return procs - 1;
    }
    let mut depth = 0;
    while first_of_level(depth + 1, children) < u64::from(procs) {
        depth += 1;
    }
    depth
}

/// Up from the deepest level in the first half of the stages, down again in the second.
pub(super) fn tree_stage(options: &Options, stage: u32, mut send: impl FnMut(u32, u32)) {
    let (procs, children) = (options.procs, options.children);
    let deepest = tree_depth(procs, children);
    let (level, up) = match stage < deepest {
        true => (deepest - stage, true),
        false => (stage - deepest + 1, false),
    };
    let first = first_of_level(level, children) as u32;
    let past = first_of_level(level + 1, children).min(u64::from(procs)) as u32;
    for process in first..past {
        let parent = (process - 1) / children;
        match up {
            true => send(process, parent),
            false => send(parent, process),
        }
    }
}
