//! Visits that can be ended.

use std::ops::ControlFlow;

/// What a visitor answers after each thing that it is shown. One that answers nothing sees all of them; one that
/// answers with a [`Result`] or a [`ControlFlow`] ends the visit where it fails or breaks, and the visit hands that
/// answer back.
pub trait Flow: Sized {
    /// What the visit hands back.
    type Out;
    /// The answer of a visitor that wants to see more.
    fn next() -> Self;
    /// What to hand back, if this answer ends the visit.
    fn ended(self) -> Option<Self::Out>;
    /// What to hand back when all was seen.
    fn done() -> Self::Out;
}

impl Flow for () {
    type Out = ();

    #[inline(always)]
    fn next() {}

    #[inline(always)]
    fn ended(self) -> Option<()> {
        None
    }

    #[inline(always)]
    fn done() {}
}

impl<E> Flow for Result<(), E> {
    type Out = Self;

    #[inline(always)]
    fn next() -> Self {
        Ok(())
    }

    #[inline(always)]
    fn ended(self) -> Option<Self> {
        self.is_err().then_some(self)
    }

    #[inline(always)]
    fn done() -> Self {
        Ok(())
    }
}

impl<B> Flow for ControlFlow<B> {
    type Out = Self;

    #[inline(always)]
    fn next() -> Self {
        Self::Continue(())
    }

    #[inline(always)]
    fn ended(self) -> Option<Self> {
        self.is_break().then_some(self)
    }

    #[inline(always)]
    fn done() -> Self {
        Self::Continue(())
    }
}
