//! Every option of every view says the same in a request and on a command line.

use crate::support;

use std::collections::BTreeSet;

use clap::Command;
use onca_views::options::{OptionInfo, OptionKind};
use onca_views::registry::{AskedView, VIEWS, ViewEntry};
use serde_json::{Map, Value, json};
use support::{Stored, machines};

/// What questions have besides the options of a view.
const FRAME: [&str; 11] = [
    "window", "lens", "before", "width", "height", "theme", "topology", "rows", "view", "format",
    "scale",
];

fn asked(view: &ViewEntry, fields: Value) -> Result<Box<dyn AskedView>, String> {
    let Value::Object(fields) = fields else { panic!("fields") };
    view.ask(fields)
}

fn from_flags(view: &ViewEntry, flags: &[String]) -> Box<dyn AskedView> {
    let command = view.augment(Command::new("view").no_binary_name(true));
    let matches = command.try_get_matches_from(flags).expect("flags that are understood");
    view.ask_matches(&matches).expect("a view")
}

/// Values to try for an option, not its default.
fn tries(option: &OptionInfo) -> Vec<Value> {
    let tries = match &option.kind {
        OptionKind::Switch => vec![json!(option.default != json!(true))],
        OptionKind::Choice { choices } => choices.iter().map(|one| json!(one.name)).collect(),
        OptionKind::Number => [2.0, 0.5, 0.25].iter().map(|n| number(*n)).collect(),
        OptionKind::Texts => vec![json!(["one", "two words"])],
        OptionKind::Text => {
            ["max / mean", "time / count", "10,20", "0.5", "0.25..0.75", "phases", "a name", "true"]
                .into_iter()
                .map(|text| json!(text))
                .chain([json!(true)])
                .collect()
        }
    };
    tries.into_iter().filter(|value| *value != option.default).collect()
}

fn number(value: f64) -> Value {
    if value.fract() == 0.0 { json!(value as u64) } else { json!(value) }
}

/// The fields of a question with one option, which may be in a part of its own.
fn fields_with(option: &OptionInfo, value: &Value, part: Option<&str>) -> Value {
    let fields = Map::from_iter([(option.name.clone(), value.clone())]);
    match part {
        Some(part) => json!({ part: fields }),
        None => Value::Object(fields),
    }
}

#[test]
fn names_are_unique_and_options_are_not_called_like_the_frame() {
    let names: BTreeSet<&str> = VIEWS.iter().map(|view| view.name).collect();
    assert_eq!(names.len(), VIEWS.len());
    for view in &VIEWS {
        let clash = view.options().into_iter().find(|one| FRAME.contains(&one.name.as_str()));
        assert!(clash.is_none(), "{}: {clash:?}", view.name);
        view.augment(Command::new(view.name)).debug_assert();
    }
}

#[test]
fn nothing_asked_is_the_same_everywhere() {
    let stored = Stored::new(&machines());
    let scope = stored.scope(stored.whole());
    for view in &VIEWS {
        let request = asked(view, json!({})).expect("defaults");
        assert_eq!(format!("{request:?}"), format!("{:?}", from_flags(view, &[])));
        assert_eq!(request.flags(&scope), [""; 0], "{}", view.name);
    }
}

#[test]
fn every_option_comes_back_from_its_flags() {
    let stored = Stored::new(&machines());
    let scope = stored.scope(stored.whole());
    for view in &VIEWS {
        for option in view.options() {
            let mut n_accepted = 0;
            for value in tries(&option) {
                let parts = [None, Some("messages")];
                let found = parts
                    .iter()
                    .find_map(|part| asked(view, fields_with(&option, &value, *part)).ok());
                let Some(request) = found else { continue };
                n_accepted += 1;
                let flags = request.flags(&scope);
                let flag = format!("--{}", option.flag);
                assert!(flags.iter().all(|one| one.starts_with(&flag)), "{flag}: {flags:?}");
                let command = from_flags(view, &flags);
                assert_eq!(format!("{request:?}"), format!("{command:?}"), "{flags:?}");
            }
            assert!(n_accepted > 0, "{}: nothing to try for {option:?}", view.name);
            assert!(!option.help.is_empty(), "{}: {option:?}", view.name);
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    for (view, fields, expected) in [
        ("pie", json!({"p": 0.5}), "p: the pie has no such option; it has depth, level"),
        ("concurrency", json!({"slices": 0}), "slices: 0 is not in 1..=100000"),
        (
            "bars",
            json!({"length": "long"}),
            "length: unknown variant `long`, expected `share` or `time`",
        ),
        (
            "graph",
            json!({"metric": "time"}),
            "metric: unknown variant `time`, expected `count` or `bytes`",
        ),
        (
            "pie",
            json!({"level": "Machine", "depth": 1}),
            "level: it does not go together with depth",
        ),
        (
            "treemap",
            json!({"ratio": "time / count", "mode": "count"}),
            "mode: it does not go together with ratio",
        ),
        ("treemap", json!({"agg": "largest"}), "agg: "),
        ("commgram", json!({"wave": 2}), "wave: write a share from 0 to 0.9"),
        ("commgram", json!({"messages": {"sizes": 1}}), "messages: unknown field `sizes`"),
        ("scene3d", json!({"camera": {"azimuth": 1, "elevation": 91}}), "camera: "),
        (
            "timeline",
            json!({"row_height": 1000}),
            "row_height: write a number of pixels from 1 to 200",
        ),
        ("timeline", json!({"links": {"of": ["x"]}}), "links: "),
        ("treemap", json!({"against_from": "soon"}), "against_from: "),
    ] {
        let view = ViewEntry::named(view).expect("a view");
        let why = asked(view, fields.clone()).expect_err("it makes no sense");
        assert!(why.starts_with(expected), "{fields}: {why}");
    }
}

#[test]
fn what_only_a_server_knows_is_written_for_others() {
    let stored = Stored::new(&machines());
    let scope = stored.scope(stored.whole());
    let flags = |view: &str, fields| {
        asked(ViewEntry::named(view).expect("a view"), fields).expect("options").flags(&scope)
    };
    let node = scope.hierarchy().nodes().nth(1).expect("a node");
    let expected = [format!("--open={}", scope.path(node)), "--no-links".to_owned()];
    let asked = json!({"open": [node.0], "links": {"nodes": [node.0]}});
    assert_eq!(flags("timeline", asked), expected);
    let start = scope.catalog().facts.start;
    let later = 3_500_000_000 + start;
    let at = scope.catalog().facts.unit.units(later);
    let asked = json!({"against_from": 0, "against_to": 3_500_000_000_i64});
    let from = scope.catalog().facts.unit.units(start);
    let expected = [format!("--against-from={from}"), format!("--against-to={at}")];
    assert_eq!(flags("treemap", asked), expected);
}
