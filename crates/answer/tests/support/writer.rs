//! Random traces with everything that a slice may meet: nested states, data of inner containers,
//! links with sizes that cross, that last no time, that end before they start.

use onca_testkit::fixtures::header_with_sizes;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const N_CLUSTERS: usize = 3;
const N_PROCESSES: usize = 3;

/// A random trace with clusters of processes.
pub fn trace(seed: u64) -> String {
    let (rng, text) = (ChaCha8Rng::seed_from_u64(seed), header_with_sizes());
    let mut writer = Writer { rng, text, time: 0, one_value: seed % 4 == 1 };
    writer.text += "1 C 0 Cluster\n1 P C Process\n2 S P State\n2 CS C ClusterState\n\
                    3 V P Load \"1 0 0\"\n4 E P Mark\n5 L 0 P P Message\n";
    for cluster in 0..N_CLUSTERS {
        writer.text += &format!("7 0 c{cluster} C 0 cluster{cluster}\n");
        for process in 0..N_PROCESSES {
            let name = cluster * N_PROCESSES + process;
            writer.text += &format!("7 0 p{name} P c{cluster} rank{name}\n");
        }
    }
    let mut pending = Vec::new();
    for key in 0..300 {
        writer.step(key, &mut pending);
    }
    writer.text
}

struct Writer {
    rng: ChaCha8Rng,
    text: String,
    /// In tenths of the unit.
    time: u64,
    /// Have all links the same value?
    one_value: bool,
}

impl Writer {
    /// Appends one record; halves of links that are still to come are in `pending`.
    fn step(&mut self, key: usize, pending: &mut Vec<(&'static str, usize)>) {
        self.time += [0, 0, 1, 3, 10][self.rng.random_range(0..5)];
        let time = format!("{}.{}", self.time / 10, self.time % 10);
        let rank = self.rng.random_range(0..N_CLUSTERS * N_PROCESSES);
        let cluster = rank / N_PROCESSES;
        let value = ["work", "wait", "read"][self.rng.random_range(0..3)];
        let number = self.rng.random_range(-4..9);
        let size = self.rng.random_range(0..1000);
        self.text += &match self.rng.random_range(0..12) {
            0..=2 => format!("13 {time} S p{rank} {value}\n"),
            3..=4 => format!("14 {time} S p{rank}\n"),
            5 => format!("12 {time} S p{rank} {value}\n"),
            6 => format!("12 {time} CS c{cluster} {value}\n"),
            7 => format!("9 {time} V p{rank} {number}\n"),
            8 => format!("18 {time} E p{rank} {value}\n"),
            9 => {
                // The start comes first, or the end: then the link runs backwards.
                let first = ["16", "17"][usize::from(self.rng.random_range(0..6) == 0)];
                pending.push((if first == "16" { "17" } else { "16" }, key));
                let value = if self.one_value { "m" } else { value };
                format!("{first} {time} L 0 p{rank} {value} {key} {size}\n")
            }
            _ if pending.is_empty() => String::new(),
            _ => {
                let at = self.rng.random_range(0..pending.len());
                let (kind, key) = pending.remove(at);
                self.end_of(kind, key, &time, rank)
            }
        };
    }

    /// The other half of a link; halves pair by key and value, so it repeats the value.
    fn end_of(&self, kind: &str, key: usize, time: &str, rank: usize) -> String {
        let first = self.text.lines().rev().find(|line| {
            let fields: Vec<&str> = line.split(' ').collect();
            fields.len() == 8 && fields[6] == key.to_string()
        });
        let fields: Vec<&str> = first.expect("the first half").split(' ').collect();
        format!("{kind} {time} L 0 p{rank} {} {key} {}\n", fields[5], fields[7])
    }
}
