//! Whoever is asked, the totals are the same to the last tick: slice, stats, profile and SQL.

use std::collections::BTreeMap;

use onca_testkit::sandbox::Sandbox;
use serde_json::Value;

type Totals = BTreeMap<String, i64>;

fn ask(sandbox: &Sandbox, args: &[&str]) -> Value {
    let text = sandbox.onca(args.to_vec()).expect(0).out();
    serde_json::from_str(&text).expect("JSON")
}

fn name(value: &Value) -> String {
    value.as_str().expect("a name").to_owned()
}

fn ticks(value: &Value) -> i64 {
    value.as_i64().expect("ticks")
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

fn by_slice(sandbox: &Sandbox, window: &[&str]) -> Totals {
    let answer =
        ask(sandbox, &[&["slice", "demo.paje", "--depth", "0", "--json"], window].concat());
    let rows = &answer["rows"];
    let values = list(&rows["value"]).iter().map(|at| {
        let at = at.as_u64().expect("a place") as usize;
        name(&answer["values"][at]["name"])
    });
    values.zip(list(&rows["amount_ticks"]).iter().map(ticks)).collect()
}

fn by_stats(sandbox: &Sandbox, window: &[&str]) -> Totals {
    let args = [&["stats", "demo.paje", "--what", "values", "--json"], window].concat();
    let answer = ask(sandbox, &args);
    let states = list(&answer["values"]).iter().filter(|value| value["nature"] == "state");
    let totals = states.map(|value| (name(&value["value"]), ticks(&value["total_ticks"])));
    totals.filter(|(_, ticks)| *ticks > 0).collect()
}

fn by_profile(sandbox: &Sandbox, window: &[&str]) -> Totals {
    let args = [&["profile", "demo.paje", "--min-share", "0", "--json"], window].concat();
    let answer = ask(sandbox, &args);
    let mut totals = Totals::new();
    for path in list(&answer["paths"]) {
        *totals.entry(name(&path["value"])).or_default() += ticks(&path["exclusive_ticks"]);
    }
    totals.retain(|_, ticks| *ticks > 0);
    totals
}

fn by_sql(sandbox: &Sandbox, sql: &str) -> Totals {
    let answer = ask(sandbox, &["query", "demo.paje", sql, "--format", "json"]);
    let totals = list(&answer["rows"]).iter().map(|row| (name(&row[0]), ticks(&row[1])));
    totals.filter(|(_, ticks)| *ticks > 0).collect()
}

#[test]
fn all_ways_to_a_total_agree() {
    let sandbox = Sandbox::new();
    sandbox.onca(["demo", "--no-open", "-o", "demo.paje"]).expect(0);
    let whole = by_slice(&sandbox, &[]);
    assert!(whole.len() > 4 && whole["MPI_Wait"] > 0);
    assert_eq!(by_stats(&sandbox, &[]), whole);
    assert_eq!(by_profile(&sandbox, &[]), whole);
    let scan = "SELECT value, sum(exclusive_ticks) FROM states GROUP BY value";
    assert_eq!(by_sql(&sandbox, scan), whole);

    let part = by_slice(&sandbox, &["--from", "2", "--to", "3.5"]);
    assert!(part["MPI_Wait"] < whole["MPI_Wait"]);
    assert_eq!(by_stats(&sandbox, &["--from", "2", "--to", "3.5"]), part);
    assert_eq!(by_profile(&sandbox, &["--from", "2", "--to", "3.5"]), part);
    let slice = "SELECT value, sum(ticks) FROM slice(2, 3.5, 0) GROUP BY value";
    assert_eq!(by_sql(&sandbox, slice), part);
}
