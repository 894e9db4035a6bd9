//! The statements: what they are made of, and how often.

/// Statements as they are.
const PLAIN: &[&str] = &[
    // Short texts that ask for much memory.
    "SELECT repeat('x', 2000000000)",
    "SELECT lpad('x', 2000000000, 'y')",
    "SELECT rpad('x', 2000000000, 'y')",
    "SELECT lpad(value, 2000000000) FROM states",
    "SELECT array_repeat(1, 2000000000)",
    "SELECT array_resize([1], 2000000000, 0)",
    "SELECT range(0, 1000000000000)",
    "SELECT generate_series(0, 1000000000000)",
    "SELECT space(2000000000)",
    "SELECT arrow_cast(1, 'FixedSizeList(2147483647, Int64)')",
    "SELECT arrow_cast(NULL, 'FixedSizeList(2147483647, Int64)')",
    "SELECT arrow_cast([1], 'FixedSizeList(2147483647, Int64)')",
    "SELECT arrow_cast(NULL, 'FixedSizeList(2147483647 x Int64)')",
    "SELECT arrow_cast(NULL, 'FixedSizeBinary(2147483647)') FROM states",
    "SELECT arrow_cast('x', 'FixedSizeBinary(2147483647)') FROM states",
    "SELECT CAST(NULL AS INT[2147483647])",
    "SELECT approx_percentile_cont(duration, 0.5, 2000000000) FROM states",
    "SELECT approx_percentile_cont(0.5, 2000000000) WITHIN GROUP (ORDER BY duration) FROM states",
    "SELECT approx_percentile_cont(0.5, 2000000000) WITHIN GROUP (ORDER BY duration) FROM states GROUP BY tick_start",
    "SELECT ntile(9223372036854775807) OVER (ORDER BY tick_start) FROM states",
    "SELECT ntile(-9223372036854775808) OVER (ORDER BY tick_start) FROM states",
    "SELECT lag(value, 9223372036854775807) OVER (ORDER BY tick_start) FROM states",
    "SELECT lag(value, -9223372036854775808) OVER (ORDER BY tick_start) FROM states",
    "SELECT lead(value, 9223372036854775807, 'x') OVER (ORDER BY tick_start) FROM states",
    "SELECT nth_value(value, 9223372036854775807) OVER (ORDER BY tick_start) FROM states",
    "SELECT sum(tick_start) OVER (ORDER BY tick_start ROWS BETWEEN 18446744073709551615 PRECEDING AND 18446744073709551615 FOLLOWING) FROM states",
    "SELECT sum(tick_start) OVER (ORDER BY tick_start ROWS BETWEEN 99999999999999999999 PRECEDING AND CURRENT ROW) FROM states",
    "SELECT sum(tick_start) OVER (ORDER BY tick_start RANGE BETWEEN 9223372036854775807 PRECEDING AND 9223372036854775807 FOLLOWING) FROM states",
    "SELECT sum(tick_start) OVER (ORDER BY tick_start GROUPS BETWEEN 9223372036854775807 PRECEDING AND 9223372036854775807 FOLLOWING) FROM states",
    "SELECT substr('x', -9223372036854775808, 9223372036854775807)",
    "SELECT split_part('a,b', ',', -9223372036854775808)",
    "SELECT left('x', -9223372036854775808), right('x', -9223372036854775808)",
    "SELECT overlay('x' PLACING 'y' FROM 9223372036854775807 FOR 9223372036854775807)",
    "SELECT chr(9223372036854775807)",
    "SELECT round(1.5, 2147483647), round(1.5, -2147483648)",
    "SELECT trunc(1.5, 9223372036854775807)",
    "SELECT power(10, 2147483647), factorial(9223372036854775807)",
    "SELECT gcd(-9223372036854775808, -9223372036854775808), lcm(9223372036854775807, 9223372036854775806)",
    "SELECT (-9223372036854775808) / (-1), (-9223372036854775808) % (-1)",
    "SELECT abs(-9223372036854775808), -(-9223372036854775808)",
    "SELECT CAST('99999999999999999999999999999999999999' AS DECIMAL(38, 0)) * 10",
    "SELECT CAST(1 AS DECIMAL(99, 99))",
    "SELECT CAST(1 AS DECIMAL(38, -128))",
    "SELECT to_char(now(), repeat('%Y', 100000))",
    "SELECT date_bin(INTERVAL '0 seconds', now())",
    "SELECT date_bin(INTERVAL '1 nanosecond', TIMESTAMP '2262-04-11T23:47:16', TIMESTAMP '1677-09-21T00:12:44')",
    "SELECT INTERVAL '99999999999999999999 years'",
    "SELECT DATE '2000-01-01' + INTERVAL '999999999 months'",
    "SELECT make_date(2147483647, 12, 31), make_date(-2147483648, 1, 1)",
    "SELECT to_timestamp(9223372036854775807), to_timestamp(1e300), to_timestamp('NaN'::DOUBLE)",
    "SELECT from_unixtime(9223372036854775807)",
    "SELECT array_slice([1, 2, 3], -9223372036854775808, 9223372036854775807, -9223372036854775808)",
    "SELECT array_element([1], -9223372036854775808), [1][9223372036854775807]",
    "SELECT array_remove_n([1], 1, -9223372036854775808), array_replace_n([1], 1, 2, 9223372036854775807)",
    "SELECT flatten([[[[[1]]]]]), array_ndims([[[[1]]]])",
    "SELECT string_agg(v.value, repeat('x', 1000)) FROM states v",
    "SELECT array_agg(a.value) FROM states a, states b, states c",
    "SELECT string_agg(a.value, ',') FROM states a, states b, states c",
    "SELECT array_agg(DISTINCT value) FROM generate_series(1, 1000000000000)",
    "SELECT count(DISTINCT value) FROM generate_series(1, 1000000000000)",
    "SELECT median(value) FROM generate_series(1, 1000000000000)",
    "SELECT approx_median(value) FROM generate_series(1, 1000000000000)",
    "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY value) FROM generate_series(1, 1000000000000)",
    "SELECT * FROM generate_series(1, 1000000000000) ORDER BY value DESC",
    "SELECT DISTINCT value FROM generate_series(1, 1000000000000)",
    "SELECT value, count(*) FROM generate_series(1, 1000000000000) GROUP BY value",
    "SELECT row_number() OVER (ORDER BY value DESC) FROM generate_series(1, 1000000000000)",
    "SELECT sum(value) OVER (ORDER BY value ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM generate_series(1, 1000000000000)",
    // Short texts that ask for much time.
    "SELECT count(*) FROM generate_series(1, 1000000000000)",
    "SELECT count(*) FROM range(1, 1000000000000)",
    "SELECT count(*) FROM generate_series(-9223372036854775808, 9223372036854775807)",
    "SELECT count(*) FROM generate_series(1, 9223372036854775807, 9223372036854775807)",
    "SELECT * FROM generate_series(1, 10, 0)",
    "SELECT * FROM generate_series(TIMESTAMP '2000-01-01', TIMESTAMP '2200-01-01', INTERVAL '1 nanosecond') LIMIT 10 OFFSET 1000000000000",
    "SELECT * FROM generate_series(1, 1000000000000) LIMIT 1 OFFSET 999999999999",
    "SELECT count(*) FROM generate_series(1, 1000000000000) WHERE value % 7 = 8",
    "SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b WHERE a.value + b.value = 0",
    "SELECT count(*) FROM states a, states b, states c, states d, states e",
    "SELECT * FROM states a, states b, states c, states d ORDER BY a.tick_start DESC, b.tick_start",
    "SELECT count(*) FROM states a, states b, states c, states d WHERE a.value || b.value || c.value || d.value LIKE '%z%'",
    "SELECT count(*) FROM states a JOIN states b ON a.value = b.value JOIN states c ON b.value = c.value JOIN states d ON c.value = d.value",
    "SELECT count(*) FROM states a FULL JOIN states b ON a.tick_start < b.tick_start FULL JOIN states c ON b.tick_start < c.tick_start",
    "SELECT count(*) FROM states a LEFT JOIN states b ON a.tick_start <> b.tick_start LEFT JOIN states c ON a.tick_start <> c.tick_start",
    "SELECT count(*) FROM states a WHERE EXISTS (SELECT 1 FROM states b, states c, states d WHERE b.tick_start + c.tick_start + d.tick_start < a.tick_start - 1000000000000000)",
    "SELECT (SELECT count(*) FROM states b, states c WHERE b.tick_start > a.tick_start + c.tick_start) FROM states a",
    "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i FROM n) SELECT count(*) FROM n",
    "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
    "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT * FROM n ORDER BY i DESC",
    "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT a.i FROM n a, n b) SELECT count(*) FROM n",
    "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT a.i FROM n a, states b) SELECT count(*) FROM n",
    "WITH RECURSIVE n AS (SELECT 'x' AS t UNION ALL SELECT t || t FROM n) SELECT max(length(t)) FROM n",
    "WITH RECURSIVE n AS (SELECT 'x' AS t UNION ALL SELECT concat(t, t, t, t) FROM n) SELECT t FROM n",
    "WITH RECURSIVE n AS (SELECT [1] AS t UNION ALL SELECT array_concat(t, t) FROM n) SELECT max(cardinality(t)) FROM n",
    "WITH RECURSIVE n AS (SELECT 'ab' AS t UNION ALL SELECT replace(t, 'a', t) FROM n) SELECT length(t) FROM n",
    "SELECT count(*) FROM (SELECT unnest(make_array(1,2,3,4,5,6,7,8)) FROM states a, states b, states c)",
    "SELECT unnest(string_to_array(string_agg(a.value, ','), ',')) FROM states a, states b",
    "SELECT count(*) FROM states GROUP BY CUBE (container_id, container, type, value, t_start, t_end, duration, tick_start, tick_end, duration_ticks, exclusive_ticks, depth, parent_value, open_ended)",
    "SELECT count(*) FROM states GROUP BY CUBE (container_id, container), CUBE (type, value), CUBE (t_start, t_end), CUBE (tick_start, tick_end), CUBE (depth, parent_value), ROLLUP (duration, duration_ticks)",
    "EXPLAIN ANALYZE SELECT count(*) FROM generate_series(1, 1000000000000)",
    "EXPLAIN ANALYZE VERBOSE SELECT count(*) FROM states a, states b, states c, states d",
    "EXPLAIN VERBOSE SELECT * FROM states a, states b, states c, states d, states e, states f",
    "SELECT count(*) FROM slice(0, 100) a, slice(0, 100) b, states c, states d, states e",
    // Regular expressions.
    "SELECT regexp_like('aaaa', '(a{1000}){1000}')",
    "SELECT regexp_like('aaaa', '((((a{100}){100}){100}){100}){100}')",
    "SELECT regexp_like(value, '\\pL{1000}{1000}') FROM states",
    "SELECT regexp_match(string_agg(value, ''), '(x+x+)+y') FROM states",
    "SELECT regexp_replace(string_agg(a.value, ''), '(.*)(.*)(.*)(.*)(.*)[^v]', '\\1\\2\\3\\4\\5', 'g') FROM states a, states b",
    "SELECT regexp_count(string_agg(a.value, ''), '(v|v\\d|v\\d\\d)*z') FROM states a, (SELECT * FROM states LIMIT 50) b",
    "SELECT value SIMILAR TO '(((((a|b)*c)*d)*e)*f)*' FROM states",
    "SELECT value LIKE '%_%_%_%_%_%_%_%_%_%_%_%_%_%_%z' FROM states",
    "SELECT levenshtein(string_agg(a.value, ''), string_agg(b.value, '')) FROM states a, states b",
    "SELECT count(*) FROM states WHERE value ~ '(?:a?){200}a{200}'",
];

