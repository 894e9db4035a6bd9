//! Every row of the table of starter traces, with the expectation written by hand.

use onca_testkit::{Extras, Trace, fixtures, interpret};

fn run(body: &str) -> Trace {
    interpret(fixtures::trace(body).as_bytes())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Whole seconds; the table uses nothing finer.
fn seconds(ticks: i64) -> i64 {
    assert_eq!(ticks % 1_000_000_000, 0);
    ticks / 1_000_000_000
}

fn name_of(trace: &Trace, container: usize) -> String {
    text(&trace.containers[container].name)
}

fn states(trace: &Trace) -> Vec<String> {
    let mut rows: Vec<String> = trace
        .states
        .iter()
        .map(|state| {
            format!(
                "{} {} {}-{} d{}{}",
                name_of(trace, state.container),
                text(trace.value_name(state.value)),
                seconds(state.start),
                seconds(state.end),
                state.depth,
                if state.open { " open" } else { "" }
            )
        })
        .collect();
    rows.sort();
    rows
}

fn variables(trace: &Trace) -> Vec<(i64, i64, f64)> {
    let mut rows: Vec<(i64, i64, f64)> = trace
        .variables
        .iter()
        .map(|item| (seconds(item.start), seconds(item.end), item.value))
        .collect();
    rows.sort_by_key(|row| row.0);
    rows
}

fn events(trace: &Trace) -> Vec<String> {
    trace
        .events
        .iter()
        .map(|event| {
            format!(
                "{} {} {}",
                name_of(trace, event.container),
                text(trace.value_name(event.value)),
                seconds(event.time)
            )
        })
        .collect()
}

fn links(trace: &Trace) -> Vec<String> {
    let time = |time: Option<i64>| time.map_or("?".to_string(), |t| seconds(t).to_string());
    let end = |end: Option<usize>| end.map_or("?".to_string(), |index| name_of(trace, index));
    let mut rows: Vec<String> = trace
        .links
        .iter()
        .map(|link| {
            format!(
                "{} {} {}-{} {}>{} {}",
                text(&link.key),
                text(trace.value_name(link.value)),
                time(link.start),
                time(link.end),
                end(link.source),
                end(link.destination),
                name_of(trace, link.container),
            )
        })
        .collect();
    rows.sort();
    rows
}

fn extras(extras: &Extras) -> Vec<(String, String)> {
    extras.iter().map(|(name, value)| (text(name), text(value))).collect()
}

fn assert_clean(trace: &Trace) {
    assert_eq!(trace.problems(), []);
    assert_eq!(trace.lost, 0);
}

#[test]
fn common_trace_is_clean() {
    let trace = run("");
    assert_clean(&trace);
    assert_eq!(trace.records, 7);
    assert_eq!(
        trace.to_text(),
        "T\t0\t?\tcontainer\t0\t?\n\
         T\t1\t0\tcontainer\tProc\tP\n\
         T\t2\t1\tstate\tSt\tS\n\
         T\t3\t1\tvariable\tVar\tV\n\
         T\t4\t1\tevent\tEv\tE\n\
         T\t5\t0\tlink\tLk\tL\n\
         C\t0\t?\t0\t0\t?\t0\t0\t-\n\
         C\t1\t0\t1\tA\ta\t0\t0\t-\n\
         C\t2\t0\t1\tB\tb\t0\t0\t-\n\
         end\t0\n\
         records\t7\n\
         lost\t0\n"
    );
}

#[test]
fn set_closes_the_whole_stack() {
    let trace = run("13 1 S a x\n13 2 S a y\n12 3 S a z\n13 4 S a w\n18 6 E a q");
    assert_clean(&trace);
    assert_eq!(states(&trace), ["A w 4-6 d1 open", "A x 1-3 d0", "A y 2-3 d1", "A z 3-6 d0 open"]);
    assert_eq!(trace.count("state-open-at-end"), 2);
}

#[test]
fn second_reset_does_nothing() {
    let trace = run("13 1 S a x\n13 2 S a y\n15 3 S a\n15 4 S a\n18 7 E a q");
    assert_clean(&trace);
    assert_eq!(states(&trace), ["A x 1-3 d0", "A y 2-3 d1"]);
}

#[test]
fn pop_closes_a_set_state() {
    let trace = run("12 1 S a x\n13 2 S a y\n14 3 S a\n14 4 S a\n18 5 E a q");
    assert_clean(&trace);
    assert_eq!(states(&trace), ["A x 1-4 d0", "A y 2-3 d1"]);
}

#[test]
fn variable_changes_at_the_same_time_merge() {
    let trace = run("9 1 V a 5\n9 1 V a 7\n10 1 V a 1\n11 2 V a 3\n12 3 S a x");
    assert_clean(&trace);
    assert_eq!(variables(&trace), [(1, 2, 8.0), (2, 3, 5.0)]);
}

#[test]
fn link_end_may_come_first() {
    let trace = run("17 2 L 0 b v k1\n16 1 L 0 a v k1\n18 3 E a q");
    assert_clean(&trace);
    assert_eq!(links(&trace), ["k1 v 1-2 A>B 0"]);
}

#[test]
fn link_keys_are_matched_first_in_first_out() {
    let trace = run("16 1 L 0 a v k\n16 2 L 0 a v k\n17 3 L 0 b v k\n17 4 L 0 b v k");
    assert_clean(&trace);
    assert_eq!(links(&trace), ["k v 1-3 A>B 0", "k v 2-4 A>B 0"]);
}

#[test]
fn destroy_written_first_is_judged_by_time() {
    let trace = run("8 10 P a\n12 1 S a x\n12 3 S a y\n18 4 E b q");
    assert_clean(&trace);
    assert_eq!(states(&trace), ["A x 1-3 d0", "A y 3-10 d0 open"]);
    assert_eq!(seconds(trace.end), 10);
}

#[test]
fn end_of_trace_is_the_latest_time() {
    let trace = run("18 5 E a q\n18 3 E b r");
    assert_clean(&trace);
    assert_eq!(seconds(trace.end), 5);
    assert_eq!(events(&trace), ["A q 5", "B r 3"]);
}

#[test]
fn comments_and_hashes() {
    let trace = run("12 1 S a x # c\n12 2 S a y#z\n12 3 S a \"q#r\"");
    assert_clean(&trace);
    assert_eq!(states(&trace), ["A q#r 3-3 d0 open", "A x 1-2 d0", "A y 2-3 d0"]);
}

#[test]
fn empty_value() {
    let trace = run("12 1 S a \"\"");
    assert_clean(&trace);
    assert_eq!(states(&trace), ["A  1-1 d0 open"]);
    assert!(trace.to_text().contains("\t\\e\topen\t-\n"));
}

#[test]
fn surplus_token_is_kept() {
    let trace = run("12 1 S a q r");
    assert_eq!(trace.problems(), [("too-many-tokens", 1)]);
    assert_eq!(trace.lost, 0);
    assert_eq!(states(&trace), ["A q 1-1 d0 open"]);
    assert_eq!(extras(&trace.states[0].extras), [("+1".to_string(), "r".to_string())]);
}

#[test]
fn missing_mandatory_token() {
    let trace = run("12 1 S a");
    assert_eq!(trace.problems(), [("missing-field", 1)]);
    assert_eq!(trace.lost, 1);
    assert!(trace.states.is_empty());
    assert_eq!(trace.end, 0);
}

#[test]
fn value_without_colour() {
    let trace = run("6 v1 S val1\n12 1 S a v1");
    assert_eq!(trace.problems(), [("too-few-tokens", 1)]);
    assert_eq!(trace.lost, 0);
    assert_eq!(states(&trace), ["A val1 1-1 d0 open"]);
    assert_eq!(trace.values[0].color, None);
}

#[test]
fn container_by_name() {
    let trace = run("18 2 E A q\n18 3 E A r");
    assert_eq!(trace.problems(), [("reference-by-name", 1)]);
    assert_eq!(events(&trace), ["A q 2", "A r 3"]);
}

#[test]
fn slash_is_the_root() {
    let trace = run("1 Q / Q\n7 0 q Q / Q1");
    assert_clean(&trace);
    let added = trace.containers.last().unwrap();
    assert_eq!((text(&added.name), added.parent), ("Q1".to_string(), Some(0)));
    assert_eq!(trace.types[added.type_index].parent, Some(0));
}

#[test]
fn pop_on_an_empty_stack() {
    let trace = run("14 1 S a");
    assert_eq!(trace.problems(), [("pop-empty", 1)]);
    assert_eq!(trace.lost, 1);
    assert_eq!(seconds(trace.end), 1);
}

#[test]
fn add_without_value() {
    let trace = run("10 1 V a 5");
    assert_eq!(trace.problems(), [("variable-without-value", 1)]);
    assert_eq!(trace.lost, 0);
    assert_eq!(variables(&trace), [(1, 1, 5.0)]);
}

#[test]
fn bad_time() {
    let trace = run("12 abc S a x");
    assert_eq!(trace.problems(), [("bad-number", 1)]);
    assert_eq!(trace.lost, 1);
    assert!(trace.states.is_empty());
}

#[test]
fn alias_wins_over_name() {
    let body = "1 1 0 HOST\n7 0 1 1 0 \"T\"\n7 0 2 1 0 \"1\"\n4 5 1 EV\n18 1 5 1 x\n18 2 5 2 y\n";
    let trace = interpret((fixtures::header() + body).as_bytes());
    assert_clean(&trace);
    assert_eq!(events(&trace), ["T x 1", "1 y 2"]);
}
