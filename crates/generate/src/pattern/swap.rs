//! 2-3 swap: groups of two or three swap parts, then groups swap with groups.

/// The parts that a group of 2-3 swap is made of, as the sizes of its groups: single processes in a
/// group of two or three, else two halves.
fn swap_parts(procs: u32) -> Vec<u32> {
    match procs {
        0 | 1 => Vec::new(),
        2 | 3 => vec![1; procs as usize],
        _ => vec![procs / 2, procs - procs / 2],
    }
}

/// After this many stages all processes of a group have swapped.
pub(super) fn swap_height(procs: u32) -> u32 {
    let parts = swap_parts(procs).into_iter().map(swap_height);
    parts.max().map_or(0, |height| height + 1)
}

/// What the groups that have this height swap. Before, each process of a part of n processes has one
/// of n shares of the whole; afterwards it has one of as many as the group has processes. It gets what
/// it lacks from whoever has it.
pub(super) fn swap_stage(
    (first, procs): (u32, u32),
    height: u32,
    bytes: u64,
    send: &mut impl FnMut(u32, u32, u64),
) {
    let own_height = swap_height(procs);
    if own_height < height {
        return;
    }
    let border = |at: u32, of: u32| u128::from(bytes) * u128::from(at) / u128::from(of);
    let mut begin = first;
    for part in swap_parts(procs) {
        if own_height > height {
            swap_stage((begin, part), height, bytes, send);
        } else {
            for at in 0..part {
                let had = (border(at, part), border(at + 1, part));
                // Only shares that overlap: the first of them, and on while they begin before the end.
                let from = u64::from(at) * u64::from(procs) / u64::from(part);
                for to in from as u32..procs {
                    let gets = (border(to, procs), border(to + 1, procs));
                    if gets.0 >= had.1 {
                        break;
                    }
                    let (from, to) = (begin + at, first + to);
                    let shared = gets.1.min(had.1).saturating_sub(gets.0.max(had.0)) as u64;
                    if from != to && shared > 0 {
                        send(from, to, shared);
                    }
                }
            }
        }
        begin += part;
    }
}
