//! Rows of natural height, groups that are open or closed, rows that are used again, and rows of
//! derived variables.

use onca_model::Window;
use onca_query::{Lens, NodeId};
use onca_scene::{Layer, Pick, Point, Strip, Strips};
use onca_testkit::fixtures;
use onca_views::options::LevelOptions;
use onca_views::timeline::{Room, RowState, Surface, Timeline, TimelineOptions, TimelineRow};
use rand::RngExt;

use super::marks::{rects_of, strips_of};
use super::{SURFACE, timeline_of};
use crate::support::{Stored, machines, random_trace, rng};

fn natural(from: f64, to: f64) -> Surface {
    Surface { room: Room::Natural { from, to }, ..SURFACE }
}

fn with_groups() -> TimelineOptions {
    TimelineOptions { groups: true, ..TimelineOptions::default() }
}

/// The names of rows with a sign for their state.
fn signs(timeline: &Timeline) -> Vec<String> {
    let sign = |row: &TimelineRow| match row.state {
        RowState::Leaf => "",
        RowState::Open => "-",
        RowState::Closed => "+",
        RowState::Merged => "=",
    };
    timeline.rows.iter().map(|row| format!("{}{}", sign(row), row.name)).collect()
}

/// The node of the machine or rank with a name.
fn node(stored: &Stored, name: &str) -> NodeId {
    let scope = stored.scope(stored.whole());
    let mut nodes = scope.hierarchy().nodes();
    nodes.find(|node| scope.name(*node) == name.as_bytes()).expect("a node of that name")
}

#[test]
fn a_part_of_the_rows_is_painted_as_in_the_whole() {
    for seed in 0..20 {
        let stored = Stored::new(&random_trace(&mut rng(seed)));
        let scope = stored.scope(stored.whole());
        let options = TimelineOptions { row_height: 11.0, ..with_groups() };
        let whole = timeline_of(&scope, &stored, &natural(0.0, 1e9), &options);
        let mut rng = rng(seed);
        let from = rng.random_range(-20.0..whole.height + 20.0);
        let to = from + rng.random_range(0.0..60.0);
        let part = timeline_of(&scope, &stored, &natural(from, to), &options);
        assert_eq!((part.height, part.n_rows), (whole.height, whole.rows.len()));
        let touches = |row: &&TimelineRow| row.y1 > from && row.y0 < to;
        let painted: Vec<&TimelineRow> = whole.rows.iter().filter(touches).collect();
        let groups = part.rows.len() - painted.len();
        assert!(part.rows[groups..].iter().eq(painted.iter().copied()));
        let inside = |y0: f64, y1: f64| painted.iter().any(|row| row.y0 <= y0 && y1 <= row.y1);
        let rects = |timeline: &Timeline| -> Vec<_> {
            let rects = rects_of(&timeline.scene).into_iter().map(|(rect, _)| *rect);
            rects.filter(|rect| inside(rect.bounds.y0, rect.bounds.y1)).collect()
        };
        assert_eq!(rects_of(&part.scene).len(), rects(&part).len(), "nothing else is painted");
        let untitled = |rects: Vec<onca_scene::Rect>| -> Vec<_> {
            rects.into_iter().map(|rect| (rect.bounds, rect.pick, rect.fill)).collect()
        };
        assert_eq!(untitled(rects(&part)), untitled(rects(&whole)));
        let strips = |timeline: &Timeline| -> Vec<_> {
            let strips = strips_of(&timeline.scene).into_iter();
            let inside = strips.filter(|(_, strip)| inside(strip.bounds.y0, strip.bounds.y1));
            inside
                .map(|(strips, strip)| (strip.bounds, strip.pick, colors_of(strips, strip)))
                .collect()
        };
        assert_eq!(strips_of(&part.scene).len(), strips(&part).len(), "nothing else is painted");
        assert_eq!(strips(&part), strips(&whole));
    }
}

/// The colours and shares of all columns of a strip.
fn colors_of(strips: &Strips, strip: &Strip) -> Vec<Vec<(String, u8)>> {
    let color = |place: u16| strips.palette[usize::from(place)].to_string();
    let parts = |column| strips.parts_of(column).map(|p| (color(p.color), p.share)).collect();
    strip.columns.clone().map(parts).collect()
}

