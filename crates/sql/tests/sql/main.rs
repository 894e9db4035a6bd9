//! The tests of SQL and of the export. One program: the engine is large, and linking it takes
//! longer than most of them.

mod data_sets;
mod dataset;
mod export;
mod functions;
mod guard;
mod output;
mod pushdown;
mod support;
mod tables;
