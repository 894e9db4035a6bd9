//! Findings of small traces whose faults are known.

use crate::support;

use onca_answer::{FoundFinding, findings};
use onca_query::Lens;
use onca_testkit::fixtures::header;
use support::Stored;

/// What is found in a trace, with the names of those that it is about.
fn found(text: &str) -> Vec<(FoundFinding, Vec<String>)> {
    let stored = Stored::new(text.as_bytes());
    let lens = Lens::clear();
    let scope = stored.scope(&lens, stored.whole());
    let containers = &scope.catalog().containers;
    let name = |id| String::from_utf8_lossy(containers.get(id).name).into_owned();
    let answer = findings(&scope).expect("findings");
    let named = |it: FoundFinding| {
        let names = it.containers.iter().map(|id| name(*id)).collect();
        (it, names)
    };
    answer.findings.into_iter().map(named).collect()
}

/// Six workers with 80 tasks of 1 s each; one task of one worker takes longer.
fn workers(long: u32) -> String {
    let mut text = header() + "1 T 0 Thread\n1 W T Worker\n2 S W \"Worker State\"\n";
    let mut records: Vec<(u32, String)> = Vec::new();
    for worker in 0..6 {
        // Threads share one name, as those of StarPU do.
        text += &format!("7 0 t{worker} T 0 T0\n7 0 w{worker} W t{worker} CPU{worker}\n");
        let mut time = 0;
        for task in 0..80 {
            records.push((time, format!("12 {time} S w{worker} potrf\n")));
            time += if (worker, task) == (4, 30) { long } else { 1 };
        }
        records.push((time, format!("15 {time} S w{worker}\n")));
    }
    records.sort_by_key(|(time, _)| *time);
    records.into_iter().fold(text, |text, (_, record)| text + &record)
}

#[test]
fn one_long_task_is_a_stall() {
    let all = found(&workers(60));
    let [(stall, names)] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!((&*stall.kind, names.as_slice()), ("stall", &["CPU4".to_owned()][..]));
    assert!(stall.text.starts_with("one potrf of CPU4 stalls: it takes 60"), "{}", stall.text);
    // The run ends with the worker that stalls: 59 s later than it would.
    let second = 1_000_000_000;
    assert!((58 * second..=60 * second).contains(&stall.saved), "{}", stall.saved);
}

/// Sixteen processes compute for 1 s in each of 30 rounds. Then some prepare for another second what the others receive; `sender` tells from
/// whom a process receives in a round.
fn rounds(sender: impl Fn(usize, usize) -> Option<usize>) -> String {
    let mut text = header() + "1 P 0 Proc\n2 S P St\n5 L 0 P P Lk\n";
    (0..16).for_each(|rank| text += &format!("7 0 p{rank} P 0 rank-{rank}\n"));
    for round in 0..30 {
        let (begin, middle, end) = (2 * round, 2 * round + 1, 2 * round + 2);
        (0..16).for_each(|rank| text += &format!("12 {begin} S p{rank} computing\n"));
        for rank in 0..16 {
            let doing = if sender(rank, round).is_some() { "MPI_Recv" } else { "Scheduling" };
            text += &format!("12 {middle} S p{rank} {doing}\n");
        }
        for rank in (0..16).filter(|rank| sender(*rank, round).is_none()) {
            text += &format!("13 {end} S p{rank} MPI_Send\n");
        }
        for (rank, from) in (0..16).filter_map(|rank| Some((rank, sender(rank, round)?))) {
            let key = format!("{round}-{rank}");
            text += &format!("16 {end} L 0 p{from} m {key}\n17 {end} L 0 p{rank} m {key}\n");
        }
        for rank in (0..16).filter(|rank| sender(*rank, round).is_none()) {
            text += &format!("14 {end} S p{rank}\n");
        }
    }
    (0..16).for_each(|rank| text += &format!("12 60 S p{rank} computing\n"));
    (0..16).for_each(|rank| text += &format!("15 61 S p{rank}\n"));
    text
}

#[test]
fn one_that_all_wait_for_is_a_hot_spot() {
    let all = found(&rounds(|rank, _| (rank > 0).then_some(0)));
    let [(hot, names)] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!((&*hot.kind, names.as_slice()), ("hot-spot", &["rank-0".to_owned()][..]));
    // Fifteen wait for 1 s in each round.
    assert_eq!((hot.cost, hot.saved), (15 * 30 * 1_000_000_000, 0));
    assert!(hot.text.starts_with("rank-0 causes 100 % of all waiting: "), "{}", hot.text);
}

#[test]
fn much_waiting_for_many_is_told_as_late_senders() {
    // Even and odd ranks take turns.
    let all = found(&rounds(|rank, round| (rank % 2 == round % 2).then_some(rank ^ 1)));
    let [(late, names)] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!((&*late.kind, names.len()), ("late-sender", 16));
    assert_eq!((late.cost, late.saved), (8 * 30 * 1_000_000_000, 0));
}

/// In each of 30 rounds sixteen processes compute, each for its own time, and then all reduce what they have until the round is over.
fn reductions(length: u32, computing: impl Fn(u32) -> u32) -> String {
    let mut text = header() + "1 P 0 Proc\n2 S P St\n";
    (0..16).for_each(|rank| text += &format!("7 0 p{rank} P 0 rank-{rank}\n"));
    for begin in (0..30).map(|round| round * length) {
        (0..16).for_each(|rank| text += &format!("12 {begin} S p{rank} computing\n"));
        let mut calls: Vec<(u32, u32)> = (0..16).map(|rank| (computing(rank), rank)).collect();
        calls.sort_unstable();
        for (after, rank) in calls {
            text += &format!("12 {} S p{rank} MPI_Allreduce\n", begin + after);
        }
    }
    let end = 30 * length;
    (0..16).for_each(|rank| text += &format!("15 {end} S p{rank}\n"));
    text
}

#[test]
fn much_communication_is_told_with_the_operation() {
    let second = 1_000_000_000;
    let all = found(&reductions(10, |_| 1));
    let [(one, names)] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!((&*one.kind, names.len()), ("communication", 16));
    assert_eq!((one.cost, one.saved), (16 * 30 * 9 * 1_000_000_000, 0));
    assert_eq!((one.window.from, one.window.to), (second, 300 * second));
    let told = "all processes spend 90 % of their time communicating, beside all waiting that is known, 100 % of that in MPI_Allreduce: ";
    assert!(one.text.starts_with(told), "{}", one.text);
}

#[test]
fn usual_communication_and_waiting_are_no_communication_to_tell() {
    let all = found(&reductions(10, |_| 9));
    assert!(all.is_empty(), "{all:?}");
    // All wait for the one that comes late.
    let late = found(&reductions(10, |rank| if rank == 3 { 9 } else { 1 }));
    assert!(late.iter().all(|(one, _)| one.kind != "communication"), "{late:?}");
    assert!(!late.is_empty());
}

#[test]
fn equal_tasks_are_nothing_to_tell() {
    let all = found(&workers(1));
    assert!(all.is_empty(), "{all:?}");
}