#[test]
fn rows_have_their_natural_height() {
    let stored = Stored::new(&(machines() + "12 1 S r0 v0\n12 2 S r5 v1\n"));
    let scope = stored.scope(stored.whole());
    for (asked, height) in [(20.0, 20.0), (4.0, 4.0), (1.0, 4.0), (300.0, 48.0)] {
        let options = TimelineOptions { row_height: asked, ..with_groups() };
        let timeline = timeline_of(&scope, &stored, &natural(0.0, 30.0), &options);
        assert_eq!(timeline.height, 8.0 * height);
        assert_eq!((timeline.rows[0].y0, timeline.rows[0].y1), (0.0, height));
    }
}

#[test]
fn what_is_painted_tells_of_the_groups_above_it() {
    let stored = Stored::new(&(machines() + "12 1 S r0 v0\n12 2 S r5 v1\n"));
    let scope = stored.scope(stored.whole());
    // Eight rows of 18 pixels; those of rank4 and rank5 are 6 and 7.
    let timeline = timeline_of(&scope, &stored, &natural(110.0, 140.0), &with_groups());
    assert_eq!(signs(&timeline), ["-machine1", "rank4", "rank5"]);
    let [group, rank, _] = &timeline.rows[..] else { panic!("three rows") };
    assert_eq!((group.kind.as_str(), group.depth, group.below), ("Machine", 1, 3));
    assert_eq!((group.path.as_str(), group.y0, group.y1), ("/machine1", 72.0, 90.0));
    assert_eq!((rank.kind.as_str(), rank.depth, rank.below), ("Rank", 2, 0));
    assert_eq!((rank.path.as_str(), rank.nodes.len()), ("/machine1/rank4", 1));
    assert_eq!((timeline.view.y0, timeline.view.y1), (108.0, 144.0));
    let nowhere = timeline_of(&scope, &stored, &natural(5000.0, 6000.0), &with_groups());
    assert_eq!((nowhere.rows.len(), nowhere.n_rows), (0, 8));
}

#[test]
fn groups_open_and_close_one_by_one() {
    let stored = Stored::new(&(machines() + "12 1 S r0 v0\n12 2 S r5 v1\n"));
    let scope = stored.scope(stored.whole());
    let (first, second) = (node(&stored, "machine0"), node(&stored, "machine1"));
    let shown = |options: TimelineOptions| {
        signs(&timeline_of(&scope, &stored, &natural(0.0, 1e6), &options))
    };
    let collapsed =
        TimelineOptions { level: LevelOptions::at_depth(1), ..TimelineOptions::default() };
    assert_eq!(shown(collapsed.clone()), ["+machine0", "+machine1"]);
    let open = TimelineOptions { open: vec![second.into()], ..collapsed.clone() };
    assert_eq!(shown(open.clone()), ["+machine0", "rank3", "rank4", "rank5"]);
    let grouped = TimelineOptions { groups: true, ..open };
    assert_eq!(shown(grouped), ["+machine0", "-machine1", "rank3", "rank4", "rank5"]);
    let closed = TimelineOptions { closed: vec![first.into()], ..TimelineOptions::default() };
    assert_eq!(shown(closed), ["+machine0", "rank3", "rank4", "rank5"]);
    let root = TimelineOptions { closed: vec![NodeId::ROOT.into()], ..TimelineOptions::default() };
    assert_eq!(shown(root), ["+all"]);
}

#[test]
fn a_node_that_is_not_there_is_refused() {
    let stored = Stored::new(&(machines() + "12 1 S r0 v0\n"));
    let scope = stored.scope(stored.whole());
    let cache = onca_answer::columns::ColumnCache::new(0);
    let options =
        TimelineOptions { open: vec!["/nowhere".to_owned().into()], ..TimelineOptions::default() };
    let error = onca_views::timeline::scene(
        &scope,
        &stored.appearance(),
        &natural(0.0, 9.0),
        &options,
        &cache,
    );
    assert_eq!(
        error.expect_err("no such node").to_string(),
        "there is no node \"/nowhere\" to show"
    );
}

#[test]
fn merged_rows_are_named_by_the_first_and_the_last() {
    let mut text = fixtures::header() + "1 P 0 Rank\n2 S P STATE\n";
    (0..64).for_each(|rank| {
        text += &format!("7 0 r{rank} P 0 rank {rank}\n").replace("rank ", "rank")
    });
    let stored = Stored::new(&(text + "12 1 S r0 a\n12 2 S r1 b\n"));
    let scope = stored.scope(stored.whole());
    let surface = Surface { room: Room::Exactly(24.0), ..SURFACE };
    let timeline = timeline_of(&scope, &stored, &surface, &TimelineOptions::default());
    assert_eq!(timeline.rows.len(), 16);
    assert_eq!(signs(&timeline)[..2], ["=rank0 – rank3", "=rank4 – rank7"]);
    assert_eq!(timeline.rows[0].nodes.len(), 4);
}

