//! The clock of records: the time stamp counter where it can be trusted, else a clock of the system.

use std::sync::atomic::{AtomicU8, Ordering};

/// Which clock ticks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Clock {
    /// The time stamp counter of x86-64, which runs at one rate on all cores.
    Counter = 1,
    /// `CLOCK_MONOTONIC`, in nanoseconds.
    Monotonic = 2,
}

/// The clock in use; 0 before it is chosen.
static CLOCK: AtomicU8 = AtomicU8::new(0);

/// What the clocks show at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    /// The clock of records.
    pub ticks: u64,
    /// `CLOCK_MONOTONIC`, in nanoseconds.
    pub monotonic: i64,
    /// `CLOCK_REALTIME`, in nanoseconds since 1970.
    pub realtime: i64,
}

impl Clock {
    /// The clock of this machine. It is chosen once.
    pub fn choose() -> Self {
        let clock = if counter_is_invariant() { Self::Counter } else { Self::Monotonic };
        CLOCK.store(clock as u8, Ordering::Relaxed);
        clock
    }
}

/// Does the counter run at one rate whatever the processor does?
#[cfg(target_arch = "x86_64")]
fn counter_is_invariant() -> bool {
    use std::arch::x86_64::__cpuid;
    __cpuid(0x8000_0000).eax >= 0x8000_0007 && __cpuid(0x8000_0007).edx & 1 << 8 != 0
}

#[cfg(not(target_arch = "x86_64"))]
fn counter_is_invariant() -> bool {
    false
}

/// What the clock of records shows, whether or not a trace was opened before.
pub fn now() -> u64 {
    if CLOCK.load(Ordering::Relaxed) == 0 {
        Clock::choose();
    }
    ticks()
}

/// What the clock of records shows.
#[inline(always)]
pub fn ticks() -> u64 {
    #[cfg(target_arch = "x86_64")]
    if CLOCK.load(Ordering::Relaxed) == Clock::Counter as u8 {
        // SAFETY: every x86-64 processor has this instruction.
        return unsafe { std::arch::x86_64::_rdtsc() };
    }
    nanoseconds(libc::CLOCK_MONOTONIC).cast_unsigned()
}

fn nanoseconds(clock: libc::clockid_t) -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writing. The call may be made in a signal handler.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Reads all clocks as close to one another as this machine allows. Safe in a signal handler.
pub fn read() -> Reading {
    let mut best = (u64::MAX, Reading { ticks: 0, monotonic: 0, realtime: 0 });
    for _ in 0..5 {
        let before = ticks();
        let monotonic = nanoseconds(libc::CLOCK_MONOTONIC);
        let after = ticks();
        let width = after.wrapping_sub(before);
        if width < best.0 {
            let realtime = nanoseconds(libc::CLOCK_REALTIME);
            let ticks = match CLOCK.load(Ordering::Relaxed) == Clock::Counter as u8 {
                true => before.wrapping_add(width / 2),
                false => monotonic.cast_unsigned(),
            };
            best = (width, Reading { ticks, monotonic, realtime });
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_advance_together() {
        Clock::choose();
        let first = read();
        std::thread::sleep(std::time::Duration::from_millis(2));
        let second = read();
        assert!(second.ticks > first.ticks);
        assert!(second.monotonic - first.monotonic >= 2_000_000);
    }
}
