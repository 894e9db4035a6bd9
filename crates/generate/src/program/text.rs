//! The program in the Pajé format.

use std::io::Write;

use super::{NAMES, Program};
use crate::paje::{Container, ContainerType, OperationTold, Record, Trace};
use crate::schedule::Schedule;
use crate::{GenerateError, Written};

const COLORS: [&str; NAMES.len()] = [
    "0.00 0.62 0.45",
    "0.90 0.62 0.00",
    "0.34 0.71 0.91",
    "0.55 0.80 0.95",
    "0.95 0.80 0.40",
    "0.84 0.37 0.00",
    "0.55 0.34 0.29",
    "0.80 0.47 0.65",
    "0.60 0.30 0.50",
    "0.88 0.66 0.78",
    "0.70 0.55 0.75",
    "0.50 0.45 0.70",
];

pub(super) fn write<W: Write>(
    program: &Program,
    seed: u64,
    out: &mut W,
) -> Result<Written, GenerateError> {
    let mut trace = Trace::new(out, "program", seed);
    trace.define_operations();
    let process = trace.container_type("PROCESS", "Process", ContainerType::ROOT, (b'p', "rank-"));
    let states = trace.state_type("STATE", "MPI_STATE", process);
    let values: Vec<_> = NAMES
        .iter()
        .zip(COLORS)
        .map(|(name, color)| trace.value(states, name, name, color))
        .collect();
    let [link] = trace.link_type(("LINK", "MPI_LINK"), process, [("PTP", "0.45 0.45 0.45")]);
    let mut schedule = Schedule::default();
    for rank in 0..program.activities.len() as u32 {
        let container = process.number(rank);
        trace.record(0, Record::Create { container, parent: Container::ROOT })?;
    }
    for (rank, activities) in (0u32..).zip(&program.activities) {
        let container = process.number(rank);
        for activity in activities {
            let value = values[activity.doing.index()];
            let open = match activity.operation {
                Some((communicator, number, root)) => {
                    let told = OperationTold { communicator, number, root };
                    Record::PushOperation { container, value, told }
                }
                None => Record::Push { container, value },
            };
            schedule.add(activity.from, open);
            for &message in &activity.sends {
                let bytes = Some(program.messages[message as usize].bytes);
                let start = Record::StartLink { link, from: container, key: message.into(), bytes };
                schedule.add(activity.from, start);
            }
            for &message in &activity.takes {
                schedule
                    .add(activity.to, Record::EndLink { link, to: container, key: message.into() });
            }
            schedule.add(activity.to, Record::Pop { container, value });
        }
    }
    schedule.write_rest(&mut trace)?;
    let end = schedule.latest();
    for rank in 0..program.activities.len() as u32 {
        trace.record(end, Record::Destroy { container: process.number(rank) })?;
    }
    trace.finish()
}
