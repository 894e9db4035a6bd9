//! Every kind of trace, read back by a small and slow interpreter that shares nothing with the writer.

use std::collections::{BTreeMap, BTreeSet};

use onca_generate::pattern::Pattern;
use onca_generate::{
    GenerateError, Place, Truth, Written, demo, hierarchy, iterative, many, pattern, threads,
};

/// A trace and the generator's account of it.
struct Made {
    text: String,
    written: Written,
}

fn made<F>(write: F) -> Made
where
    F: Fn(&mut Vec<u8>) -> Result<Written, GenerateError>,
{
    let mut bytes = Vec::new();
    let written = write(&mut bytes).expect("the options are valid");
    let mut again = Vec::new();
    write(&mut again).expect("the options are valid");
    assert!(bytes == again, "the same seed gives the same bytes");
    let text = String::from_utf8(bytes).expect("traces are text");
    Made { text, written }
}

/// One of each kind, small.
fn all_kinds() -> Vec<(String, Made)> {
    let mut all = vec![
        ("hierarchy", made(|out| hierarchy::write(&hierarchy::Options::default(), out))),
        ("iterative", made(|out| iterative::write(&small_iterative(), out))),
        ("threads", made(|out| threads::write(&threads::Options::default(), out))),
        ("many", made(|out| many::write(&small_many(), out))),
        ("demo", made(|out| demo::write(&demo::Options::default(), out))),
    ];
    for pattern in Pattern::ALL {
        let options = pattern::Options { pattern, ..pattern::Options::default() };
        all.push((pattern.name(), made(|out| pattern::write(&options, out))));
    }
    all.into_iter().map(|(name, made)| (name.to_owned(), made)).collect()
}

fn small_iterative() -> iterative::Options {
    iterative::Options { procs: 12, events: 5_000, ..iterative::Options::default() }
}

fn small_many() -> many::Options {
    many::Options { containers: 500, ..many::Options::default() }
}

/// The records of a trace: those after the header.
fn records(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|line| !line.starts_with(['%', '#'])).map(|line| line.split(' ').collect())
}

fn ticks(text: &str) -> i64 {
    let (units, decimals) = text.split_once('.').expect("times have decimals");
    assert_eq!(decimals.len(), 9);
    units.parse::<i64>().unwrap() * 1_000_000_000 + decimals.parse::<i64>().unwrap()
}

