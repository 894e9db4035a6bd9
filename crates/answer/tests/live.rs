//! Questions about a trace while it is written, against an index of what was there.

use crate::support;

use std::collections::BTreeMap;
use std::fmt::Write;

use onca_aggregate::slice::{Crossing, LinkEnd};
use onca_answer::slice::{
    LinkMeasure, Links, Measure as What, SliceQuestion, VariableMeasure, What as Asked, slice,
};
use onca_answer::{Cut, Level, Measure, balance, matrix, statistics};
use onca_model::{Nature, Ticks, Window};
use onca_query::{Lens, Scope};
use onca_read::{Progress, Symbols, Tail};
use onca_simulate::{Advance, DriveOptions, Follower, Plan};
use onca_store::{BuildOptions, Fingerprint, Store, StoreBuilder};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use support::Stored;

/// Longer than any random trace.
const LONG: Ticks = 1 << 60;

/// Everything that touches a window, row by row; a lane is called by what it is of. Links of a source that
/// is not in order have other numbers than after the last reading.
fn dump(store: &Store, window: Window, in_order: bool) -> String {
    let mut lines = Vec::new();
    for (track, def) in store.tracks().iter() {
        for &lane in store.tracks().lanes(track) {
            let of = store.catalog().lane(lane);
            let mut texts = store.texts(lane);
            let mut put = |row: u64, what: String| {
                let (key, extras) = texts.get(row).expect("texts");
                let number = if in_order { row } else { 0 };
                lines.push(format!("{of:?} {number} {what} {key:?} {extras:?}"));
            };
            let visited = match store.catalog().type_def(def.type_id).nature {
                Nature::State => store.visit_states(lane, window, 0, |n, row, outer| {
                    put(n, format!("{row:?} {outer:?}"))
                }),
                Nature::Variable => {
                    store.visit_variables(lane, window, |n, row| put(n, format!("{row:?}")))
                }
                Nature::Event => {
                    store.visit_events(lane, window, |n, row| put(n, format!("{row:?}")))
                }
                Nature::Link => {
                    store.visit_links(lane, window, None, 0, |n, row| put(n, format!("{row:?}")))
                }
                Nature::Container => Ok(()),
            };
            visited.expect("rows");
        }
    }
    lines.sort();
    lines.join("\n")
}

fn text(answer: &impl serde::Serialize) -> String {
    serde_json::to_string(answer).expect("JSON")
}

/// What is asked of both, as text: all rows, and some of all sums.
fn answers(store: &Store, window: Window, in_order: bool, turn: usize) -> String {
    let mut all = dump(store, window, in_order);
    let scope = Scope::new(store, &Lens::clear(), window).expect("a lens that fits");
    let (end, border) = (LinkEnd::Origin, Crossing::Clip);
    let link = |measure| Asked::Measure(What::Link { measure, end, border });
    let measures = [
        Asked::Measure(What::StateTime { inclusive: false }),
        Asked::Measure(What::EventCount),
        link(LinkMeasure::Count),
        Asked::Measure(What::StateTime { inclusive: true }),
        Asked::Measure(What::Variable(VariableMeasure::Mean)),
        link(LinkMeasure::Time),
        Asked::Measure(What::StateCount),
        Asked::Measure(What::Variable(VariableMeasure::Max)),
        Asked::Peers(Links { end, border }),
    ];
    for what in measures.into_iter().skip(turn % 3 * 3).take(3) {
        let question = SliceQuestion { n_slices: 3, ..SliceQuestion::new(what) };
        let answer = slice(&scope, &question);
        let answer = answer.map_or_else(|error| error.to_string(), |answer| text(&answer.json()));
        writeln!(all, "\n{answer}").expect("room");
    }
    let cut = || Cut::new(&scope, &Level::Own).expect("a cut");
    let table = match turn % 3 {
        0 => statistics(&scope, cut(), Measure::Exclusive, 0).map(|a| text(&a.json(&scope))),
        1 => balance(&scope, None, Measure::Inclusive).map(|a| text(&a.json(&scope))),
        _ => matrix(&scope, cut()).map(|a| text(&a.json(&scope))),
    };
    all + &table.expect("an answer")
}

