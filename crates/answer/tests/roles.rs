//! Roles of traces of task systems, Python, streams of accelerators and NCCL, told by hand.

use crate::support;

use onca_answer::{Level, efficiency};
use onca_query::{Lens, Role};
use onca_testkit::fixtures::{HEADER_EVENTS, block, header};
use support::Stored;

/// The times in ticks of the whole run by role, without those that have none, and the time without a role.
fn by_role(stored: &Stored) -> (Vec<(Role, i128)>, i128) {
    let lens = Lens::clear();
    let scope = stored.scope(&lens, stored.whole());
    let found = efficiency(&scope, &Level::Whole, 1).expect("efficiencies");
    let [row] = found.rows.as_slice() else { panic!("one row") };
    let times = Role::ALL.into_iter().zip(row.roles).filter(|(_, ticks)| *ticks > 0);
    (times.collect(), row.unknown)
}

fn of_chrome(events: &str) -> Stored {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.json");
    std::fs::write(&path, format!("[{events}]")).expect("a written trace");
    Stored::of(folder, &path)
}

/// A slice of a thread, in microseconds.
fn slice(thread: u32, name: &str, from: u32, length: u32) -> String {
    format!(
        r#"{{"ph":"X","pid":1,"tid":{thread},"name":"{name}","ts":{from},"dur":{length},"cat":"c{thread}"}}"#
    )
}

const SECOND: i128 = 1_000_000_000;
const MICROSECOND: i128 = 1_000;

#[test]
fn kernels_of_starpu_are_tasks() {
    let body = "1 W 0 Worker\n2 S W \"Worker State\"\n2 T W \"Other State\"\n7 0 w W 0 w\n\
                12 0 S w chol_model_22\n12 3 S w Sleeping\n12 5 S w Overhead\n12 6 S w potrf\n15 10 S w\n\
                12 10 T w potrf\n15 11 T w\n";
    let stored = Stored::new((header() + body).as_bytes());
    let expected =
        vec![(Role::Task, 7 * SECOND), (Role::Runtime, SECOND), (Role::Idle, 2 * SECOND)];
    assert_eq!(by_role(&stored), (expected, SECOND));
}

#[test]
fn functions_of_python_work_and_its_locks_wait() {
    let events = [
        slice(1, "leaf (lib/sync/app.py:3)", 0, 10),
        slice(1, "math.sqrt", 2, 3),
        slice(1, "_thread.lock.acquire", 10, 5),
        slice(1, "time.sleep", 15, 2),
        slice(2, "quiet", 0, 4),
    ];
    let expected = vec![
        (Role::Compute, 10 * MICROSECOND),
        (Role::Wait, 5 * MICROSECOND),
        (Role::Idle, 2 * MICROSECOND),
    ];
    // The other thread has a category and so a type of its own, in which nothing is of Python.
    assert_eq!(by_role(&of_chrome(&events.join(","))), (expected, 4 * MICROSECOND));
}

#[test]
fn kernels_and_nccl_of_pytorch_have_their_roles() {
    let events = [
        slice(1, "aten::mm", 0, 10),
        slice(1, "cudaLaunchKernel", 2, 3),
        slice(1, "cudaStreamSynchronize", 10, 5),
        slice(1, "Optimizer.step#SGD.step", 15, 1),
        slice(1, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)", 20, 6),
        slice(1, "ampere_sgemm_128x64_tn", 26, 4),
    ];
    let expected = vec![
        (Role::Compute, (7 + 1 + 4) * MICROSECOND),
        (Role::Wait, 5 * MICROSECOND),
        (Role::Collective, 6 * MICROSECOND),
        (Role::Runtime, 3 * MICROSECOND),
    ];
    assert_eq!(by_role(&of_chrome(&events.join(","))), (expected, 0));
}

#[test]
fn fields_of_regions_tell_what_their_names_do_not() {
    let events = HEADER_EVENTS.iter().map(|(id, event, fields)| {
        let more: &[&str] = if *id == 6 { &["role", "paradigm"] } else { &[] };
        block(&id.to_string(), event, &[fields, more].concat())
    });
    let body = "1 P 0 Thread\n2 S P Region\n1 D P Stream\n2 R D Region\n\
                6 f S foo \"1 0 0\" function compiler\n6 g S bar \"1 0 0\" implicit_barrier openmp\n\
                6 h S baz \"1 0 0\" function measurement_system\n6 i S nowait \"1 0 0\" function compiler\n\
                7 0 p P 0 p\n7 0 d D p d\n12 0 S p f\n12 2 S p g\n12 3 S p h\n12 7 S p i\n15 8 S p\n\
                12 0 R d saxpy\n15 5 R d\n";
    let stored = Stored::new((events.collect::<String>() + body).as_bytes());
    let expected = vec![
        (Role::Compute, (2 + 5) * SECOND),
        // What a name says goes first, though it may be wrong: a lens mends it.
        (Role::Wait, SECOND),
        (Role::Collective, SECOND),
    ];
    assert_eq!(by_role(&stored), (expected, 4 * SECOND));
}
