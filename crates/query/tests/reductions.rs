//! Derived variables against evaluating all containers at every instant at which anything changes.

mod choice;
mod plain;

use choice::Choice;
use onca_model::{LaneId, Nature, Ticks, TypeId, Window};
use onca_query::{GroupSpec, Lens, NodeId, ReductionForm, ReductionOp, ReductionSpec, Scope};
use plain::Plain;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const SEEDS: u64 = 100;
const LENSES: usize = 10;
const OPERATIONS: [ReductionOp; 6] = [
    ReductionOp::Count,
    ReductionOp::Busy,
    ReductionOp::Sum,
    ReductionOp::Mean,
    ReductionOp::Min,
    ReductionOp::Max,
];

/// What is reduced: the states of a type in some values, or a variable.
struct Question {
    op: ReductionOp,
    type_id: TypeId,
    values: Vec<bool>,
}

impl Question {
    /// A question that the trace can answer, as a part of a lens.
    fn random(rng: &mut ChaCha8Rng, plain: &Plain) -> Option<(Self, ReductionSpec)> {
        let catalog = &plain.catalog;
        let op = OPERATIONS[rng.random_range(0..OPERATIONS.len())];
        let of_states = matches!(op, ReductionOp::Count | ReductionOp::Busy);
        let nature = if of_states { Nature::State } else { Nature::Variable };
        let types: Vec<TypeId> = (0..catalog.types.len() as u32)
            .map(TypeId)
            .filter(|id| catalog.type_def(*id).nature == nature)
            .collect();
        let type_id = *types.get(rng.random_range(0..types.len().max(1)))?;
        let name = String::from_utf8(catalog.type_def(type_id).name.clone()).ok()?;
        let chosen: Vec<bool> = catalog
            .values
            .iter()
            .map(|value| of_states && value.type_id == type_id && rng.random_bool(0.5))
            .collect();
        let patterns: Option<Vec<String>> = (catalog.values.iter().zip(&chosen))
            .filter(|(_, chosen)| **chosen)
            .map(|(value, _)| {
                let value = String::from_utf8(value.name.clone()).ok()?;
                Some(format!("{name}:{value}"))
            })
            .collect();
        let patterns = patterns?;
        if of_states && patterns.is_empty() {
            return None;
        }
        // Values of one name are chosen together.
        let values = catalog.values.iter().map(|value| {
            let full = format!("{name}:{}", String::from_utf8_lossy(&value.name));
            value.type_id == type_id && patterns.contains(&full)
        });
        let values = values.collect();
        let levels = plain.container_types();
        let level = &catalog.type_def(levels[rng.random_range(0..levels.len())]).name;
        let spec = ReductionSpec {
            name: "derived".to_owned(),
            level: String::from_utf8(level.clone()).ok()?,
            op,
            values: patterns,
            variable: (!of_states).then_some(name),
            form: ReductionForm::Variable,
        };
        Some((Self { op, type_id, values }, spec))
    }

    /// The number at an instant, of these containers.
    fn at(&self, plain: &Plain, members: &[usize], time: Ticks) -> Option<f64> {
        let lanes = |container: usize| {
            let all = plain.catalog.lanes.iter().enumerate();
            let own = all.filter(move |(_, lane)| {
                lane.container.index() == container && lane.type_id == self.type_id
            });
            own.map(|(id, _)| LaneId(id as u32)).collect::<Vec<_>>()
        };
        let tracks: Vec<(usize, Vec<LaneId>)> = (members.iter())
            .map(|&container| (container, lanes(container)))
            .filter(|(_, lanes)| !lanes.is_empty())
            .collect();
        match self.op {
            ReductionOp::Count | ReductionOp::Busy => {
                let active = tracks.iter().filter(|(_, lanes)| self.counts(plain, lanes, time));
                let active = active.count() as f64;
                let existing = tracks.iter().filter(|(container, lanes)| {
                    let (start, end) = (
                        plain.catalog.containers.starts[*container],
                        plain.catalog.containers.ends[*container],
                    );
                    (start <= time && time < end) || self.counts(plain, lanes, time)
                });
                let existing = existing.count() as f64;
                Some(match self.op {
                    ReductionOp::Busy if existing > 0.0 => active / existing,
                    _ => active,
                })
            }
            ReductionOp::Sum | ReductionOp::Mean | ReductionOp::Min | ReductionOp::Max => {
                let held = |lanes: &[LaneId]| {
                    let rows = plain.rows.variables.iter();
                    let mut now = rows.filter(|(lane, _, row)| {
                        lanes.contains(lane) && row.start <= time && time < row.end
                    });
                    now.next().map(|(_, _, row)| row.value).filter(|value| value.is_finite())
                };
                let values: Vec<f64> = tracks.iter().filter_map(|(_, lanes)| held(lanes)).collect();
                let sum: f64 = values.iter().sum();
                match self.op {
                    ReductionOp::Sum => Some(sum),
                    _ if values.is_empty() => None,
                    ReductionOp::Mean => Some(sum / values.len() as f64),
                    ReductionOp::Min => values.into_iter().reduce(f64::min),
                    _ => values.into_iter().reduce(f64::max),
                }
            }
        }
    }

