//! When messages are, and how many phases tell most of them.

use std::collections::BTreeMap;
use std::ops::{Deref, Range, RangeInclusive};
use std::sync::{Arc, OnceLock};

use onca_aggregate::phases::{InstantSum, Instants, Suggestion, TimeTree, suggestions, usual_gap};
use onca_model::{
    Ticks, TimeUnit, ValueId, Window,
    format::{count_of, grouped},
    printable,
};
use onca_query::{NodeId, Scope};

use super::detail::Detail;
use super::messages::{Links, Message, PhaseSpec};
use crate::{Cut, Result};

/// More different times of messages are rounded.
const MOST_INSTANTS: usize = 1 << 22;
/// This many messages are kept in memory; more are read again when they are needed.
const MOST_HELD: usize = 1 << 21;
/// More phases are not made.
pub const MOST_PHASES: usize = 1 << 16;
/// This many numbers of phases are suggested.
const MOST_SUGGESTED: usize = 64;

/// The messages of a trace, and how they lie in time, with a way to see them again.
pub struct Communication<'a> {
    joined: Arc<Joined>,
    /// Where messages that are not held are seen again.
    links: Option<Links<'a>>,
}

/// What is known of messages after a first look at all of them. It can be kept longer than what it was learnt from.
pub struct Joined {
    /// Who sends or receives at least one, in the order of the lens.
    pub processors: Vec<Processor>,
    /// What all messages amount to.
    pub totals: Totals,
    /// The unit of time.
    pub unit: TimeUnit,
    /// The window that was looked at.
    pub window: Window,
    /// From the start of the first message to the end of the last.
    pub extent: Window,
    /// The names of their operations, the most frequent first: values of links, and of states of collective ones.
    pub functions: Vec<(String, u64)>,
    /// When messages are: twice the middle, in ticks.
    pub instants: Instants,
    /// How they join.
    pub tree: TimeTree,
    /// The messages, unless they are too many.
    held: Option<Vec<Message>>,
    /// For each place of a message the number of the processor.
    numbers: Vec<u32>,
    /// The traffic of many short phases, if it is kept.
    pub(super) detail: OnceLock<Option<Detail>>,
    /// Numbers of phases that stand out, and the best of all where that is too large.
    suggested: OnceLock<(Vec<Suggestion>, Option<usize>)>,
}

impl Deref for Communication<'_> {
    type Target = Joined;

    fn deref(&self) -> &Joined {
        &self.joined
    }
}

/// Who sends and receives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Processor {
    /// Its path, or its name.
    pub name: String,
    /// The node, where messages come from a trace.
    pub node: Option<NodeId>,
}

/// What messages amount to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    /// How many there are.
    pub messages: u64,
    /// How many have a size.
    pub sized: u64,
    /// The sum of the sizes.
    pub size: u64,
    /// How many go from a processor to itself.
    pub to_self: u64,
    /// How many belong to collective operations.
    pub collective: u64,
    /// How many links are no messages: an end is not known, or is not among the nodes.
    pub left_out: u64,
    /// How many collective operations are told by states of their members.
    pub operations: u64,
    /// Do the members of these follow from the order of calls, for want of numbers?
    pub are_assumed: bool,
    /// Were collective operations left out because they have too many calls?
    pub are_too_many: bool,
}

