//! Random traces with whole seconds only, read twice: into a store, and by the slow reference of
//! the test kit. Lists of entities are all that the expectations are made of.

use onca_model::{Ticks, Window};
use onca_query::{Duration, Lens, Scope};
use onca_store::Store;
use onca_testkit::{Trace, fixtures, interpret};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Stored;

pub const SECOND: Ticks = 1_000_000_000;

pub const RANKS: usize = 6;
pub const VALUES: [&str; 5] = ["compute", "MPI_Send", "MPI_Recv", "MPI_Wait", "odd"];

/// A trace in a store, and as the reference reads it.
pub struct Both {
    pub store: Store,
    pub trace: Trace,
    _folder: tempfile::TempDir,
}

impl Both {
    pub fn new(text: &str) -> Self {
        let Stored { store, _folder } = Stored::new(text.as_bytes());
        Self { store, trace: interpret(text.as_bytes()), _folder }
    }

    pub fn random(rng: &mut ChaCha8Rng) -> Self {
        Self::new(&random_trace(rng))
    }

    pub fn name(&self, container: usize) -> String {
        String::from_utf8(self.trace.containers[container].name.clone()).expect("a name")
    }

    pub fn value(&self, value: usize) -> String {
        String::from_utf8(self.trace.values[value].name.clone()).expect("a name")
    }

    /// The machine that a rank lies on.
    pub fn machine(&self, container: usize) -> String {
        self.name(self.trace.containers[container].parent.expect("a machine"))
    }
}

/// The header of the fixtures, with sizes for links and notes for events.
pub fn header() -> String {
    let mut text = fixtures::header();
    let start = ["Time", "Type", "Container", "StartContainer", "Value", "Key", "Size"];
    let end = ["Time", "Type", "Container", "EndContainer", "Value", "Key"];
    text += &fixtures::block("20", "PajeStartLink", &start);
    text += &fixtures::block("21", "PajeEndLink", &end);
    text += &fixtures::block("22", "PajeNewEvent", &["Time", "Type", "Container", "Value", "Note"]);
    text
}

/// Two machines with three ranks each.
pub fn body() -> String {
    let mut text = "1 M 0 Machine\n1 P M Rank\n2 S P STATE\n4 E P EVENT\n5 L 0 P P LINK\n\
         7 0 m0 M 0 machine0\n7 0 m1 M 0 machine1\n"
        .to_owned();
    for rank in 0..RANKS {
        text += &format!("7 0 r{rank} P m{} rank{rank}\n", rank / 3);
    }
    text
}

/// Nested states, links and events on six ranks. States begin and end at different times, so that
/// every state has a length.
fn random_trace(rng: &mut ChaCha8Rng) -> String {
    let mut text = header() + &body();
    let mut open = [0usize; RANKS];
    let mut links: Vec<(usize, usize)> = Vec::new();
    for time in 1..40 {
        for (rank, depth) in open.iter_mut().enumerate() {
            let value = VALUES[rng.random_range(0..VALUES.len())];
            match rng.random_range(0..10) {
                0..4 if *depth < 4 => {
                    text += &format!("13 {time} S r{rank} {value}\n");
                    *depth += 1;
                }
                4..7 if *depth > 0 => {
                    text += &format!("14 {time} S r{rank}\n");
                    *depth -= 1;
                }
                7 => text += &format!("22 {time} E r{rank} event{} note{time}\n", time % 3),
                8 => {
                    let (key, size) = (links.len(), 1u32 << rng.random_range(0..12));
                    let kind = ["data", "control"][key % 2];
                    text += &format!("20 {time} L 0 r{rank} {kind} k{key} {size}\n");
                    links.push((key, rank));
                }
                9 if !links.is_empty() => {
                    let (key, _) = links.swap_remove(rng.random_range(0..links.len()));
                    let kind = ["data", "control"][key % 2];
                    text += &format!("21 {time} L 0 r{rank} {kind} k{key}\n");
                }
                _ => {}
            }
        }
    }
    for (rank, depth) in open.iter().enumerate() {
        for up in 0..*depth {
            text += &format!("14 {} S r{rank}\n", 40 + up);
        }
    }
    text
}

/// What is looked at: the parts of a lens, and a window, in whole seconds.
#[derive(Clone, Debug)]
pub struct Look {
    pub hidden_values: Vec<&'static str>,
    pub hidden_ranks: Vec<usize>,
    pub min_seconds: i64,
    pub from: i64,
    pub to: i64,
}

impl Look {
    pub fn everything(both: &Both) -> Self {
        Self {
            hidden_values: vec![],
            hidden_ranks: vec![],
            min_seconds: 0,
            from: 0,
            to: both.trace.end / SECOND,
        }
    }

