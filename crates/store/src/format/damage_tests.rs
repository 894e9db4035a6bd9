//! Decoders on bytes that no checksum guards: whatever they are, an error or an answer, no panic.

use onca_model::ValueId;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{
    format::block::{
        Bounds, cold, event,
        link::{self, BareLink},
        pair,
        state::{self, StateEncoder, StateTotals},
        sums::{SumEncoder, SumExtent, UnpackedSums},
        totals::Dictionary,
        variable,
    },
    format::codec::PAD,
    format::directory::{
        BlockEntry, ChunkEntry, Kind, PlacedBlock, Section, decode_directory, encode_directory,
    },
    format::tables::{decode_catalog, encode_catalog},
};

const N: usize = 300;
const BOUNDS: Bounds = Bounds { n_values: 9, n_containers: 9 };
const ENTRY: BlockEntry = BlockEntry {
    first: 0,
    last: 3000,
    rows_before: 0,
    chunk: 0,
    offset: 0,
    n_rows: N as u32,
    range: 0,
};

/// Calls `read` with `good` bytes, then with damaged ones.
fn damage(good: &[u8], mut read: impl FnMut(&[u8]) -> bool) {
    assert!(read(good), "good bytes are read");
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..3000 {
        let mut bytes = good.to_vec();
        for _ in 0..rng.random_range(1..4) {
            // Headers matter most.
            let reach = if rng.random_bool(0.5) { 40.min(bytes.len()) } else { bytes.len() };
            let at = rng.random_range(0..reach);
            bytes[at] = rng.random();
        }
        if rng.random_bool(0.2) {
            bytes.truncate(rng.random_range(0..bytes.len()));
        }
        read(&bytes);
    }
}

/// Makes sure that something is computed.
fn keep<T>(thing: T) {
    std::hint::black_box(thing);
}

fn padded(bytes: &[u8]) -> Vec<u8> {
    [bytes, &[0; PAD]].concat()
}

#[test]
fn states() {
    for nested in [false, true] {
        let rows_from = |begin: i64| {
            let mut rows = Vec::new();
            for i in 0..N as i64 {
                rows.extend((begin + i * 10).to_le_bytes());
                rows.extend((begin + i * 10 + i % 10).to_le_bytes());
                rows.extend((i as u32 % 5).to_le_bytes());
                if nested {
                    rows.extend((i as u32 % 4).to_le_bytes());
                    rows.extend((i as u64 / 3).to_le_bytes());
                }
            }
            rows
        };
        let mut totals = StateTotals::default();
        let (mut encoder, mut sum_encoder) = (StateEncoder::default(), SumEncoder::default());
        let mut encoded = |rows: &[u8]| {
            let (mut out, mut sums) = (Vec::new(), Vec::new());
            let with_sums = (&mut sum_encoder, &mut sums);
            let (_, extent) = encoder.encode(rows, nested, Some(&mut totals), &mut out, with_sums);
            (out, extent.expect("states that are worth it"), sums)
        };
        let (out, extent, sums) = encoded(&rows_from(0));
        damage_sums(&sums, extent);
        let (_, next_extent, next_sums) = encoded(&rows_from(10 * N as i64));
        let blocks = [(extent, padded(&sums)), (next_extent, padded(&next_sums))];
        let mut level = Vec::new();
        let extent = sum_encoder.encode_level(&blocks, &mut level).expect("whole");
        damage_sums(&level, extent.expect("fewer shares"));
        damage(&out, |bytes| {
            let bytes = padded(bytes);
            let Ok(block) = state::StateBlock::parse(&bytes, &ENTRY, BOUNDS) else { return false };
            (0..block.n)
                .for_each(|row| keep((block.row(&bytes, row), block.parent_row(&bytes, row))));
            for n in [0, 63, 64, 65, N] {
                block.time(&bytes, 0..n, |_, _| ());
                block.outer_time(&bytes, 0..n, |_, _| ());
            }
            block.rows_before(&bytes, 1500) <= N && block.first_touching(&bytes, 1500) <= N
        });
    }
}

fn damage_sums(encoded: &[u8], extent: SumExtent) {
    let entry = BlockEntry::of_sums(extent, 0, 0);
    let mut sums = UnpackedSums::default();
    damage(encoded, |bytes| {
        let bytes = padded(bytes);
        if sums.read(&bytes, &entry, BOUNDS, |id| id).is_err() {
            return false;
        }
        let mut n = 0;
        sums.visit(|_, entering, shares| {
            keep((entering, &sums.values[shares.clone()], &sums.ticks[shares.clone()]));
            keep(&sums.states[shares]);
            n += 1;
        });
        n == extent.n_columns
    });
}

