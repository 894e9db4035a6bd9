//! The answer as JSON, described in `docs/json.md`.

use onca_model::display_text;
use serde_json::{Number, Value, json};

use super::{Amount, Quantity, SliceAnswer, SliceNode, SliceValue};

impl SliceAnswer {
    /// The answer as JSON: `onca-slice/1`.
    pub fn to_json(&self) -> Value {
        let window = self.bounds.window();
        json!({
            "schema": "onca-slice/1",
            "unit": {
                "name": self.unit.name,
                "assumed": self.unit.assumed,
                "ticks_per_unit": self.unit.ticks_per_unit,
            },
            "from": self.unit.units(window.from),
            "to": self.unit.units(window.to),
            "from_ticks": window.from,
            "to_ticks": window.to,
            "slices": (0..self.bounds.n_slices()).map(|k| self.json_slice(k)).collect::<Vec<_>>(),
            "quantity": self.quantity.name(),
            "nodes": self.nodes.iter().map(json_node).collect::<Vec<_>>(),
            "values": self.values.iter().map(json_value).collect::<Vec<_>>(),
            "rows": self.json_rows(),
            "absent": self.absent_is_zero.then_some(0),
            "links": self.tally.map(|tally| json!({
                "counted": tally.counted,
                "dropped": tally.dropped,
                "clipped": tally.clipped,
                "backward": tally.backward,
            })),
            "scanned": self.scanned,
        })
    }

    fn json_slice(&self, slice: usize) -> Value {
        let window = self.bounds.slice(slice);
        json!({
            "from": self.unit.units(window.from),
            "to": self.unit.units(window.to),
            "from_ticks": window.from,
            "to_ticks": window.to,
        })
    }

    fn json_rows(&self) -> Value {
        let is_time = self.quantity == Quantity::Time;
        let scale = if is_time { self.unit.ticks_per_unit as f64 } else { 1.0 };
        let amount = |amount: &Amount| match amount {
            Amount::Whole(number) if !is_time => whole(*number),
            amount => json!(amount.to_f64() / scale),
        };
        let ticks = |amount: &Amount| match amount {
            Amount::Whole(ticks) => whole(*ticks),
            Amount::Real(_) => Value::Null,
        };
        let rows = &self.rows;
        let mut columns = json!({
            "node": rows.nodes,
            "value": rows.values,
            "slice": rows.slices,
            "amount": rows.amounts.iter().map(amount).collect::<Vec<_>>(),
        });
        if is_time {
            columns["amount_ticks"] = rows.amounts.iter().map(ticks).collect();
        }
        columns
    }
}

/// Exact where JSON has such numbers.
fn whole(number: i128) -> Value {
    Number::from_i128(number).map_or_else(|| json!(number as f64), Value::Number)
}

fn json_node(node: &SliceNode) -> Value {
    json!({
        "path": node.path,
        "name": display_text(&node.name),
        "kind": display_text(&node.kind),
        "depth": node.depth,
        "leaves": node.n_leaves,
    })
}

fn json_value(value: &SliceValue) -> Value {
    json!({ "type": display_text(&value.type_name), "name": display_text(&value.name) })
}