/// Only the states of a random trace.
fn random_states(seed: u64) -> String {
    let text = random_trace(&mut rng(seed));
    let others = ["18 ", "9 ", "16 ", "17 "];
    let is_state = |line: &&str| !others.iter().any(|other| line.starts_with(other));
    text.lines().filter(is_state).map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_row_of_an_open_group_is_that_of_the_closed_one() {
    for seed in 0..20 {
        let stored = Stored::new(&random_states(seed));
        let whole = stored.whole();
        if whole.from == whole.to {
            continue;
        }
        let scope = stored.scope(whole);
        let closed =
            TimelineOptions { level: LevelOptions::at_depth(1), ..TimelineOptions::default() };
        let surface = natural(0.0, 1e6);
        let closed = timeline_of(&scope, &stored, &surface, &closed);
        let open = timeline_of(&scope, &stored, &surface, &with_groups());
        for name in ["machine0", "machine1"] {
            let pick = Pick::Node(node(&stored, name).0);
            let columns = |timeline: &Timeline| -> Vec<_> {
                let strips = strips_of(&timeline.scene).into_iter();
                let own = strips.filter(|(_, strip)| strip.pick == pick);
                own.map(|(strips, strip)| (strip.bounds.x0, colors_of(strips, strip))).collect()
            };
            assert_eq!(columns(&open), columns(&closed), "{name} of seed {seed}");
        }
    }
}

#[test]
fn containers_that_follow_each_other_share_a_row() {
    let text = fixtures::header()
        + "1 T 0 Task\n2 S T STATE\n\
           7 0 a T 0 a\n7 0 b T 0 b\n12 0 S a x\n12 0 S b y\n8 4 T a\n\
           7 5 c T 0 c\n12 5 S c x\n8 8 T b\n8 9 T c\n";
    let stored = Stored::new(&text);
    let lens = Lens::from_json(r#"{"version": 1, "reuse_rows": ["Task"]}"#).expect("a lens");
    let scope = stored.scope_through(&lens, Window::new(0, 9_000_000_000));
    let timeline = timeline_of(&scope, &stored, &SURFACE, &TimelineOptions::default());
    assert_eq!(signs(&timeline), ["Task × 2", "b"]);
    let first = &timeline.rows[0];
    let names: Vec<_> = first.nodes.iter().map(|node| scope.name(*node)).collect();
    assert_eq!(names, [b"a", b"c"]);
    let within = |y0: f64, y1: f64| first.y0 <= y0 && y1 <= first.y1;
    let mut places: Vec<(f64, f64)> = rects_of(&timeline.scene)
        .iter()
        .map(|(rect, _)| rect.bounds)
        .filter(|bounds| within(bounds.y0, bounds.y1))
        .map(|bounds| (bounds.x0, bounds.x1))
        .collect();
    places.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert_eq!(places, [(0.0, 4e9), (5e9, 9e9)]);
    // Each container has its ground, from its begin to its end.
    let Layer::Rects(behind) = &timeline.scene.layers[0] else { panic!("no ground") };
    let grounds: Vec<_> =
        behind.iter().filter(|rect| within(rect.bounds.y0, rect.bounds.y1)).collect();
    assert_eq!(grounds.len(), 2);
    assert_eq!((grounds[1].bounds.x0, grounds[1].bounds.x1), (5e9, 9e9));
}

/// Two of three ranks compute from 1 to 2, one until 4; the rest of the time none does.
fn computing() -> Stored {
    Stored::new(
        &(machines()
            + "12 0 S r0 v3\n12 0 S r1 v3\n12 0 S r2 v3\n12 1 S r0 v0\n12 1 S r1 v0\n\
               12 2 S r0 v3\n12 4 S r1 v3\n15 8 S r0\n15 8 S r1\n15 8 S r2\n"),
    )
}

fn reduced(stored: &Stored, form: &str) -> Timeline {
    let lens = format!(
        r#"{{"version": 1, "select": {{"containers": {{"hide": ["machine1/**"]}}}}, "reduce": [
            {{"name": "active", "level": "Machine", "op": "count", "values": ["compute"]{form}}}]}}"#
    );
    let lens = Lens::from_json(&lens).expect("a lens");
    let scope = stored.scope_through(&lens, stored.whole());
    timeline_of(&scope, stored, &SURFACE, &TimelineOptions::default())
}

