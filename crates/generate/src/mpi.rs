//! The states of an MPI program, with the colours of their kind: green work, blue receiving, red waiting. All can be told
//! apart, also by colour-blind people.

use std::io::Write;

use crate::paje::{ContainerType, StateType, Trace, Value};

/// State values of an MPI process.
#[derive(Clone, Copy)]
pub(crate) struct MpiStates {
    /// The type of all of them.
    pub(crate) of: StateType,
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
            of: states,
            computing: value("computing", "0.00 0.62 0.45"),
            init: value("MPI_Init", "0.94 0.89 0.26"),
            finalize: value("MPI_Finalize", "0.31 0.29 0.00"),
            send: value("MPI_Send", "0.90 0.62 0.00"),
            recv: value("MPI_Recv", "0.34 0.71 0.91"),
            irecv: value("MPI_Irecv", "0.59 0.84 1.00"),
            wait: value("MPI_Wait", "0.84 0.37 0.00"),
            bcast: value("MPI_Bcast", "0.45 0.15 0.33"),
            allreduce: value("MPI_Allreduce", "0.80 0.47 0.65"),
        }
    }
}
