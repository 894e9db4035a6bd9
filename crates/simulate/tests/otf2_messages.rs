//! Who sends a message to whom in OTF2 archives: kinds of groups, two groups, and the ways to
//! receive.

use crate::archive;
use crate::support;

use archive::{Tiny, codes, link, links};
use onca_generate::otf2::Field;
use onca_model::{Code, Strictness, display_text};
use onca_simulate::Driven;
use support::Rows;

use Field::{C32, C64, U8};

const SEND: u8 = 14;
const IRECV_REQUEST: u8 = 17;
const RECV: u8 = 18;
const IRECV: u8 = 19;
const TEST: u8 = 20;
const CANCELLED: u8 = 21;
const PUT: u8 = 46;
const PUT_ENDS: u8 = 49;
const PROBE: u8 = 89;
const MRECV: u8 = 90;
const IMRECV_REQUEST: u8 = 91;
const IMRECV: u8 = 92;

/// What is sent: to or from which rank, in which communicator, with which tag, how long.
fn message(rank: u32, comm: u32, tag: u32, bytes: u64) -> [Field<'static>; 4] {
    [C32(rank), C32(comm), C32(tag), C64(bytes)]
}

/// Times and values of all events, in order.
fn events(driven: &Driven<Rows>) -> Vec<(i64, String)> {
    let value = |value| display_text(&driven.catalog.value(value).name).into_owned();
    let mut events: Vec<_> =
        driven.sink.events.iter().map(|(_, row, _)| (row.time, value(row.value))).collect();
    events.sort();
    events
}

fn event(time: i64, value: &str) -> (i64, String) {
    (time, value.to_owned())
}

/// Defines a group: its kind, paradigm and members.
fn group(tiny: &mut Tiny, id: u32, kind: u8, paradigm: u8, members: &[u64]) {
    let mut fields = vec![C32(id), C32(0), U8(0), C32(members.len() as u32)];
    fields.extend(members.iter().map(|&member| C64(member)));
    fields.extend([U8(kind), U8(paradigm), C32(0)]);
    tiny.define(18, &fields);
}

#[test]
fn a_process_that_is_listed_stands_for_its_first_thread() {
    let mut tiny = Tiny::new(2);
    // Process 9 has a stream and then two threads, without events.
    tiny.define(13, &[C32(9), C32(0), U8(1), C32(0)]);
    for (location, kind) in [(90, 2), (91, 1), (92, 1)] {
        tiny.define(14, &[C64(location), C32(0), U8(kind), C64(0), C32(9)]);
    }
    // A world of processes 1, 9 and 0, and a communicator of its second and first and third.
    group(&mut tiny, 10, 7, 5, &[1, 9, 0]);
    group(&mut tiny, 11, 5, 5, &[1, 0, 2]);
    tiny.define(22, &[C32(1), C32(0), C32(11), C32(u32::MAX)]);
    tiny.define(24, &[C32(0), C32(0), C32(1), C32(0)]);
    // Rank 2 is process 0, rank 1 is process 1, rank 0 is process 9.
    tiny.event(0, 10, SEND, &message(1, 1, 5, 100));
    tiny.event(1, 20, RECV, &message(2, 1, 5, 100));
    tiny.event(0, 30, PUT, &[C32(0), C32(0), C64(8), C64(1)]);
    tiny.event(0, 40, PUT_ENDS, &[C32(0), C64(1)]);
    let driven = tiny.read(Strictness::Lenient);
    assert_eq!(links(&driven), [link(10, 20, "L0", "L1", 100), link(30, 40, "L0", "L91", 8)]);
    assert!(driven.catalog.diagnostics.is_empty(), "{:?}", driven.catalog.diagnostics);
}

#[test]
fn ranks_of_an_inter_communicator_count_in_the_other_group() {
    let mut tiny = Tiny::new(4);
    group(&mut tiny, 10, 5, 4, &[0, 1]);
    group(&mut tiny, 11, 5, 4, &[2, 3]);
    tiny.define(43, &[C32(1), C32(0), C32(10), C32(11), C32(0), C32(0)]);
    // From rank 0 of the first group to rank 1 of the second, and from rank 0 of the second to
    // rank 1 of the first: the same numbers, other people.
    tiny.event(0, 10, SEND, &message(1, 1, 5, 100));
    tiny.event(3, 40, RECV, &message(0, 1, 5, 100));
    tiny.event(2, 20, SEND, &message(1, 1, 5, 200));
    tiny.event(1, 30, RECV, &message(0, 1, 5, 200));
    let driven = tiny.read(Strictness::Lenient);
    assert_eq!(links(&driven), [link(10, 40, "L0", "L3", 100), link(20, 30, "L2", "L1", 200)]);
    assert!(driven.catalog.diagnostics.is_empty(), "{:?}", driven.catalog.diagnostics);
    let mut keys: Vec<_> =
        driven.sink.links.iter().map(|link| display_text(&link.key).into_owned()).collect();
    keys.sort();
    assert_eq!(keys, ["1:0>1b:5#0", "1:0b>1:5#0"]);
}