    /// Does the innermost state of a track have one of the values?
    fn counts(&self, plain: &Plain, lanes: &[LaneId], time: Ticks) -> bool {
        let open =
            plain.rows.states.iter().filter(|(lane, _, row)| {
                lanes.contains(lane) && row.start <= time && time < row.end
            });
        let innermost = open.max_by_key(|(lane, _, _)| plain.catalog.lane(*lane).depth);
        innermost.is_some_and(|(_, _, row)| self.values[row.value.index()])
    }
}

fn members(plain: &Plain, scope: &Scope<'_>, node: NodeId) -> Vec<usize> {
    let hierarchy = scope.hierarchy();
    let inside = |mut at: NodeId| {
        while at != node && at != NodeId::ROOT {
            at = hierarchy.parent(at);
        }
        at == node
    };
    let all = (0..plain.n_containers()).map(|id| onca_model::ContainerId(id as u32));
    let seen = all.filter(|id| hierarchy.node_of(*id).is_some_and(inside));
    seen.map(onca_model::ContainerId::index).collect()
}

fn close(a: Option<f64>, b: Option<f64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-12 * (1.0 + a.abs().max(b.abs())),
        (a, b) => a == b,
    }
}

fn check(plain: &Plain, scope: &Scope<'_>, question: &Question, window: Window) {
    let mut times = plain.times();
    let containers = &plain.catalog.containers;
    times.extend(containers.starts.iter().chain(&containers.ends));
    times.push(window.from);
    times.retain(|&time| window.from <= time && time < window.to);
    times.sort_unstable();
    times.dedup();
    let reduction = &scope.reductions()[0];
    for &node in &reduction.nodes {
        let mut steps: Vec<(Ticks, Ticks, f64)> = Vec::new();
        reduction
            .visit(scope, node, window, |start, end, value| steps.push((start, end, value)))
            .expect("visited");
        for &(start, end, _) in &steps {
            assert!(window.from <= start && start < end && end <= window.to, "{steps:?}");
        }
        for pair in steps.windows(2) {
            assert!(pair[0].1 <= pair[1].0, "in order");
            assert!(pair[0].1 < pair[1].0 || pair[0].2 != pair[1].2, "neighbours differ");
        }
        let members = members(plain, scope, node);
        // Each step holds until the next change, so its begin is enough.
        for &time in &times {
            let found = steps.iter().find(|(start, end, _)| *start <= time && time < *end);
            let found = found.map(|(_, _, value)| *value);
            let expected = question.at(plain, &members, time);
            assert!(close(found, expected), "{:?} at {time}: {found:?} {expected:?}", question.op);
        }
        for (start, _, _) in steps {
            assert!(times.contains(&start), "a step begins where something changes");
        }
    }
}

#[test]
fn derived_variables_have_the_value_of_every_instant() {
    let mut n_checked = [0; OPERATIONS.len()];
    for seed in 0..SEEDS {
        let plain = Plain::random(seed);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for _ in 0..LENSES {
            let Some((question, spec)) = Question::random(&mut rng, &plain) else { continue };
            let choice = Choice::of_containers(&mut rng, &plain);
            let group = match rng.random_range(0..3) {
                0 => vec![GroupSpec::Pattern { expression: r"(\d)$".to_owned(), within: None }],
                _ => Vec::new(),
            };
            let lens = Lens {
                select: choice.selection(&plain),
                group,
                reduce: vec![spec],
                ..Lens::clear()
            };
            let window = plain.window(&mut rng);
            match Scope::new(&plain.store, &lens, window) {
                Ok(scope) => {
                    check(&plain, &scope, &question, window);
                    n_checked[OPERATIONS.iter().position(|op| *op == question.op).unwrap()] += 1;
                }
                // The level may have no container that is seen.
                Err(error) => assert!(error.to_string().contains("no level"), "{error}"),
            }
        }
    }
    assert!(n_checked.iter().all(|&n| n > 20), "too few questions: {n_checked:?}");
}
