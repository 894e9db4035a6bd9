//! What is known of a run is the same from its file as from its analysis.

use crate::support;

use onca_answer::{Diagnosis, Subject, WaitOf, analyse_waits, inspect};
use onca_generate::program::{Options, write};
use onca_model::{ContainerId, Window};
use onca_query::{Appearance, Lens};
use onca_store::Store;
use onca_testkit::fixtures::trace;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use support::Stored;

fn program(seed: u64) -> Stored {
    let options = Options { procs: 2 + (seed % 9) as u32, steps: 40, compute_ticks: 10_000, seed };
    let mut text = Vec::new();
    write(&options, &mut text).expect("a trace");
    Stored::new(&text)
}

#[test]
fn a_file_gives_back_what_was_found() {
    for seed in 0..40 {
        let stored = program(seed);
        let scope_lens = Lens::clear();
        let scope = stored.scope(&scope_lens, stored.whole());
        let analysis = analyse_waits(&scope).expect("an analysis");
        assert!(Diagnosis::known(&stored.store).is_none());
        let first = Diagnosis::of(&stored.store).expect("a diagnosis");
        let again = Store::open(stored.store.dir()).expect("opened");
        let second = Diagnosis::known(&again).expect("it is in a file");
        assert_eq!(*first, *second, "seed {seed}");
        assert_eq!(second.findings, analysis.findings(&scope).expect("findings"));
        let mut waits: Vec<WaitOf> = analysis.each().collect();
        waits.sort_by_key(|wait| (wait.container, wait.window.from));
        assert_eq!(second.waits.each().collect::<Vec<_>>(), waits);
        let length: i64 = second.path.iter().map(|step| step.window.to - step.window.from).sum();
        assert_eq!(length, stored.whole().to - stored.whole().from);
    }
}

#[test]
fn a_window_has_the_waits_and_the_path_that_touch_it() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut n_found = 0;
    for seed in 0..10 {
        let stored = program(seed);
        let known = Diagnosis::of(&stored.store).expect("a diagnosis");
        let all: Vec<WaitOf> = known.waits.each().collect();
        let Window { from, to } = stored.whole();
        for _ in 0..100 {
            let [a, b] = [0, 1].map(|_| random.random_range(from..to));
            let window = Window::new(a.min(b), a.max(b) + 1);
            let touches = |it: &Window| it.overlap(window.from, window.to) > 0;
            for id in 0..stored.store.catalog().containers.len() as u32 {
                let container = ContainerId(id);
                let of_one = all.iter().filter(|wait| wait.container == container);
                let expected: Vec<&WaitOf> = of_one.filter(|wait| touches(&wait.window)).collect();
                let found: Vec<WaitOf> = known.waits.of(container, window).collect();
                assert!(found.iter().eq(expected), "seed {seed}, container {id}, {window:?}");
                n_found += found.len();
            }
            let steps = known.path.iter().filter(|step| touches(&step.window));
            assert!(known.path_in(window).iter().eq(steps));
        }
    }
    assert!(n_found > 1000, "{n_found}");
}

#[test]
fn a_state_tells_whom_it_waits_for() {
    // `a` sends at 3 s to `b`, which receives from 1 s on.
    let text = trace(
        "13 0 S a computing\n13 0 S b computing\n14 1 S b\n13 1 S b MPI_Recv\n14 3 S a\n\
         13 3 S a MPI_Send\n16 3 L 0 a m k\n14 4 S a\n17 5 L 0 b m k\n14 5 S b\n",
    );
    let stored = Stored::new(text.as_bytes());
    let lens = Lens::clear();
    let scope = stored.scope(&lens, stored.whole());
    let looks = Appearance::new(stored.store.catalog(), &lens, None).expect("colours");
    let catalog = scope.catalog();
    let named = |container: &[u8]| {
        let is_its = |lane: &onca_model::Lane| {
            catalog.containers.names.get(lane.container.index()) == container
        };
        onca_model::LaneId(catalog.lanes.iter().position(is_its).expect("a lane") as u32)
    };
    let ask = |lane, row| {
        inspect(&scope, &looks, Subject::Entity(lane, row), None).expect("an inspection")
    };
    let (a, b) = (named(b"A"), named(b"B"));
    let unknown = ask(b, 1);
    assert_eq!((unknown.waits.len(), unknown.on_path), (0, None));
    Diagnosis::of(&stored.store).expect("a diagnosis");
    let receive = ask(b, 1);
    assert_eq!(receive.title, "MPI_Recv");
    let [wait] = receive.waits.as_slice() else { panic!("{:?}", receive.waits) };
    assert_eq!(wait.kind.name(), "late-sender");
    assert_eq!(wait.cause.container.as_deref(), Some("A"));
    // What it waited for is that `a` computed until 3 s.
    assert_eq!(wait.state, Some(Subject::Entity(a, 0)));
    assert_eq!(receive.on_path, Some(true));
    let compute = ask(b, 0);
    assert_eq!((compute.waits.len(), compute.on_path), (0, Some(false)));
}
