//! Searches against lists of entities: every page, and every count.

use crate::support;

use onca_answer::{Fields, FindSpec, Hit, count_found, find, value_counts};
use onca_model::{Nature, Ticks, ValueId, display_text};
use onca_query::{NamePattern, Scope};
use rand::RngExt;
use support::both::{Both, Look, SECOND, links, rng, states};
use support::plain::Plain;

/// What is told of an entity: nature, begin, end, container, value.
type Line = (&'static str, Ticks, Ticks, Option<String>, String);

/// All that fits, from the lists.
fn expected(both: &Both, look: &Look, spec: &FindSpec) -> Vec<Line> {
    let fits = |text: &str| spec.pattern.matches(text.as_bytes());
    let Fields { values, containers, types, extras, keys } = spec.fields;
    let mut window = look.window();
    if window.to == both.trace.end {
        window.to += 1;
    }
    let asked = |nature| spec.kinds.contains(&nature);
    let mut lines: Vec<Line> = Vec::new();
    if asked(Nature::State) {
        for state in states(both, look).iter().filter(|state| !state.hidden) {
            if values && fits(&state.value) || types && fits("STATE") {
                let name = Some(both.name(state.container));
                lines.push(("state", state.start, state.end, name, state.value.clone()));
            }
        }
    }
    if asked(Nature::Link) {
        for link in links(both, look) {
            let size = link.size.map(|size| size.to_string());
            let text = extras && size.is_some_and(|size| fits(&size));
            if values && fits(&link.value)
                || types && fits("LINK")
                || keys && fits(&link.key)
                || text
            {
                let name = link.source.map(|id| both.name(id));
                lines.push(("link", link.start, link.end, name, link.value.clone()));
            }
        }
    }
    if asked(Nature::Event) {
        for event in &both.trace.events {
            let note = event.extras.iter().any(|(_, text)| spec.pattern.matches(text));
            let named = values && fits(&both.value(event.value)) || types && fits("EVENT");
            if look.sees_rank(both, event.container)
                && window.touches(event.time, event.time)
                && (named || extras && note)
            {
                let name = Some(both.name(event.container));
                lines.push(("event", event.time, event.time, name, both.value(event.value)));
            }
        }
    }
    if asked(Nature::Container) {
        for (id, container) in both.trace.containers.iter().enumerate().skip(1) {
            let alias = container.alias.clone().unwrap_or_default();
            let named = containers && (fits(&both.name(id)) || spec.pattern.matches(&alias));
            let type_name = &both.trace.types[container.type_index].name;
            if (named || types && spec.pattern.matches(type_name))
                && look.sees_rank(both, id)
                && window.touches(container.start, container.end)
            {
                let name = Some(both.name(id));
                lines.push(("container", container.start, container.end, name, String::new()));
            }
        }
    }
    let timed = spec.longer_than.is_some() || spec.shorter_than.is_some();
    lines.retain(|(kind, start, end, ..)| {
        !(timed && *kind == "event")
            && spec.longer_than.is_none_or(|least| end - start > least)
            && spec.shorter_than.is_none_or(|most| end - start < most)
    });
    lines.sort();
    lines
}

fn line(both: &Both, scope: &Scope<'_>, hit: &Hit) -> Line {
    let value = hit.value.map(|value| display_text(&scope.catalog().value(value).name));
    let name = hit.container.map(|id| both.name(id.index()));
    (hit.nature.name(), hit.start, hit.end, name, value.unwrap_or_default().into_owned())
}

fn random_spec(rng: &mut impl rand::Rng) -> FindSpec {
    let patterns =
        ["*", "MPI_*", "compute", "rank[0-2]", "re:^k1", "note1*", "STATE", "event1", "Rank", "64"];
    let natures = [Nature::State, Nature::Link, Nature::Event, Nature::Container];
    let mut kinds: Vec<Nature> = natures.into_iter().filter(|_| rng.random_bool(0.7)).collect();
    if kinds.is_empty() {
        kinds.push(Nature::State);
    }
    FindSpec {
        pattern: NamePattern::parse(patterns[rng.random_range(0..patterns.len())])
            .expect("a pattern"),
        fields: Fields {
            values: rng.random_bool(0.7),
            containers: rng.random_bool(0.5),
            types: rng.random_bool(0.3),
            extras: rng.random_bool(0.3),
            keys: rng.random_bool(0.3),
        },
        extra_fields: Vec::new(),
        kinds,
        longer_than: rng.random_bool(0.2).then_some(2 * SECOND),
        shorter_than: rng.random_bool(0.2).then_some(7 * SECOND),
        line: None,
    }
}

#[test]
fn pages_hold_everything_once_and_in_order_of_time() {
    for seed in 0..60 {
        let mut rng = rng(seed);
        let both = Both::random(&mut rng);
        for _ in 0..8 {
            let look = Look::random(&mut rng, &both);
            let scope = look.scope(&both);
            let spec = random_spec(&mut rng);
            let limit = [1, 3, 10, 1000][rng.random_range(0..4)];
            let mut hits = Vec::new();
            let mut after = None;
            loop {
                let page = find(&scope, &spec, after, limit).expect("a page");
                assert!(page.hits.len() <= limit);
                hits.extend(page.hits);
                after = page.next;
                if after.is_none() {
                    break;
                }
            }
            assert!(hits.is_sorted_by_key(|hit| hit.start), "{spec:?} {look:?}");
            let mut lines: Vec<Line> = hits.iter().map(|hit| line(&both, &scope, hit)).collect();
            lines.sort();
            let wanted = expected(&both, &look, &spec);
            assert_eq!(lines, wanted, "{spec:?} {look:?}");
            let counts = count_found(&scope, &spec).expect("counts");
            assert_eq!(counts.total(), wanted.len() as u64, "{spec:?} {look:?}");
        }
    }
}

#[test]
fn every_value_is_counted() {
    let mut rng = rng(11);
    for _ in 0..20 {
        let both = Both::random(&mut rng);
        let store = &both.store;
        let mut expected = vec![0; store.catalog().values.len()];
        let plain = Plain::of(store);
        plain.states.iter().for_each(|state| expected[state.row.value.index()] += 1);
        plain.events.iter().for_each(|(_, event)| expected[event.value.index()] += 1);
        plain.links.iter().for_each(|(_, link)| expected[link.value.index()] += 1);
        let counts = value_counts(store).expect("counts");
        let found = (0..expected.len() as u32).map(|id| counts.of_value(ValueId(id)));
        assert_eq!(found.collect::<Vec<u64>>(), expected);
    }
}

#[test]
fn keys_and_extra_fields_come_with_what_was_found() {
    let text = support::both::header()
        + &support::both::body()
        + "20 1 L 0 r0 data k7 64\n21 2 L 0 r1 data k7\n22 3 E r2 hello there\n";
    let both = Both::new(&text);
    let scope = Look::everything(&both).scope(&both);
    let spec = FindSpec {
        pattern: NamePattern::parse("*").expect("a pattern"),
        fields: Fields { extras: true, ..Fields::default() },
        extra_fields: Vec::new(),
        kinds: vec![Nature::Link, Nature::Event],
        longer_than: None,
        shorter_than: None,
        line: None,
    };
    let page = find(&scope, &spec, None, 10).expect("a page");
    let texts = |hit: &Hit| -> Vec<String> {
        let extras = onca_model::extra_fields(&hit.extras);
        extras.map(|extra| String::from_utf8_lossy(extra.text).into_owned()).collect()
    };
    assert_eq!(page.hits.len(), 2);
    assert_eq!(
        (page.hits[0].key.as_slice(), texts(&page.hits[0])),
        (&b"k7"[..], vec!["64".into()])
    );
    assert_eq!(texts(&page.hits[1]), ["there"]);
    assert_eq!(page.next, None);

    let first = onca_model::extra_fields(&page.hits[0].extras).next().expect("a field").field;
    let narrow = FindSpec { extra_fields: vec![first], ..spec };
    let page = find(&scope, &narrow, None, 10).expect("a page");
    assert_eq!(page.hits.iter().map(texts).collect::<Vec<_>>(), [["64"]]);
}
