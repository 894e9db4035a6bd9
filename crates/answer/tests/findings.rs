//! Findings of small traces whose faults are known.

mod support;

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

#[test]
fn equal_tasks_are_nothing_to_tell() {
    let all = found(&workers(1));
    assert!(all.is_empty(), "{all:?}");
}
