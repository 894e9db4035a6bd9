//! Processes that pass messages, and their threads, told apart.
//!
//! Seen from outside, a process works whenever it is not in a call for messages. What efficiency is lost among processes
//! follows from that; the rest is lost among the threads of each.

use std::collections::HashMap;

use onca_aggregate::efficiency::Efficiency;
use onca_model::{ContainerId, Nature, ValueId, Window};
use onca_query::{CallShape, Scope};
use onca_store::TrackId;
use serde::Serialize;

use crate::Result;

/// Efficiencies of a part of a program.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PartEfficiency {
    /// Parallel efficiency; `null` where it is not defined.
    pub parallel: Option<f64>,
    /// Load balance; `null` where it is not defined.
    pub load_balance: Option<f64>,
    /// Communication efficiency; `null` where it is not defined.
    pub communication: Option<f64>,
}

/// The efficiencies of a group are those among its processes times those among the threads of each.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Hybrid {
    /// Among processes, which pass messages.
    pub among_processes: PartEfficiency,
    /// Among the threads of each.
    pub among_threads: PartEfficiency,
}

impl Hybrid {
    /// Divides the efficiencies of all by those of processes, if there are processes.
    pub(super) fn of(all: &Efficiency, processes: &Efficiency) -> Option<Self> {
        processes.parallel?;
        let rest = |all: Option<f64>, part: Option<f64>| {
            part.filter(|part| *part > 0.0).and_then(|part| Some(all? / part))
        };
        Some(Self {
            among_processes: PartEfficiency {
                parallel: processes.parallel,
                load_balance: processes.load_balance,
                communication: processes.communication,
            },
            among_threads: PartEfficiency {
                parallel: rest(all.parallel, processes.parallel),
                load_balance: rest(all.load_balance, processes.load_balance),
                communication: rest(all.communication, processes.communication),
            },
        })
    }
}

/// Who passes messages for the threads beside it.
pub(super) struct Callers {
    /// Is a value a call for messages?
    is_call: Vec<bool>,
    /// Those that call; nobody, if threads cannot be told from processes.
    containers: Vec<ContainerId>,
    /// For each process of a question: is it one of them?
    chosen: Vec<bool>,
}

impl Callers {
    /// A family is what has states below one container. Where in each exactly one passes messages, and in some there are
    /// others, these are its threads.
    pub fn of(scope: &Scope<'_>) -> Result<Self> {
        let catalog = scope.catalog();
        let is_call = |id: u32| {
            let shape = CallShape::of(scope.role(ValueId(id))?, &catalog.value(ValueId(id)).name)?;
            Some(shape.of_library && !shape.of_threads)
        };
        let is_call: Vec<bool> =
            (0..catalog.values.len() as u32).map(|id| is_call(id) == Some(true)).collect();
        let mut found = Self { is_call, containers: Vec::new(), chosen: Vec::new() };
        let mut families: HashMap<ContainerId, Vec<(ContainerId, TrackId)>> = HashMap::new();
        for (id, track, _) in scope.tracks(Nature::State) {
            let parent = catalog.containers.get(track.container).parent;
            families.entry(parent).or_default().push((track.container, id));
        }
        let has_threads = |family: &Vec<(ContainerId, TrackId)>| {
            family.iter().any(|(container, _)| *container != family[0].0)
        };
        if !found.is_call.contains(&true) || !families.values().any(has_threads) {
            return Ok(found);
        }
        let mut callers = Vec::new();
        for family in families.values() {
            let mut of_family = Vec::new();
            for &(container, track) in family {
                if found.has_calls(scope, track)? && !of_family.contains(&container) {
                    of_family.push(container);
                }
            }
            let [caller] = of_family[..] else { return Ok(found) };
            callers.push(caller);
        }
        callers.sort_unstable();
        found.containers = callers;
        Ok(found)
    }

    /// Does a track have a call, anywhere in the trace?
    fn has_calls(&self, scope: &Scope<'_>, track: TrackId) -> Result<bool> {
        let facts = &scope.catalog().facts;
        let run = Window { from: facts.start, to: facts.end };
        for lane in scope.store().tracks().lanes(track) {
            let times = scope.store().lane_time(*lane, run)?;
            if times.iter().any(|(value, ticks)| *ticks > 0 && self.is_call[value.index()]) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The processes of a question are these containers.
    pub fn choose(&mut self, processes: &[ContainerId]) {
        let is_one = |id: &ContainerId| self.containers.binary_search(id).is_ok();
        self.chosen = processes.iter().map(is_one).collect();
    }

    /// Which values are calls, if a process passes messages for its threads.
    pub fn calls(&self, process: usize) -> Option<&[bool]> {
        self.chosen[process].then_some(&self.is_call)
    }
}
