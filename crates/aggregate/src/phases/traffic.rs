//! What processors send to each other during a phase.

/// What one processor sends to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Traffic {
    /// Who sends.
    pub from: u32,
    /// Who receives; the sender itself for messages to itself.
    pub to: u32,
    /// How much: bytes, or the number of messages.
    pub weight: u64,
    /// In how many messages.
    pub count: u64,
}

/// Gathers traffic in any order. What is kept follows how many pairs differ, not how many messages there are.
#[derive(Clone, Debug, Default)]
pub struct TrafficSum {
    list: Vec<Traffic>,
    distinct: usize,
}

impl TrafficSum {
    /// Adds a message, or several.
    pub fn add(&mut self, traffic: Traffic) {
        self.list.push(traffic);
        if self.list.len() >= 2 * self.distinct + 64 {
            self.merge();
        }
    }

    /// Adds what another one has gathered.
    pub fn append(&mut self, other: Self) {
        self.list.extend(other.list);
        self.merge();
    }

    /// How many pairs are kept.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// What was gathered, perhaps several entries for a pair.
    pub fn iter(&self) -> impl Iterator<Item = &Traffic> {
        self.list.iter()
    }

    /// One entry for each pair, by sender and receiver.
    pub fn into_sorted(mut self) -> Vec<Traffic> {
        self.merge();
        self.list
    }

    fn merge(&mut self) {
        self.list.sort_unstable_by_key(|traffic| (traffic.from, traffic.to));
        self.list.dedup_by(|later, earlier| {
            let same = (later.from, later.to) == (earlier.from, earlier.to);
            if same {
                earlier.weight = earlier.weight.saturating_add(later.weight);
                earlier.count += later.count;
            }
            same
        });
        self.distinct = self.list.len();
    }
}
