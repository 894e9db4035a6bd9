//! Traces of several files.

use onca_testkit::fixtures;

use onca_testkit::sandbox::{Sandbox, diagnostic, same_text, tallies};

fn header_of_parts() -> String {
    let container = ["Time", "Alias", "Type", "Container", "Name"];
    let with = |field| [&container[..], &[field]].concat();
    fixtures::header()
        + &fixtures::block("40", "PajeCreateContainer", &with("Filename"))
        + &fixtures::block("41", "PajeCreateContainer", &with("FileName"))
        + &fixtures::block("42", "PajeTraceFile", &["Container", "Type", "Filename"])
}

#[test]
fn parts_are_read_by_all_three_ways_to_name_them() {
    let sandbox = Sandbox::new();
    let body = fixtures::common_body()
        + "40 0 c P 0 C one.paje\n\
           41 0 d P 0 D two.ept\n\
           41 0 e P 0 E plain.c\n\
           42 a P three.paje\n\
           18 1 E a main\n";
    sandbox.write("t.paje", header_of_parts() + &body);
    // Without a header a part has that of the file that names it.
    sandbox.write("one.paje", "18 2 E c one\n");
    sandbox.write("two.ept", "18 3 E d two\n");
    sandbox.write("three.paje", "18 4 E a three\n");
    // A source file that a container happens to name is no part.
    sandbox.write("plain.c", "18 9 E a no\n");
    let rows = sandbox.onca(["dump", "--kinds", "event", "t.paje"]).expect(0);
    let expected = "\
Event, D, Ev, 3.000000000, two
Event, C, Ev, 2.000000000, one
Event, A, Ev, 1.000000000, main
Event, A, Ev, 4.000000000, three
";
    same_text(&rows.stdout, expected.as_bytes(), "events of all parts");
    assert_eq!(tallies(&sandbox.info("t.paje", 0)), Vec::<String>::new());

    // A part that changes makes the store stale.
    sandbox.write("two.ept", "18 3 E d two\n18 3.5 E d more\n");
    let rows = sandbox.onca(["dump", "--kinds", "event", "t.paje"]).expect(0).out();
    assert!(rows.contains("Event, D, Ev, 3.500000000, more\n"), "{rows}");

    // A problem in a part is placed in that part.
    sandbox.write("two.ept", "18 3 E d two\n18 x E d bad\n");
    let info = sandbox.info("t.paje", 1);
    let problem = diagnostic(&info, "bad-number").expect("counted");
    let part = sandbox.path("two.ept").display().to_string();
    assert_eq!(
        (&problem["file"], &problem["line"]),
        (&part.as_str().into(), &2.into()),
        "{problem:#}"
    );
}

#[test]
fn missing_parts_are_lost_and_circles_are_warnings() {
    let sandbox = Sandbox::new();
    let body = fixtures::common_body()
        + "42 a P absent.paje\n42 a P t.paje\n42 b P loop.paje\n18 1 E a main\n";
    sandbox.write("t.paje", header_of_parts() + &body);
    sandbox.write("loop.paje", "18 2 E b part\n42 b P loop.paje\n");
    let rows = sandbox.onca(["dump", "--kinds", "event", "t.paje"]).expect(1);
    let expected = "Event, B, Ev, 2.000000000, part\nEvent, A, Ev, 1.000000000, main\n";
    same_text(&rows.stdout, expected.as_bytes(), "events");
    let info = sandbox.info("t.paje", 1);
    assert_eq!(tallies(&info), ["missing-part-file warning 1", "part-cycle warning 2"]);
    assert_eq!(info["lost"], 1);
    sandbox.onca(["validate", "--strict", "t.paje"]).expect(1);
}
