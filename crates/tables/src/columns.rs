//! The columns of the tables of entities.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use onca_model::Nature;

use crate::extras::ExtraField;
use crate::names::name_type;

/// What a column of a table of entities shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Column {
    /// The number of the container; of a link, of the container that owns it.
    ContainerId,
    /// Its name.
    Container,
    /// The name of the type.
    Type,
    /// How deep the state is nested; 0 is outermost.
    Depth,
    /// When it starts, in units of the trace.
    Start,
    /// When it ends, in units of the trace.
    End,
    /// From start to end, in units of the trace.
    Duration,
    /// When it starts, in ticks.
    TickStart,
    /// When it ends, in ticks.
    TickEnd,
    /// From start to end, in ticks.
    DurationTicks,
    /// The ticks in which no nested state is open.
    ExclusiveTicks,
    /// The value of a state, event or link.
    Value,
    /// The value of a variable.
    Number,
    /// The value of the state around it.
    ParentValue,
    /// Was it still open when the trace ended?
    OpenEnded,
    /// The number of the container that a link comes from.
    SourceId,
    /// Its name.
    Source,
    /// The number of the container that a link goes to.
    DestinationId,
    /// Its name.
    Destination,
    /// The bytes of a message.
    Size,
    /// What tied the two ends of a link together.
    Key,
    /// The extra field with this number.
    Extra(usize),
}

use Column::{
    Container, ContainerId, Depth, Destination, DestinationId, Duration, DurationTicks, End,
    ExclusiveTicks, Extra, Key, Number, OpenEnded, ParentValue, Size, Source, SourceId, Start,
    TickEnd, TickStart, Type, Value,
};

const STATES: &[(&str, Column)] = &[
    ("container_id", ContainerId),
    ("container", Container),
    ("type", Type),
    ("value", Value),
    ("t_start", Start),
    ("t_end", End),
    ("duration", Duration),
    ("tick_start", TickStart),
    ("tick_end", TickEnd),
    ("duration_ticks", DurationTicks),
    ("exclusive_ticks", ExclusiveTicks),
    ("depth", Depth),
    ("parent_value", ParentValue),
    ("open_ended", OpenEnded),
];

const LINKS: &[(&str, Column)] = &[
    ("container_id", ContainerId),
    ("container", Container),
    ("type", Type),
    ("value", Value),
    ("t_start", Start),
    ("t_end", End),
    ("duration", Duration),
    ("tick_start", TickStart),
    ("tick_end", TickEnd),
    ("duration_ticks", DurationTicks),
    ("source_id", SourceId),
    ("source", Source),
    ("destination_id", DestinationId),
    ("destination", Destination),
    ("size", Size),
    ("key", Key),
];

const EVENTS: &[(&str, Column)] = &[
    ("container_id", ContainerId),
    ("container", Container),
    ("type", Type),
    ("value", Value),
    ("time", Start),
    ("tick", TickStart),
];

const VARIABLES: &[(&str, Column)] = &[
    ("container_id", ContainerId),
    ("container", Container),
    ("type", Type),
    ("value", Number),
    ("t_start", Start),
    ("t_end", End),
    ("duration", Duration),
    ("tick_start", TickStart),
    ("tick_end", TickEnd),
    ("duration_ticks", DurationTicks),
];

impl Column {
    fn data_type(self, extras: &[ExtraField]) -> DataType {
        match self {
            ContainerId | SourceId | DestinationId => DataType::UInt32,
            Container | Type | Value | ParentValue | Source | Destination => name_type(),
            Depth => DataType::UInt16,
            Start | End | Duration | Number => DataType::Float64,
            TickStart | TickEnd | DurationTicks | ExclusiveTicks => DataType::Int64,
            Size => DataType::UInt64,
            OpenEnded => DataType::Boolean,
            Key => DataType::Utf8,
            Extra(index) => extras[index].data_type(),
        }
    }

    fn is_nullable(self) -> bool {
        matches!(
            self,
            ParentValue | SourceId | Source | DestinationId | Destination | Size | Extra(_)
        )
    }

    /// Does it have one value for all rows of a lane?
    pub fn is_of_lane(self) -> bool {
        matches!(self, ContainerId | Container | Type | Depth)
    }

    /// How it gives a time of the row, if it does.
    pub fn time(self) -> Option<TimeForm> {
        match self {
            Start | End => Some(TimeForm::Units),
            TickStart | TickEnd => Some(TimeForm::Ticks),
            _ => None,
        }
    }
}

/// How a column gives a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeForm {
    /// As a number of the trace's units.
    Units,
    /// As an integer.
    Ticks,
}

/// The columns of the table of one kind of entity: those of its own, then the extra fields.
pub(crate) fn columns_of(nature: Nature, extras: &[ExtraField]) -> (Vec<Column>, SchemaRef) {
    let own = match nature {
        Nature::State => STATES,
        Nature::Link => LINKS,
        Nature::Event => EVENTS,
        Nature::Variable => VARIABLES,
        Nature::Container => &[],
    };
    let extra = extras.iter().enumerate().map(|(index, field)| (&*field.column, Extra(index)));
    let named: Vec<(&str, Column)> = own.iter().copied().chain(extra).collect();
    let fields = named
        .iter()
        .map(|&(name, column)| Field::new(name, column.data_type(extras), column.is_nullable()));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    (named.into_iter().map(|(_, column)| column).collect(), schema)
}
