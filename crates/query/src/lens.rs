//! The lens as a value: what a file holds. `docs/lens.md` describes it for users.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    Role, TimeText,
    error::{LensError, Result},
};

/// The version of the form that is written and read.
pub const LENS_VERSION: u32 = 1;

/// What stands between a trace and a view of it: what is seen, how it is grouped and ordered,
/// what is reduced, how it looks. The empty lens shows everything as it is.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct Lens {
    /// The version of the form: [`LENS_VERSION`].
    #[cfg_attr(feature = "typescript", ts(type = "1"))]
    pub version: u32,
    /// What is seen.
    #[serde(default, skip_serializing_if = "is_default")]
    pub select: Selection,
    /// A tree of containers that the trace did not have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub hierarchy: Option<HierarchySpec>,
    /// Containers that are shown as one; the first group that takes a container has it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub group: Vec<GroupSpec>,
    /// The order of siblings.
    #[serde(default, skip_serializing_if = "is_default")]
    pub order: OrderSpec,
    /// Container types whose containers share a row once one has ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reuse_rows: Vec<String>,
    /// Derived variables and states of parents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reduce: Vec<ReductionSpec>,
    /// Rules that find locks in states.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locks: Vec<LockSpec>,
    /// Colours, shapes and heights.
    #[serde(default, skip_serializing_if = "is_default")]
    pub appearance: AppearanceSpec,
    /// The role of values, by pattern, where the guess from the name is wrong.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub roles: BTreeMap<String, Role>,
}

/// What is seen.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "LensSelect"))]
#[serde(deny_unknown_fields)]
pub struct Selection {
    /// Types of states, events, variables and links.
    #[serde(default, skip_serializing_if = "is_default")]
    pub types: Filter,
    /// Values of states, events and links.
    #[serde(default, skip_serializing_if = "is_default")]
    pub values: Filter,
    /// Containers.
    #[serde(default, skip_serializing_if = "is_default")]
    pub containers: Filter,
    /// Types that are seen in some containers only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types_in: Vec<TypesIn>,
    /// States and links that are shorter are not seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub min_duration: Option<Duration>,
}

/// Some of many things, by patterns.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "LensFilter"))]
#[serde(deny_unknown_fields)]
pub struct Filter {
    /// If given, only these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub only: Option<Vec<String>>,
    /// Not these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hide: Vec<String>,
}

/// Types that are seen in some containers only.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "LensTypesIn"))]
#[serde(deny_unknown_fields)]
pub struct TypesIn {
    /// Patterns of types of states, events, variables and links.
    pub types: Vec<String>,
    /// If given, only in these containers; links of which one end is such a container.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub only: Option<Vec<String>>,
    /// Not in these containers; no links of which one end is such a container.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hide: Vec<String>,
    /// Both ends of a link must be in containers of `only`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub both_ends: bool,
}

/// A length of time: a number in the unit of the trace, or a text such as `2ms`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "LensDuration"))]
#[serde(untagged)]
pub enum Duration {
    /// In the unit of the trace.
    Units(f64),
    /// With a unit.
    Text(String),
}

impl Duration {
    pub(crate) fn parse(&self) -> std::result::Result<TimeText, String> {
        match self {
            Self::Units(units) if units.is_finite() => Ok(TimeText::Units(*units)),
            Self::Units(units) => Err(format!("{units} is no length of time")),
            Self::Text(text) => TimeText::parse(text),
        }
    }
}

/// Where a tree of containers comes from.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "LensHierarchy"))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum HierarchySpec {
    /// A tree that is written down.
    Tree {
        /// Its nodes, parents before children.
        nodes: Vec<TreeNode>,
        /// An expression of which the first group is the name of the node that a container
        /// belongs to. Without it, a container belongs to the node of the same name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional))]
        place: Option<String>,
    },
    /// A tree that the names tell.
    Names {
        /// An expression with a named group for each level.
        pattern: String,
        /// The groups, from the outermost level to the innermost. Without any, all groups are levels:
        /// one with fewer different names lies around one with more.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        levels: Vec<String>,
    },
    /// A tree that extra fields of containers tell.
    Fields {
        /// The fields, from the outermost level to the innermost. A container is placed if it has
        /// the first.
        levels: Vec<String>,
    },
}

/// A node of a tree that is written down.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "LensTreeNode"))]
#[serde(deny_unknown_fields)]
pub struct TreeNode {
    /// Its name.
    pub name: String,
    /// What it is: site, cluster, machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub kind: Option<String>,
    /// The index of its parent; nothing for those directly below the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub parent: Option<usize>,
}

/// Containers that are shown as one.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "LensGroup"))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum GroupSpec {
    /// These, under this name.
    Containers {
        /// The name of the group.
        name: String,
        /// References to its members; what lies below them belongs to it.
        of: Vec<String>,
    },
    /// All of which the name matches an expression, by what its groups capture.
    Pattern {
        /// The expression.
        expression: String,
        /// A container type: one group for each container of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional))]
        within: Option<String>,
    },
    /// Everything below a container of this type counts for it.
    Level(String),
    /// Everything below this depth counts for the container there; the root has depth 0.
    Depth(usize),
}

/// The order of siblings.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "LensOrder"))]
#[serde(deny_unknown_fields)]
pub struct OrderSpec {
    /// What decides.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub by: OrderKey,
    /// The largest or last first.
    #[serde(default, skip_serializing_if = "is_default")]
    pub descending: bool,
    /// These first, in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first: Vec<String>,
}

/// What decides the order of siblings.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "LensOrderKey"))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum OrderKey {
    /// When they were created.
    #[default]
    Creation,
    /// Their names, numbers in them by size.
    Name,
    /// When they end.
    End,
    /// How many links they send and receive in the window.
    Messages,
    /// How long they are in these values in the window.
    Time(Vec<String>),
}

