//! The events of the format: their names and fields, as data.

use super::value::Kind;

/// How a field of an event is packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Packing {
    /// One byte.
    Byte,
    /// A compressed number of at most 32 bits.
    Small,
    /// A compressed number of at most 64 bits.
    Large,
    /// A compressed signed number.
    Signed,
    /// A time: eight bytes.
    Time,
    /// The id of a definition.
    Reference(Kind),
    /// A count, and as many ids of texts.
    Texts,
}

/// A field of an event.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventField {
    pub name: &'static str,
    pub packing: Packing,
}

/// A kind of event.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventKind {
    pub name: &'static str,
    pub fields: &'static [EventField],
}

/// The number of the first kind of event.
pub(super) const FIRST: u8 = 10;

/// The kind of event with this number.
pub(super) fn event_kind(number: u8) -> Option<&'static EventKind> {
    EVENTS.get(usize::from(number.checked_sub(FIRST)?))
}

/// Events that have no length: their only field follows the kind directly. No kind will join
/// them.
#[inline(always)]
pub(super) fn has_no_length(number: u8) -> bool {
    matches!(number, 12 | 13 | 16 | 17 | 20 | 21 | 24 | 28 | 29 | 30)
}

macro_rules! packing {
    (byte) => {
        Packing::Byte
    };
    (small) => {
        Packing::Small
    };
    (large) => {
        Packing::Large
    };
    (signed) => {
        Packing::Signed
    };
    (time) => {
        Packing::Time
    };
    (texts) => {
        Packing::Texts
    };
    ($kind:ident) => {
        Packing::Reference(Kind::$kind)
    };
}

macro_rules! events {
    ($($event:ident($($field:literal $packing:ident),*);)*) => {
        /// All kinds, in order of their number.
        pub(super) const EVENTS: &[EventKind] = &[$(EventKind {
            name: stringify!($event),
            fields: &[$(EventField { name: $field, packing: packing!($packing) }),*],
        }),*];
    };
}

