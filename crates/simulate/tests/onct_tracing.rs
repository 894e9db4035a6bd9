//! Spans and events of the crate `tracing`, through the layer of `onca-trace`.

use crate::support;

use std::collections::BTreeMap;

use onca_model::{LaneId, display_text};
use support::{extras, read};
use tracing::{Level, debug, info, info_span, trace, warn};
use tracing_subscriber::layer::SubscriberExt;

/// One test, because the subscriber of a process can be set once.
#[test]
fn spans_events_and_counters_become_a_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.onct");
    let layer = onca_trace::layer(&path).expect("a layer");
    let layer = layer.with_max_level(Level::INFO).with_target("noisy", Level::WARN);
    let layer = layer.with_target("noisy::but_wanted", Level::DEBUG);
    let subscriber = tracing_subscriber::registry().with(layer);
    tracing::subscriber::set_global_default(subscriber).expect("the first subscriber");

    let main = std::thread::Builder::new().name("main thread".to_owned());
    let main = main.spawn(|| {
        info_span!("outer", size = 3, name = "x").in_scope(|| {
            info_span!("inner").in_scope(|| info!(answer = 42, "hello"));
        });
        // A task that is polled on two threads, and one that follows it.
        let task = info_span!("task");
        let next = info_span!("next");
        task.in_scope(|| {});
        next.follows_from(&task);
        let other = std::thread::Builder::new().name("other thread".to_owned());
        other.spawn(move || task.in_scope(|| {})).expect("a thread").join().expect("an end");
        drop(next);
        for load in [1.5, 2.5] {
            info!(counter.load = load);
        }
        debug!("left out");
        info!(target: "noisy", "left out");
        warn!(target: "noisy::deeper", "loud");
        debug!(target: "noisy::but_wanted", "wanted");
        trace!(target: "noisy::but_wanted", "left out");
        warn!(target: "noisy_not", "another target");
    });
    main.expect("a thread").join().expect("an end");
    onca_trace::close().expect("a closed trace");

    let driven = read(&path, 1, 1 << 20);
    let catalog = &driven.catalog;
    assert_eq!(catalog.facts.lost, 0);
    let problems: Vec<_> = catalog.diagnostics.iter().map(|(code, _)| code.name()).collect();
    assert_eq!(problems, [""; 0]);
    let place = |lane: LaneId| {
        let lane = catalog.lane(lane);
        let container = display_text(catalog.containers.names.get(lane.container.index()));
        let of = display_text(&catalog.type_def(lane.type_id).name);
        format!("{container}/{of}/{}", lane.depth)
    };
    let value = |id| display_text(&catalog.value(id).name).into_owned();

    let mut states: Vec<_> = driven.sink.states.iter().collect();
    states.sort_by_key(|(_, row, _)| row.start);
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (lane, row, packed) in states {
        let fields = match extras(catalog, packed).as_str() {
            "-" => String::new(),
            fields => format!(" {fields}"),
        };
        found.entry(place(*lane)).or_default().push(value(row.value) + &fields);
    }
    let expected = [
        ("main thread/Span/0", vec!["outer size=3;name=x", "task"]),
        ("main thread/Span/1", vec!["inner"]),
        ("other thread/Span/0", vec!["task"]),
        ("task 1/Activity/0", vec!["waiting", "running", "waiting", "running", "waiting"]),
        ("next 2/Activity/0", vec!["waiting"]),
    ];
    let expected = expected
        .map(|(place, values)| (place.to_owned(), values.into_iter().map(str::to_owned).collect()));
    assert_eq!(found, BTreeMap::from(expected));

    let events: Vec<_> = driven
        .sink
        .events
        .iter()
        .map(|(lane, row, packed)| {
            format!("{} {} {}", place(*lane), value(row.value), extras(catalog, packed))
        })
        .collect();
    let hello = concat!("INFO message=hello;answer=42;target=", module_path!());
    let expected = [
        hello,
        "WARN message=loud;target=noisy::deeper",
        "DEBUG message=wanted;target=noisy::but_wanted",
        "WARN message=another\\x20target;target=noisy_not",
    ];
    assert_eq!(events, expected.map(|event| format!("main thread/Event/0 {event}")));

    let loads: Vec<_> = driven.sink.variables.iter().map(|(_, row, _)| row.value).collect();
    assert_eq!(loads, [1.5, 2.5]);
    let [link] = &driven.sink.links[..] else { panic!("{} links", driven.sink.links.len()) };
    let end = |id: Option<onca_model::ContainerId>| {
        id.map(|id| display_text(catalog.containers.names.get(id.index())).into_owned())
    };
    assert_eq!(
        (end(link.source), end(link.destination)),
        (Some("task 1".into()), Some("next 2".into()))
    );
}
