//! What a server and its child `onca-sql` say to each other.
//!
//! Both write frames: the length of a head and of a payload as two little-endian `u32`, the head as
//! JSON, the payload as it is. Only rows have a payload. A child is asked one question at a time,
//! after it has said that it is [`Free`](Reply::Free).

use std::io;
use std::time::Duration;

use onca_model::RowFormat;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// The longest head: a query has at most 256 KiB, and JSON may escape each byte of it.
const MOST_HEAD: u32 = 4 << 20;

/// The longest payload. Longer rows come in several frames.
pub const MOST_PAYLOAD: u32 = 1 << 20;

/// What a server says.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// Ask something.
    Ask(Question),
    /// List the tables.
    Tables,
}

/// A query and how its answer is to look.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Question {
    /// The query.
    pub sql: String,
    /// The form of its rows.
    #[serde(with = "by_name")]
    pub format: RowFormat,
    /// What it may take.
    pub limits: Limits,
}

/// Formats of rows by their names.
mod by_name {
    use onca_model::RowFormat;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    pub fn serialize<S: Serializer>(format: &RowFormat, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(format.name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<RowFormat, D::Error> {
        let name = <&str>::deserialize(from)?;
        name.parse().map_err(D::Error::custom)
    }
}

/// What a query may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Limits {
    /// Time from the question to the last row.
    pub timeout: Option<Duration>,
    /// Rows of the answer.
    pub max_rows: Option<u64>,
}

/// What the child says.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// It can be asked, and is of this version.
    Free(String),
    /// The payload is more of the rows of an answer.
    Rows,
    /// That was the last of them.
    End {
        /// There were more rows than the limit lets through.
        truncated: bool,
    },
    /// The tables.
    Tables(Vec<Table>),
    /// There is no answer, or no more of it.
    Failed(Failed),
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Failed {
    /// Whose fault it is.
    pub kind: FailureKind,
    /// In words, with line and column where they are known.
    pub message: String,
}

/// Whose fault a failure is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The query is wrong, or asks for what is not allowed.
    Invalid,
    /// A limit stopped it.
    Limit,
    /// The store cannot be read, or the engine failed.
    Fault,
}

/// A table and its columns.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "SqlTable"))]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Its columns.
    pub columns: Vec<Column>,
}

/// A column of a table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "SqlColumn"))]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub data_type: String,
}

/// A head and what belongs to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame<T> {
    /// What is said.
    pub head: T,
    /// Bytes that are not described.
    pub payload: Vec<u8>,
}

/// Writes a frame. The caller flushes.
pub async fn write_frame<T: Serialize>(
    out: &mut (impl AsyncWrite + Unpin),
    head: &T,
    payload: &[u8],
) -> io::Result<()> {
    let head = serde_json::to_vec(head)?;
    let too_long = |_| io::Error::new(io::ErrorKind::InvalidInput, "a frame is too long");
    out.write_u32_le(u32::try_from(head.len()).map_err(too_long)?).await?;
    out.write_u32_le(u32::try_from(payload.len()).map_err(too_long)?).await?;
    out.write_all(&head).await?;
    out.write_all(payload).await
}

/// Reads a frame; none at the end, which must lie between two.
pub async fn read_frame<T: DeserializeOwned>(
    input: &mut (impl AsyncRead + Unpin),
) -> io::Result<Option<Frame<T>>> {
    let mut lengths = [0; 8];
    if input.read(&mut lengths[..1]).await? == 0 {
        return Ok(None);
    }
    input.read_exact(&mut lengths[1..]).await?;
    let [a, b, c, d, e, f, g, h] = lengths;
    let (head, payload) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
    if head > MOST_HEAD || payload > MOST_PAYLOAD {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a frame is too long"));
    }
    let mut bytes = vec![0; head as usize];
    input.read_exact(&mut bytes).await?;
    let head: T = serde_json::from_slice(&bytes)?;
    let mut payload = vec![0; payload as usize];
    input.read_exact(&mut payload).await?;
    Ok(Some(Frame { head, payload }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(sql: &str) -> Request {
        let limits = Limits { timeout: Some(Duration::from_millis(1500)), max_rows: None };
        Request::Ask(Question { sql: sql.to_owned(), format: RowFormat::Csv, limits })
    }

    #[tokio::test]
    async fn frames_come_back_as_they_were_sent() {
        let sent = [
            (question("SELECT 'é\"\n'"), vec![]),
            (Request::Tables, vec![0, 255, 10]),
            (question(""), vec![7]),
        ];
        let mut bytes = Vec::new();
        for (head, payload) in &sent {
            write_frame(&mut bytes, head, payload).await.unwrap();
        }
        let mut input = &bytes[..];
        for (head, payload) in sent {
            assert_eq!(read_frame(&mut input).await.unwrap(), Some(Frame { head, payload }));
        }
        assert_eq!(read_frame::<Request>(&mut input).await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_frame_that_is_cut_or_too_long_is_an_error() {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, &question("SELECT 1"), &[]).await.unwrap();
        for length in 1..bytes.len() {
            assert!(read_frame::<Request>(&mut &bytes[..length]).await.is_err(), "{length} bytes");
        }
        for at in [3, 7] {
            let mut long = bytes.clone();
            long[at] = 0xff;
            assert!(read_frame::<Request>(&mut &long[..]).await.is_err());
        }
    }
}
