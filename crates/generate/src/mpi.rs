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
            computing: value("computing", "0.00 0.62 0.45"),
            init: value("MPI_Init", "0.94 0.89 0.26"),
            finalize: value("MPI_Finalize", "0.80 0.75 0.20"),
            send: value("MPI_Send", "0.90 0.62 0.00"),
            recv: value("MPI_Recv", "0.34 0.71 0.91"),
            irecv: value("MPI_Irecv", "0.55 0.80 0.95"),
            wait: value("MPI_Wait", "0.84 0.37 0.00"),
            bcast: value("MPI_Bcast", "0.88 0.66 0.78"),
            allreduce: value("MPI_Allreduce", "0.80 0.47 0.65"),
        }
    }
}