#[test]
fn a_derived_variable_has_a_graph_above_the_rows_it_is_made_of() {
    let stored = computing();
    let timeline = reduced(&stored, "");
    assert_eq!(signs(&timeline), ["-machine0", "rank0", "rank1", "rank2"]);
    let lines = timeline.scene.layers.iter().find_map(|layer| match layer {
        Layer::Lines(lines) => Some(lines),
        _ => None,
    });
    let lines = lines.expect("a line");
    let row = &timeline.rows[0];
    let (top, foot) = (row.y0, row.y1 - 2.0);
    let y = |count: f64| foot - count / 2.0 * (foot - top);
    let mut points: Vec<Point> =
        lines.lines.iter().flat_map(|line| lines.of(line)).copied().collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    let expected = [(0.0, 0.0), (1.0, 0.0), (1.0, 2.0), (2.0, 2.0), (2.0, 1.0), (4.0, 1.0)];
    let shown: Vec<(f64, f64)> = points.iter().map(|point| (point.x, point.y)).collect();
    let expected: Vec<(f64, f64)> = expected.iter().map(|(t, n)| (t * 1e9, y(*n))).collect();
    assert_eq!(shown[..6], expected);
}

#[test]
fn a_derived_count_can_be_states() {
    let stored = computing();
    let timeline = reduced(&stored, r#", "as": "states""#);
    let told: Vec<&str> = timeline.legend.iter().map(|entry| entry.name.as_str()).collect();
    for number in ["active: 0", "active: 1", "active: 2", "active: 3"] {
        assert!(told.contains(&number), "{told:?}");
    }
    let row = &timeline.rows[0];
    let Layer::Rects(behind) = &timeline.scene.layers[0] else { panic!("no ground") };
    let mut places: Vec<(f64, f64)> = behind
        .iter()
        .filter(|rect| rect.bounds.y0 >= row.y0 && rect.bounds.y1 <= row.y1)
        .map(|rect| (rect.bounds.x0 / 1e9, rect.bounds.x1 / 1e9))
        .skip(1)
        .collect();
    places.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert_eq!(places, [(0.0, 1.0), (1.0, 2.0), (2.0, 4.0), (4.0, 8.0)]);
    let labels = timeline.scene.layers.iter().find_map(|layer| match layer {
        Layer::Labels(labels) => Some(labels),
        _ => None,
    });
    let texts: Vec<&str> = labels
        .expect("labels")
        .iter()
        .filter(|label| label.at.y < row.y1)
        .map(|label| label.text.as_str())
        .collect();
    assert_eq!(texts, ["0", "2", "1", "0"]);
}

#[test]
fn rows_that_are_shown_alone_are_those_of_the_whole() {
    for seed in 0..20 {
        let stored = Stored::new(&random_trace(&mut rng(seed)));
        let scope = stored.scope(stored.whole());
        let whole = timeline_of(&scope, &stored, &natural(0.0, 1e9), &with_groups());
        let mut rng = rng(seed);
        let some: Vec<&TimelineRow> =
            whole.rows.iter().filter(|_| rng.random_range(0..3) == 0).collect();
        let Some(first) = some.first() else { continue };
        // What is collapsed above them does not matter.
        let closed = vec![scope.hierarchy().parent(first.nodes[0]).into()];
        let only = some.iter().map(|row| row.nodes[0].into()).collect();
        let options = TimelineOptions { only, closed, ..with_groups() };
        let alone = timeline_of(&scope, &stored, &natural(0.0, 1e9), &options);
        assert_eq!(alone.n_rows, some.len());
        let told = |row: &TimelineRow| (row.path.clone(), row.state, row.y1 - row.y0);
        assert!(alone.rows.iter().map(told).eq(some.iter().map(|row| told(row))));
        // Each has the same states, at another place.
        let marks = |timeline: &Timeline, row: &TimelineRow| -> Vec<_> {
            let inside = |y0: f64, y1: f64| row.y0 <= y0 && y1 <= row.y1;
            let strips = strips_of(&timeline.scene).into_iter();
            strips
                .filter(|(_, strip)| inside(strip.bounds.y0, strip.bounds.y1))
                .map(|(strips, strip)| (strip.pick, colors_of(strips, strip)))
                .collect()
        };
        for (alone_row, row) in alone.rows.iter().zip(some) {
            assert_eq!(marks(&alone, alone_row), marks(&whole, row), "seed {seed}: {}", row.path);
        }
    }
}
