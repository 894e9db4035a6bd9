//! Clocks of processes, and of machines, by messages whose bounds are worked out by hand.

use crate::support;

use onca_answer::Level;
use onca_answer::clocks::{Backward, ClockSpec, ClocksAnswer, clocks};
use onca_model::{ContainerId, Ticks};
use onca_query::Lens;
use onca_testkit::fixtures;
use support::Stored;

const SECOND: Ticks = 1_000_000_000;

/// Two machines with two processes each, and one that is alone. By the messages of p1 and p3 the
/// second machine is 5 to 14 s behind, by those of p2 and p4 8 to 12 s.
fn machines() -> Stored {
    let mut text = fixtures::header();
    text += "1 M 0 Machine\n1 P M Process\n5 L 0 P P Message\n";
    for machine in 1..=3 {
        text += &format!("7 0 m{machine} M 0 m{machine}\n");
    }
    for (process, machine) in [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3)] {
        text += &format!("7 0 p{process} P m{machine} p{process}\n");
    }
    let messages = [(1, 10, 3, 5), (3, 6, 1, 20), (2, 30, 4, 22), (4, 30, 2, 42)];
    for (key, (from, sent, to, received)) in messages.into_iter().enumerate() {
        text += &format!("16 {sent} L 0 p{from} v k{key}\n17 {received} L 0 p{to} v k{key}\n");
    }
    Stored::new(text.as_bytes())
}

/// The answer, and the paths, offsets, uncertainties and references of its processes.
type Told = Vec<(String, Ticks, Option<Ticks>, usize)>;

fn asked(stored: &Stored, level: Level) -> (ClocksAnswer, Told, Vec<String>) {
    let scope = stored.scope(&Lens::clear(), stored.whole());
    let answer = clocks(&scope, &ClockSpec { level, link_types: Vec::new() }).expect("an answer");
    let told = answer.processes.iter().map(|process| {
        let clock = process.clock;
        (scope.path(process.node), clock.offset, clock.uncertainty, process.reference)
    });
    let silent = answer.silent.iter().map(|&node| scope.path(node)).collect();
    (answer.clone(), told.collect(), silent)
}

#[test]
fn each_process_has_a_clock_unless_a_level_is_asked_for() {
    let stored = machines();
    let (answer, told, silent) = asked(&stored, Level::Own);
    let (half, none) = (SECOND / 2, Some(0));
    assert_eq!(
        told,
        [
            ("/m1/p1".to_owned(), 0, none, 0),
            ("/m1/p2".to_owned(), 0, none, 1),
            ("/m2/p3".to_owned(), 19 * half, Some(9 * half), 0),
            ("/m2/p4".to_owned(), 10 * SECOND, Some(2 * SECOND), 1),
        ]
    );
    assert_eq!(silent, ["/m3/p5"]);
    assert_eq!(answer.reference(), None, "two pairs that do not know of each other");
    let before = Backward { messages: 4, backward: 2, worst: 8 * SECOND };
    assert_eq!(answer.before, before);
    assert_eq!(answer.after, Backward { messages: 4, backward: 0, worst: 0 });
}

#[test]
fn what_lies_in_a_machine_is_moved_with_it() {
    let stored = machines();
    let (answer, told, silent) = asked(&stored, Level::Kind("Machine".to_owned()));
    assert_eq!(
        told,
        [("/m1".to_owned(), 0, Some(0), 0), ("/m2".to_owned(), 10 * SECOND, Some(2 * SECOND), 0),]
    );
    assert_eq!((silent, answer.reference()), (vec!["/m3".to_owned()], Some(0)));
    let pairs: Vec<_> = answer.pairs.iter().map(|pair| (pair.from, pair.to, pair.counts)).collect();
    assert_eq!(pairs, [(0, 1, Backward { messages: 2, backward: 2, worst: 8 * SECOND })]);
    let containers = &stored.store.catalog().containers;
    for (index, map) in answer.maps().iter().enumerate() {
        let name = containers.get(ContainerId(index as u32)).name;
        let later = matches!(name, b"m2" | b"p3" | b"p4");
        let expected = if later { 11 * SECOND } else { SECOND };
        assert_eq!(map.apply(SECOND), Some(expected), "container {index}");
    }
    let correction = answer.correction(&stored.store);
    assert_eq!((correction.moved, correction.processes, correction.unbounded), (1, 2, 0));
    assert_eq!(correction.uncertainty_ticks, Some(2 * SECOND));
}

#[test]
fn types_of_links_choose_the_messages() {
    let stored = machines();
    let scope = stored.scope(&Lens::clear(), stored.whole());
    let spec = |name: &str| ClockSpec { level: Level::Own, link_types: vec![name.to_owned()] };
    let answer = clocks(&scope, &spec("Message")).expect("an answer");
    assert_eq!(answer.before.messages, 4);
    assert!(clocks(&scope, &spec("Machinery")).is_err());
}
