//! Names of what the format numbers.

/// What a region is for, by its code.
const ROLES: [&str; 41] = [
    "unknown",
    "function",
    "wrapper",
    "loop",
    "code",
    "parallel",
    "sections",
    "section",
    "workshare",
    "single",
    "single_sblock",
    "master",
    "critical",
    "critical_sblock",
    "atomic",
    "barrier",
    "implicit_barrier",
    "flush",
    "ordered",
    "ordered_sblock",
    "task",
    "task_create",
    "task_wait",
    "coll_one2all",
    "coll_all2one",
    "coll_all2all",
    "coll_other",
    "file_io",
    "point2point",
    "rma",
    "data_transfer",
    "artificial",
    "thread_create",
    "thread_wait",
    "task_untied",
    "allocate",
    "deallocate",
    "reallocate",
    "file_io_metadata",
    "data",
    "kernel",
];

/// What a region belongs to, by its code.
const PARADIGMS: [&str; 26] = [
    "unknown",
    "user",
    "compiler",
    "openmp",
    "mpi",
    "cuda",
    "measurement_system",
    "pthread",
    "hmpp",
    "ompss",
    "hardware",
    "gaspi",
    "upc",
    "shmem",
    "winthread",
    "qtthread",
    "acethread",
    "tbbthread",
    "openacc",
    "opencl",
    "mtapi",
    "sampling",
    "none",
    "hip",
    "kokkos",
    "openmp_target",
];

/// The name of a region's role.
pub(super) fn role(code: u8) -> String {
    named(&ROLES, code)
}

/// The name of a paradigm.
pub(super) fn paradigm(code: u8) -> String {
    named(&PARADIGMS, code)
}

fn named(names: &[&str], code: u8) -> String {
    names.get(usize::from(code)).map_or_else(|| code.to_string(), |name| (*name).to_owned())
}
