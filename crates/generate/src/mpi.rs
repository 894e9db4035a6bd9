//! The states of an MPI program, with the colours of their kind: green work, blue sending, red waiting.

use std::io::Write;

use crate::paje::{ContainerType, Trace, Value};

/// State values of an MPI process.
#[derive(Clone, Copy)]
pub(crate) struct MpiStates {
    pub(crate) computing: Value,
    pub(crate) init: Value,
    pub(crate) finalize: Value,
    pub(crate) send: Value,
    pub(crate) recv: Value,
    pub(crate) irecv: Value,
    pub(crate) wait: Value,
    pub(crate) bcast: Value,
    pub(crate) allreduce: Value,
}

impl MpiStates {
    /// Defines the state type and its values.
    pub(crate) fn define<W: Write>(trace: &mut Trace<'_, W>, process: ContainerType) -> Self {
        let states = trace.state_type("MPI_STATE", "MPI_STATE", process);
        let mut value = |name: &str, color: &str| trace.value(states, name, name, color);
        MpiStates {
            computing: value("computing", "0.30 0.69 0.31"),
            init: value("MPI_Init", "0.55 0.55 0.55"),
            finalize: value("MPI_Finalize", "0.35 0.35 0.35"),
            send: value("MPI_Send", "0.13 0.46 0.78"),
            recv: value("MPI_Recv", "0.45 0.72 0.93"),
            irecv: value("MPI_Irecv", "0.65 0.83 0.96"),
            wait: value("MPI_Wait", "0.85 0.22 0.19"),
            bcast: value("MPI_Bcast", "0.61 0.35 0.71"),
            allreduce: value("MPI_Allreduce", "0.96 0.62 0.12"),
        }
    }
}
