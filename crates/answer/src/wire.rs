//! What the JSON of all answers has in common. `docs/json.md` describes the objects; the structs whose
//! names end in `Json` are these objects, and their fields are made while they are written: an answer
//! is not held a second time.

use std::borrow::Cow;
use std::fmt;

use onca_model::{
    Catalog, FieldDef, Ticks, TimeUnit, TypeId, ValueId, Window, display_text, extra_fields,
};
use onca_query::{NodeId, Scope, StateValue};
use onca_store::Counts;
use serde::{Serialize, Serializer};

pub use crate::balance::{BalanceJson, BalanceRowJson};
pub use crate::changes::{CorrectionJson, JoinedSourceJson, StepJson};
pub use crate::clocks::wire::*;
pub use crate::compare::wire::*;
pub use crate::concurrency::{ConcurrencyJson, ConcurrencyRowJson, LevelTimeJson};
pub use crate::containers::wire::*;
pub use crate::efficiency::wire::{EfficienciesJson, EfficiencyRowJson, RoleTimesJson};
pub use crate::find::wire::*;
pub use crate::findings::wire::*;
pub use crate::inspect::wire::*;
pub use crate::lens_answer::{
    LensJson, LevelJson, SeenOfAllJson, StyleJson, TypeLookJson, ValueLookJson,
};
pub use crate::messages::{
    DurationRangeJson, LinkHistogramsJson, LinkMatrixJson, PairJson, SizeRangeJson,
};
pub use crate::overview::wire::*;
pub use crate::phases::wire::*;
pub use crate::profile::wire::*;
pub use crate::slice::wire::*;
pub use crate::statistics::wire::*;
pub use crate::summary::{MostLoadedJson, SummaryEfficiencyJson, SummaryJson};
pub use crate::topology::wire::*;
pub use crate::waits::wire::*;

/// A list whose items are made while it is written.
pub struct List<'a, T>(Box<dyn Fn() -> Items<'a, T> + 'a>);

type Items<'a, T> = Box<dyn Iterator<Item = T> + 'a>;

impl<'a, T> List<'a, T> {
    /// The items of an iterator. It is gone through each time the list is written.
    pub fn new(items: impl Iterator<Item = T> + Clone + 'a) -> Self {
        Self::made(move || items.clone())
    }

    /// The items of an iterator that is made each time the list is written.
    pub fn made<I: Iterator<Item = T> + 'a>(make: impl Fn() -> I + 'a) -> Self {
        Self(Box::new(move || Box::new(make())))
    }
}

impl<T: Serialize> Serialize for List<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0())
    }
}

impl<T: fmt::Debug> fmt::Debug for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0()).finish()
    }
}

/// A number that is whole where it can be. Readers of JSON take no integers of more than 64 bits: larger
/// ones are rounded.
#[derive(Serialize, Clone, Copy, PartialEq, Debug)]
#[serde(untagged)]
pub enum Number {
    /// Exact.
    Whole(i64),
    /// Exact, beyond the range of the former.
    Large(u64),
    /// Not whole, or rounded.
    Real(f64),
}

impl Number {
    /// A sum of ticks: those of many containers may pass 63 bits, and are then rounded.
    pub fn sum(ticks: i128) -> Self {
        i64::try_from(ticks).map_or(Self::Real(ticks as f64), Self::Whole)
    }

    /// An integer, exact as far as JSON goes.
    pub fn integer(number: i128) -> Self {
        match (i64::try_from(number), u64::try_from(number)) {
            (Ok(number), _) => Self::Whole(number),
            (_, Ok(number)) => Self::Large(number),
            _ => Self::Real(number as f64),
        }
    }
}

/// A sum of times in units.
pub(crate) fn units_of_sum(unit: &TimeUnit, ticks: i128) -> f64 {
    units_of_mean(unit, ticks as f64)
}

