//! Efficiencies of processes with threads, by hand.

use crate::support;

use onca_answer::{Efficiencies, EfficiencyRow, Level, PartEfficiency, efficiency};
use onca_query::Lens;
use onca_testkit::fixtures::header;
use support::Stored;

/// Two processes with two threads each, from 0 to 100 s. The masters pass messages from 80 and from 40 s on; if `all_call`,
/// the others too, from 60 s on.
fn asked(all_call: bool, n_slices: usize) -> Efficiencies {
    let mut text = header() + "1 P 0 Process\n1 T P Thread\n2 S T State\n";
    for process in 0..2 {
        text += &format!("7 0 p{process} P 0 process-{process}\n");
        for thread in 0..2 {
            text += &format!("7 0 t{process}{thread} T p{process} thread-{thread}\n");
            text += &format!("12 0 S t{process}{thread} compute\n");
        }
    }
    text += "15 40 S t01\n12 40 S t10 MPI_Barrier\n15 40 S t11\n";
    if all_call {
        text += "12 60 S t01 MPI_Barrier\n12 60 S t11 MPI_Barrier\n";
    }
    text += "12 80 S t00 MPI_Barrier\n15 100 S t00\n15 100 S t10\n";
    if all_call {
        text += "15 100 S t01\n15 100 S t11\n";
    }
    let stored = Stored::new(text.as_bytes());
    let lens = Lens::clear();
    efficiency(&stored.scope(&lens, stored.whole()), &Level::Whole, n_slices).expect("efficiency")
}

fn is_near(part: PartEfficiency, expected: [f64; 3]) -> bool {
    let all = [part.parallel, part.load_balance, part.communication];
    all.iter().zip(expected).all(|(found, it)| found.is_some_and(|f| (f - it).abs() < 1e-12))
}

#[test]
fn efficiency_is_that_of_processes_times_that_of_their_threads() {
    let all = asked(false, 1);
    let [row]: &[EfficiencyRow] = &all.rows else { panic!("one row") };
    // Of four threads one computes for 80 s, three for 40 s; of two processes one is outside of calls for 80 s, one for 40 s.
    assert_eq!(row.efficiency.parallel, Some(0.5));
    let hybrid = row.hybrid.expect("processes with threads");
    assert!(is_near(hybrid.among_processes, [0.6, 0.75, 0.8]), "{hybrid:?}");
    assert!(is_near(hybrid.among_threads, [0.5 / 0.6, 0.625 / 0.75, 1.0]), "{hybrid:?}");
    // In the first half: 50, 40, 40, 40 s of work; 50 and 40 s outside of calls.
    let halves = asked(false, 2);
    let hybrid = halves.rows[0].hybrid.expect("processes with threads");
    assert!(is_near(hybrid.among_processes, [0.9, 0.9, 1.0]), "{hybrid:?}");
    assert!(is_near(hybrid.among_threads, [0.85 / 0.9, 0.85 / 0.9, 1.0]), "{hybrid:?}");
}

#[test]
fn those_that_all_pass_messages_are_processes() {
    assert_eq!(asked(true, 1).rows[0].hybrid, None);
}
