//! The forms in which answers are written.

use crate::support::{Sample, rows, runtime};
use onca_model::RowFormat;
use onca_sql::arrow::array::RecordBatch;
use onca_sql::{Limits, row_writer};
use onca_testkit::fixtures;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

fn sample() -> Sample {
    Sample::of(fixtures::trace("12 1 S a \"v,1\"\n12 2 S a \"say \u{1b}x\"\n").as_bytes())
}

fn written(sample: &Sample, format: RowFormat, sql: &str) -> Vec<u8> {
    let mut out = Vec::new();
    runtime().block_on(async {
        let mut answer = sample.database.query(sql, &Limits::default()).await.expect("planned");
        let mut writer = row_writer(format, answer.schema(), &mut out).expect("a writer");
        while let Some(batch) = answer.next().await.expect("rows") {
            writer.write(&batch).expect("written");
        }
        writer.finish(answer.is_truncated()).expect("written");
    });
    out
}

fn text(sample: &Sample, format: RowFormat, sql: &str) -> String {
    String::from_utf8(written(sample, format, sql)).expect("text")
}

const ODD: &str = "SELECT * FROM (VALUES
    (1, 'plain', 1.5, true), (-20, '', CAST('NaN' AS DOUBLE), false),
    (NULL, 'a \"b\", c', NULL, NULL), (3, chr(10), CAST('inf' AS DOUBLE), true)
  ) AS t (n, s, x, ok)";

#[test]
fn tables_are_aligned() {
    let expected = [
        "   n  s            x  ok",
        "----  --------  ----  -----",
        "   1  plain      1.5  true",
        " -20             NaN  false",
        "NULL  a \"b\", c  NULL  NULL",
        "   3  \\n         inf  true",
        "",
    ];
    let expected = expected.join("\n");
    assert_eq!(text(&sample(), RowFormat::Table, ODD), expected);
}

#[test]
fn a_terminal_cannot_be_driven() {
    let shown = text(&sample(), RowFormat::Table, "SELECT value FROM states ORDER BY t_start");
    assert_eq!(shown, "value\n-----------\nv,1\nsay \\u{1b}x\n");
}

#[test]
fn plans_are_written_line_by_line() {
    let shown = text(&sample(), RowFormat::Table, "EXPLAIN SELECT value FROM states");
    let mut lines = shown.lines();
    assert_eq!(lines.next(), Some("logical_plan"));
    assert_eq!(lines.next(), Some("  TableScan: states projection=[value]"));
    assert_eq!(lines.next(), Some("physical_plan"));
    assert!(
        lines.next().is_some_and(|line| line.starts_with("  TableScan: states, columns=[value]"))
    );
    assert_eq!(lines.next(), None);
}

#[test]
fn long_answers_are_streamed_as_tables() {
    let sql = "SELECT value FROM generate_series(1, 5000)";
    let shown = text(&sample(), RowFormat::Table, sql);
    assert_eq!(shown.lines().count(), 5002);
    assert_eq!(shown.lines().nth(2), Some("    1"), "the first thousand tell the width");
    assert_eq!(shown.lines().last(), Some(" 5000"));
}

#[test]
fn csv_is_that_of_rfc_4180() {
    let expected = "n,s,x,ok\r\n1,plain,1.5,true\r\n-20,\"\",NaN,false\r\n,\"a \"\"b\"\", c\",,\r\n3,\"\n\",inf,true\r\n";
    assert_eq!(text(&sample(), RowFormat::Csv, ODD), expected);
}

#[test]
fn csv_for_spreadsheets_holds_no_formulas() {
    let sql = "SELECT * FROM (VALUES ('=1+1', -20), ('-x', 3), ('a=b', 4), ('@,', 5)) AS t(s, n)";
    let expected = "s,n\r\n'=1+1,-20\r\n'-x,3\r\na=b,4\r\n\"'@,\",5\r\n";
    assert_eq!(text(&sample(), RowFormat::SafeCsv, sql), expected);
}

#[test]
fn json_is_one_object() {
    let json: serde_json::Value =
        serde_json::from_slice(&written(&sample(), RowFormat::Json, ODD)).expect("JSON");
    let expected = serde_json::json!({
        "schema": "onca-query/1",
        "columns": [
            {"name": "n", "type": "Int64"},
            {"name": "s", "type": "Utf8"},
            {"name": "x", "type": "Float64"},
            {"name": "ok", "type": "Boolean"},
        ],
        "rows": [
            [1, "plain", 1.5, true],
            [-20, "", null, false],
            [null, "a \"b\", c", null, null],
            [3, "\n", null, true],
        ],
        "truncated": false,
    });
    assert_eq!(json, expected);
    let empty = written(&sample(), RowFormat::Json, "SELECT value FROM states WHERE false");
    let empty: serde_json::Value = serde_json::from_slice(&empty).expect("JSON");
    assert_eq!(empty["rows"], serde_json::json!([]));
}

#[test]
fn ndjson_is_an_object_a_row() {
    let lines = text(&sample(), RowFormat::Ndjson, ODD);
    let expected = "{\"n\": 1, \"s\": \"plain\", \"x\": 1.5, \"ok\": true}\n\
        {\"n\": -20, \"s\": \"\", \"x\": null, \"ok\": false}\n\
        {\"n\": null, \"s\": \"a \\\"b\\\", c\", \"x\": null, \"ok\": null}\n\
        {\"n\": 3, \"s\": \"\\n\", \"x\": null, \"ok\": true}\n";
    assert_eq!(lines, expected);
}

#[test]
fn integers_keep_all_their_digits() {
    let sql = "SELECT 9007199254740993 AS n, CAST(18446744073709551615 AS BIGINT UNSIGNED) AS u";
    let line = text(&sample(), RowFormat::Ndjson, sql);
    assert_eq!(line, "{\"n\": 9007199254740993, \"u\": 18446744073709551615}\n");
}

#[test]
fn parquet_comes_back() {
    let sample = sample();
    for sql in [ODD, "SELECT * FROM states ORDER BY t_start"] {
        let file = bytes::Bytes::from(written(&sample, RowFormat::Parquet, sql));
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).expect("a Parquet file");
        let column = builder.metadata().row_group(0).column(0).compression();
        assert!(format!("{column:?}").contains("ZSTD"), "{column:?}");
        let read: Vec<RecordBatch> =
            builder.build().expect("a reader").map(|batch| batch.expect("rows")).collect();
        let read: Vec<_> = read.iter().flat_map(rows).collect();
        assert_eq!(read, sample.ask(sql));
    }
}
