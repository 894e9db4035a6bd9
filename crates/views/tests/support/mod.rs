//! What the tests share: traces as text, in a store and as the reference reads them.

use std::collections::BTreeMap;
use std::sync::Arc;

use onca_model::{Color, Window};
use onca_query::{Appearance, Lens, Scope};
use onca_read::{Progress, Source};
use onca_simulate::{DriveOptions, drive};
use onca_store::{BuildOptions, Fingerprint, Store, StoreBuilder};
use onca_testkit::{Trace, fixtures, interpret};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A trace in a store, and as the reference reads it.
pub struct Stored {
    pub store: Store,
    pub trace: Trace,
    _folder: tempfile::TempDir,
}

impl Stored {
    pub fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, place) = (folder.path().join("t.paje"), folder.path().join("t.onca"));
        std::fs::write(&path, text).expect("a written trace");
        let options = DriveOptions { threads: 1, ..DriveOptions::default() };
        let driven = drive(&Source::new(&path), &options, &Arc::new(Progress::default()), || {
            StoreBuilder::create(&place, &BuildOptions::default())
        })
        .expect("a readable trace");
        let (catalog, facts) = (&driven.catalog, BTreeMap::new());
        driven.sink.finish(catalog, &Fingerprint::default(), &facts).expect("a built store");
        let store = Store::open(&place).expect("an open store");
        Self { store, trace: interpret(text.as_bytes()), _folder: folder }
    }

    /// From the first instant to the last.
    pub fn whole(&self) -> Window {
        let facts = &self.store.catalog().facts;
        Window::new(facts.start, facts.end)
    }

    pub fn scope(&self, window: Window) -> Scope<'_> {
        self.scope_through(&Lens::clear(), window)
    }

    pub fn scope_through(&self, lens: &Lens, window: Window) -> Scope<'_> {
        Scope::new(&self.store, lens, window).expect("a lens that fits")
    }

    pub fn appearance(&self) -> Appearance {
        Appearance::new(self.store.catalog(), &Lens::clear(), None).expect("no colours to refuse")
    }

    /// The colour of a value of the reference.
    pub fn color(&self, value: usize) -> Color {
        let name = &self.trace.values[value].name;
        let values = self.store.catalog().values.iter();
        let id = values.clone().position(|def| def.name == *name).expect("the same value");
        self.appearance().of_value(onca_model::ValueId(id as u32)).color
    }
}

pub const VALUES: [&str; 5] = ["compute", "send", "receive", "wait", "odd"];

/// Two groups of three ranks, each with states; all values have colours of their own.
pub fn machines() -> String {
    let mut text = fixtures::header()
        + "1 M 0 Machine\n1 P M Rank\n2 S P STATE\n4 E P EVENT\n3 V M Load \"0 0 1\"\n\
           5 L 0 P P LINK\n";
    for (number, value) in VALUES.iter().enumerate() {
        text += &format!("6 v{number} S {value} \"0.{number} 0.5 0.{}\"\n", 9 - number);
    }
    text += "7 0 m0 M 0 machine0\n7 0 m1 M 0 machine1\n";
    for rank in 0..6 {
        text += &format!("7 0 r{rank} P m{} rank{rank}\n", rank / 3);
    }
    text
}

pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Nested states of very different lengths, some of none; events, links and variables.
pub fn random_trace(rng: &mut ChaCha8Rng) -> String {
    let mut text = machines();
    let mut lines: Vec<(u64, String)> = Vec::new();
    for rank in 0..6 {
        let (mut time, mut depth) = (0u64, 0);
        for _ in 0..rng.random_range(1..60) {
            time += match rng.random_range(0..4) {
                0 => 0,
                1 => rng.random_range(0..3),
                2 => rng.random_range(0..40),
                _ => rng.random_range(0..400),
            };
            let value = rng.random_range(0..VALUES.len());
            if rng.random_range(0..5) < 3 && depth < 4 {
                lines.push((time, format!("13 {time} S r{rank} v{value}")));
                depth += 1;
            } else if depth > 0 {
                lines.push((time, format!("14 {time} S r{rank}")));
                depth -= 1;
            }
            if rng.random_range(0..4) == 0 {
                lines.push((time, format!("18 {time} E r{rank} e{}", value % 2)));
                lines.push((time, format!("9 {time} V m{} {}", rank / 3, value * 10)));
            }
        }
    }
    for key in 0..rng.random_range(0..40) {
        let (start, length) = (rng.random_range(0..2000), rng.random_range(0..300));
        let (from, to) = (rng.random_range(0..6), rng.random_range(0..6));
        lines.push((start, format!("16 {start} L 0 r{from} data k{key}")));
        lines.push((start + length, format!("17 {} L 0 r{to} data k{key}", start + length)));
    }
    lines.sort_by_key(|(time, _)| *time);
    lines.iter().for_each(|(_, line)| text += &format!("{line}\n"));
    text
}
