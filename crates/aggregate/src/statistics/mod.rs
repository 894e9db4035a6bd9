//! How a column of numbers is distributed, and how intervals overlap.
//!
//! | question | answer |
//! | --- | --- |
//! | quantiles of numbers in memory | [`OrderStatistics`] |
//! | quantiles of a stream too long to keep | [`StreamSummary`] |
//! | which are the longest | [`Longest`] |
//! | how many of which length | [`LinearHistogram`], [`RatioHistogram`] |
//! | are all as busy as the others | [`LoadBalance`] |
//! | who is unlike the others | [`odd_ones`] |
//! | how many at the same time | [`Concurrency`] |
//! | is a difference of two samples chance | [`by_chance`] |

mod balance;
mod concurrency;
mod histogram;
mod longest;
mod odd;
mod order;
mod permutation;
mod stream;

pub use balance::LoadBalance;
pub use concurrency::{Concurrency, Levels, OutOfOrder};
pub use histogram::{LinearHistogram, RatioHistogram};
pub use longest::Longest;
pub use odd::{Odd, odd_ones};
pub use order::{OrderStatistics, nearest_rank};
pub use permutation::{by_chance, passing};
pub use stream::{Quantiles, StreamSummary};
