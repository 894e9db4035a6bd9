//! Files of a DUMPI trace, call by call.

/// The first bytes of a file, and of the index at its end.
const MAGIC: [u8; 8] = [0xff, 0xaa, 0xdd, b'D', b'U', b'M', b'P', b'I'];
/// The mark before the counts of calls.
const FOOTER: u64 = 0xf007_fee7;
/// How many functions are counted.
const N_COUNTED: usize = 291;
/// The end of the calls.
const END: u16 = 293;
/// Wall time and thread are recorded, and statuses.
const MASK: u8 = 1 | 8 | 64;

/// A number or list of a record, by how it is packed. All are big-endian.
#[derive(Clone, Debug)]
pub enum Field {
    /// One byte.
    Byte(u8),
    /// Two bytes.
    Short(i16),
    /// Four bytes.
    Int(i32),
    /// Eight bytes.
    Long(i64),
    /// Four bytes each, after their number.
    Ints(Vec<i32>),
    /// Texts, after their number.
    Texts(Vec<&'static str>),
    /// Statuses: length, source and tag.
    Statuses(Vec<(i32, i32, i32)>),
}

/// Writes the file of a rank into memory.
#[derive(Clone, Debug)]
pub struct RankWriter {
    bytes: Vec<u8>,
    counts: Vec<u32>,
    thread: u16,
}

impl Default for RankWriter {
    fn default() -> Self {
        Self::new()
    }
}

impl RankWriter {
    /// A file without calls.
    pub fn new() -> Self {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([0; 8]);
        Self { bytes, counts: vec![0; N_COUNTED], thread: 0 }
    }

    /// The thread of the calls that follow.
    pub fn on_thread(&mut self, thread: u16) -> &mut Self {
        self.thread = thread;
        self
    }

    /// Adds a call from one time to another, in nanoseconds.
    pub fn call(&mut self, function: u16, times: (u64, u64), fields: &[Field]) -> &mut Self {
        if let Some(count) = self.counts.get_mut(usize::from(function)) {
            *count += 1;
        }
        self.bytes.extend(function.to_be_bytes());
        self.bytes.push(MASK);
        self.bytes.extend(self.thread.to_be_bytes());
        for time in [times.0, times.1] {
            let (seconds, nanoseconds) = (time / 1_000_000_000, time % 1_000_000_000);
            self.bytes.extend((seconds as u16).to_be_bytes());
            self.bytes.extend((nanoseconds as u32).to_be_bytes());
        }
        for field in fields {
            self.field(field);
        }
        self
    }

    fn field(&mut self, field: &Field) {
        let out = &mut self.bytes;
        let count = |n: usize| (n as i32).to_be_bytes();
        match field {
            Field::Byte(number) => out.push(*number),
            Field::Short(number) => out.extend(number.to_be_bytes()),
            Field::Int(number) => out.extend(number.to_be_bytes()),
            Field::Long(number) => out.extend(number.to_be_bytes()),
            Field::Ints(numbers) => {
                out.extend(count(numbers.len()));
                out.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
            }
            Field::Texts(texts) => {
                out.extend(count(texts.len()));
                for text in texts {
                    out.extend(count(text.len()));
                    out.extend(text.bytes());
                }
            }
            Field::Statuses(statuses) => {
                out.extend(count(statuses.len()));
                for (bytes, source, tag) in statuses {
                    out.extend(bytes.to_be_bytes());
                    out.extend(source.to_be_bytes());
                    out.extend([0, 0]);
                    out.extend(tag.to_be_bytes());
                }
            }
        }
    }

    /// The file as it is without an end.
    pub fn unfinished(&self) -> Vec<u8> {
        self.bytes.clone()
    }

    /// The whole file, recorded on a host, with names of functions of the program by address.
    pub fn finish(&self, host: &str, functions: &[(u64, &str)]) -> Vec<u8> {
        let mut out = self.bytes.clone();
        out.extend(END.to_be_bytes());
        let header = out.len() as u64;
        out.extend([13, 0, 0]);
        out.extend(0u64.to_be_bytes());
        short_text(&mut out, host);
        short_text(&mut out, "nobody");
        out.extend([0; 8]);
        let footer = out.len() as u64;
        out.extend(FOOTER.to_be_bytes());
        out.extend(self.counts.iter().flat_map(|count| count.to_be_bytes()));
        out.extend([0; N_COUNTED * 4]);
        let addresses = out.len() as u64;
        out.extend((functions.len() as u32).to_be_bytes());
        for (address, name) in functions {
            out.extend(address.to_be_bytes());
            short_text(&mut out, name);
        }
        out.extend(MAGIC);
        let body = MAGIC.len() as u64;
        for offset in [0, addresses, 0, header, body, footer, 0] {
            out.extend(offset.to_be_bytes());
        }
        out
    }
}

fn short_text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u16).to_be_bytes());
    out.extend(text.bytes());
}

/// The text that goes with the files of this many ranks.
pub fn meta(n_ranks: u32, prefix: &str) -> String {
    format!(
        "hostname=here\nnumprocs={n_ranks}\nusername=nobody\nstartime=0\nfileprefix={prefix}\n\
         version=13\nsubversion=0\nsubsubversion=0\n"
    )
}
