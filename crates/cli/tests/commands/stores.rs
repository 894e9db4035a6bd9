//! `onca index` and `onca store`: where stores are, and that nothing else is touched.

use super::{CLEAN_ROWS, clean_trace};
use onca_testkit::sandbox::{STORE_FILES, Sandbox, names_in, same_text};

#[test]
fn index_builds_once_and_again_when_forced() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", clean_trace());
    let first = sandbox.onca(["index", "t.paje"]).expect(0).out();
    assert!(first.starts_with("t.paje.onca: 15 records, "), "{first}");
    assert_eq!(names_in(&sandbox.path("t.paje.onca")), {
        let mut names = STORE_FILES.map(str::to_owned);
        names.sort();
        names
    });
    let second = sandbox.onca(["index", "t.paje"]).expect(0).out();
    assert!(second.contains("up to date"), "{second}");
    let forced = sandbox.onca(["index", "--force", "--memory", "64M", "t.paje"]).expect(0).out();
    assert!(forced.starts_with("t.paje.onca: 15 records, "), "{forced}");

    let answer = sandbox.onca(["index", "--json", "t.paje"]).expect(0).json();
    assert_eq!((&answer["built"], &answer["records"]), (&false.into(), &15.into()), "{answer:#}");
    let answer = sandbox.onca(["index", "--json", "--force", "t.paje"]).expect(0).json();
    let length = clean_trace().len();
    assert_eq!(
        (&answer["built"], &answer["source_bytes"], &answer["lost"], &answer["store"]),
        (&true.into(), &length.into(), &0.into(), &"t.paje.onca".into()),
        "{answer:#}"
    );
    sandbox.expect_only(&["t.paje", "t.paje.onca"]);
}

#[test]
fn index_puts_the_store_where_it_is_told_and_overwrites_nothing_else() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", clean_trace());
    sandbox.onca(["index", "t.paje", "-o", "other.onca"]).expect(0);
    same_text(
        &sandbox.onca(["dump", "other.onca"]).expect(0).stdout,
        CLEAN_ROWS.as_bytes(),
        "dump",
    );
    sandbox.onca_reading(clean_trace().as_bytes(), &["index", "-", "-o", "stream.onca"]).expect(0);
    same_text(
        &sandbox.onca(["dump", "stream.onca"]).expect(0).stdout,
        CLEAN_ROWS.as_bytes(),
        "dump",
    );
    sandbox.onca_reading(clean_trace().as_bytes(), &["index", "-"]).expect_reason(2, "-o");

    std::fs::create_dir(sandbox.path("letters")).expect("a folder");
    sandbox.write("letters/mine.txt", "dear\n");
    sandbox.write("file", "mine too\n");
    for force in [&[][..], &["--force"]] {
        for place in ["letters", "file"] {
            let args = [&["index", "t.paje", "-o", place], force].concat();
            sandbox.onca(args).expect_reason(2, place);
        }
    }
    // A file in a store that is not the store's is not thrown away either.
    sandbox.write("other.onca/mine.txt", "dear\n");
    sandbox.onca(["index", "--force", "t.paje", "-o", "other.onca"]).expect_reason(2, "other.onca");
    assert_eq!(sandbox.read("letters/mine.txt"), b"dear\n");
    assert_eq!(sandbox.read("other.onca/mine.txt"), b"dear\n");
    assert_eq!(sandbox.read("file"), b"mine too\n");
    sandbox.expect_only(&["file", "letters", "other.onca", "stream.onca", "t.paje"]);
}

#[test]
fn stores_are_listed_verified_and_removed() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", clean_trace());
    sandbox.onca(["store", "verify", "t.paje"]).expect_reason(2, "t.paje has no store");
    sandbox.onca(["store", "rm", "t.paje"]).expect_reason(2, "t.paje has no store");
    sandbox.onca(["store", "list"]).expect(0);
    sandbox.onca(["index", "t.paje"]).expect(0);

    let list = sandbox.onca(["store", "list", "--json"]).expect(0).json();
    let stores = list["stores"].as_array().expect("a list");
    assert_eq!(stores.len(), 1, "{list:#}");
    assert_eq!(stores[0]["status"], "fresh", "{list:#}");
    let trace = sandbox.path("t.paje").display().to_string();
    assert_eq!(stores[0]["trace"], trace.as_str(), "the store knows the full path of its trace");
    let text = sandbox.onca(["store", "list", "."]).expect(0).out();
    assert!(text.contains("fresh") && text.contains("t.paje.onca"), "{text}");

    for name in ["t.paje", "t.paje.onca"] {
        let text = sandbox.onca(["store", "verify", name]).expect(0).out();
        assert!(text.starts_with("t.paje.onca: good, 5 rows in "), "{text}");
    }
    sandbox.write("t.paje", clean_trace() + "18 7 E a q\n");
    let answer = sandbox.onca(["store", "verify", "--json", "t.paje"]).expect(0).json();
    assert_eq!(answer["stores"][0]["status"], "stale", "{answer:#}");

    std::fs::create_dir(sandbox.path("letters")).expect("a folder");
    sandbox.write("letters/mine.txt", "dear\n");
    sandbox.onca(["store", "rm", "letters"]).expect(2);
    assert_eq!(sandbox.read("letters/mine.txt"), b"dear\n");
    sandbox.onca(["store", "verify", "letters"]).expect(1);

    sandbox.onca(["store", "rm", "t.paje"]).expect(0);
    sandbox.expect_only(&["letters", "t.paje"]);
}

#[test]
fn data_sets_are_no_stores() {
    let sandbox = Sandbox::new();
    sandbox.write("t.paje", clean_trace());
    std::fs::create_dir_all(sandbox.path("runs/c.set/containers")).expect("folders");
    sandbox.write("runs/c.set/manifest.json", "{\"schema\": \"onca-dataset/1\"}\n");
    std::fs::create_dir_all(sandbox.path("runs/d.set/states")).expect("folders");
    std::fs::create_dir(sandbox.path("runs/d.set/parts")).expect("a folder");
    let commands: [&[&str]; 12] = [
        &["view", "--no-open"],
        &["view", "--no-open", "--follow"],
        &["info"],
        &["validate"],
        &["dump"],
        &["stats"],
        &["findings"],
        &["export", "--format", "csv", "-o", "tables"],
        &["index"],
        &["index", "--follow"],
        &["store", "verify"],
        &["store", "rm"],
    ];
    for command in commands {
        let refused = |path: &str, what: &str| {
            let told = format!("{path} is {what}; of all commands, only \"onca query\" reads");
            sandbox.onca([command, &[path]].concat()).expect_reason(2, &told);
        };
        refused("runs/c.set", "a data set");
        refused("runs/d.set", "a data set");
        refused("runs", "a folder of data sets");
    }
    for place in ["runs", "runs/c.set", "runs/d.set"] {
        let index = ["index", "--force", "t.paje", "-o", place];
        sandbox.onca(index).expect_reason(2, "it is not overwritten");
    }
    assert_eq!(names_in(&sandbox.path("runs/c.set")), ["containers", "manifest.json"]);
    assert_eq!(names_in(&sandbox.path("runs")), ["c.set", "d.set"]);
}