/// What the interpreter finds; the same figures as in `Written`, found another way.
fn interpret(text: &str) -> Written {
    let mut found = Written { bytes: text.len() as u64, containers: 1, ..Written::default() };
    let mut type_names = BTreeMap::new();
    let mut value_names = BTreeMap::new();
    let mut alive = BTreeSet::from(["0"]);
    let mut ever = alive.clone();
    let mut stacks: BTreeMap<(&str, &str), Vec<(&str, i64)>> = BTreeMap::new();
    let mut link_starts: BTreeMap<&str, i64> = BTreeMap::new();
    let mut link_keys = BTreeSet::new();
    for fields in records(text) {
        found.records += 1;
        let id: u32 = fields[0].parse().expect("ids are numbers");
        let time = if id >= 6 { ticks(fields[1]) } else { found.end_ticks };
        assert!(time >= found.end_ticks, "records in time order: {fields:?}");
        found.end_ticks = time;
        let mut close = |stack: &mut Vec<(&str, i64)>, of_type: &str| {
            let (value, start) = stack.pop().expect("something is open");
            let type_name: &str = type_names[of_type];
            let value_name: &str = value_names[&(of_type, value)];
            let key = (type_name.to_owned(), value_name.to_owned());
            *found.ticks_per_value.entry(key).or_insert(0) += time - start;
        };
        match (id, &fields[1..]) {
            (0..=3, [alias, _, name, ..]) => {
                type_names.insert(*alias, *name);
            }
            (4, _) => {}
            (5, [alias, of_type, name, ..]) => {
                value_names.insert((*of_type, *alias), *name);
            }
            (6, [_, alias, _, parent, _]) => {
                found.containers += 1;
                assert!(alive.contains(parent), "{fields:?}");
                assert!(ever.insert(alias), "an alias is used once: {fields:?}");
                alive.insert(alias);
            }
            (7, [_, _, alias]) => assert!(alive.remove(alias), "{fields:?}"),
            (8, [_, of_type, container, value]) => {
                found.variables += 1;
                assert!(alive.contains(container) && type_names.contains_key(of_type));
                assert!(value.parse::<f64>().is_ok());
            }
            (11, [_, of_type, container, value]) | (20, [_, of_type, container, value, _]) => {
                found.states += 1;
                assert!(alive.contains(container), "{fields:?}");
                let stack = stacks.entry((container, of_type)).or_default();
                while !stack.is_empty() {
                    close(stack, of_type);
                }
                stack.push((value, time));
            }
            (12, [_, of_type, container, value]) => {
                found.states += 1;
                assert!(alive.contains(container), "{fields:?}");
                stacks.entry((container, of_type)).or_default().push((value, time));
            }
            (13, [_, of_type, container]) => {
                close(stacks.entry((container, of_type)).or_default(), of_type);
            }
            (15, [_, _, "0", _, from, key, size]) => {
                assert!(alive.contains(from) && size.parse::<u64>().is_ok());
                assert!(link_keys.insert(*key), "a key is used once");
                link_starts.insert(key, time);
            }
            (18, [_, _, "0", _, from, key]) => {
                assert!(alive.contains(from) && link_keys.insert(*key));
                link_starts.insert(key, time);
            }
            (16, [_, _, "0", _, to, key]) => {
                assert!(alive.contains(to), "{fields:?}");
                let start = link_starts.remove(key).expect("starts come first");
                assert!(start < time, "messages take time");
                found.links += 1;
            }
            (17, [_, _, container, _, file, line]) => {
                found.events += 1;
                assert!(alive.contains(container) && file.starts_with('"'));
                assert!(line.parse::<u32>().is_ok());
            }
            _ => panic!("unexpected record {fields:?}"),
        }
    }
    assert_eq!(alive, BTreeSet::from(["0"]), "all containers are destroyed");
    assert!(stacks.values().all(Vec::is_empty), "all states are closed");
    assert!(link_starts.is_empty(), "all links end");
    found
}

#[test]
fn the_account_is_exact_for_every_kind() {
    for (name, made) in all_kinds() {
        assert_eq!(interpret(&made.text), made.written, "{name}");
        assert!(made.written.states > 0, "{name}");
    }
}

#[test]
fn another_seed_is_another_trace() {
    let with_seed = |seed| {
        let options = iterative::Options { seed, ..small_iterative() };
        made(|out| iterative::write(&options, out)).text
    };
    // The first line tells the seed; the rest must differ too.
    let tail = |text: &str| text.split_once('\n').unwrap().1.to_owned();
    assert_ne!(tail(&with_seed(1)), tail(&with_seed(2)));
}

#[test]
fn hierarchy_shares_by_hand() {
    let level = |name: &str, branching| hierarchy::Level { name: name.to_owned(), branching };
    let options = hierarchy::Options {
        levels: vec![level("Group", 1), level("Leaf", 3)],
        duration_ticks: 8_000_000_000,
        ..hierarchy::Options::default()
    };
    // x is 0, pi, 2 pi: all of the time in state 0, none, all.
    let made = made(|out| hierarchy::write(&options, out));
    let total = |value: &str| made.written.ticks_per_value[&("State".to_owned(), value.to_owned())];
    assert_eq!((total("running"), total("blocked")), (16_000_000_000, 8_000_000_000));
    assert_eq!((made.written.states, made.written.containers), (3, 5));
    assert!(made.text.contains("\n6 0.000000000 b2 L2 a0 Leaf2\n"));
    assert!(made.text.contains("\n11 0.000000000 S b1 blocked\n"));
}

#[test]
fn a_hundred_thousand_leaves() {
    let level = |name: &str, branching| hierarchy::Level { name: name.to_owned(), branching };
    let options = hierarchy::Options {
        levels: vec![level("Cluster", 100), level("Machine", 100), level("Core", 10)],
        states: ["a", "b", "c"].map(str::to_owned).to_vec(),
        ..hierarchy::Options::default()
    };
    let written = hierarchy::write(&options, &mut std::io::sink()).unwrap();
    assert_eq!(written.containers, 1 + 100 + 10_000 + 100_000);
    let total: i64 = written.ticks_per_value.values().sum();
    assert_eq!(total, 100_000 * options.duration_ticks);
}

