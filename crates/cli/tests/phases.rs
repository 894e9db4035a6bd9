//! `phases`: when who communicates with whom.

use onca_testkit::fixtures;
use onca_testkit::sandbox::Sandbox;

/// Four processes exchange with their neighbours, then with those two apart, three times.
fn table() -> String {
    let mut text = "source,destination,start,end,size\n".to_owned();
    for round in 0..6 {
        for from in 0..4 {
            let to = if round % 2 == 0 { from ^ 1 } else { from ^ 2 };
            text += &format!("p{from},p{to},{round}.0,{round}.1,100\n");
        }
    }
    text
}

#[test]
fn messages_of_a_table_have_phases_and_iterations() {
    let sandbox = Sandbox::new();
    sandbox.write("m.csv", table());
    let json = sandbox.onca(["phases", "--messages", "m.csv", "--json"]).expect(0).json();
    assert_eq!(json["schema"], "onca-phases/1");
    assert_eq!(json["phases"].as_array().expect("phases").len(), 6);
    assert_eq!(json["phases"][1]["communities"], serde_json::json!([[0, 2], [1, 3]]));
    assert_eq!(json["repetition"]["patterns"], serde_json::json!(["A", "B"]));
    assert_eq!(json["repetition"]["iterations"].as_array().expect("iterations").len(), 3);
    let text = sandbox.onca(["phases", "--messages", "m.csv"]).expect(0).out();
    assert!(text.starts_with("24 messages among 4 processes, 2.3 KiB\n"), "{text}");
    assert!(text.contains("3 iterations of 2 phases (patterns A B)"), "{text}");
}

#[test]
fn bounds_of_phases_have_the_digits_that_tell_them_apart() {
    let sandbox = Sandbox::new();
    let message =
        |at: u32| format!("a,b,1012.6{at:04},1012.6{at:04},1\nb,a,1012.6{at:04},1012.6{at:04},1\n");
    sandbox.write("m.csv", (0..3).map(|at| message(10 + 20 * at)).collect::<String>());
    let text = sandbox.onca(["phases", "--messages", "m.csv"]).expect(0).out();
    // Phases begin and end halfway between messages.
    for bound in ["1012.60010", "1012.60020", "1012.60040"] {
        assert!(text.contains(bound), "{bound}: {text}");
    }
}

#[test]
fn fewer_phases_than_were_asked_for_are_told() {
    let sandbox = Sandbox::new();
    sandbox.write("m.csv", table());
    let text = sandbox.onca(["phases", "--messages", "m.csv", "--phases", "9"]).expect(0).out();
    let told = "9 phases were asked for, but messages are at 6 different times only: there are 6\n";
    assert!(text.contains(told), "{text}");
}

#[test]
fn a_phase_that_has_many_iterations_is_not_called_one() {
    let sandbox = Sandbox::new();
    let mut text = String::new();
    for round in 0..5000 {
        for from in 0..4 {
            text += &format!("p{from},p{},{round}.0,{round}.{from},100\n", from ^ 1);
        }
    }
    sandbox.write("m.csv", text);
    let ask = |more: &[&str]| {
        let arguments = ["phases", "--messages", "m.csv"].into_iter().chain(more.iter().copied());
        sandbox.onca(arguments).expect(0).out()
    };
    let text = ask(&[]);
    assert!(text.contains("\n5,000 iterations of 1 phase (patterns A)"), "{text}");
    let text = ask(&["--phases", "3"]);
    assert!(!text.contains("iterations of"), "{text}");
    assert!(text.contains("what repeats is shorter: 5,000 phases stand out"), "{text}");
}

#[test]
fn what_cannot_be_read_is_told_with_its_line() {
    let sandbox = Sandbox::new();
    sandbox.write("m.csv", "a,b,0,1,1\na,b,0\n");
    let run = sandbox.onca(["phases", "--messages", "m.csv"]);
    run.expect_reason(2, "m.csv: line 2: a message has a source");
}

#[test]
fn a_trace_without_links_says_so() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", fixtures::trace("12 1 S a x\n"));
    let text = sandbox.onca(["phases", "t.paje"]).expect(0).out();
    assert!(text.starts_with("no messages between containers are seen"), "{text}");
}
