//! Files of an archive, byte by byte.

/// How numbers are ordered in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    /// The low-order byte first.
    Little,
    /// The high-order byte first.
    Big,
}

/// A field of a record, by how it is packed.
#[derive(Clone, Copy, Debug)]
pub enum Field<'a> {
    /// One byte.
    U8(u8),
    /// Four bytes.
    U32(u32),
    /// Eight bytes.
    U64(u64),
    /// A compressed number of 32 bits.
    C32(u32),
    /// A compressed number of 64 bits.
    C64(u64),
    /// A compressed signed number.
    I64(i64),
    /// A text with its zero byte.
    Text(&'a str),
}

/// Events that have no length.
const NO_LENGTH: [u8; 10] = [12, 13, 16, 17, 20, 21, 24, 28, 29, 30];
/// A mark, the byte order, and the numbers of the first and the last record.
const CHUNK_HEADER: usize = 18;

/// Writes a file of chunks into memory.
#[derive(Clone, Debug)]
pub struct FileWriter {
    order: ByteOrder,
    chunk: usize,
    bytes: Vec<u8>,
    time: Option<u64>,
    scratch: Vec<u8>,
}

impl FileWriter {
    /// A file of chunks.
    pub fn new(order: ByteOrder, chunk: usize) -> Self {
        let mut file = Self { chunk, ..Self::without_chunks(order) };
        file.bytes.clear();
        file.begin_chunk();
        file
    }

    /// A file that is not cut in chunks, as the anchor.
    pub fn without_chunks(order: ByteOrder) -> Self {
        let bytes = vec![3, mark(order)];
        Self { order, chunk: usize::MAX, bytes, time: None, scratch: Vec::new() }
    }

    /// Adds fields that belong to no record.
    pub fn fields(&mut self, fields: &[Field<'_>]) {
        let mut bytes = std::mem::take(&mut self.bytes);
        pack(self.order, fields, &mut bytes);
        self.bytes = bytes;
    }

    /// Adds a definition.
    pub fn definition(&mut self, kind: u8, fields: &[Field<'_>]) {
        let record = self.record(kind, true, fields);
        self.make_room(record.len());
        self.bytes.extend_from_slice(&record);
        self.scratch = record;
    }

    /// Adds an event; the time is written where it changes and at the head of a chunk.
    pub fn event(&mut self, time: u64, kind: u8, fields: &[Field<'_>]) {
        let record = self.record(kind, !NO_LENGTH.contains(&kind), fields);
        self.make_room(record.len() + 9);
        if self.time != Some(time) {
            self.time = Some(time);
            self.fields(&[Field::U8(5), Field::U64(time)]);
        }
        self.bytes.extend_from_slice(&record);
        self.scratch = record;
    }

    /// Ends the file.
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.extend_from_slice(&[2, 1]);
        self.bytes
    }

    fn record(&mut self, kind: u8, has_length: bool, fields: &[Field<'_>]) -> Vec<u8> {
        let mut payload = Vec::new();
        pack(self.order, fields, &mut payload);
        let mut record = std::mem::take(&mut self.scratch);
        record.clear();
        record.push(kind);
        if has_length {
            match u8::try_from(payload.len()) {
                Ok(length) if length < u8::MAX => record.push(length),
                _ => {
                    let length = Field::U64(payload.len() as u64);
                    pack(self.order, &[Field::U8(u8::MAX), length], &mut record);
                }
            }
        }
        record.extend_from_slice(&payload);
        record
    }

    /// Begins a new chunk if a record and an end mark do not fit into this one.
    fn make_room(&mut self, record: usize) {
        let used = self.bytes.len() % self.chunk;
        if used + record + 2 > self.chunk {
            let end = self.bytes.len().next_multiple_of(self.chunk);
            self.bytes.resize(end, 0);
            self.begin_chunk();
        }
    }

    fn begin_chunk(&mut self) {
        self.bytes.extend_from_slice(&[3, mark(self.order)]);
        self.bytes.resize(self.bytes.len() + CHUNK_HEADER - 2, 0);
        self.time = None;
    }
}

fn mark(order: ByteOrder) -> u8 {
    match order {
        ByteOrder::Little => 0x42,
        ByteOrder::Big => 0x23,
    }
}

fn pack(order: ByteOrder, fields: &[Field<'_>], out: &mut Vec<u8>) {
    for &field in fields {
        match field {
            Field::U8(number) => out.push(number),
            Field::U32(number) => push(order, &number.to_le_bytes(), out),
            Field::U64(number) => push(order, &number.to_le_bytes(), out),
            Field::C32(u32::MAX) | Field::C64(u64::MAX) | Field::I64(-1) => out.push(u8::MAX),
            Field::C32(number) => push_compressed(order, number.into(), out),
            Field::C64(number) => push_compressed(order, number, out),
            Field::I64(number) => push_compressed(order, number as u64, out),
            Field::Text(text) => {
                out.extend_from_slice(text.as_bytes());
                out.push(0);
            }
        }
    }
}

fn push(order: ByteOrder, little: &[u8], out: &mut Vec<u8>) {
    match order {
        ByteOrder::Little => out.extend_from_slice(little),
        ByteOrder::Big => out.extend(little.iter().rev()),
    }
}

fn push_compressed(order: ByteOrder, number: u64, out: &mut Vec<u8>) {
    let width = (u64::BITS - number.leading_zeros()).div_ceil(8) as usize;
    out.push(width as u8);
    push(order, &number.to_le_bytes()[..width], out);
}
