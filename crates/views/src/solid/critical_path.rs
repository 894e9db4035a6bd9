//! The critical path: what is not on it is pale, and where it goes from one to another there is a line. Links would hide it.

use onca_answer::Diagnosis;
use onca_model::Color;
use onca_model::format::grouped;
use onca_scene::{Pick, Solid, StateBox, TimeArrow};

use super::Maker;
use crate::timeline::critical_path::path_color;
use crate::{Result, color};

/// How much is left of the colour of what is not on the path.
const PALE: f64 = 0.22;
const WIDTH: f64 = 3.0;
/// At most this many lines.
const MOST_LINES: usize = 4_000;

/// A stretch of the path: the place of its node, where it begins and where it ends.
type Stretch = (u32, f64, f64);

pub(super) fn put(maker: &mut Maker<'_>, solid: &mut Solid) -> Result<()> {
    let known = Diagnosis::of(maker.scope.store())?;
    let mut stretches: Vec<Stretch> = Vec::new();
    let pixel = 1.0 / maker.stage.height.max(1.0);
    let mut jumps: Vec<TimeArrow> = Vec::new();
    let color = path_color(maker.stage.theme.colors());
    for step in known.path_in(maker.scope.window()) {
        let node = maker.scope.hierarchy().node_of(step.container);
        let Some(place) = node.and_then(|node| maker.standing.place(node)) else { continue };
        let [from, to] =
            [step.window.from, step.window.to].map(|ticks| maker.z(ticks as f64).clamp(0.0, 1.0));
        match stretches.last_mut() {
            Some((last, _, end)) if *last == place as u32 => *end = to,
            before => {
                if let Some((last, ..)) = before {
                    let ends = (*last, place as u32);
                    let times = (from, from);
                    let (width, pick) = (WIDTH, Pick::NOTHING);
                    let via = (0, 0);
                    jumps.push(TimeArrow { ends, times, via, width, color, count: 1, pick });
                }
                stretches.push((place as u32, from, to));
            }
        }
    }
    // Lines between the same two that are less than a pixel apart are one.
    jumps.dedup_by(|a, b| a.ends == b.ends && a.times.0 - b.times.0 < pixel);
    if jumps.len() > MOST_LINES {
        let (shown, all) = (grouped(MOST_LINES as u64), grouped(jumps.len() as u64));
        maker.notes.push(format!("{shown} of {all} turns of the critical path"));
        let n = jumps.len();
        jumps = (0..MOST_LINES).map(|k| jumps[k * n / MOST_LINES]).collect();
    }
    let background = maker.stage.theme.colors().background;
    let pale = |color: Color| color::mix(background, color, PALE);
    solid.boxes = split(&solid.boxes, joined(stretches, pixel), pale);
    solid.edges.iter_mut().for_each(|edge| edge.color = pale(edge.color));
    solid.arrows = jumps;
    Ok(())
}

/// Stretches by place and time. Those of one place that are less than a pixel apart are one.
fn joined(mut stretches: Vec<Stretch>, pixel: f64) -> Vec<Stretch> {
    stretches.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    stretches.dedup_by(|later, before| {
        let touches = later.0 == before.0 && later.1 - before.2 < pixel;
        if touches {
            before.2 = before.2.max(later.2);
        }
        touches
    });
    stretches
}

/// Cuts boxes where the path comes and goes, and pales those that are not on it.
fn split(
    boxes: &[StateBox],
    stretches: Vec<Stretch>,
    pale: impl Fn(Color) -> Color,
) -> Vec<StateBox> {
    let mut parts = Vec::with_capacity(boxes.len());
    for one in boxes {
        let first = stretches.partition_point(|it| (it.0, it.2) <= (one.node, one.z0));
        let mut z = one.z0;
        for (_, from, to) in
            stretches[first..].iter().take_while(|it| (it.0, it.1) < (one.node, one.z1))
        {
            let (from, to) = (from.max(one.z0), to.min(one.z1));
            if z < from {
                parts.push(StateBox { z0: z, z1: from, color: pale(one.color), ..*one });
            }
            parts.push(StateBox { z0: from, z1: to, ..*one });
            z = to;
        }
        if z < one.z1 {
            parts.push(StateBox { z0: z, color: pale(one.color), ..*one });
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_cut_where_the_path_comes_and_goes() {
        let (full, thin) = (Color::rgb(1, 1, 1), Color::rgb(9, 9, 9));
        let one = |node, z0, z1, color| StateBox {
            node,
            z0,
            z1,
            radius: 1.0,
            color,
            aggregate: false,
            pick: Pick::NOTHING,
        };
        let boxes = [one(0, 0.0, 0.5, full), one(1, 0.0, 1.0, full)];
        let stretches = joined(vec![(1, 0.6, 0.7), (1, 0.2, 0.4), (1, 0.405, 0.5)], 0.01);
        let parts = split(&boxes, stretches, |_| thin);
        let expected = [
            one(0, 0.0, 0.5, thin),
            one(1, 0.0, 0.2, thin),
            one(1, 0.2, 0.5, full),
            one(1, 0.5, 0.6, thin),
            one(1, 0.6, 0.7, full),
            one(1, 0.7, 1.0, thin),
        ];
        assert_eq!(parts, expected);
    }
}
