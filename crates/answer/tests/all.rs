//! All tests of this crate in one program: each program has to be linked with all that it tests.

mod along;
mod clocks;
mod columns;
mod compare;
mod containers;
mod cube_file;
mod diagnosis;
mod durations;
mod find;
mod findings;
mod hybrid;
mod inspect;
mod live;
mod overview;
mod overview_own_area;
mod phases;
mod profile;
mod roles;
mod slices;
mod statistics;
mod support;
mod table_4_2;
mod topology;
mod waits;
