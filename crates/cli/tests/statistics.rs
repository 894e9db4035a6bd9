//! `stats`, `profile` and `find` on a trace that can be checked by hand.

use onca_testkit::fixtures;
use onca_testkit::sandbox::Sandbox;
use serde_json::{Value, json};

/// Two processes for six seconds:
///
/// ```text
/// second  0   1   2   3   4   5   6
/// A       compute-------------wait----
///             Send
/// B       compute-wait----------------
/// ```
///
/// and a message from A to B, from 1 to 3.
fn two_processes() -> String {
    fixtures::trace(
        "13 0 S a compute\n\
         13 0 S b compute\n\
         13 1 S a MPI_Send\n\
         16 1 L 0 a v k\n\
         14 2 S a\n\
         14 2 S b\n\
         13 2 S b MPI_Wait\n\
         17 3 L 0 b v k\n\
         14 4 S a\n\
         13 4 S a MPI_Wait\n\
         14 6 S a\n\
         14 6 S b\n\
         18 6 E a done\n",
    )
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", two_processes());
    sandbox
}

/// The lines of comma-separated values.
fn csv(sandbox: &Sandbox, args: &[&str]) -> Vec<String> {
    let run = sandbox.onca(args).expect(0);
    let text = run.out();
    assert!(text.ends_with("\r\n"), "{text:?}");
    text.lines().map(str::to_owned).collect()
}

#[test]
fn values_have_their_times_and_durations() {
    let sandbox = sandbox();
    assert_eq!(
        csv(&sandbox, &["stats", "t.paje", "--csv"]),
        [
            "value,type,time,share,count,min,mean,median,p90,p99,max,size",
            "MPI_Wait,St,6.000000000,0.5,2,2.000000000,3,2.000000000,4.000000000,4.000000000,\
             4.000000000,",
            "compute,St,5.000000000,0.4166666666666667,2,2.000000000,3,2.000000000,4.000000000,\
             4.000000000,4.000000000,",
            "MPI_Send,St,1.000000000,0.08333333333333333,1,1.000000000,1,1.000000000,1.000000000,\
             1.000000000,1.000000000,",
            "v,Lk,2.000000000,,1,2.000000000,2,2.000000000,2.000000000,2.000000000,2.000000000,",
            "done,Ev,,,1,,,,,,,",
        ]
    );
}

#[test]
fn a_window_cuts_times_but_not_durations() {
    let sandbox = sandbox();
    let args = ["stats", "t.paje", "--csv", "--types", "St", "--from", "1", "--to", "3"];
    assert_eq!(
        csv(&sandbox, &args)[1..],
        [
            "compute,St,2.000000000,0.5,2,2.000000000,3,2.000000000,4.000000000,4.000000000,\
             4.000000000,",
            "MPI_Send,St,1.000000000,0.25,1,1.000000000,1,1.000000000,1.000000000,1.000000000,\
             1.000000000,",
            "MPI_Wait,St,1.000000000,0.25,1,4.000000000,4,4.000000000,4.000000000,4.000000000,\
             4.000000000,",
        ]
    );
    let inclusive = [&args[..], &["--measure", "inclusive", "--values", "compute"]].concat();
    assert_eq!(csv(&sandbox, &inclusive)[1][..24], *"compute,St,3.000000000,1");
}

#[test]
fn containers_and_levels_have_their_own_rows() {
    let sandbox = sandbox();
    let own = csv(&sandbox, &["stats", "t.paje", "--what", "containers", "--csv"]);
    let begins = |lines: &[String]| -> Vec<String> {
        lines[1..]
            .iter()
            .map(|line| line.splitn(5, ',').take(4).collect::<Vec<_>>().join(","))
            .collect()
    };
    let rows = [
        "/A,compute,St,3.000000000",
        "/A,MPI_Wait,St,2.000000000",
        "/A,MPI_Send,St,1.000000000",
        "/A,done,Ev,",
        "/B,MPI_Wait,St,4.000000000",
        "/B,compute,St,2.000000000",
    ];
    assert_eq!(begins(&own), rows);
    let level = ["stats", "t.paje", "--what", "containers", "--level", "Proc", "--csv"];
    assert_eq!(begins(&csv(&sandbox, &level)), rows);
    assert_eq!(
        csv(&sandbox, &["stats", "t.paje", "--what", "balance", "--csv"])[..2],
        [
            "level,load,nodes,mean,max,max/mean,deviation,most",
            "Proc,useful time,2,2.5,3,1.2,0.5,/A",
        ]
    );
}

