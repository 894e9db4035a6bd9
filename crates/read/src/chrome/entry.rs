//! What is put aside to be sorted: one layout of bytes for everything.

use super::window::Position;
use crate::symbols::Symbol;

/// What an entry is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Kind {
    /// A slice begins (`B`).
    Begin,
    /// A slice ends (`E`).
    End,
    /// A slice from its time to `number`.
    Slice,
    /// Something happens (`i`).
    Instant,
    /// A counter has the value whose bits `number` holds (`C`).
    Count,
    /// A step of an asynchronous operation; `number` is its phase.
    Async,
    /// A point of a flow; `number` tells which.
    Flow,
    /// A link leaves; `number` is its size and one, or 0.
    LinkStart,
    /// A link arrives; as above.
    LinkEnd,
}

impl Kind {
    const ALL: [Self; 9] = [
        Self::Begin,
        Self::End,
        Self::Slice,
        Self::Instant,
        Self::Count,
        Self::Async,
        Self::Flow,
        Self::LinkStart,
        Self::LinkEnd,
    ];
}

/// A part of an event, or of several.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry<'a> {
    pub kind: Kind,
    /// Its name.
    pub value: Symbol,
    /// Its category, by number.
    pub category: u32,
    /// The process or thread that it belongs to, by number.
    pub owner: u32,
    /// Where the event stands.
    pub position: Position,
    /// See [`Kind`].
    pub number: u64,
    /// What it is paired by.
    pub key: &'a [u8],
    /// Packed extra fields.
    pub extras: &'a [u8],
}

/// The bytes before the key.
const HEAD: usize = 33;

impl<'a> Entry<'a> {
    /// Replaces the content of `out` by the bytes of the entry.
    #[inline]
    pub fn encode(&self, out: &mut Vec<u8>) {
        let mut head = [0; HEAD];
        head[0] = self.kind as u8;
        let words = [
            self.value,
            self.category,
            self.owner,
            self.position.line,
            self.position.column,
            self.key.len() as u32,
        ];
        for (slot, word) in head[1..25].chunks_exact_mut(4).zip(words) {
            slot.copy_from_slice(&word.to_le_bytes());
        }
        head[25..].copy_from_slice(&self.number.to_le_bytes());
        out.clear();
        out.extend_from_slice(&head);
        out.extend_from_slice(self.key);
        out.extend_from_slice(self.extras);
    }

    /// The entry that the bytes stand for; `None` if they are damaged.
    #[inline]
    pub fn decode(bytes: &'a [u8]) -> Option<Self> {
        let (head, rest) = bytes.split_first_chunk::<HEAD>()?;
        let kind = *Kind::ALL.get(usize::from(head[0]))?;
        let (words, number) = head[1..].split_at(24);
        let (words, _) = words.as_chunks::<4>();
        let word = |index: usize| u32::from_le_bytes(words[index]);
        let (key, extras) = rest.split_at_checked(word(5) as usize)?;
        Some(Self {
            kind,
            value: word(0),
            category: word(1),
            owner: word(2),
            position: Position { line: word(3), column: word(4) },
            number: u64::from_le_bytes(*number.first_chunk()?),
            key,
            extras,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back() {
        for (index, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, index);
            let entry = Entry {
                kind,
                value: 1,
                category: u32::MAX,
                owner: 3,
                position: Position { line: 4, column: 5 },
                number: u64::MAX - 6,
                key: b"key",
                extras: b"more",
            };
            let mut bytes = vec![9];
            entry.encode(&mut bytes);
            assert_eq!(Entry::decode(&bytes), Some(entry));
            assert_eq!(Entry::decode(&bytes[..HEAD + 2]), None);
        }
    }
}