#[test]
fn binary_swap_in_the_trace() {
    let options = pattern::Options {
        pattern: Pattern::BinarySwap,
        procs: 8,
        rounds: 1,
        message_bytes: 4_096,
        ..pattern::Options::default()
    };
    let made = made(|out| pattern::write(&options, out));
    let mut starts = BTreeMap::new();
    let mut swaps = Vec::new();
    for fields in records(&made.text) {
        let process = |alias: &str| alias[1..].parse::<u32>().unwrap();
        match fields[0] {
            "15" => {
                starts.insert(fields[6].to_owned(), (process(fields[5]), fields[7].to_owned()));
            }
            "16" => {
                let (from, size) = starts.remove(fields[6]).unwrap();
                swaps.push((from ^ process(fields[5]), size));
            }
            _ => {}
        }
    }
    swaps.sort_unstable();
    let stage = |distance: u32, size: &str| vec![(distance, size.to_owned()); 8];
    assert_eq!(swaps, [stage(1, "4096"), stage(2, "2048"), stage(4, "1024")].concat());
}

#[test]
fn topology_is_well_formed() {
    let options = pattern::Options {
        procs: 30,
        place: Place { clusters_per_site: 3, machines_per_cluster: 5, ..Place::default() },
        ..pattern::Options::default()
    };
    let mut bytes = Vec::new();
    pattern::write_topology(&options, &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let count = |what: &str| text.matches(what).count();
    assert_eq!((count("{"), count("}"), count("[")), (1, 1, count("]")));
    assert_eq!(count("\"") % 2, 0);
    for machine in 1..=30 {
        assert_eq!(count(&format!("\"machine-{machine}\" [kind=\"host\"")), 1);
        assert_eq!(
            count(&format!("\"machine-{machine}\" -- \"switch-{}\"", 1 + (machine - 1) / 5)),
            1
        );
    }
    assert_eq!(count("kind=\"host\""), 30);
    assert_eq!(count("kind=\"switch\""), 6);
    // A tree: every node but the backbone has one cable towards it.
    assert_eq!(count(" -- "), 30 + 6 + 2);
    assert_eq!((count("bandwidth="), count("latency=")), (38, 38));
}

#[test]
fn iterative_has_the_size_it_is_asked_for() {
    for (procs, events) in [(1, 2_000), (64, 100_000), (2_000, 200_000)] {
        let options = iterative::Options { procs, events, ..iterative::Options::default() };
        let made = made(|out| iterative::write(&options, out));
        // It stops after the iteration that is enough; one has at most 14 records a process.
        let past = made.written.records - events;
        assert!(past <= 14 * u64::from(procs), "{procs} processes: {past} too many");
        if procs > 1 {
            let share = 200 * made.written.links / made.written.records;
            assert!((10..=20).contains(&share), "{share} % of the lines are links");
        }
    }
}

fn perturbed() -> (String, Truth) {
    let options = iterative::Options {
        procs: 32,
        events: 60_000,
        slow_node: Some(iterative::SlowNode {
            machine: 5,
            factor: 3.0,
            interval_ticks: Some((1_000_000_000, 2_000_000_000)),
        }),
        bursts: vec![
            iterative::Burst {
                from_ticks: 2_500_000_000,
                to_ticks: 3_000_000_000,
                share: 0.25,
                factor: 2.0,
            },
            iterative::Burst { from_ticks: 1 << 60, to_ticks: 1 << 61, share: 0.001, factor: 2.0 },
        ],
        ..iterative::Options::default()
    };
    let mut bytes = Vec::new();
    let (_, truth) = iterative::write_with_truth(&options, &mut bytes).unwrap();
    (String::from_utf8(bytes).unwrap(), truth)
}

#[test]
fn perturbations_are_where_the_truth_says() {
    let (text, truth) = perturbed();
    let kinds: Vec<_> = truth.perturbations.iter().map(|p| (p.kind, p.processes.len())).collect();
    assert_eq!(kinds, [("slow-node", 2), ("burst", 8), ("burst", 1)]);
    assert_eq!(truth.perturbations[0].processes, ["rank-8", "rank-9"]);
    assert_eq!(truth.perturbations[2].slowed_computations, 0);
    let iterations_begin = truth.phases[2].from_ticks;
    let mut opened = BTreeMap::new();
    let mut slowed = [0; 3];
    for fields in records(&text) {
        let time = || ticks(fields[1]);
        if fields[0] == "12" {
            opened.insert(fields[3], (time(), fields[4] == "computing"));
        } else if fields[0] == "13"
            && let (start, true) = opened[fields[3]]
            && start >= iterations_begin
        {
            let name = format!("rank-{}", &fields[3][1..]);
            let hit = |p: &&onca_generate::Perturbation| {
                p.processes.contains(&name) && (p.from_ticks..p.to_ticks).contains(&start)
            };
            let factor: f64 = truth.perturbations.iter().filter(hit).map(|p| p.factor).product();
            for (planted, n) in truth.perturbations.iter().zip(&mut slowed) {
                *n += u64::from(hit(&planted));
            }
            // A computation is 3/5 or 2/5 of 20 ms, give or take a tenth.
            let unslowed = (time() - start) as f64 / factor;
            assert!((7.1e6..13.3e6).contains(&unslowed), "{name} at {start}: {unslowed}");
        }
    }
    let told: Vec<_> = truth.perturbations.iter().map(|p| p.slowed_computations).collect();
    assert_eq!(told, slowed);
    assert!(slowed[0] > 0 && slowed[1] > 0);
}

#[test]
fn truth_is_json() {
    let (_, truth) = perturbed();
    let mut bytes = Vec::new();
    truth.write_json(&mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let count = |what: &str| text.matches(what).count();
    assert_eq!((count("{"), count("[")), (count("}"), count("]")));
    assert!(!text.contains(",\n  ]") && !text.contains(", }"));
    assert!(text.contains(
        "{\"kind\": \"slow-node\", \"container\": \"machine-5\", \"from\": 1.000000000, \"to\": 2.000000000, \
         \"factor\": 3, \"slowed_computations\": "
    ));
    assert!(text.contains("\"processes\": [\"rank-8\", \"rank-9\"]}"));
    assert!(text.contains("{\"name\": \"init\", \"from\": 0.000000000, \"to\": "));
}

#[test]
fn threads_come_and_go() {
    let made = made(|out| threads::write(&threads::Options::default(), out));
    let options = threads::Options::default();
    let per_process = 1 + 1 + options.semaphores + options.locks;
    let containers = 1 + options.threads + options.processes * per_process;
    assert_eq!(made.written.containers, u64::from(containers));
    // Created and left by each thread, and four events an operation.
    let events = options.threads * (2 + 4 * options.operations);
    assert_eq!(made.written.events, u64::from(events));
    // Who waits names the semaphore or lock, and is freed by two links: from a thread and from there.
    let waits: Vec<_> = records(&made.text).filter(|fields| fields[0] == "20").collect();
    assert!(!waits.is_empty(), "some threads wait");
    assert_eq!(made.written.links, 2 * waits.len() as u64);
    let is_gate = |name: &str| name.starts_with("semaphore-") || name.starts_with("lock-");
    assert!(waits.iter().all(|fields| fields[4] == "blocked" && is_gate(fields[5])));
    let early = made.text.lines().position(|line| line.starts_with("7 ")).unwrap();
    let late = made.text.lines().collect::<Vec<_>>();
    let late = late.iter().rposition(|line| line.starts_with("6 ")).unwrap();
    assert!(early < late, "threads end before others begin");
}

#[test]
fn many_has_four_states_in_each_container() {
    let made = made(|out| many::write(&small_many(), out));
    let mut states = BTreeMap::new();
    for fields in records(&made.text).filter(|fields| fields[0] == "12") {
        *states.entry(fields[3].to_owned()).or_insert(0) += 1;
    }
    assert_eq!(states.len(), 500);
    assert!(states.values().all(|n| *n == 4));
}

#[test]
fn the_demo_has_something_to_find() {
    let mut bytes = Vec::new();
    let (written, truth) = demo::write_with_truth(&demo::Options::default(), &mut bytes).unwrap();
    assert!((3_000_000..6_000_000).contains(&written.bytes), "{} bytes", written.bytes);
    assert!(written.links > 0 && written.events > 0 && written.variables > 0);
    assert_eq!(truth.end_ticks, written.end_ticks);
    let [slow, burst] = &truth.perturbations[..] else { panic!("two things to find") };
    assert_eq!((slow.container.as_deref(), slow.processes.len()), (Some("machine-13"), 4));
    assert_eq!((burst.container.as_deref(), burst.processes.len()), (Some("cluster-3"), 16));
    let third = |ticks: i64| ticks as f64 / truth.end_ticks as f64;
    assert!((0.28..0.38).contains(&third(slow.from_ticks)), "{}", third(slow.from_ticks));
    assert!((0.60..0.72).contains(&third(slow.to_ticks)), "{}", third(slow.to_ticks));
    assert!(slow.slowed_computations > 0 && burst.slowed_computations > 0);
}

/// Options that make no sense, and a word that the message must have.
#[test]
fn bad_options_are_explained() {
    let nowhere = &mut std::io::sink();
    let level = |name: &str, branching| hierarchy::Level { name: name.to_owned(), branching };
    let hierarchy_with = |levels: Vec<hierarchy::Level>| {
        let options = hierarchy::Options { levels, ..hierarchy::Options::default() };
        hierarchy::write(&options, &mut std::io::sink())
    };
    let pattern_with = |pattern, procs, place| {
        let options = pattern::Options { pattern, procs, place, ..pattern::Options::default() };
        pattern::write(&options, &mut std::io::sink())
    };
    let no_sites = Place { sites: 0, ..Place::default() };
    let vast = Place {
        sites: u32::MAX,
        clusters_per_site: u32::MAX,
        machines_per_cluster: 9,
        all_clusters: None,
    };
    let slow = |machine, factor| iterative::Options {
        slow_node: Some(iterative::SlowNode { machine, factor, interval_ticks: None }),
        ..iterative::Options::default()
    };
    let burst = iterative::Options {
        bursts: vec![iterative::Burst { from_ticks: 0, to_ticks: 1, share: 2.0, factor: 2.0 }],
        ..iterative::Options::default()
    };
    let lockless = threads::Options { locks: 0, ..threads::Options::default() };
    let none = many::Options { containers: 0, ..many::Options::default() };
    let one_state =
        hierarchy::Options { states: vec!["a".to_owned()], ..hierarchy::Options::default() };
    let outcomes = [
        ("levels", hierarchy_with(Vec::new())),
        ("branching", hierarchy_with(vec![level("Site", 0)])),
        ("one word", hierarchy_with(vec![level("My Site", 2)])),
        ("more than", hierarchy_with(vec![level("A", u32::MAX), level("B", u32::MAX)])),
        ("states", hierarchy::write(&one_state, nowhere)),
        ("processes", pattern_with(Pattern::Ring, 0, Place::default())),
        ("sites", pattern_with(Pattern::Ring, 4, no_sites)),
        ("too many", pattern_with(Pattern::Ring, 4, vast)),
        ("power of two", pattern_with(Pattern::BinarySwap, 6, Place::default())),
        ("at least 2", pattern_with(Pattern::MasterWorker, 1, Place::default())),
        ("at most 1000", pattern_with(Pattern::Full, 1_001, Place::default())),
        ("no machine 99", iterative::write(&slow(99, 2.0), nowhere)),
        ("factor", iterative::write(&slow(1, f64::NAN), nowhere)),
        ("share", iterative::write(&burst, nowhere)),
        ("locks", threads::write(&lockless, nowhere)),
        ("containers", many::write(&none, nowhere)),
    ];
    for (word, outcome) in outcomes {
        match outcome {
            Err(GenerateError::Options(message)) => {
                assert!(message.contains(word), "{message:?} has no {word:?}");
            }
            other => panic!("{word}: {other:?}"),
        }
    }
    assert!("spiral".parse::<Pattern>().is_err());
}

#[test]
fn small_programs_work_too() {
    for pattern in Pattern::ALL {
        for procs in [1, 2, 3, 4] {
            let options =
                pattern::Options { pattern, procs, rounds: 3, ..pattern::Options::default() };
            let mut bytes = Vec::new();
            match pattern::write(&options, &mut bytes) {
                Ok(written) => assert_eq!(interpret(std::str::from_utf8(&bytes).unwrap()), written),
                Err(error) => assert!(error.to_string().contains("needs"), "{pattern}: {error}"),
            }
        }
    }
}
