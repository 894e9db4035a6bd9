//! What views can be asked for, described once.
//!
//! Each view has one struct of options. Its fields are what a request calls them; with the feature
//! `clap` they are arguments of a command too, whose documentation, ranges and conflicts hold for
//! requests as well. What several views have in common stands here.

#[cfg(feature = "clap")]
mod arguments;
mod layout;
mod level;
mod measure;
mod messages;
mod nodes;
mod partition;
mod window;

use std::fmt::Debug;

use onca_query::Scope;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

#[cfg(feature = "clap")]
use arguments::checked;
#[cfg(feature = "clap")]
pub(crate) use arguments::flags;
#[cfg(feature = "clap")]
pub use arguments::{OptionInfo, OptionKind, described};
pub use layout::{EdgeMetric, LayoutName, LayoutOptions, NetworkOptions, RoutingName};
pub use level::LevelOptions;
pub use measure::{Border, By, End, MeasureOptions, Mode};
pub use messages::{LinkageName, MessageOptions, Middles, PhaseOptions};
pub use nodes::NodeName;
pub use partition::{AreasName, AxisName, GainName, PartitionOptions, RuleName};
pub use window::AgainstOptions;

/// Arguments of a command, where commands are known.
#[cfg(feature = "clap")]
pub trait Arguments: clap::Args {}
#[cfg(feature = "clap")]
impl<T: clap::Args> Arguments for T {}

/// Arguments of a command, where commands are known.
#[cfg(not(feature = "clap"))]
pub trait Arguments {}
#[cfg(not(feature = "clap"))]
impl<T> Arguments for T {}

/// What a view can be asked for.
///
/// Without any field, and without any argument, it is the default. All fields are written, so that
/// the names of a default are all that there are.
pub trait ViewOptions:
    Arguments
    + Clone
    + Default
    + PartialEq
    + Debug
    + Serialize
    + DeserializeOwned
    + Send
    + Sync
    + 'static
{
    /// The same for somebody else: what only a running server understands, such as the number of a
    /// node, is written as people write it.
    fn portable(&self, _scope: &Scope<'_>) -> Self {
        self.clone()
    }
}

/// The fields of a struct of options, or of a part of it.
pub(crate) fn fields(options: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(options) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

/// Reads the options of a view from the fields of a request. What is unknown, of another kind, out of
/// range, or does not go together, is refused by its name.
pub fn parse<O: ViewOptions>(view: &str, fields: Map<String, Value>) -> Result<O, String> {
    let options = read(view, fields)?;
    #[cfg(feature = "clap")]
    let options = checked(options)?;
    Ok(options)
}

fn read<O: ViewOptions>(view: &str, asked: Map<String, Value>) -> Result<O, String> {
    let known = fields(&O::default());
    if let Some(name) = asked.keys().find(|name| !known.contains_key(*name)) {
        let names: Vec<&str> = known.keys().map(String::as_str).collect();
        let known = match names.is_empty() {
            true => "none".to_owned(),
            false => names.join(", "),
        };
        return Err(format!("{name}: the {view} has no such option; it has {known}"));
    }
    let parsed = |fields: Map<String, Value>| serde_json::from_value::<O>(Value::Object(fields));
    parsed(asked.clone()).map_err(|error| {
        // The error does not name the field; on its own, only a wrong one is refused.
        let is_wrong = |(name, value): &(&String, &Value)| {
            parsed(Map::from_iter([((*name).clone(), (*value).clone())])).is_err()
        };
        match asked.iter().find(is_wrong) {
            Some((name, _)) => format!("{name}: {error}"),
            None => error.to_string(),
        }
    })
}