/// A part again and again, between a start and an end, or inside itself.
enum Form {
    /// Start, part, end.
    Row(&'static str, &'static str, &'static str),
    /// Start, what opens, the innermost, what closes, end.
    Nest(&'static str, &'static str, &'static str, &'static str, &'static str),
}

use Form::{Nest, Row};

const REPEATED: &[Form] = &[
    Row("SELECT true", " AND true", ""),
    Row("SELECT true", " OR false", ""),
    Row("SELECT depth = 1", " OR depth = 2", " FROM states"),
    Row("SELECT 1", " + 1", ""),
    Row("SELECT depth", "+depth", " FROM states"),
    Row("SELECT depth", " * depth - 1", " FROM states"),
    Row("SELECT 'x'", " || 'x'", ""),
    Row("SELECT value", " || value", " FROM states"),
    Row("SELECT 1", "::BIGINT", ""),
    Row("SELECT depth", "::BIGINT::TEXT", " FROM states"),
    Row("SELECT depth", " IS NULL", " FROM states"),
    Row("SELECT 1", " = 1", ""),
    Row("SELECT now()", " AT TIME ZONE 'UTC'", ""),
    Row("SELECT [[1]]", "[1]", ""),
    Row("SELECT value", " COLLATE c", " FROM states"),
    Row("SELECT value", " LIKE value", " FROM states"),
    Row("SELECT depth", " BETWEEN 1 AND 2", " FROM states"),
    Row("SELECT depth", " IN (1)", " FROM states"),
    Row("SELECT 1", " UNION SELECT 1", ""),
    Row("SELECT 1", " UNION ALL SELECT 1", ""),
    Row("SELECT 1", " INTERSECT SELECT 1", ""),
    Row("SELECT 1", " EXCEPT SELECT 1", ""),
    Row("SELECT depth FROM states", " UNION ALL SELECT depth FROM states", ""),
    Row("SELECT count(*) FROM states", ", states", ""),
    Row("SELECT count(*) FROM states", " CROSS JOIN states", ""),
    Row("SELECT count(*) FROM states", " NATURAL JOIN states", ""),
    Row("SELECT a.b", ".c", ""),
    Row("SELECT * FROM a", ".a", ""),
    Row("WITH a AS (SELECT 1)", ", a AS (SELECT * FROM a)", " SELECT * FROM a"),
    Row("SELECT * FROM states WHERE depth IN (1", ",1", ")"),
    Row("SELECT * FROM states WHERE value IN ('1'", ",'1'", ")"),
    Row("SELECT 1", ",1", ""),
    Row("SELECT *", ",*", " FROM states"),
    Row("VALUES (1)", ",(1)", ""),
    Row("SELECT coalesce(depth", ",depth", ") FROM states"),
    Row("SELECT concat(value", ",value", ") FROM states"),
    Row("SELECT [1", ",1", "]"),
    Row("SELECT * FROM states ORDER BY 1", ",1", ""),
    Row("SELECT 1 FROM states GROUP BY depth", ",depth", ""),
    Row("SELECT CASE depth", " WHEN 1 THEN 2", " END FROM states"),
    Row("SELECT 1", ";SELECT 1", ""),
    Row("SELECT ", "/*", "1"),
    Row("", "EXPLAIN ", "SELECT 1"),
    Row("SELECT ", "-", "1"),
    Row("SELECT ", "- ", "1"),
    Row("SELECT ", "+", "1"),
    Row("SELECT ", "~", "1"),
    Row("SELECT ", "!", "true"),
    Row("SELECT ", "NOT ", "true"),
    Row("SELECT ", "INTERVAL ", "'1 day'"),
    Row("SELECT CAST(1 AS ", "ARRAY<", ""),
    Row("SELECT CAST(1 AS INT", "[]", ")"),
    Row("SELECT arrow_cast(1, '", "List(", "')"),
    Row("", "(", ""),
    Row("", ")", ""),
    Row("SELECT 1", " FROM states WHERE 1", ""),
    Nest("SELECT ", "(", "1", ")", ""),
    Nest("SELECT ", "[", "1", "]", ""),
    Nest("SELECT ", "{'a':", "1", "}", ""),
    Nest("SELECT ", "abs(", "1", ")", ""),
    Nest("SELECT ", "array_concat([1],", "[1]", ")", ""),
    Nest("SELECT ", "array_append([],", "1", ")", ""),
    Nest("SELECT ", "struct(", "1", ")", ""),
    Nest("SELECT ", "named_struct('a',", "1", ")", ""),
    Nest("SELECT ", "concat(value,", "value", ")", " FROM states"),
    Nest("SELECT ", "coalesce(NULL,", "1", ")", ""),
    Nest("SELECT ", "CAST(", "1", " AS BIGINT)", ""),
    Nest("SELECT ", "CASE WHEN true THEN ", "1", " END", ""),
    Nest("SELECT ", "CASE ", "1", " WHEN 1 THEN 1 END", ""),
    Nest("SELECT ", "CASE WHEN false THEN 1 ELSE ", "1", " END", ""),
    Nest("SELECT ", "NOT (", "true", ")", ""),
    Nest("SELECT ", "-(", "1", ")", ""),
    Nest("SELECT ", "1 IN (", "1", ")", ""),
    Nest("SELECT ", "EXISTS (SELECT ", "1", ")", ""),
    Nest("SELECT ", "(SELECT ", "1", ")", ""),
    Nest("SELECT ", "1 + (SELECT ", "1", ")", ""),
    Nest("", "SELECT * FROM (", "SELECT 1", ") a", ""),
    Nest("", "(", "SELECT 1", ")", ""),
    Nest("", "WITH a AS (", "SELECT 1", ") SELECT * FROM a", ""),
    Nest("SELECT * FROM ", "(", "states", ")", ""),
    Nest("SELECT * FROM ", "(states JOIN ", "states", " USING (depth))", ""),
    Nest("SELECT CAST(1 AS ", "STRUCT<a ", "INT", ">", ")"),
    Nest("SELECT 1 FROM states GROUP BY ", "(", "depth", ")", ""),
    Nest(
        "SELECT * FROM states WHERE ",
        "depth IN (SELECT depth FROM states WHERE ",
        "true",
        ")",
        "",
    ),
    Nest("SELECT ", "sum(1) OVER (ORDER BY ", "1", ")", ""),
    Nest("SELECT ", "x -> ", "1", "", ""),
    Nest("SELECT arrow_cast(NULL, '", "List(", "Int64", ")", "')"),
];

impl Form {
    fn name(&self) -> &'static str {
        match *self {
            Row(_, part, _) => part,
            Nest(_, opens, ..) => opens,
        }
    }

    fn sql(&self, n: usize) -> String {
        match *self {
            Row(start, part, end) => format!("{start}{}{end}", part.repeat(n)),
            Nest(start, opens, inner, closes, end) => {
                format!("{start}{}{inner}{}{end}", opens.repeat(n), closes.repeat(n))
            }
        }
    }
}

/// How long a query may be, in bytes.
const LONGEST: usize = 256 << 10;

/// Tables that each name the one before twice: the plan doubles at each.
fn doubling() -> String {
    let doubled = (1..60).map(|n| {
        let last = n - 1;
        format!(", t{n} AS (SELECT a.x FROM t{last} a, t{last} b)")
    });
    format!("WITH t0 AS (SELECT 1 AS x){} SELECT count(*) FROM t59", doubled.collect::<String>())
}

/// Tables that each name the one before.
fn chain(n: usize) -> String {
    let linked = (1..n).map(|n| format!(", t{n} AS (SELECT x + 1 AS x FROM t{})", n - 1));
    format!("WITH t0 AS (SELECT 1 AS x){} SELECT * FROM t{}", linked.collect::<String>(), n - 1)
}

/// All statements, each with a name. What is repeated is repeated a little, up to what is allowed
/// and a bit beyond, and as often as there is room.
pub fn all() -> Vec<(String, String)> {
    let plain = PLAIN.iter().map(|sql| (sql.to_string(), sql.to_string()));
    let repeated = REPEATED.iter().flat_map(|form| {
        let unit = form.sql(2).len() - form.sql(1).len();
        [45, 300, 10_000, LONGEST / unit - 100].map(|n| {
            let most = LONGEST / unit - 100;
            let n = n.min(most);
            (format!("{n} times {:?}", form.name()), form.sql(n))
        })
    });
    let named = [
        ("doubling tables".to_owned(), doubling()),
        ("a chain of 100 tables".to_owned(), chain(100)),
        ("a chain of 3000 tables".to_owned(), chain(3_000)),
        ("a query that is too long".to_owned(), format!("SELECT '{}'", "x".repeat(LONGEST))),
        ("a long text".to_owned(), format!("SELECT '{}'", "x".repeat(LONGEST - 20))),
        ("a long name".to_owned(), format!("SELECT {}", "x".repeat(LONGEST - 20))),
        ("a long number".to_owned(), format!("SELECT {}", "9".repeat(LONGEST - 20))),
        ("NUL".to_owned(), "SELECT '\0'".to_owned()),
        ("an open text".to_owned(), "SELECT '".to_owned()),
        ("nothing".to_owned(), String::new()),
    ];
    plain.chain(repeated).chain(named).collect()
}
