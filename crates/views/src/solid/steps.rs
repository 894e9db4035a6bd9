//! Variables as ribbons, events as marks.

use std::collections::BTreeMap;

use onca_answer::entities;
use onca_model::format::grouped;
use onca_model::{LaneId, Nature, TypeId, ValueId, Window, printable};
use onca_query::NodeId;
use onca_scene::{Pick, Ribbon, Solid, TimeMark};

use super::Maker;
use crate::timeline::events::shape_of;
use crate::{Result, color};

/// A variable with more steps is drawn by its means in this many slices.
const MOST_STEPS: usize = 200;
/// At most this many points of all variables, and this many marks of events.
const MOST_POINTS: usize = 50_000;
const MOST_MARKS: usize = 5_000;

pub(super) fn put(maker: &mut Maker<'_>, solid: &mut Solid) -> Result<()> {
    if maker.options.variables {
        put_variables(maker, solid)?;
    }
    if maker.options.events {
        put_events(maker, solid)?;
    }
    Ok(())
}

/// The lanes of a nature with the places that they stand at.
fn lanes(maker: &Maker<'_>, nature: Nature) -> Vec<(LaneId, TypeId, usize, NodeId)> {
    let tracks = maker.scope.tracks(nature).filter_map(|(id, track, node)| {
        let place = maker.standing.place(node)?;
        let lanes = entities::lanes_of(maker.scope, id).iter();
        Some(lanes.map(move |lane| (*lane, track.type_id, place, node)))
    });
    tracks.flatten().collect()
}

/// By place, value and pixel: how many events, when the first is, and its lane and row.
type Marks = BTreeMap<(usize, ValueId, i64), (u64, f64, LaneId, u64)>;

/// The values of a variable: when, and what.
type Points = Vec<(f64, f64)>;

fn put_variables(maker: &mut Maker<'_>, solid: &mut Solid) -> Result<()> {
    let mut found: Vec<(LaneId, TypeId, usize, NodeId, Points)> = Vec::new();
    let mut n_points = 0;
    let mut left_out = 0;
    for (lane, type_id, place, node) in lanes(maker, Nature::Variable) {
        if n_points >= MOST_POINTS {
            left_out += 1;
            continue;
        }
        let points = points_of(maker, lane)?;
        n_points += points.len();
        if !points.is_empty() {
            found.push((lane, type_id, place, node, points));
        }
    }
    if left_out > 0 {
        maker.notes.push(format!("{} variables left out", grouped(left_out)));
    }
    let mut largest: BTreeMap<TypeId, f64> = BTreeMap::new();
    for (_, type_id, _, _, points) in &found {
        let most = points.iter().map(|(_, value)| value.abs()).fold(0.0, f64::max);
        let known = largest.entry(*type_id).or_default();
        *known = known.max(most);
    }
    for (lane, type_id, place, node, points) in found {
        let most = largest.get(&type_id).copied().filter(|most| *most > 0.0).unwrap_or(1.0);
        let first = solid.ribbons.points.len();
        solid.ribbons.points.extend(points.iter().map(|(z, value)| (*z, value / most)));
        let name = printable(&maker.scope.catalog().type_def(type_id).name);
        let title =
            format!("{}\n{name}, at most {}", maker.scope.path(node), crate::quantity::brief(most));
        let behind = maker.stage.theme.colors().background;
        solid.ribbons.ribbons.push(Ribbon {
            node: place as u32,
            points: first..solid.ribbons.points.len(),
            color: color::legible(maker.appearance.of_type(type_id).color, behind),
            title: solid.titles.add(title),
            pick: Pick::entity(lane.0, 0),
        });
    }
    Ok(())
}

/// The steps of a variable, or its means where there are too many.
fn points_of(maker: &Maker<'_>, lane: LaneId) -> Result<Points> {
    let Window { from, to } = maker.scope.window();
    let mut points = Points::new();
    maker.scope.visit_variables(lane, |_, step| {
        if points.len() <= MOST_STEPS && step.value.is_finite() {
            points.push((maker.z(step.start.max(from) as f64), step.value));
        }
    })?;
    if points.len() <= MOST_STEPS {
        return Ok(points);
    }
    points.clear();
    let bound = |slice: usize| {
        let share = (i128::from(to) - i128::from(from)) * slice as i128 / MOST_STEPS as i128;
        (i128::from(from) + share) as i64
    };
    for slice in 0..MOST_STEPS {
        let window = Window::new(bound(slice), bound(slice + 1));
        let summary = entities::variable_summary(maker.scope, lane, window)?;
        points.extend(summary.mean.map(|mean| (maker.z(window.from as f64), mean)));
    }
    Ok(points)
}

fn put_events(maker: &mut Maker<'_>, solid: &mut Solid) -> Result<()> {
    let lanes = lanes(maker, Nature::Event);
    let mut n_bins = maker.stage.height.max(1.0);
    loop {
        let mut marks = Marks::new();
        for &(lane, _, place, _) in &lanes {
            maker.scope.visit_events(lane, |row, event| {
                let z = maker.z(event.time as f64);
                let bin = (z * n_bins).floor() as i64;
                let mark = marks.entry((place, event.value, bin)).or_insert((0, z, lane, row));
                mark.0 += 1;
            })?;
        }
        if marks.len() > MOST_MARKS && n_bins > 1.0 {
            n_bins /= 2.0;
            continue;
        }
        let n_events: u64 = marks.values().map(|(count, ..)| count).sum();
        if n_events > marks.len() as u64 {
            let (n, shown) = (grouped(n_events), grouped(marks.len() as u64));
            maker.notes.push(format!("{n} events as {shown} marks"));
        }
        for ((place, value, _), (count, z, lane, row)) in marks {
            let style = maker.appearance.of_value(value);
            let behind = maker.stage.theme.colors().background;
            solid.marks.push(TimeMark {
                node: place as u32,
                z,
                shape: shape_of(style.shape),
                color: color::legible(style.color, behind),
                count,
                pick: Pick::entity(lane.0, row),
            });
        }
        return Ok(());
    }
}
