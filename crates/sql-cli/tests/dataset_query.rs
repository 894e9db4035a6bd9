//! `onca query` over data sets, against the same over the trace.

use onca_testkit::fixtures;
use onca_testkit::sandbox::Sandbox;

fn small() -> Sandbox {
    let sandbox = Sandbox::new();
    let body = "12 0 S a run\n12 1 S a wait\n12 4 S b run\n18 2 E b hello\n8 5 P a\n8 5 P b\n";
    sandbox.write("t.paje", fixtures::trace(body));
    sandbox.onca(["export", "t.paje", "--format", "dataset", "-o", "set"]).expect(0);
    sandbox
}

const TOTALS: &str =
    "SELECT value, sum(duration_ticks) AS ticks FROM states GROUP BY value ORDER BY value";

/// The SQL of a document, with the answers that it shows.
fn examples() -> Vec<(String, String)> {
    let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/sql.md");
    let document = std::fs::read_to_string(document).expect("the document");
    let blocks: Vec<&str> = document.split("```").collect();
    let is_sql = |at: &usize| blocks[*at].starts_with("sql\n");
    let pairs = (0..blocks.len()).filter(is_sql).map(|at| {
        let answer = blocks[at + 2].strip_prefix('\n').expect("an answer");
        (blocks[at]["sql\n".len()..].to_owned(), answer.to_owned())
    });
    pairs.collect()
}

#[test]
fn the_examples_of_the_document_have_the_same_answers() {
    let sandbox = Sandbox::new();
    sandbox.onca(["demo", "--no-open", "-o", "demo.paje"]).expect(0);
    sandbox.onca(["export", "demo.paje", "--format", "dataset", "-o", "one"]).expect(0);
    for shard in ["1/3", "2/3", "3/3"] {
        let export = ["export", "demo.paje", "--format", "dataset", "--shard", shard];
        sandbox.onca(export.iter().chain(&["-o", "three"])).expect(0);
    }
    sandbox.onca(["export", "--seal", "-o", "three"]).expect(0);
    let examples = examples();
    assert!(examples.len() >= 10, "{} examples", examples.len());
    for set in ["one", "three"] {
        for (sql, shown) in &examples {
            let answer = sandbox.onca(["query", set, sql]).expect(0).out();
            assert_eq!(answer, *shown, "{set}: {sql}");
        }
    }
}

#[test]
fn a_data_set_is_asked_like_a_trace() {
    let sandbox = small();
    for format in ["table", "csv", "json", "ndjson"] {
        let ask =
            |what: &str| sandbox.onca(["query", what, TOTALS, "--format", format]).expect(0).out();
        assert_eq!(ask("set"), ask("t.paje"), "{format}");
    }
    let tables = |what: &str| sandbox.onca(["query", what, "--tables"]).expect(0).out();
    let of_set = tables("set");
    assert!(tables("t.paje").starts_with(&of_set), "{of_set}");
    assert!(of_set.contains("exclusive_ticks") && !of_set.contains("findings"), "{of_set}");
    sandbox.onca(["query", "set", TOTALS, "-o", "a.csv"]).expect(0);
    assert_eq!(sandbox.read("a.csv"), b"value,ticks\r\nrun,2000000000\r\nwait,4000000000\r\n");
    let limit = ["query", "set", "SELECT * FROM states", "--max-rows", "1"];
    sandbox.onca(limit).expect_reason(3, "more than 1 rows");
}

#[test]
fn a_folder_of_data_sets_tells_the_run() {
    let sandbox = small();
    std::fs::create_dir(sandbox.path("runs")).expect("a folder");
    for name in ["runs/a", "runs/b"] {
        sandbox.onca(["export", "t.paje", "--format", "dataset", "-o", name]).expect(0);
    }
    let sql = "SELECT run, count(*) AS n FROM states GROUP BY run ORDER BY run";
    let answer = sandbox.onca(["query", "runs", sql, "--format", "csv"]).expect(0).out();
    assert_eq!(answer, "run,n\r\na,3\r\nb,3\r\n");
}

#[test]
fn lost_records_are_an_exit_status() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", fixtures::trace("12 0 S a run\n12 1 S nobody run\n"));
    sandbox.onca(["export", "t.paje", "--format", "dataset", "-o", "set"]).expect(1);
    sandbox.onca(["query", "set", TOTALS]).expect(1);
    sandbox.onca(["query", "set", "--tables"]).expect(1);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let sandbox = small();
    for option in [["--unit", "ms"].as_slice(), &["--strict"], &["--repair", "links"]] {
        let args = [&["query", "set", TOTALS], option].concat();
        sandbox.onca(args).expect_reason(2, "is for traces");
    }
    let found = ["query", "set", "SELECT * FROM findings"];
    sandbox.onca(found).expect_reason(2, "need the store");
    std::fs::remove_file(sandbox.path("set/manifest.json")).expect("removed");
    sandbox.onca(["query", "set", TOTALS]).expect_reason(2, "onca export --seal");
    sandbox.onca(["query", "set", "--tables"]).expect_reason(2, "1 of 1 shards");
}

#[test]
fn a_folder_of_nothing_is_told_to_have_no_data_set_either() {
    let sandbox = small();
    std::fs::create_dir_all(sandbox.path("empty/folder")).expect("folders");
    let told = sandbox.onca(["query", "empty", TOTALS]).expect_reason(2, "no data set is in it");
    assert!(told.err().contains("empty is not a store: looked for"), "{}", told.err());
    // Other commands would not read one.
    let told = sandbox.onca(["stats", "empty"]).expect_reason(2, "looked for").err();
    assert!(!told.contains("data set"), "{told}");
    std::fs::create_dir(sandbox.path("t.onca")).expect("a folder");
    sandbox.write("t.onca/manifest.json", "{}");
    let told = sandbox.onca(["query", "t.onca", TOTALS]).expect_reason(2, "damaged").err();
    assert!(!told.contains("data set"), "{told}");
}
