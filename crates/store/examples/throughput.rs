//! How fast rows go in and how large they become: `cargo run --release -p onca-store --example
//! throughput [LANES] [ROWS_PER_LANE] [MEMORY_MIB]`. Also times opening and a few questions.

use std::{collections::BTreeMap, time::Instant};

use onca_model::*;
use onca_store::{BuildOptions, Fingerprint, Measure, Store, StoreBuilder};

const N_VALUES: u32 = 6;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers: Vec<usize> =
        std::env::args().skip(1).map(|n| n.parse()).collect::<Result<_, _>>()?;
    let n_lanes = numbers.first().copied().unwrap_or(64);
    let n_rows = numbers.get(1).copied().unwrap_or(2_000_000 / 64);
    let memory_bytes = numbers.get(2).copied().unwrap_or(512) << 20;
    let rows = interleaved(n_lanes, n_rows);
    let catalog = catalog(n_lanes);
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("throughput.onca");

    let start = Instant::now();
    let options = BuildOptions { memory_bytes, ..BuildOptions::default() };
    let mut builder = StoreBuilder::create(&path, &options)?;
    for (lane, row) in &rows {
        builder.state(*lane, row, b"")?;
    }
    let pushed = start.elapsed().as_secs_f64();
    let report = builder.finish(&catalog, &Fingerprint::default(), &BTreeMap::new())?;
    let all = start.elapsed().as_secs_f64();
    let n = rows.len() as f64;
    println!(
        "{} rows: {:.1} M/s through the sink, {:.1} M/s with finish less fsync ({:.3} s), fsync {:.3} s",
        rows.len(),
        n / pushed / 1e6,
        n / (all - report.fsync_seconds) / 1e6,
        all - report.fsync_seconds,
        report.fsync_seconds,
    );
    println!(
        "{} bytes, {:.2} a row, {:.1} a lane, {} blocks",
        report.bytes,
        report.bytes as f64 / n,
        report.bytes as f64 / n_lanes as f64,
        report.blocks
    );
    println!("peak memory {} MiB", peak_memory_kib().unwrap_or(0) >> 10);
    ask(&path)?;
    Ok(())
}

fn ask(path: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
    let mut fastest = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        Store::open(path)?;
        fastest = fastest.min(start.elapsed().as_secs_f64());
    }
    println!("open {:.1} ms", fastest * 1e3);
    let store = Store::open(path)?;
    let start = Instant::now();
    let n_tracks = store.tracks().len();
    println!("tracks {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    let lane = LaneId(0);
    let (end, _) = store.state(lane, store.n_rows(lane) - 1)?;
    let span = end.end;
    for round in ["first", "again"] {
        let start = Instant::now();
        let n = 100_000;
        let mut sum = 0;
        for i in 0..n {
            let from = span / n as i64 * (i as i64 * 7919 % n as i64);
            let window = Window::new(from, from + span / 50);
            let track = onca_store::TrackId((i * 31 % n_tracks) as u32);
            sum += store.state_time(track, window, Measure::Exclusive)?.len();
        }
        let each = start.elapsed().as_secs_f64() / n as f64 * 1e6;
        println!("{round}: {each:.2} us a range question ({sum})");
    }
    let start = Instant::now();
    let mut rows = 0u64;
    for lane in 0..store.catalog().lanes.len() as u32 {
        store.visit_states(LaneId(lane), Window::ALL, 0, |_, _, _| rows += 1)?;
    }
    println!("scan {:.1} M rows/s", rows as f64 / start.elapsed().as_secs_f64() / 1e6);
    let start = Instant::now();
    store.verify()?;
    println!("verify {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    Ok(())
}

/// States of all lanes in order of their end, times of nine digits.
fn interleaved(n_lanes: usize, n_rows: usize) -> Vec<(LaneId, StateRow)> {
    let mut rows = Vec::with_capacity(n_lanes * n_rows);
    let mut now = vec![100_000_000i64; n_lanes];
    let mut random = 1u64;
    for _ in 0..n_rows {
        for (lane, now) in now.iter_mut().enumerate() {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let length = 1000 + (random >> 33) as i64 % 50_000;
            let gap = if (random >> 20).is_multiple_of(3) { 700 } else { 0 };
            let value = ValueId((random >> 40) as u32 % N_VALUES);
            let start = *now + gap;
            let row =
                StateRow { start, end: start + length, value, parent: None, open_ended: false };
            *now = row.end;
            rows.push((LaneId(lane as u32), row));
        }
    }
    rows
}

fn catalog(n_lanes: usize) -> Catalog {
    let def = |name: &str, nature| TypeDef {
        name: name.into(),
        alias: None,
        nature,
        parent: TypeId::ROOT,
        color: None,
        ends: None,
        extras: Vec::new(),
    };
    let mut catalog = Catalog {
        types: vec![def("process", Nature::Container), def("state", Nature::State)],
        ..Catalog::default()
    };
    for value in 0..N_VALUES {
        let (name, type_id) = (format!("v{value}").into(), TypeId(1));
        let extras = Vec::new();
        catalog.values.push(ValueDef { type_id, name, alias: None, color: None, extras });
    }
    for container in 0..n_lanes {
        let id = catalog.containers.push(&Container {
            name: format!("process-{container}").as_bytes(),
            alias: format!("p{container}").as_bytes(),
            type_id: TypeId::ROOT,
            parent: ContainerId::ROOT,
            start: 100_000_000 + container as i64 % 1000,
            end: 0,
            extras: b"",
        });
        catalog.lanes.push(Lane { container: id, type_id: TypeId(1), depth: 0 });
    }
    catalog
}

fn peak_memory_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
