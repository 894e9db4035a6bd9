//! The types of the JSON as TypeScript: numbers are numbers, lists are arrays, and what may be absent may
//! be absent.
#![cfg(feature = "typescript")]

use onca_answer::wire::{
    BalanceJson, ClocksJson, ConcurrencyJson, EfficienciesJson, FoundCountsJson, FoundJson,
    HitJson, InspectionJson, LensJson, LinkHistogramsJson, LinkMatrixJson, MatrixJson, PhaseJson,
    PhasesJson, ProfileJson, SliceJson, SliceRowsJson, StatisticsJson, StepJson, TopologyJson,
};
use ts_rs::{Config, TS};

fn declared<T: TS>() -> String {
    let config = Config::new().with_large_int("number");
    T::decl(&config).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_answer_has_a_type() {
    let all = [
        declared::<BalanceJson<'static>>(),
        declared::<ClocksJson<'static>>(),
        declared::<ConcurrencyJson<'static>>(),
        declared::<EfficienciesJson<'static>>(),
        declared::<FoundCountsJson<'static>>(),
        declared::<FoundJson<'static>>(),
        declared::<HitJson<'static>>(),
        declared::<InspectionJson<'static>>(),
        declared::<LensJson<'static>>(),
        declared::<LinkHistogramsJson<'static>>(),
        declared::<LinkMatrixJson<'static>>(),
        declared::<MatrixJson<'static>>(),
        declared::<PhaseJson<'static>>(),
        declared::<PhasesJson<'static>>(),
        declared::<ProfileJson<'static>>(),
        declared::<SliceJson<'static>>(),
        declared::<StatisticsJson<'static>>(),
        declared::<StepJson<'static>>(),
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