#[test]
fn messages_are_told_by_pair_and_by_size() {
    let sandbox = sandbox();
    let matrix = csv(&sandbox, &["stats", "t.paje", "--what", "matrix", "--csv"]);
    assert_eq!(matrix, ["from,to,count,size,time", "/A,/B,1,0,2.000000000"]);
    let text = sandbox.onca(["stats", "t.paje", "--what", "matrix"]).expect(0).out();
    assert!(text.contains("from / to  A  B\nA          -  1\nB          -  -\n"), "{text}");
    let answer =
        sandbox.onca(["stats", "t.paje", "--what", "histograms", "--json"]).expect(0).json();
    assert_eq!(answer["schema"], "onca-stats-histograms/1");
    assert_eq!((&answer["without_size"], &answer["halves"]), (&json!(1), &json!(0)));
    let bin = &answer["durations"][0];
    assert_eq!((&bin["from_ticks"], &bin["count"]), (&json!(1 << 30), &json!(1)));
}

#[test]
fn concurrency_and_efficiency_go_over_time() {
    let sandbox = sandbox();
    let args = ["stats", "t.paje", "--what", "concurrency", "--slices", "2", "--csv"];
    let lines = csv(&sandbox, &args);
    assert_eq!(lines[0], "value,type,from,to,min,mean,max");
    let wait: Vec<&String> = lines.iter().filter(|line| line.starts_with("MPI_Wait")).collect();
    assert_eq!(wait[0], "MPI_Wait,St,0.000000000,3.000000000,0,0.3333333333333333,1");
    assert_eq!(wait[1], "MPI_Wait,St,3.000000000,6.000000000,1,1.6666666666666667,2");

    let answer =
        sandbox.onca(["stats", "t.paje", "--what", "efficiency", "--json"]).expect(0).json();
    let row = &answer["efficiency"][0];
    let close = |field: &str, expected: f64| {
        let found = row[field].as_f64().expect("a number");
        assert!((found - expected).abs() < 1e-12, "{field}: {found}");
    };
    close("parallel", 5.0 / 12.0);
    close("load_balance", 2.5 / 3.0);
    close("communication", 0.5);
    close("communication_share", 7.0 / 12.0);
    assert_eq!(row["roles"]["wait_ticks"], 6_000_000_000i64);
    assert_eq!((&row["processes"], &row["roles"]["none_ticks"]), (&json!(2), &json!(0)));
    assert_eq!((&answer["several_types"], &answer["scanned"]), (&json!(false), &json!(false)));
}

#[test]
fn the_summary_fits_a_terminal() {
    let sandbox = sandbox();
    sandbox.onca(["demo", "--no-open", "-o", "demo.paje"]).expect(0);
    for trace in ["t.paje", "demo.paje"] {
        let text = sandbox.onca(["stats", trace]).expect(0).out();
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{line:?}");
        }
    }
    let text = sandbox.onca(["stats", "t.paje"]).expect(0).out();
    for part in [
        "useful time: max/mean 1.200, mean 2.500, deviation 0.5000",
        "1 message, 0 bytes, mean time 2.000, 1 pair",
        "parallel 41.7 % = balance 83.3 % x communication 50.0 %",
    ] {
        assert!(text.contains(part), "expected {part:?} in\n{text}");
    }
    let json = sandbox.onca(["stats", "t.paje", "--json"]).expect(0).json();
    let names: Vec<&String> = json.as_object().expect("an object").keys().collect();
    assert_eq!(names, ["balance", "efficiency", "matrix", "schema", "values"]);
}

#[test]
fn the_longest_instances_have_times_and_places() {
    let sandbox = sandbox();
    let args = ["stats", "t.paje", "--what", "longest", "--top", "1", "--values", "MPI_*", "--csv"];
    assert_eq!(
        csv(&sandbox, &args),
        [
            "value,type,rank,container,start,end,duration",
            "MPI_Wait,St,1,/B,2.000000000,6.000000000,4.000000000",
            "MPI_Send,St,1,/A,1.000000000,2.000000000,1.000000000",
        ]
    );
}

#[test]
fn a_profile_is_a_tree_and_folds() {
    let sandbox = sandbox();
    let folded = sandbox.onca(["profile", "t.paje", "--folded"]).expect(0).out();
    assert_eq!(folded, "compute 5000000000\ncompute;MPI_Send 1000000000\nMPI_Wait 6000000000\n");
    let each = sandbox.onca(["profile", "t.paje", "--folded", "--level", "Proc"]).expect(0).out();
    assert_eq!(
        each,
        "/A;compute 3000000000\n/A;compute;MPI_Send 1000000000\n/A;MPI_Wait 2000000000\n\
         /B;MPI_Wait 4000000000\n/B;compute 2000000000\n"
    );
    let limited = ["profile", "t.paje", "--folded", "--depth-limit", "1"];
    let limited = sandbox.onca(limited).expect(0).out();
    assert_eq!(limited, "compute 6000000000\nMPI_Wait 6000000000\n");
    assert_eq!(
        csv(&sandbox, &["profile", "t.paje", "--csv", "--min-share", "10%"]),
        [
            "container,path,depth,value,count,inclusive,exclusive",
            "/,compute,0,compute,2,6.000000000,5.000000000",
            "/,MPI_Wait,0,MPI_Wait,2,6.000000000,6.000000000",
        ]
    );
    let answer = sandbox.onca(["profile", "t.paje", "--json"]).expect(0).json();
    assert_eq!(
        (&answer["schema"], &answer["total_ticks"]),
        (&json!("onca-profile/1"), &json!(12_000_000_000i64))
    );
    let paths = answer["paths"].as_array().expect("paths");
    let sum: i64 = paths.iter().filter_map(|path| path["exclusive_ticks"].as_i64()).sum();
    assert_eq!(sum, 12_000_000_000);
    assert_eq!((&paths[1]["value"], &paths[1]["outer"]), (&json!("MPI_Send"), &json!(0)));
    let text = sandbox.onca(["profile", "t.paje"]).expect(0).out();
    assert!(text.contains("\n  MPI_Send "), "{text}");
}