#[test]
fn variables_and_events() {
    let (mut rows, mut events) = (Vec::new(), Vec::new());
    for i in 0..N as i64 {
        rows.extend((i * 10).to_le_bytes());
        rows.extend((i * 10 + i % 10).to_le_bytes());
        rows.extend((i as f64).to_bits().to_le_bytes());
        events.extend((i * 10).to_le_bytes());
        events.extend((i as u32 % 5).to_le_bytes());
    }
    let mut out = Vec::new();
    variable::encode(&rows, Some(&mut variable::Integral::default()), &mut out);
    damage(&out, |bytes| {
        let bytes = padded(bytes);
        let block = variable::VariableBlock::parse(&bytes, &ENTRY);
        block.map(|block| (0..N).for_each(|row| keep(block.row(&bytes, row)))).is_ok()
    });
    out.clear();
    let totals = Some(&mut event::EventTotals::default());
    event::encode(&events, &mut Dictionary::default(), totals, &mut out);
    damage(&out, |bytes| {
        let bytes = padded(bytes);
        let block = event::EventBlock::parse(&bytes, &ENTRY, BOUNDS);
        block.map(|block| (0..N).for_each(|row| keep(block.row(&bytes, row)))).is_ok()
    });
}

fn links() -> Vec<BareLink> {
    let link = |i: i64| BareLink {
        start: i,
        end: 3000 - i,
        source: (i % 9) as u32,
        destination: (i % 8) as u32,
        value: (i % 7) as u32,
        size: (i % 2 == 0).then_some(i as u64),
    };
    (0..N as i64).map(link).collect()
}

#[test]
fn links_and_their_index() {
    let mut out = Vec::new();
    link::encode(&links(), &mut Dictionary::default(), &mut out);
    damage(&out, |bytes| {
        let bytes = padded(bytes);
        let block = link::LinkBlock::parse(&bytes, &ENTRY, BOUNDS);
        block.map(|block| (0..N).for_each(|row| keep(block.row(&bytes, row)))).is_ok()
    });
    let entries: Vec<_> = (0..N as u64)
        .map(|i| pair::PairEntry { low: i as i64, high: 2 * i as i64, size: i, row: i })
        .collect();
    out.clear();
    pair::encode_pairs(&entries, &mut pair::PairSums::default(), &mut out);
    damage(&out, |bytes| {
        let bytes = padded(bytes);
        let Ok(block) = pair::PairBlock::parse(&bytes, &ENTRY) else { return false };
        [0, 64, N].into_iter().for_each(|index| keep(block.sums(&bytes, index)));
        true
    });
    let chains: Vec<_> = (0..N as u64)
        .map(|i| {
            let (source, destination) = ((i / 40) as u32, (i % 9) as u32);
            pair::Chain { source, destination, reversed: false, first: i, n: 1 }
        })
        .collect();
    out.clear();
    pair::encode_chains(&chains, &mut out);
    damage(&out, |bytes| pair::ChainBlock::parse(&padded(bytes), &ENTRY, BOUNDS, N as u64).is_ok());
}

#[test]
fn texts() {
    let mut buffer = Vec::new();
    for row in 0..N as u64 {
        cold::Texts { row, key: b"key", extras: b"more" }.buffer(&mut buffer);
    }
    let mut out = Vec::new();
    cold::encode(&buffer, &mut out);
    damage(&out, |bytes| cold::visit(bytes, &ENTRY, |_, _| ()).is_ok());
}

#[test]
fn tables_and_directory() {
    let mut catalog = onca_model::Catalog::default();
    let root = onca_model::TypeId::ROOT;
    catalog.types.push(onca_model::TypeDef {
        name: b"root".to_vec(),
        alias: None,
        nature: onca_model::Nature::Container,
        parent: root,
        color: None,
        ends: Some((root, root)),
        extras: Vec::new(),
    });
    for start in 0..50 {
        let container = catalog.containers.push(&onca_model::Container {
            name: b"a name",
            alias: b"",
            type_id: root,
            parent: onca_model::ContainerId::ROOT,
            start,
            end: 9,
            extras: b"",
        });
        catalog.lanes.push(onca_model::Lane { container, type_id: root, depth: 0 });
    }
    damage(&encode_catalog(&catalog), |bytes| decode_catalog(bytes).is_ok());
    let chunks = [ChunkEntry { offset: 0, len: 9, raw_len: 0, crc: 7 }];
    let sections = [Section::Rows, Section::Cold, Section::Pairs, Section::Chains];
    let blocks: Vec<_> = sections
        .into_iter()
        .flat_map(|section| (0..9).map(move |lane| PlacedBlock { lane, section, entry: ENTRY }))
        .collect();
    let good = {
        let order = [2, 0, 1].map(ValueId);
        encode_directory(&chunks, &[Kind::Variable; 9], &blocks, &[(1.0, 2.0)], &order)
    };
    damage(&good, |bytes| {
        let Ok(directory) = decode_directory(bytes) else { return false };
        directory.all().map(|(_, _, blocks)| blocks.len()).sum::<usize>() <= directory.n_blocks()
    });
}
