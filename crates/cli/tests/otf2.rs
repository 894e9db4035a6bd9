//! OTF2 archives on the command line.

use onca_generate::otf2::{Options, write};
use onca_testkit::sandbox::Sandbox;
use serde_json::json;

fn ring() -> Options {
    Options { locations: 4, events: 2_000, chunk: 4096, ..Options::default() }
}

#[test]
fn any_file_of_an_archive_and_its_folders_name_it() {
    let sandbox = Sandbox::new();
    let (_, written) = write(&ring(), &sandbox.path("run")).expect("written");
    let names = ["run/traces.otf2", "run/traces.def", "run/traces/2.evt", "run/traces", "run"];
    for name in names {
        let info = sandbox.info(name, 0);
        assert_eq!(info["records"], json!(written.records), "{name}");
        assert_eq!(info["producer"], json!("onca generate"), "{name}");
    }
    let beside = sandbox.names(&sandbox.path("run"));
    assert_eq!(beside, ["traces", "traces.def", "traces.otf2", "traces.otf2.onca"]);
    sandbox.onca(["validate", "run"]).expect(0);
    let states = sandbox.onca(["dump", "--kinds", "state", "run"]).expect(0).out();
    assert_eq!(
        states.lines().filter(|line| line.contains("MPI_Recv")).count() as u64,
        written.links
    );
    let sql = "SELECT count(*) AS n FROM links WHERE size IS NOT NULL";
    let rows = sandbox.onca(["query", "--format", "csv", "run", sql]).expect(0).out();
    assert_eq!(rows.lines().last(), Some(written.links.to_string().as_str()));
}

#[test]
fn a_change_in_any_file_makes_the_store_anew() {
    let sandbox = Sandbox::new();
    let (_, written) = write(&ring(), &sandbox.path("run")).expect("written");
    sandbox.onca(["index", "run"]).expect(0);
    assert!(sandbox.onca(["index", "run"]).expect(0).out().contains("up to date"));
    let events = sandbox.read("run/traces/3.evt");
    sandbox.write("run/traces/3.evt", &events[..events.len() / 2]);
    let info = sandbox.info("run", 1);
    let records = info["records"].as_u64().expect("a number");
    assert!(records < written.records, "{records}");
    assert_eq!(info["truncated"], json!(true));
}

#[test]
fn problems_name_the_file_and_the_offset() {
    let sandbox = Sandbox::new();
    write(&ring(), &sandbox.path("run")).expect("written");
    let mut events = sandbox.read("run/traces/1.evt");
    // The first record after the chunk header and the time: an Enter becomes a kind that is not.
    events[27] = 200;
    sandbox.write("run/traces/1.evt", &events);
    let said = sandbox.onca(["validate", "run"]).expect(1).out();
    assert!(said.contains("1.evt:offset 27: error["), "{said}");
}

#[test]
fn an_archive_one_level_deeper_is_found_if_it_is_the_only_one() {
    let sandbox = Sandbox::new();
    let (_, written) = write(&ring(), &sandbox.path("runs/first")).expect("written");
    assert_eq!(sandbox.info("runs", 0)["records"], json!(written.records));
    sandbox.onca(["validate", "runs"]).expect(0);
    write(&ring(), &sandbox.path("runs/second")).expect("written");
    for command in ["info", "validate"] {
        let said = sandbox.onca([command, "runs"]).expect(2).err();
        assert!(said.contains("looked for a store"), "{said}");
        assert!(said.contains("found 2 archives"), "{said}");
        assert!(said.contains("first/traces.otf2, second/traces.otf2"), "{said}");
    }
    std::fs::create_dir(sandbox.path("empty")).expect("a folder");
    let said = sandbox.onca(["info", "empty"]).expect(2).err();
    assert!(said.contains("found none of them"), "{said}");
}