impl<'a> Communication<'a> {
    /// The messages that a scope shows.
    pub fn new(scope: &'a Scope<'a>, spec: &PhaseSpec) -> Result<Self> {
        let cut = Cut::new(scope, &spec.level)?;
        let links = Links::new(scope, spec, &cut)?;
        let unit = scope.catalog().facts.unit.clone();
        let processor = |&node: &NodeId| Processor { name: scope.path(node), node: Some(node) };
        let processors: Vec<Processor> = cut.nodes().iter().map(processor).collect();
        let mut look = FirstLook::new(processors.len());
        look.totals.left_out = links.visit(|message| look.see(message))?;
        let operations = links.operations();
        look.totals.operations = operations.len() as u64;
        look.totals.are_assumed = operations.assumed && operations.len() > 0;
        look.totals.are_too_many = operations.too_many;
        let catalog = scope.catalog();
        let name = |id: ValueId| printable(&catalog.value(id).name).into_owned();
        let mut functions: Vec<(String, u64)> =
            look.functions.iter().map(|(&id, &count)| (name(id), count)).collect();
        functions.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let joined = look.joined(processors, unit, Some(scope.window()), spec);
        let joined = Joined { functions, ..joined };
        Self::of(scope, spec, Arc::new(joined))
    }

    /// The same messages, of which everything is known but perhaps not all are held.
    pub fn of(scope: &'a Scope<'a>, spec: &PhaseSpec, joined: Arc<Joined>) -> Result<Self> {
        let links = match joined.held {
            Some(_) => None,
            None => Some(Links::new(scope, spec, &Cut::new(scope, &spec.level)?)?),
        };
        Ok(Self { joined, links })
    }

    /// What was learnt of the messages.
    pub fn joined(&self) -> &Arc<Joined> {
        &self.joined
    }

    /// Visits all messages, with the numbers of processors for places.
    pub(super) fn visit(&self, mut visit: impl FnMut(&Message)) -> Result<()> {
        let number = |place: u32| self.numbers[place as usize];
        let mut see = |message: &Message| {
            let (from, to) = (number(message.from), number(message.to));
            visit(&Message { from, to, ..*message });
        };
        if let Some(held) = &self.held {
            held.iter().for_each(see);
        } else if let Some(links) = &self.links {
            links.visit(&mut see)?;
        }
        Ok(())
    }
}

impl Communication<'static> {
    /// Messages that are all there; places are those of `processors`.
    pub(super) fn of_list(
        messages: Vec<Message>,
        processors: Vec<Processor>,
        unit: TimeUnit,
        spec: &PhaseSpec,
    ) -> Self {
        let mut look = FirstLook::new(processors.len());
        messages.iter().for_each(|message| look.see(message));
        let joined = look.joined(processors, unit, None, spec);
        Self { joined: Arc::new(Joined { held: Some(messages), ..joined }), links: None }
    }
}

impl Joined {
    /// Numbers of phases, the one that stands out most first, at most 64 and none above [`MOST_PHASES`].
    pub fn suggestions(&self) -> &[Suggestion] {
        &self.suggested().0
    }

    /// The number of phases that stands out most, where that is more than [`MOST_PHASES`].
    pub fn too_many_phases(&self) -> Option<usize> {
        self.suggested().1
    }

    fn suggested(&self) -> &(Vec<Suggestion>, Option<usize>) {
        self.suggested.get_or_init(|| {
            let mut found = self.suggestions_up_to(usize::MAX);
            let best = found[0].phases;
            if best > MOST_PHASES {
                found = self.suggestions_up_to(MOST_PHASES);
            }
            found.truncate(MOST_SUGGESTED);
            (found, (best > MOST_PHASES).then_some(best))
        })
    }

    /// Numbers of phases up to one, the one that stands out most first.
    pub(super) fn suggestions_up_to(&self, most: usize) -> Vec<Suggestion> {
        let n_messages = self.instants.n_messages();
        suggestions(&self.tree, usual_gap(&self.instants.times, n_messages), n_messages, most)
    }

    /// What is to be said where fewer phases were made than are there, or than were asked for.
    pub fn note_of_phases(&self, asked: Option<usize>, n_phases: usize) -> Option<String> {
        let n_times = self.instants.times.len();
        if let Some(asked) = asked.filter(|asked| *asked > n_times && self.totals.messages > 0) {
            return Some(format!(
                "{} were asked for, but messages are at {} only: there are {}",
                count_of(asked as u64, "phase"),
                count_of(n_times as u64, "different time"),
                grouped(n_phases as u64)
            ));
        }
        let best = self.too_many_phases().filter(|_| asked.is_none())?;
        Some(format!(
            "{} phases stand out most, but at most {} are made: a narrower window has fewer",
            grouped(best as u64),
            grouped(MOST_PHASES as u64)
        ))
    }