#[test]
fn what_is_found_comes_by_time_and_in_pages() {
    let sandbox = sandbox();
    let all = csv(&sandbox, &["find", "t.paje", "MPI_*", "--csv"]);
    let rows = [
        "state,1.000000000,1.000000000,/A,MPI_Send,St,",
        "state,2.000000000,4.000000000,/B,MPI_Wait,St,",
        "state,4.000000000,2.000000000,/A,MPI_Wait,St,",
    ];
    assert_eq!(all[1..], rows);
    let first = sandbox.onca(["find", "t.paje", "mpi_*", "-i", "--limit", "2", "--csv"]).expect(0);
    assert_eq!(first.out().lines().skip(1).collect::<Vec<_>>(), rows[..2]);
    let said = first.err();
    let cursor = said.trim_end().strip_prefix("there is more: --after ").expect("a cursor");
    let next = sandbox.onca(["find", "t.paje", "MPI_*", "--csv", "--after", cursor]).expect(0);
    assert_eq!(next.out().lines().skip(1).collect::<Vec<_>>(), rows[2..]);
    assert_eq!(next.err(), "");

    let long =
        csv(&sandbox, &["find", "t.paje", "*", "--longer-than", "3", "--kinds", "state", "--csv"]);
    assert_eq!(long.len(), 3, "{long:?}");
    let counts = csv(&sandbox, &["find", "t.paje", "*", "--in", "values", "--count", "--csv"]);
    assert_eq!(
        counts,
        [
            "kind,type,value,count",
            "state,St,compute,2",
            "state,St,MPI_Wait,2",
            "state,St,MPI_Send,1",
            "event,Ev,done,1",
            "link,Lk,v,1",
        ]
    );
    let by_key = sandbox.onca(["find", "t.paje", "k", "--in", "keys", "--json"]).expect(0).json();
    assert_eq!(by_key["found"][0]["destination"], "/B");
    assert_eq!((&by_key["found"][0]["key"], &by_key["next"]), (&json!("k"), &Value::Null));
}

#[test]
fn what_cannot_be_answered_says_why() {
    let sandbox = sandbox();
    let cases: [(&[&str], &str); 10] = [
        (
            &[
                "stats", "t.paje", "--what", "values", "--level", "Proc", "--from", "9", "--to",
                "10",
            ],
            "outside the trace",
        ),
        (&["stats", "t.paje", "--what", "matrix", "--level", "Site"], "the levels are"),
        (&["stats", "t.paje", "--what", "matrix", "--depth", "7"], "the deepest is 1"),
        (&["stats", "t.paje", "--csv", "--what", "values,matrix"], "one table"),
        (&["stats", "t.paje", "--what", "efficiency", "--slices", "0"], "0 slices"),
        (&["profile", "t.paje", "--containers", "C"], "C"),
        (&["find", "t.paje", "re:("], "unclosed group"),
        (&["find", "t.paje", "[AB]"], "no list of numbers"),
        (&["find", "t.paje", "*", "--field", "Size"], "no extra field"),
        (&["find", "t.paje", "*", "--from", "3", "--to", "2"], "is empty"),
    ];
    for (args, part) in cases {
        let run = sandbox.onca(args).expect(2);
        assert!(run.err().contains(part), "{args:?}: {}", run.err());
    }
    let run = sandbox.onca(["find", "t.paje", "*", "--after", "nowhere"]).expect(2);
    assert!(run.err().contains("copy one that was printed"), "{}", run.err());
}

#[test]
fn an_empty_trace_has_empty_answers() {
    let sandbox = Sandbox::new();
    sandbox.write("empty.paje", fixtures::header());
    for args in [
        &["stats", "empty.paje"][..],
        &["stats", "empty.paje", "--what", "all"],
        &["stats", "empty.paje", "--what", "all", "--json"],
        &["stats", "empty.paje", "--csv"],
        &["profile", "empty.paje"],
        &["find", "empty.paje", "x"],
        &["find", "empty.paje", "x", "--count"],
    ] {
        let run = sandbox.onca(args).expect(0);
        assert!(!run.stdout.is_empty(), "{args:?}");
    }
}