/// A derived variable or state of a container, made of those below it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "LensReduction"))]
#[serde(deny_unknown_fields)]
pub struct ReductionSpec {
    /// The name of what it makes.
    pub name: String,
    /// The container type that gets it.
    pub level: String,
    /// How many, which share, or what of a variable.
    pub op: ReductionOp,
    /// For `count` and `busy`: the values that count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// For `sum`, `mean`, `min`, `max`: the variable type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub variable: Option<String>,
    /// What is made of it.
    #[serde(default, rename = "as", skip_serializing_if = "is_default")]
    pub form: ReductionForm,
}

/// How what lies below is reduced.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "LensReductionOp"))]
#[serde(rename_all = "snake_case")]
pub enum ReductionOp {
    /// The number of containers whose innermost state has one of the values.
    Count,
    /// The share of the existing containers whose innermost state has one of the values.
    Busy,
    /// The sum of a variable.
    Sum,
    /// Its mean over the containers where it has a value.
    Mean,
    /// Its smallest value.
    Min,
    /// Its largest value.
    Max,
}

/// What a reduction makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "LensReductionForm"))]
#[serde(rename_all = "snake_case")]
pub enum ReductionForm {
    /// A variable.
    #[default]
    Variable,
    /// States, one value for each number.
    States,
}

/// Which states hold a lock, and which wait for one.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "LensLock"))]
#[serde(deny_unknown_fields)]
pub struct LockSpec {
    /// The values of states that hold one.
    pub holds: String,
    /// The values of states that wait for one.
    pub waits: String,
    /// What the lock is called: `value`, or the name of an extra field.
    pub key: String,
}

/// Colours, shapes and heights of types and values, by pattern.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "LensAppearance"))]
#[serde(deny_unknown_fields)]
pub struct AppearanceSpec {
    /// Of types.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub types: BTreeMap<String, Look>,
    /// Of values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, Look>,
    /// Whether the colours that the trace gives are used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_colors: Option<TraceColors>,
}

/// Whether the colours that a trace gives to its values are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum TraceColors {
    /// If all of them can be told apart.
    #[default]
    Auto,
    /// Even if some look alike.
    Always,
    /// Not at all.
    Never,
}

impl TraceColors {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Always, Self::Never];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        }
    }
}

/// How one type or value looks; what is not given stays as it is.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "EntryAppearance"))]
#[serde(deny_unknown_fields)]
pub struct Look {
    /// `#rrggbb`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub color: Option<String>,
    /// The mark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub shape: Option<Shape>,
    /// The share of the row that it takes, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub height: Option<f64>,
}

/// The mark that stands for an entity.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Shape {
    /// A filled rectangle.
    Box,
    /// A thin line.
    Line,
    /// A triangle on its tip.
    Triangle,
    /// A diamond.
    Diamond,
    /// A disc.
    Disc,
    /// An arrow.
    Arrow,
    /// Steps.
    Steps,
    /// An area under steps.
    Area,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Lens {
    /// The lens that shows everything as it is.
    pub fn clear() -> Self {
        Self { version: LENS_VERSION, ..Self::default() }
    }

    /// Reads a lens. Fields that nobody knows are refused: they are usually misspelt.
    pub fn from_json(text: &str) -> Result<Self> {
        let malformed = |error: serde_json::Error| LensError::Malformed(error.to_string());
        let lens: Self = serde_json::from_str(text).map_err(malformed)?;
        if lens.version != LENS_VERSION {
            return Err(LensError::Malformed(format!(
                "version {} is not known; this program knows version {LENS_VERSION}",
                lens.version
            )));
        }
        Ok(lens)
    }

    /// Writes the lens, leaving out what is not set.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a lens has only plain values")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lens_survives_its_file() {
        let text = r##"{
            "version": 1,
            "select": {
                "types": {"only": ["State"]}, "values": {"hide": ["Idle"]},
                "containers": {"only": ["rank[0-3]/**"]}, "min_duration": "2ms"
            },
            "hierarchy": {"names": {"pattern": "^(?<c>\\w+)-", "levels": ["c"]}},
            "group": [{"level": "machine"}, {"depth": 2}, {"pattern": {"expression": "^(rank)"}},
                      {"containers": {"name": "both", "of": ["a", "b"]}}],
            "order": {"by": {"time": ["Wait"]}, "descending": true},
            "reuse_rows": ["task"],
            "reduce": [{"name": "active", "level": "machine", "op": "count", "values": ["Run"], "as": "states"}],
            "locks": [{"holds": "Held", "waits": "Wait", "key": "value"}],
            "appearance": {"values": {"Wait": {"color": "#d55e00", "shape": "box", "height": 0.5}}},
            "roles": {"my_wait": "wait"}
        }"##;
        let lens = Lens::from_json(text).expect("a lens");
        assert_eq!(Lens::from_json(&lens.to_json()).expect("a lens"), lens);
        assert_eq!(Lens::clear().to_json(), "{\n  \"version\": 1\n}");
    }

    #[test]
    fn what_is_not_a_lens_says_why() {
        let why = |text: &str| Lens::from_json(text).expect_err("no lens").to_string();
        let unknown = why(r#"{"version": 1, "selct": {}}"#);
        assert!(
            unknown.contains("unknown field `selct`") && unknown.contains("line 1"),
            "{unknown}"
        );
        assert!(unknown.contains("`select`"), "{unknown}");
        assert!(why(r#"{"version": 7}"#).contains("version 7"));
        assert!(why("{}").contains("missing field `version`"));
        assert!(why(r#"{"version":1,"order":{"by":"size"}}"#).contains("unknown variant `size`"));
    }
}