events! {
    BufferFlush("stop" time);
    MeasurementOnOff("mode" byte);
    Enter("region" Region);
    Leave("region" Region);
    MpiSend("receiver" small, "communicator" Comm, "tag" small, "bytes" large);
    MpiIsend("receiver" small, "communicator" Comm, "tag" small, "bytes" large, "request" large);
    MpiIsendComplete("request" large);
    MpiIrecvRequest("request" large);
    MpiRecv("sender" small, "communicator" Comm, "tag" small, "bytes" large);
    MpiIrecv("sender" small, "communicator" Comm, "tag" small, "bytes" large, "request" large);
    MpiRequestTest("request" large);
    MpiRequestCancelled("request" large);
    MpiCollectiveBegin();
    MpiCollectiveEnd("operation" byte, "communicator" Comm, "root" small, "sent" large,
        "received" large);
    OmpFork("threads" small);
    OmpJoin();
    OmpAcquireLock("lock" small, "order" small);
    OmpReleaseLock("lock" small, "order" small);
    OmpTaskCreate("task" large);
    OmpTaskSwitch("task" large);
    OmpTaskComplete("task" large);
    Metric();
    ParameterString("parameter" Parameter, "value" String);
    ParameterInt("parameter" Parameter, "value" signed);
    ParameterUnsignedInt("parameter" Parameter, "value" large);
    RmaWinCreate("window" Window);
    RmaWinDestroy("window" Window);
    RmaCollectiveBegin();
    RmaCollectiveEnd("operation" byte, "sync_level" small, "window" Window, "root" small,
        "sent" large, "received" large);
    RmaGroupSync("sync_level" small, "window" Window, "group" Group);
    RmaRequestLock("window" Window, "remote" small, "lock" large, "lock_type" byte);
    RmaAcquireLock("window" Window, "remote" small, "lock" large, "lock_type" byte);
    RmaTryLock("window" Window, "remote" small, "lock" large, "lock_type" byte);
    RmaReleaseLock("window" Window, "remote" small, "lock" large);
    RmaSync("window" Window, "remote" small, "sync_type" byte);
    RmaWaitChange("window" Window);
    RmaPut("window" Window, "remote" small, "bytes" large, "matching" large);
    RmaGet("window" Window, "remote" small, "bytes" large, "matching" large);
    RmaAtomic("window" Window, "remote" small, "atomic_type" byte, "sent" large,
        "received" large, "matching" large);
    RmaOpCompleteBlocking("window" Window, "matching" large);
    RmaOpCompleteNonBlocking("window" Window, "matching" large);
    RmaOpTest("window" Window, "matching" large);
    RmaOpCompleteRemote("window" Window, "matching" large);
    ThreadFork("model" byte, "threads" small);
    ThreadJoin("model" byte);
    ThreadTeamBegin("team" Comm);
    ThreadTeamEnd("team" Comm);
    ThreadAcquireLock("model" byte, "lock" small, "order" small);
    ThreadReleaseLock("model" byte, "lock" small, "order" small);
    ThreadTaskCreate("team" Comm, "thread" small, "generation" small);
    ThreadTaskSwitch("team" Comm, "thread" small, "generation" small);
    ThreadTaskComplete("team" Comm, "thread" small, "generation" small);
    ThreadCreate("contingent" Comm, "sequence" large);
    ThreadBegin("contingent" Comm, "sequence" large);
    ThreadWait("contingent" Comm, "sequence" large);
    ThreadEnd("contingent" Comm, "sequence" large);
    CallingContextEnter("context" Context, "unwind_distance" small);
    CallingContextLeave("context" Context);
    CallingContextSample("context" Context, "unwind_distance" small, "generator" Interrupt);
    IoCreateHandle("handle" IoHandle, "mode" byte, "creation_flags" small,
        "status_flags" small);
    IoDestroyHandle("handle" IoHandle);
    IoDuplicateHandle("handle" IoHandle, "new_handle" IoHandle, "status_flags" small);
    IoSeek("handle" IoHandle, "offset_request" signed, "whence" byte, "offset_result" large);
    IoChangeStatusFlags("handle" IoHandle, "status_flags" small);
    IoDeleteFile("io_paradigm" byte, "io_file" IoFile);
    IoOperationBegin("handle" IoHandle, "mode" byte, "operation_flags" small, "bytes" large,
        "matching" large);
    IoOperationTest("handle" IoHandle, "matching" large);
    IoOperationIssued("handle" IoHandle, "matching" large);
    IoOperationComplete("handle" IoHandle, "bytes" large, "matching" large);
    IoOperationCancelled("handle" IoHandle, "matching" large);
    IoAcquireLock("handle" IoHandle, "lock_type" byte);
    IoReleaseLock("handle" IoHandle, "lock_type" byte);
    IoTryLock("handle" IoHandle, "lock_type" byte);
    ProgramBegin("program" String, "arguments" texts);
    ProgramEnd("exit_status" signed);
    NonBlockingCollectiveRequest("request" large);
    NonBlockingCollectiveComplete("operation" byte, "communicator" Comm, "root" small,
        "sent" large, "received" large, "request" large);
    CommCreate("communicator" Comm);
    CommDestroy("communicator" Comm);
    MpiProbe("sender" small, "communicator" Comm, "tag" small, "message" large);
    MpiMrecv("message" large, "bytes" large);
    MpiImrecvRequest("message" large, "request" large);
    MpiImrecv("request" large, "bytes" large);
}

/// Names of collective operations, by their code.
const COLLECTIVES: [&str; 23] = [
    "Barrier",
    "Bcast",
    "Gather",
    "Gatherv",
    "Scatter",
    "Scatterv",
    "Allgather",
    "Allgatherv",
    "Alltoall",
    "Alltoallv",
    "Alltoallw",
    "Allreduce",
    "Reduce",
    "Reduce_scatter",
    "Scan",
    "Exscan",
    "Reduce_scatter_block",
    "Create_handle",
    "Destroy_handle",
    "Allocate",
    "Deallocate",
    "Create_handle_and_allocate",
    "Destroy_handle_and_deallocate",
];

/// The name of a collective operation.
pub(super) fn collective_name(code: u8) -> String {
    match COLLECTIVES.get(usize::from(code)) {
        Some(name) => (*name).to_owned(),
        None => format!("collective {code}"),
    }
}

/// Roots that are no rank: none, the location itself, the group as a whole.
pub(super) fn root_text(root: u32) -> String {
    match root {
        u32::MAX => "none".to_owned(),
        0xffff_fffe => "self".to_owned(),
        0xffff_fffd => "group".to_owned(),
        rank => rank.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_stand_at_their_numbers() {
        let name = |number| event_kind(number).map(|kind| kind.name);
        for (number, expected) in [
            (10, "BufferFlush"),
            (12, "Enter"),
            (19, "MpiIrecv"),
            (31, "Metric"),
            (46, "RmaPut"),
            (53, "ThreadFork"),
            (65, "ThreadEnd"),
            (75, "IoOperationBegin"),
            (83, "ProgramBegin"),
            (92, "MpiImrecv"),
        ] {
            assert_eq!(name(number), Some(expected));
        }
        assert_eq!((name(9), name(93)), (None, None));
    }
}