    /// By how many ticks the time of a message may have been moved.
    pub fn rounding(&self) -> Ticks {
        (self.instants.rounding() + 1) / 2
    }

    /// What traffic is measured in: the sizes of messages, or their number where none has a size.
    pub fn is_sized(&self) -> bool {
        self.totals.size > 0
    }

    /// The sums of start and end of the messages at some of the different times.
    pub fn middles(&self, instants: &Range<usize>) -> Option<RangeInclusive<i64>> {
        let first = self.instants.cell(instants.start)?;
        let last = self.instants.cell(instants.end.checked_sub(1)?)?;
        Some(*first.start()..=*last.end())
    }

    /// How much is kept: messages, different times and pairs.
    pub fn n_kept(&self) -> usize {
        let detail = self.detail.get().and_then(Option::as_ref);
        let n_messages = self.held.as_ref().map_or(0, Vec::len);
        n_messages + self.instants.times.len() + detail.map_or(0, Detail::n_pairs)
    }
}

/// What is learnt of messages when they are seen for the first time.
struct FirstLook {
    instants: InstantSum,
    takes_part: Vec<bool>,
    totals: Totals,
    extent: Option<Window>,
    functions: BTreeMap<ValueId, u64>,
    held: Option<Vec<Message>>,
}

impl FirstLook {
    fn new(n_places: usize) -> Self {
        Self {
            instants: InstantSum::new(MOST_INSTANTS),
            takes_part: vec![false; n_places],
            totals: Totals::default(),
            extent: None,
            functions: BTreeMap::new(),
            held: Some(Vec::new()),
        }
    }

    fn see(&mut self, message: &Message) {
        self.instants.add(message.doubled_middle());
        self.takes_part[message.from as usize] = true;
        self.takes_part[message.to as usize] = true;
        let totals = &mut self.totals;
        totals.messages += 1;
        totals.sized += u64::from(message.size.is_some());
        totals.size = totals.size.saturating_add(message.size.unwrap_or(0));
        totals.to_self += u64::from(message.from == message.to);
        totals.collective += u64::from(message.is_collective);
        if let Some(origin) = message.origin {
            *self.functions.entry(origin.value).or_default() += 1;
        }
        let (low, high) = (message.start.min(message.end), message.start.max(message.end));
        let extent = self.extent.get_or_insert(Window { from: low, to: high });
        (extent.from, extent.to) = (extent.from.min(low), extent.to.max(high));
        match &mut self.held {
            Some(held) if held.len() < MOST_HELD => held.push(*message),
            held => *held = None,
        }
    }

    /// What all messages together tell.
    fn joined(
        self,
        processors: Vec<Processor>,
        unit: TimeUnit,
        window: Option<Window>,
        spec: &PhaseSpec,
    ) -> Joined {
        let mut numbers = vec![0; processors.len()];
        let mut taking_part = Vec::new();
        for (place, processor) in processors.into_iter().enumerate() {
            if self.takes_part[place] {
                numbers[place] = taking_part.len() as u32;
                taking_part.push(processor);
            }
        }
        let instants = self.instants.finish();
        let tree = TimeTree::new(&instants.times, &instants.weights, spec.linkage);
        let extent = self.extent.unwrap_or(Window { from: 0, to: 0 });
        Joined {
            processors: taking_part,
            totals: self.totals,
            unit,
            window: window.unwrap_or(extent),
            extent,
            functions: Vec::new(),
            instants,
            tree,
            held: self.held,
            numbers,
            detail: OnceLock::new(),
            suggested: OnceLock::new(),
        }
    }
}