    pub fn random(rng: &mut impl Rng, both: &Both) -> Self {
        let end = both.trace.end / SECOND;
        let from = if rng.random_bool(0.5) { 0 } else { rng.random_range(0..end - 1) };
        let to = if rng.random_bool(0.5) { end } else { rng.random_range(from + 1..=end) };
        // Only what the trace has can be hidden.
        let occurs = |name: &str| both.trace.values.iter().any(|v| v.name == name.as_bytes());
        let hide = rng.random_bool(0.4);
        Self {
            hidden_values: VALUES
                .into_iter()
                .filter(|name| hide && occurs(name) && rng.random_bool(0.3))
                .collect(),
            hidden_ranks: (0..RANKS).filter(|_| hide && rng.random_bool(0.2)).collect(),
            min_seconds: if rng.random_bool(0.4) { rng.random_range(1..6) } else { 0 },
            from,
            to,
        }
    }

    pub fn window(&self) -> Window {
        Window::new(self.from * SECOND, self.to * SECOND)
    }

    pub fn scope<'s>(&self, both: &'s Both) -> Scope<'s> {
        let mut lens = Lens::clear();
        lens.select.values.hide = self.hidden_values.iter().map(|v| (*v).to_owned()).collect();
        lens.select.containers.hide =
            self.hidden_ranks.iter().map(|rank| format!("rank{rank}")).collect();
        if self.min_seconds > 0 {
            lens.select.min_duration = Some(Duration::Units(self.min_seconds as f64));
        }
        Scope::new(&both.store, &lens, self.window()).expect("a scope")
    }

    pub fn sees_rank(&self, both: &Both, container: usize) -> bool {
        self.hidden_ranks.iter().all(|rank| both.name(container) != format!("rank{rank}"))
    }

    fn sees(&self, both: &Both, value: usize, start: Ticks, end: Ticks) -> bool {
        !self.hidden_values.contains(&both.value(value).as_str())
            && end - start >= self.min_seconds * SECOND
    }
}

/// A state with what the lists tell about it.
#[derive(Clone, Debug)]
pub struct Seen {
    pub container: usize,
    pub value: String,
    pub start: Ticks,
    pub end: Ticks,
    pub depth: usize,
    /// Hidden by the lens, though of a seen container.
    pub hidden: bool,
}

impl Seen {
    pub fn holds(&self, other: &Self) -> bool {
        self.container == other.container
            && self.depth < other.depth
            && self.start <= other.start
            && other.end <= self.end
    }
}

/// The states of seen containers that touch the window.
pub fn states(both: &Both, look: &Look) -> Vec<Seen> {
    let window = look.window();
    let states = both.trace.states.iter();
    states
        .filter(|state| look.sees_rank(both, state.container))
        .filter(|state| window.touches(state.start, state.end))
        .map(|state| Seen {
            container: state.container,
            value: both.value(state.value),
            start: state.start,
            end: state.end,
            depth: state.depth,
            hidden: !look.sees(both, state.value, state.start, state.end),
        })
        .collect()
}

/// A link that is seen.
#[derive(Clone, Debug)]
pub struct SeenLink {
    pub value: String,
    pub start: Ticks,
    pub end: Ticks,
    pub source: Option<usize>,
    pub destination: Option<usize>,
    pub size: Option<u64>,
    pub key: String,
}

/// The links that are seen and touch the window, which holds the last instant of the trace.
pub fn links(both: &Both, look: &Look) -> Vec<SeenLink> {
    let mut window = look.window();
    if window.to == both.trace.end {
        window.to += 1;
    }
    let sees = |end: Option<usize>| end.is_none_or(|id| look.sees_rank(both, id));
    let times = |link: &onca_testkit::Link| {
        let start = link.start.or(link.end).expect("a time");
        (start, link.end.unwrap_or(start))
    };
    both.trace
        .links
        .iter()
        .filter(|link| sees(link.source) && sees(link.destination))
        .filter(|link| look.sees(both, link.value, times(link).0, times(link).1))
        .filter(|link| window.touches(times(link).0, times(link).1))
        .map(|link| SeenLink {
            value: both.value(link.value),
            start: times(link).0,
            end: times(link).1,
            source: link.source,
            destination: link.destination,
            size: link.extras.iter().find(|(name, _)| name == b"Size").map(|(_, text)| {
                std::str::from_utf8(text).expect("text").parse().expect("a number")
            }),
            key: String::from_utf8(link.key.clone()).expect("text"),
        })
        .collect()
}

/// Random numbers that are the same in every run.
pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}
