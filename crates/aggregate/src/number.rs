//! The numbers that are summed up: ticks and counts exactly, everything else as `f64`.

/// A number that can be summed up and compared.
pub trait Number: Copy + PartialOrd + Default {
    /// What a sum of very many such numbers is kept in.
    type Total: Number;

    /// The number as a total.
    fn widen(self) -> Self::Total;

    /// The sum, or the nearest number there is where it would overflow.
    fn plus(self, other: Self) -> Self;

    /// The number, rounded if it must be.
    fn to_f64(self) -> f64;

    /// The number, unless it is not one.
    fn present(self) -> Option<Self> {
        Some(self)
    }
}

impl Number for i64 {
    type Total = i128;

    fn widen(self) -> i128 {
        i128::from(self)
    }

    fn plus(self, other: Self) -> Self {
        self.saturating_add(other)
    }

    fn to_f64(self) -> f64 {
        self as f64
    }
}

impl Number for i128 {
    type Total = Self;

    fn widen(self) -> Self {
        self
    }

    fn plus(self, other: Self) -> Self {
        self.saturating_add(other)
    }

    fn to_f64(self) -> f64 {
        self as f64
    }
}

impl Number for f64 {
    type Total = Self;

    fn widen(self) -> Self {
        self
    }

    fn plus(self, other: Self) -> Self {
        self + other
    }

    fn to_f64(self) -> f64 {
        self
    }

    fn present(self) -> Option<Self> {
        (!self.is_nan()).then_some(self)
    }
}
