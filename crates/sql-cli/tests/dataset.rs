//! `onca export --format dataset`: shards, the seal, and what is refused.

use onca_testkit::fixtures;
use onca_testkit::sandbox::Sandbox;

fn small() -> Sandbox {
    let sandbox = Sandbox::new();
    let body = "12 0 S a run\n12 1 S a wait\n12 4 S b run\n18 2 E b hello\n8 5 P a\n8 5 P b\n";
    sandbox.write("t.paje", fixtures::trace(body));
    sandbox
}

fn shard<'a>(of: &'a str, out: &'a str) -> [&'a str; 8] {
    ["export", "t.paje", "--format", "dataset", "--shard", of, "-o", out]
}

#[test]
fn shards_and_a_seal_are_the_whole() {
    let sandbox = small();
    let whole = ["export", "t.paje", "--format", "dataset", "-o", "whole", "--json"];
    let whole = sandbox.onca(whole).expect(0).json();
    assert_eq!((&whole["schema"], &whole["format"]), (&"onca-export/1".into(), &"dataset".into()));
    for of in ["3/3", "1/3", "2/3"] {
        let said = sandbox.onca(shard(of, "parts")).expect(0).out();
        assert!(said.starts_with("parts: "), "{said}");
    }
    let sealed = sandbox.onca(["export", "--seal", "-o", "parts", "--json"]).expect(0).json();
    assert_eq!((&sealed["parts"], &sealed["rows"]), (&3.into(), &whole["rows"]));
    let names = sandbox.names(&sandbox.path("parts"));
    assert_eq!(names, sandbox.names(&sandbox.path("whole")));
    assert!(names.contains(&"manifest.json".to_owned()) && names.len() == 10, "{names:?}");
    assert_eq!(
        sandbox.names(&sandbox.path("parts/parts")),
        ["1of3.json", "2of3.json", "3of3.json"]
    );
    sandbox.expect_only(&["parts", "t.paje", "t.paje.onca", "whole"]);
    // Once is enough.
    let again = sandbox.onca(["export", "--seal", "-o", "parts"]).expect(2).err();
    assert!(again.contains("parts is sealed already"), "{again}");
    let again = sandbox.onca(shard("1/3", "parts")).expect(2).err();
    assert!(again.contains("parts is sealed already"), "{again}");
    let again = ["export", "t.paje", "--format", "dataset", "-o", "whole"];
    assert!(sandbox.onca(again).expect(2).err().contains("is there already"));
}

#[test]
fn a_seal_is_told_for_people_too_and_lost_records_are_an_exit_status() {
    let sandbox = small();
    sandbox.write("t.paje", fixtures::trace("12 0 S a run\n12 1 S nobody run\n12 2 S b run\n"));
    sandbox.onca(shard("1/1", "set")).expect(1);
    let sealed = sandbox.onca(["export", "--seal", "-o", "set"]).expect(1).out();
    assert!(sealed.starts_with("set: 1 part, ") && sealed.ends_with(", sealed\n"), "{sealed}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let sandbox = small();
    let wrong: [(&[&str], &str); 9] = [
        (&["t.paje", "--format", "parquet", "--shard", "1/4", "-o", "x"], "--format dataset"),
        (&["t.paje", "--shard", "1/4", "-o", "x.paje"], "--format dataset"),
        (&["t.paje", "--format", "dataset", "--shard", "0/4", "-o", "x"], "1/4 to 4/4"),
        (&["t.paje", "--format", "dataset", "--shard", "5/4", "-o", "x"], "1/4 to 4/4"),
        (&["t.paje", "--format", "dataset", "--shard", "two", "-o", "x"], "2/4"),
        (&["t.paje", "--format", "dataset", "-o", "-"], "folder"),
        (&["t.paje", "--seal", "-o", "x"], "--seal"),
        (&["--seal", "--format", "csv", "-o", "x"], "--seal"),
        (&["--format", "dataset", "-o", "x"], "TRACE"),
    ];
    for (words, part) in wrong {
        let said = sandbox.onca(["export"].iter().chain(words)).expect(2).err();
        assert!(said.contains(part), "{words:?}: {said}");
    }
    let nothing = sandbox.onca(["export", "--seal", "-o", "x"]).expect(2).err();
    assert!(nothing.contains("parts is missing"), "{nothing}");
    sandbox.expect_only(&["t.paje"]);
}

#[test]
fn a_shard_that_is_not_there_is_named() {
    let sandbox = small();
    sandbox.onca(shard("1/2", "set")).expect(0);
    let said = sandbox.onca(["export", "--seal", "-o", "set"]).expect(2).err();
    assert!(said.contains("set/parts/2of2.json is missing"), "{said}");
    let said = sandbox.onca(shard("1/2", "set")).expect(2).err();
    assert!(said.contains("set/parts/1of2.json"), "{said}");
    let said = sandbox.onca(shard("1/3", "set")).expect(2).err();
    assert!(said.contains("1of2.json does not belong"), "{said}");
}
