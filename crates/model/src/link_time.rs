//! Times that links tell besides those of their ends.

/// What a time in an extra field of a link is, in ticks of the trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkTime {
    /// When the sender called for it to be sent.
    Sent,
    /// When the receiver asked for it.
    Posted,
    /// When the sender was done with it.
    Completed,
}

impl LinkTime {
    /// What the field of a name tells.
    pub fn of_field(name: &[u8]) -> Option<Self> {
        match name {
            b"logical_send" => Some(Self::Sent),
            b"posted" | b"logical_receive" => Some(Self::Posted),
            b"completed" => Some(Self::Completed),
            _ => None,
        }
    }

    /// Is it by the clock of the sender, or of the receiver?
    pub fn is_of_sender(self) -> bool {
        self != Self::Posted
    }
}
