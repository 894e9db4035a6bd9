//! Which links are drawn.

use onca_model::{LaneId, Nature};
use onca_query::NodeId;
use onca_scene::Arrow;
use onca_views::timeline::{Links, Room, Surface, TimelineOptions};

use super::{SURFACE, arrows_of, timeline_of};
use crate::support::{Stored, machines};

/// Three links: rank0 to rank4 while both are in a state, rank1 to rank2, rank5 to rank0 later.
fn three_links() -> Stored {
    Stored::new(
        &(machines()
            + "12 0 S r0 v0\n12 0 S r4 v2\n\
               16 1 L 0 r0 data a\n17 3 L 0 r4 data a\n16 2 L 0 r1 data b\n17 3 L 0 r2 data b\n\
               12 5 S r0 v1\n12 5 S r4 v1\n16 6 L 0 r5 data c\n17 9 L 0 r0 data c\n\
               15 10 S r0\n15 10 S r4\n"),
    )
}

fn drawn(stored: &Stored, links: Links, room: Room) -> Vec<Arrow> {
    let scope = stored.scope(stored.whole());
    let options = TimelineOptions { links, ..TimelineOptions::default() };
    let mut arrows =
        arrows_of(&timeline_of(&scope, stored, &Surface { room, ..SURFACE }, &options));
    arrows.sort_by(|a, b| a.from.x.total_cmp(&b.from.x));
    arrows
}

fn starts(arrows: &[Arrow]) -> Vec<f64> {
    arrows.iter().map(|arrow| arrow.from.x / 1e9).collect()
}

/// The lane of the states of a rank, or that of all links.
fn lane(stored: &Stored, nature: Nature, container: &str) -> LaneId {
    let catalog = stored.store.catalog();
    let is_it = |lane: &&onca_model::Lane| {
        let name = catalog.containers.names.get(lane.container.index());
        catalog.type_def(lane.type_id).nature == nature
            && (nature == Nature::Link || name == container.as_bytes())
    };
    let place = catalog.lanes.iter().position(|lane| is_it(&lane)).expect("a lane");
    LaneId(place as u32)
}

fn node(stored: &Stored, name: &str) -> NodeId {
    let scope = stored.scope(stored.whole());
    let mut nodes = scope.hierarchy().nodes();
    nodes.find(|node| scope.name(*node) == name.as_bytes()).expect("a node")
}

#[test]
fn links_are_drawn_of_what_is_asked_for() {
    let stored = three_links();
    let of = |entities: Vec<(LaneId, u64)>, names: &[&str]| {
        let nodes = names.iter().map(|name| node(&stored, name)).collect();
        starts(&drawn(&stored, Links::Of { entities, nodes, pairs: vec![], few: 0 }, Room::FREE))
    };
    assert_eq!(starts(&drawn(&stored, Links::All, Room::FREE)), [1.0, 2.0, 6.0]);
    assert_eq!(starts(&drawn(&stored, Links::None, Room::FREE)), [0.0; 0]);
    assert_eq!(of(vec![], &[]), [0.0; 0]);
    assert_eq!(of(vec![], &["rank1"]), [2.0]);
    assert_eq!(of(vec![], &["machine1"]), [1.0, 6.0]);
    assert_eq!(of(vec![], &["rank1", "machine1"]), [1.0, 2.0, 6.0]);
    let (states, links) = (lane(&stored, Nature::State, "rank0"), lane(&stored, Nature::Link, ""));
    assert_eq!(of(vec![(states, 0)], &[]), [1.0]);
    assert_eq!(of(vec![(states, 1)], &[]), [6.0]);
    assert_eq!(of(vec![(states, 1)], &["rank2"]), [2.0, 6.0]);
    assert_eq!(of(vec![(lane(&stored, Nature::State, "rank4"), 0)], &[]), [1.0]);
    let first = (0..3).map(|row| of(vec![(links, row)], &[])).collect::<Vec<_>>();
    assert_eq!(first.concat().len(), 3, "each link alone");
    // All are drawn where they are few.
    let few = |few: u64| {
        let links = Links::Of { entities: vec![], nodes: vec![], pairs: vec![], few };
        starts(&drawn(&stored, links, Room::FREE))
    };
    assert_eq!(few(2), [0.0; 0]);
    assert_eq!(few(3), [1.0, 2.0, 6.0]);
}

#[test]
fn links_of_a_pair_go_from_one_to_the_other() {
    let stored = three_links();
    let of = |from: &str, to: &str| {
        let pairs = vec![(node(&stored, from), node(&stored, to))];
        let links = Links::Of { entities: vec![], nodes: vec![], pairs, few: 0 };
        starts(&drawn(&stored, links, Room::FREE))
    };
    assert_eq!(of("rank0", "rank4"), [1.0]);
    assert_eq!(of("rank4", "rank0"), [0.0; 0]);
    assert_eq!(of("machine0", "machine1"), [1.0]);
    assert_eq!(of("machine1", "machine0"), [6.0]);
    assert_eq!(of("machine0", "machine0"), [2.0]);
}

#[test]
fn links_that_pass_what_is_painted_are_drawn() {
    let stored = three_links();
    // Rows of 18 pixels, of which only that of rank3 is painted: one link passes it each way.
    let scope = stored.scope(stored.whole());
    let surface = Surface { room: Room::Natural { from: 0.0, to: 1e6 }, ..SURFACE };
    let whole = timeline_of(&scope, &stored, &surface, &TimelineOptions::default());
    let row = whole.rows.iter().find(|row| row.name == "rank3").expect("its row");
    let room = Room::Natural { from: row.y0 + 1.0, to: row.y1 - 1.0 };
    let arrows = drawn(&stored, Links::All, room);
    assert_eq!(starts(&arrows), [1.0, 6.0]);
    assert!(arrows.iter().all(|arrow| (arrow.from.y < row.y0) != (arrow.to.y < row.y0)));
    let note =
        timeline_of(&scope, &stored, &Surface { room, ..SURFACE }, &TimelineOptions::default());
    assert_eq!(note.notes, Vec::<String>::new());
}

#[test]
fn an_entity_that_is_not_there_is_refused() {
    let stored = three_links();
    let scope = stored.scope(stored.whole());
    let cache = onca_answer::columns::ColumnCache::new(0);
    for (lane, row) in [(LaneId(4000), 0), (lane(&stored, Nature::Link, ""), 3)] {
        let links = Links::Of { entities: vec![(lane, row)], nodes: vec![], pairs: vec![], few: 0 };
        let options = TimelineOptions { links, ..TimelineOptions::default() };
        let error =
            onca_views::timeline::scene(&scope, &stored.appearance(), &SURFACE, &options, &cache)
                .expect_err("no such entity");
        assert!(error.to_string().starts_with("there is no entity in row"), "{error}");
    }
}
