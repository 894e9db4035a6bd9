//! When all take longer than at other times.

use super::cells::Cells;
use super::pace::{LEAST_SHIFT_FOR_SOME_TIME, Usual};
use super::segments::{LEAST_CLARITY, Raised, noise_of, raised};

const LEAST_NOISE: f64 = 0.01;
/// Fewer slots of time do not tell what is usual.
const LEAST_SLOTS: usize = 12;

/// The slots in which all take longer for the same work than in others. Only slots in which processes do equally many
/// pieces of work are compared, because parts of a program differ by design.
pub(super) fn long(cells: &Cells, group: &[usize], usual: &Usual) -> Vec<Raised> {
    let n_slots = cells.n_slots();
    if !cells.are_steps && n_slots < LEAST_SLOTS {
        return Vec::new();
    }
    let count = |process: usize, slot: usize| -> u64 {
        cells.get(process, slot).iter().map(|piece| u64::from(piece.count)).sum()
    };
    let all = |slot: usize| group.iter().map(|&process| count(process, slot)).sum::<u64>();
    let counts: Vec<u64> = (0..n_slots).map(all).collect();
    let mut sorted = counts.clone();
    sorted.sort_unstable();
    let most_common = sorted
        .chunk_by(|a, b| a == b)
        .max_by_key(|equal| equal.len())
        .filter(|equal| equal.len() * 3 >= n_slots)
        .map(|equal| equal[0]);
    let is_compared = |slot: usize| match cells.are_steps {
        true => Some(counts[slot]) == most_common,
        // The first and the last slot of time have a beginning and an end in them.
        false => 0 < slot && slot + 1 < n_slots,
    };
    let level = |slot: usize| {
        if !is_compared(slot) {
            return None;
        }
        let (mut now, mut ever) = (0.0, 0.0);
        for &process in group {
            for piece in cells.get(process, slot) {
                if let (Some(here), Some(overall)) =
                    (usual.in_slot(piece.value, slot), usual.overall(piece.value))
                {
                    now += here * f64::from(piece.count);
                    ever += overall * f64::from(piece.count);
                }
            }
        }
        (now > 0.0 && ever > 0.0).then(|| (now / ever).ln())
    };
    let series: Vec<Option<f64>> = (0..n_slots).map(level).collect();
    let noise = noise_of(std::iter::once(series.as_slice()), LEAST_NOISE);
    raised(&series, noise, LEAST_CLARITY, LEAST_SHIFT_FOR_SOME_TIME)
}
