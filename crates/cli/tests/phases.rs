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
