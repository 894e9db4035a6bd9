use onca_model::ContainerId;

/// A set of containers, one bit each.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ContainerSet {
    words: Vec<u64>,
}

impl ContainerSet {
    /// The empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// The first `n` containers: all of a catalog that has `n`.
    pub fn first(n: usize) -> Self {
        (0..n as u32).map(ContainerId).collect()
    }

    /// Adds a container.
    pub fn insert(&mut self, id: ContainerId) {
        let word = id.index() / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (id.0 % 64);
    }

    /// Is the container in the set?
    #[inline]
    pub fn contains(&self, id: ContainerId) -> bool {
        self.words.get(id.index() / 64).is_some_and(|word| word >> (id.0 % 64) & 1 == 1)
    }

    /// How many containers are in the set.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Is the set empty?
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Is any container from `first` to `last`, both included, in the set?
    pub(crate) fn meets(&self, first: u32, last: u32) -> bool {
        let last = u64::from(last).min((self.words.len() as u64 * 64).saturating_sub(1));
        let mut id = u64::from(first);
        while id <= last {
            let Some(word) = self.words.get((id / 64) as usize) else { return false };
            if *word == 0 {
                id = (id / 64 + 1) * 64;
            } else if word >> (id % 64) & 1 == 1 {
                return true;
            } else {
                id += 1;
            }
        }
        false
    }
}

impl FromIterator<ContainerId> for ContainerSet {
    fn from_iter<I: IntoIterator<Item = ContainerId>>(ids: I) -> Self {
        let mut set = Self::new();
        ids.into_iter().for_each(|id| set.insert(id));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_put_in() {
        let set: ContainerSet = [3, 64, 200].map(ContainerId).into_iter().collect();
        assert!(set.contains(ContainerId(64)) && !set.contains(ContainerId(65)));
        assert!(!set.contains(ContainerId(u32::MAX)));
        assert_eq!((set.len(), ContainerSet::first(130).len()), (3, 130));
        assert!(set.meets(4, 64) && set.meets(200, 900) && !set.meets(65, 199));
        assert!(!set.meets(201, u32::MAX) && !ContainerSet::new().meets(0, u32::MAX));
    }
}
