//! Every request, on a small trace whose answers are known.

mod absurd;
mod compare;
mod entities;
mod export;
mod first;
mod kept;
mod numbers;
mod open;
mod session;
mod timeline;
mod views;

const SECOND: i64 = 1_000_000_000;