/// A time in units that is not a whole number of ticks.
pub(crate) fn units_of_mean(unit: &TimeUnit, ticks: f64) -> f64 {
    ticks / unit.ticks_per_unit as f64
}

/// The unit of time.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "UnitInfo"))]
pub struct UnitJson<'a> {
    /// Its name, such as `s`.
    pub name: &'a str,
    /// Nothing tells the unit.
    pub assumed: bool,
    /// How many ticks make one unit.
    pub ticks_per_unit: u64,
}

impl<'a> UnitJson<'a> {
    /// A unit.
    pub fn new(unit: &'a TimeUnit) -> Self {
        Self { name: &unit.name, assumed: unit.assumed, ticks_per_unit: unit.ticks_per_unit }
    }
}

/// A part of time: the window, a slice, a phase.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SpanJson {
    /// Where it begins, in units.
    pub from: f64,
    /// Where it ends, in units.
    pub to: f64,
    /// Where it begins, in ticks.
    pub from_ticks: Ticks,
    /// Where it ends, in ticks.
    pub to_ticks: Ticks,
}

impl SpanJson {
    /// A window.
    pub fn new(unit: &TimeUnit, window: Window) -> Self {
        let Window { from, to } = window;
        Self { from: unit.units(from), to: unit.units(to), from_ticks: from, to_ticks: to }
    }
}

/// A part of time, where times are known at all: absent in answers about numbers that are of no trace.
#[derive(Serialize, Default, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct OptionalSpanJson {
    /// Where it begins, in units.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub from: Option<f64>,
    /// Where it ends, in units.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub to: Option<f64>,
    /// Where it begins, in ticks.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub from_ticks: Option<Ticks>,
    /// Where it ends, in ticks.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub to_ticks: Option<Ticks>,
}

impl OptionalSpanJson {
    pub(crate) fn new(unit: &TimeUnit, window: Window) -> Self {
        let SpanJson { from, to, from_ticks, to_ticks } = SpanJson::new(unit, window);
        Self {
            from: Some(from),
            to: Some(to),
            from_ticks: Some(from_ticks),
            to_ticks: Some(to_ticks),
        }
    }
}

/// What most answers begin with.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HeaderJson<'a> {
    /// The kind of the answer and its version, such as `onca-find/1`.
    pub schema: &'static str,
    /// The unit of all times.
    pub unit: UnitJson<'a>,
    /// The window that was asked about.
    pub window: SpanJson,
    /// Entities had to be looked at one by one; else cumulative sums were enough.
    pub scanned: bool,
}

impl<'a> HeaderJson<'a> {
    /// The header of an answer about a trace.
    pub(crate) fn new(scope: &'a Scope<'_>, schema: &'static str, scanned: bool) -> Self {
        Self::of(&scope.catalog().facts.unit, scope.window(), schema, scanned)
    }

    /// The same for an answer that need not be of a trace.
    pub(crate) fn of(
        unit: &'a TimeUnit,
        window: Window,
        schema: &'static str,
        scanned: bool,
    ) -> Self {
        Self { schema, unit: UnitJson::new(unit), window: SpanJson::new(unit, window), scanned }
    }
}

/// A container or group.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NodeJson<'a> {
    /// Its path from the root.
    pub path: String,
    /// The name of its container type, or what the lens calls its level.
    pub kind: Cow<'a, str>,
}

impl<'a> NodeJson<'a> {
    pub(crate) fn new(scope: &'a Scope<'_>, id: NodeId) -> Self {
        Self { path: scope.path(id), kind: display_text(scope.hierarchy().kind(id)) }
    }
}

/// A value of a type, by name.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ValueNameJson<'a> {
    /// The name of the value.
    pub value: Cow<'a, str>,
    /// The name of its type.
    #[serde(rename = "type")]
    pub type_name: Cow<'a, str>,
}