#[test]
fn an_inter_communicator_has_no_ranks_beyond_the_other_group() {
    let mut tiny = Tiny::new(3);
    group(&mut tiny, 10, 5, 4, &[0, 1]);
    group(&mut tiny, 11, 5, 4, &[2]);
    tiny.define(43, &[C32(1), C32(0), C32(10), C32(11), C32(0), C32(0)]);
    // The second group has no rank 1, the first has.
    tiny.event(0, 10, SEND, &message(1, 1, 5, 100));
    let driven = tiny.read(Strictness::Lenient);
    assert_eq!(links(&driven), []);
    assert_eq!(events(&driven), [event(10, "MpiSend")]);
    assert_eq!(codes(&driven), [Code::UnknownRank]);
}

#[test]
fn probed_messages_are_received_by_what_names_them() {
    let mut tiny = Tiny::new(2);
    for (time, bytes) in [(10, 100), (11, 200), (12, 300)] {
        tiny.event(0, time, SEND, &message(1, 0, 5, bytes));
    }
    let probe = |message: u64| [C32(0), C32(0), C32(5), C64(message)];
    tiny.event(1, 20, PROBE, &probe(77));
    tiny.event(1, 21, MRECV, &[C64(77), C64(100)]);
    tiny.event(1, 22, PROBE, &probe(78));
    tiny.event(1, 23, IMRECV_REQUEST, &[C64(78), C64(4)]);
    tiny.event(1, 30, IMRECV, &[C64(4), C64(200)]);
    tiny.event(1, 31, RECV, &message(0, 0, 5, 300));
    // Nobody has seen these: they stay events.
    tiny.event(1, 40, MRECV, &[C64(77), C64(1)]);
    tiny.event(1, 41, IMRECV, &[C64(4), C64(1)]);
    let driven = tiny.read(Strictness::Lenient);
    assert_eq!(
        links(&driven),
        [
            link(10, 21, "L0", "L1", 100),
            link(11, 30, "L0", "L1", 200),
            link(12, 31, "L0", "L1", 300)
        ]
    );
    assert_eq!(
        events(&driven),
        [
            event(20, "MpiProbe"),
            event(22, "MpiProbe"),
            event(23, "MpiImrecvRequest"),
            event(40, "MpiMrecv"),
            event(41, "MpiImrecv")
        ]
    );
}

#[test]
fn a_cancelled_request_receives_nothing() {
    let mut tiny = Tiny::new(2);
    tiny.event(0, 10, SEND, &message(1, 0, 5, 100));
    tiny.event(0, 11, SEND, &message(1, 0, 5, 200));
    for (time, request) in [(1, 71), (2, 72), (3, 73)] {
        tiny.event(1, time, IRECV_REQUEST, &[C64(request)]);
    }
    tiny.event(1, 4, CANCELLED, &[C64(71)]);
    let done = |bytes: u64, request: u64| [C32(0), C32(0), C32(5), C64(bytes), C64(request)];
    // They complete in the other order than they were posted in.
    tiny.event(1, 20, IRECV, &done(200, 73));
    tiny.event(1, 30, IRECV, &done(100, 72));
    let driven = tiny.read(Strictness::Lenient);
    assert_eq!(links(&driven), [link(10, 30, "L0", "L1", 100), link(11, 20, "L0", "L1", 200)]);
    let posted = "MpiIrecvRequest";
    assert_eq!(
        events(&driven),
        [event(1, posted), event(2, posted), event(3, posted), event(4, "MpiRequestCancelled")]
    );
    assert!(driven.catalog.diagnostics.is_empty(), "{:?}", driven.catalog.diagnostics);
}

#[test]
fn a_tested_request_goes_on() {
    let mut tiny = Tiny::new(2);
    tiny.event(0, 10, SEND, &message(1, 0, 5, 100));
    tiny.event(0, 11, SEND, &message(1, 0, 5, 200));
    tiny.event(1, 1, IRECV_REQUEST, &[C64(71)]);
    tiny.event(1, 2, TEST, &[C64(71)]);
    // It was posted before this one, and is first though it completes later.
    tiny.event(1, 15, RECV, &message(0, 0, 5, 200));
    tiny.event(1, 16, TEST, &[C64(71)]);
    tiny.event(1, 20, IRECV, &[C32(0), C32(0), C32(5), C64(100), C64(71)]);
    let driven = tiny.read(Strictness::Lenient);
    assert_eq!(links(&driven), [link(10, 20, "L0", "L1", 100), link(11, 15, "L0", "L1", 200)]);
    assert_eq!(
        events(&driven),
        [event(1, "MpiIrecvRequest"), event(2, "MpiRequestTest"), event(16, "MpiRequestTest")]
    );
}
