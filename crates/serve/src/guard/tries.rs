//! How often somebody may be wrong.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Wrong tokens that are answered as such at once, and how many more each second.
const AT_ONCE: f64 = 20.0;
const EACH_SECOND: f64 = 1.0;

/// Counts what is wrong. Who is right is never held up by it.
#[derive(Debug)]
pub struct Tries {
    left: Mutex<(f64, Instant)>,
}

impl Default for Tries {
    fn default() -> Self {
        Self { left: Mutex::new((AT_ONCE, Instant::now())) }
    }
}

impl Tries {
    /// Somebody is wrong: is there a try left?
    pub fn again(&self) -> bool {
        self.again_at(Instant::now())
    }

    fn again_at(&self, now: Instant) -> bool {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let (tries, last) = *left;
        let since = now.saturating_duration_since(last).as_secs_f64();
        let tries = (tries + since * EACH_SECOND).min(AT_ONCE);
        let again = tries >= 1.0;
        *left = (if again { tries - 1.0 } else { tries }, now.max(last));
        again
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn tries_run_out_and_come_back() {
        let tries = Tries::default();
        let start = Instant::now() + Duration::from_secs(1);
        let granted = (0..10_000).filter(|_| tries.again_at(start)).count();
        assert_eq!(granted, 20);
        assert!(tries.again_at(start + Duration::from_secs(1)));
        assert!(!tries.again_at(start + Duration::from_secs(1)));
    }
}