impl<'a> ValueNameJson<'a> {
    pub(crate) fn new(catalog: &'a Catalog, id: ValueId) -> Self {
        let value = catalog.value(id);
        Self { value: display_text(&value.name), type_name: type_name(catalog, value.type_id) }
    }

    /// A value of the trace, or a number of a derived state.
    pub(crate) fn of_state(scope: &'a Scope<'_>, value: StateValue) -> Self {
        match value {
            StateValue::Trace(id) => Self::new(scope.catalog(), id),
            StateValue::Derived(derived) => Self {
                value: Cow::Owned(derived.number.to_string()),
                type_name: display_text(value.type_name(scope)),
            },
        }
    }
}

/// The name of a type.
pub(crate) fn type_name(catalog: &Catalog, id: TypeId) -> Cow<'_, str> {
    display_text(&catalog.type_def(id).name)
}

/// How many entities a trace has.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CountsJson {
    /// Containers, the root included.
    pub containers: u64,
    /// States.
    pub states: u64,
    /// Links, half links included.
    pub links: u64,
    /// Events.
    pub events: u64,
    /// Intervals of variables.
    pub variables: u64,
}

impl CountsJson {
    /// The counts of a store.
    pub fn new(counts: Counts) -> Self {
        let Counts { containers, states, links, events, variables, .. } = counts;
        Self { containers, states, links, events, variables }
    }
}

/// An extra field that the source declares.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FieldDefJson<'a> {
    /// Its name.
    pub name: Cow<'a, str>,
    /// Its declared type.
    #[serde(rename = "type")]
    pub kind: String,
}

impl<'a> FieldDefJson<'a> {
    /// A declared field.
    pub fn new(field: &'a FieldDef) -> Self {
        let kind = format!("{:?}", field.kind).to_lowercase();
        Self { name: display_text(&field.name), kind }
    }
}

/// An extra field of an entity. Both halves of a link may have one of the same name.
#[derive(Serialize, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ExtraJson<'a> {
    /// The name of the field.
    pub name: Cow<'a, str>,
    /// What it holds.
    pub text: Cow<'a, str>,
}

impl<'a> ExtraJson<'a> {
    /// The fields of a packed list.
    pub fn list(catalog: &'a Catalog, packed: &'a [u8]) -> Vec<Self> {
        let named = |name: Cow<'a, [u8]>| match name {
            Cow::Borrowed(name) => display_text(name),
            Cow::Owned(name) => Cow::Owned(display_text(&name).into_owned()),
        };
        let field = |field| named(catalog.field_name(field));
        let extras = extra_fields(packed);
        extras.map(|one| Self { name: field(one.field), text: display_text(one.text) }).collect()
    }
}

/// Words that fields hold, as types of a page.
#[cfg(feature = "typescript")]
pub mod words {
    use onca_aggregate::statistics::Odd as OddSide;
    use onca_model::{Nature as NatureOf, Severity as SeverityOf};
    use onca_query::ColorSource;
    use onca_store::Measure as MeasureOf;
    use ts_rs::{Config, TS};

    use crate::inspect::{Direction, Kind};
    use crate::measure_name;

