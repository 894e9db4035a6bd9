//! The file of a process that `onca-trace` wrote. Its sums are not checked here, or nearly every input would end at them.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| onca_fuzz::read_named("trace.onct", input));