/// Follows a trace up to some line end, and asks; false if there is nothing to ask about.
fn follow(seed: u64) -> bool {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let trace = onca_testkit::random::trace(seed);
    let ends: Vec<usize> = line_ends(&trace);
    // The header is long, and before its end there is nothing to ask.
    let end = ends[rng.random_range(ends.len() * 2 / 3..ends.len())];
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("grows.paje");
    let place = folder.path().join("grows.onca");
    std::fs::write(&path, &trace[..end]).expect("written");
    let Some(tail) = Tail::open(&path).expect("opens") else { return false };
    let (options, progress) = (DriveOptions::default(), Progress::default());
    let mut plan = Plan::default();
    let store = loop {
        let symbols = Symbols::new();
        let builder = StoreBuilder::create(&place, &BuildOptions::default()).expect("begun");
        let begun = Follower::new(&tail, &symbols, builder, &options, &plan, &progress);
        match look(begun.expect("begins"), &tail, &mut rng) {
            Ok(store) => break store,
            Err(better) => plan = better,
        }
    };
    let expected = Stored::new(&trace[..end]);
    let facts = &expected.store.catalog().facts;
    let windows = [
        Window::new(facts.start, facts.end),
        Window::new(facts.start - 1000, facts.end + 1000),
        Window::new(facts.start + (facts.end - facts.start) / 3, facts.end),
    ];
    let window = windows[rng.random_range(0..windows.len())];
    let in_order = plan.within.is_none();
    let ask = |store: &Store| answers(store, window, in_order, seed as usize);
    let (found, wanted) = (ask(&store), ask(&expected.store));
    assert_eq!(found, wanted, "seed {seed}, {end} bytes, {plan:?}");
    assert_eq!(store.counts(), expected.store.counts(), "seed {seed}");
    true
}

/// Where lines end.
fn line_ends(text: &[u8]) -> Vec<usize> {
    let is_newline = |(at, &byte): (usize, &u8)| (byte == b'\n').then_some(at + 1);
    text.iter().enumerate().filter_map(is_newline).collect()
}

/// Reads on in random portions, and looks at the end; or the plan by which to begin anew.
fn look(
    mut follower: Follower<'_, StoreBuilder>,
    tail: &Tail,
    rng: &mut ChaCha8Rng,
) -> Result<Store, Plan> {
    loop {
        let portion = rng.random_range(500..8000);
        tail.allow(portion);
        match follower.advance().expect("reads on") {
            Advance::Again(better) => {
                return Err(Plan { within: Some(LONG), diverted: Default::default(), ..better });
            }
            Advance::Read(0) => break,
            Advance::Read(_) => {}
        }
        if rng.random_range(0..4) == 0 {
            // A look in between must not leave anything behind.
            let preview = follower.sink_mut().preview().expect("a look");
            follower.look(preview).expect("a look");
        }
    }
    let preview = follower.sink_mut().preview().expect("a look");
    let finished = follower.look(preview).expect("a look").expect("by this plan");
    let (catalog, facts) = (finished.catalog, BTreeMap::new());
    let store = finished.sink.open(catalog, &Fingerprint::default(), &facts, 1 << 20);
    Ok(store.expect("opens"))
}

#[test]
fn answers_are_those_of_an_index_of_what_was_there() {
    // Stores wait for the disk: meanwhile others are compared.
    const PARTS: u64 = 4;
    let n: usize = std::thread::scope(|scope| {
        let part = |first| {
            move || (first..1000).step_by(PARTS as usize).filter(|&seed| follow(seed)).count()
        };
        let parts: Vec<_> = (0..PARTS).map(|first| scope.spawn(part(first))).collect();
        parts.into_iter().map(|part| part.join().expect("all are equal")).sum()
    });
    assert!(n > 900, "only {n} were compared");
}