    macro_rules! words {
        ($($(#[$doc:meta])* $name:ident = $words:expr;)*) => {$(
            $(#[$doc])*
            #[derive(Debug)]
            pub enum $name {}

            impl TS for $name {
                type WithoutGenerics = Self;
                type OptionInnerType = Self;

                fn name(_: &Config) -> String {
                    stringify!($name).to_owned()
                }

                fn inline(_: &Config) -> String {
                    $words.map(|word| format!("\"{word}\"")).join(" | ")
                }

                fn decl(config: &Config) -> String {
                    format!("type {} = {};", Self::name(config), Self::inline(config))
                }

                fn output_path() -> Option<std::path::PathBuf> {
                    Some(format!("{}.ts", stringify!($name)).into())
                }
            }
        )*};
    }

    words! {
        /// What a type is a type of.
        Nature = NatureOf::ALL.map(NatureOf::name);
        /// How bad a problem is.
        Severity = SeverityOf::ALL.map(SeverityOf::name);
        /// Who chose a colour.
        ColorFrom = ColorSource::ALL.map(ColorSource::name);
        /// Whether states that have others inside count in full.
        Measure = [MeasureOf::Exclusive, MeasureOf::Inclusive].map(measure_name);
        /// What is inspected.
        InspectKind = [
            Kind::Entity(NatureOf::State),
            Kind::Entity(NatureOf::Link),
            Kind::Entity(NatureOf::Event),
            Kind::Entity(NatureOf::Variable),
            Kind::Container,
            Kind::Aggregate,
            Kind::Value,
        ]
        .map(Kind::name);
        /// On which side of the others a container is.
        Odd = OddSide::ALL.map(OddSide::name);
        /// Whether a link begins or ends there.
        LinkDirection = [Direction::In, Direction::Out].map(Direction::name);
        /// Where a nested state is.
        Relation = ["around", "inside"];
        /// What traffic is measured in.
        TrafficWeight = ["size", "count"];
    }
}

/// What ts-rs cannot derive: to a page a list is an array, and a number a number.
#[cfg(feature = "typescript")]
mod typescript {
    use ts_rs::{Config, Dummy, TS, TypeVisitor};

    use super::{List, Number};

    impl<T: TS> TS for List<'_, T> {
        type WithoutGenerics = Vec<Dummy>;
        type OptionInnerType = Self;

        fn ident(config: &Config) -> String {
            Vec::<T>::ident(config)
        }

        fn name(config: &Config) -> String {
            Vec::<T>::name(config)
        }

        fn inline(config: &Config) -> String {
            Vec::<T>::inline(config)
        }

        fn visit_dependencies(visitor: &mut impl TypeVisitor)
        where
            Self: 'static,
        {
            Vec::<T>::visit_dependencies(visitor);
        }

        fn visit_generics(visitor: &mut impl TypeVisitor)
        where
            Self: 'static,
        {
            Vec::<T>::visit_generics(visitor);
        }
    }

    impl TS for Number {
        type WithoutGenerics = Self;
        type OptionInnerType = Self;

        fn name(config: &Config) -> String {
            i64::name(config)
        }

        fn inline(config: &Config) -> String {
            i64::inline(config)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(answer: &impl Serialize) -> String {
        serde_json::to_string(answer).expect("JSON")
    }

    #[test]
    fn numbers_are_whole_as_far_as_readers_take_them() {
        let (max, min) = (i128::from(i64::MAX), i128::from(i64::MIN));
        for (number, sum, integer) in [
            (7, "7", "7"),
            (max, "9223372036854775807", "9223372036854775807"),
            (max + 1, "9.223372036854776e+18", "9223372036854775808"),
            (i128::from(u64::MAX), "1.8446744073709552e+19", "18446744073709551615"),
            (i128::from(u64::MAX) + 1, "1.8446744073709552e+19", "1.8446744073709552e+19"),
            (min, "-9223372036854775808", "-9223372036854775808"),
            (min - 1, "-9.223372036854776e+18", "-9.223372036854776e+18"),
        ] {
            assert_eq!(text(&Number::sum(number)), sum, "{number}");
            assert_eq!(text(&Number::integer(number)), integer, "{number}");
        }
        assert_eq!(text(&Number::Real(7.0)), "7.0");
        assert_eq!(text(&Number::Real(f64::NAN)), "null");
    }

    #[test]
    fn a_list_can_be_written_again() {
        let list = List::new([1, 2, 3].iter().map(|number| number * 2));
        assert_eq!((text(&list), text(&list)), ("[2,4,6]".to_owned(), "[2,4,6]".to_owned()));
        assert_eq!(text(&List::<u8>::new([].into_iter())), "[]");
    }
}
