//! What the page knows of the wire is what the server says.
#![cfg(feature = "typescript")]

use std::fs;

use onca_answer::wire::{
    BalanceJson, ClocksJson, ConcurrencyJson, EfficienciesJson, FoundCountsJson, HitJson,
    LinkHistogramsJson, LinkMatrixJson, SliceJson, SliceRowsJson, TopologyJson,
};
use ts_rs::{Config, TS};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/src/api/generated.ts");
const AGAIN: &str =
    "ONCA_TYPES=write cargo test -p onca-serve --features typescript --test all typescript";

#[test]
fn the_page_has_the_types_of_the_server() {
    let made = onca_serve::page_types();
    if std::env::var_os("ONCA_TYPES").is_some_and(|word| word == "write") {
        fs::write(FILE, &made).expect("the file can be written");
    }
    let kept = fs::read_to_string(FILE).expect("the file is there");
    let differs = kept.lines().zip(made.lines()).position(|(kept, made)| kept != made);
    let line = differs.unwrap_or(kept.lines().count().min(made.lines().count())) + 1;
    assert!(
        kept == made,
        "web/src/api/generated.ts is stale from line {line} on; make it again with\n{AGAIN}"
    );
}

fn declared<T: TS>() -> String {
    let config = Config::new().with_large_int("number");
    T::decl(&config).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn answers_that_no_page_reads_have_types_too() {
    let all = [
        declared::<BalanceJson<'static>>(),
        declared::<ClocksJson<'static>>(),
        declared::<ConcurrencyJson<'static>>(),
        declared::<EfficienciesJson<'static>>(),
        declared::<FoundCountsJson<'static>>(),
        declared::<LinkHistogramsJson<'static>>(),
        declared::<LinkMatrixJson<'static>>(),
        declared::<SliceJson<'static>>(),
        declared::<TopologyJson<'static>>(),
    ];
    for text in all {
        assert!(!text.contains("bigint"), "{text}");
    }
}

#[test]
fn numbers_and_lists_are_plain() {
    let rows = declared::<SliceRowsJson<'static>>();
    assert!(rows.contains("node: Array<number>"), "{rows}");
    assert!(rows.contains("amount_ticks?: Array<number | null>"), "{rows}");
    let hit = declared::<HitJson<'static>>();
    assert!(hit.contains("destination?: string | null"), "{hit}");
    assert!(hit.contains("key?: string"), "{hit}");
    assert!(hit.contains("type: string"), "{hit}");
}
