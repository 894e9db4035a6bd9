//! When messages are, and how many phases tell most of them.

use onca_aggregate::phases::{InstantSum, Instants, Suggestion, TimeTree, suggestions};
use onca_model::{Ticks, TimeUnit, Window};
use onca_query::{NodeId, Scope};

use super::messages::{Links, Message, PhaseSpec, Source};
use crate::{Cut, Result};

/// More different times of messages are rounded.
const MOST_INSTANTS: usize = 1 << 22;
/// So many messages are kept in memory; more are read again when they are needed.
const MOST_HELD: usize = 1 << 21;
/// More phases are not suggested.
const MOST_SUGGESTED: usize = 1 << 12;

/// The messages of a trace, and how they lie in time.
pub struct Communication<'a> {
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
    /// When messages are: twice the middle, in ticks.
    pub instants: Instants,
    /// How they join.
    pub tree: TimeTree,
    source: Source<'a>,
    /// For each place of the source the number of the processor.
    numbers: Vec<u32>,
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
}

impl<'a> Communication<'a> {
    /// The messages that a scope shows.
    pub fn new(scope: &'a Scope<'a>, spec: &PhaseSpec) -> Result<Self> {
        let cut = Cut::new(scope, &spec.level)?;
        let source = Source::Links(Links::new(scope, spec, &cut)?);
        let unit = scope.catalog().facts.unit.clone();
        let processor = |&node: &NodeId| Processor { name: scope.path(node), node: Some(node) };
        let processors = cut.nodes().iter().map(processor).collect();
        Self::of(source, processors, unit, Some(scope.window()), spec)
    }

    /// Looks at all messages of a source; places are those of `processors`.
    pub(super) fn of(
        source: Source<'a>,
        processors: Vec<Processor>,
        unit: TimeUnit,
        window: Option<Window>,
        spec: &PhaseSpec,
    ) -> Result<Self> {
        let mut look = FirstLook::new(processors.len());
        let left_out = source.visit(|message| look.see(message))?;
        look.totals.left_out = left_out;
        let mut numbers = vec![0; processors.len()];
        let mut taking_part = Vec::new();
        for (place, processor) in processors.into_iter().enumerate() {
            if look.takes_part[place] {
                numbers[place] = taking_part.len() as u32;
                taking_part.push(processor);
            }
        }
        let instants = look.instants.finish();
        let tree = TimeTree::new(&instants.times, &instants.weights, spec.linkage);
        let extent = look.extent.unwrap_or(Window { from: 0, to: 0 });
        Ok(Self {
            processors: taking_part,
            totals: look.totals,
            unit,
            window: window.unwrap_or(extent),
            extent,
            instants,
            tree,
            source: look.held.map_or(source, Source::List),
            numbers,
        })
    }

    /// Numbers of phases, the one that stands out most first.
    pub fn suggestions(&self) -> Vec<Suggestion> {
        let span = self.instants.span();
        suggestions(&self.tree, span, self.instants.n_messages(), MOST_SUGGESTED)
    }

    /// By how many ticks the time of a message may have been moved.
    pub fn rounding(&self) -> Ticks {
        (self.instants.rounding() + 1) / 2
    }

    /// What traffic is measured in: the sizes of messages, or their number where none has a size.
    pub fn is_sized(&self) -> bool {
        self.totals.size > 0
    }

    /// Visits all messages, with the numbers of processors for places.
    pub(super) fn visit(&self, mut visit: impl FnMut(&Message)) -> Result<()> {
        let number = |place: u32| self.numbers[place as usize];
        self.source.visit(|message| {
            let (from, to) = (number(message.from), number(message.to));
            visit(&Message { from, to, ..*message });
        })?;
        Ok(())
    }
}

/// Twice the middle of a message, which is a whole number of ticks.
pub(super) fn doubled_middle(message: &Message) -> i64 {
    let sum = i128::from(message.start) + i128::from(message.end);
    sum.clamp(i128::from(i64::MIN / 2), i128::from(i64::MAX / 2)) as i64
}

/// What is learnt of messages when they are seen for the first time.
struct FirstLook {
    instants: InstantSum,
    takes_part: Vec<bool>,
    totals: Totals,
    extent: Option<Window>,
    held: Option<Vec<Message>>,
}

impl FirstLook {
    fn new(n_places: usize) -> Self {
        Self {
            instants: InstantSum::new(MOST_INSTANTS),
            takes_part: vec![false; n_places],
            totals: Totals::default(),
            extent: None,
            held: Some(Vec::new()),
        }
    }

    fn see(&mut self, message: &Message) {
        self.instants.add(doubled_middle(message));
        self.takes_part[message.from as usize] = true;
        self.takes_part[message.to as usize] = true;
        let totals = &mut self.totals;
        totals.messages += 1;
        totals.sized += u64::from(message.size.is_some());
        totals.size = totals.size.saturating_add(message.size.unwrap_or(0));
        totals.to_self += u64::from(message.from == message.to);
        totals.collective += u64::from(message.is_collective);
        let (low, high) = (message.start.min(message.end), message.start.max(message.end));
        let extent = self.extent.get_or_insert(Window { from: low, to: high });
        (extent.from, extent.to) = (extent.from.min(low), extent.to.max(high));
        match &mut self.held {
            Some(held) if held.len() < MOST_HELD => held.push(*message),
            held => *held = None,
        }
    }
}
