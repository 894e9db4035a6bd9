//! What follows from options being arguments: the flags that say the same, which values are
//! refused, and what a page can offer.

use std::any::TypeId;
use std::error::Error;

use clap::builder::ValueRange;
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgAction, Command};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{ViewOptions, fields};

fn command<O: ViewOptions>() -> Command {
    let mut command = O::augment_args(Command::new("view").no_binary_name(true));
    command.build();
    command
}

/// The flags that ask for the same; none for what is the default anyway, or for what no flag says.
pub(crate) fn flags<O: ViewOptions>(options: &O) -> Vec<String> {
    flags_of(&command::<O>(), &fields(options), &fields(&O::default()))
}

fn flags_of(
    command: &Command,
    own: &Map<String, Value>,
    usual: &Map<String, Value>,
) -> Vec<String> {
    let mut flags = Vec::new();
    for arg in command.get_arguments() {
        let name = arg.get_id().as_str();
        let (Some(own), Some(long)) = (find(own, name), arg.get_long()) else { continue };
        if find(usual, name) != Some(own) {
            flags.extend(flag(arg, long, own));
        }
    }
    flags
}

/// A field by its name, wherever it is: parts of options may be objects of their own.
fn find<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    fields.get(name).or_else(|| {
        let parts = fields.values().filter_map(Value::as_object);
        parts.filter_map(|part| find(part, name)).next()
    })
}

fn flag(arg: &Arg, long: &str, value: &Value) -> Vec<String> {
    if !arg.get_action().takes_values() {
        return vec![format!("--{long}")];
    }
    let text = |value: &Value| match value {
        Value::String(text) => format!("--{long}={text}"),
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            // JSON writes whole ones with a point.
            Some(real) => format!("--{long}={real}"),
            None => format!("--{long}={number}"),
        },
        other => format!("--{long}={other}"),
    };
    match value {
        Value::Null => Vec::new(),
        Value::Array(values) => values.iter().map(text).collect(),
        value => vec![text(value)],
    }
}

/// Refuses by name what a command would refuse: values outside a range, what does not go together.
pub(crate) fn checked<O: ViewOptions>(options: O) -> Result<O, String> {
    let command = command::<O>();
    let flags = flags_of(&command, &fields(&options), &fields(&O::default()));
    match command.clone().try_get_matches_from(flags) {
        Ok(_) => Ok(options),
        Err(error) => Err(in_names(&command, &error)),
    }
}

/// The error in the names of fields.
fn in_names(command: &Command, error: &clap::Error) -> String {
    let name = |kind: ContextKind| {
        let Some(ContextValue::String(shown)) = error.get(kind) else { return None };
        let arg = command.get_arguments().find(|arg| arg.to_string() == *shown)?;
        Some(arg.get_id().to_string())
    };
    match (name(ContextKind::InvalidArg), name(ContextKind::PriorArg), error.source()) {
        (Some(name), Some(other), _) => format!("{name}: it does not go together with {other}"),
        (Some(name), None, Some(why)) => format!("{name}: {why}"),
        _ => {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            first.trim_start_matches("error: ").to_owned()
        }
    }
}

/// An option of a view, for those who offer it.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct OptionInfo {
    /// What requests call it.
    pub name: String,
    /// The flag of the command.
    pub flag: String,
    /// What it does, in a sentence.
    pub help: String,
    /// What can be chosen.
    pub kind: OptionKind,
    /// What holds where nothing is chosen; null where the view chooses.
    #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
    pub default: Value,
}

/// What can be chosen of an option.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum OptionKind {
    /// On or off.
    Switch,
    /// One of some words.
    Choice {
        /// The words, each with what it means.
        choices: Vec<Choice>,
    },
    /// A number.
    Number,
    /// A text.
    Text,
    /// Several texts.
    Texts,
}

/// A word that can be chosen.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "OptionChoice"))]
pub struct Choice {
    /// The word.
    pub name: String,
    /// What it means.
    pub help: String,
}

/// All options of a view.
pub fn described<O: ViewOptions>() -> Vec<OptionInfo> {
    let usual = fields(&O::default());
    let command = command::<O>();
    let describe = |arg: &Arg| {
        let default = match arg.get_action() {
            ArgAction::SetTrue => Value::Bool(false),
            ArgAction::SetFalse => Value::Bool(true),
            _ => find(&usual, arg.get_id().as_str())?.clone(),
        };
        Some(OptionInfo {
            name: arg.get_id().to_string(),
            flag: arg.get_long()?.to_owned(),
            help: arg.get_help().map(ToString::to_string).unwrap_or_default(),
            kind: kind(arg, &default),
            default,
        })
    };
    command.get_arguments().filter_map(describe).collect()
}

fn kind(arg: &Arg, default: &Value) -> OptionKind {
    if !arg.get_action().takes_values() {
        return OptionKind::Switch;
    }
    let choice = |value: clap::builder::PossibleValue| Choice {
        name: value.get_name().to_owned(),
        help: value.get_help().map(ToString::to_string).unwrap_or_default(),
    };
    let choices: Vec<Choice> = arg.get_possible_values().into_iter().map(choice).collect();
    // One that can be given with and without a word is a switch that the view may choose itself.
    if choices.iter().map(|choice| choice.name.as_str()).eq(["true", "false"]) {
        return OptionKind::Switch;
    }
    let is_number = takes_numbers(arg);
    let takes_several = default.is_array()
        || arg
            .get_num_args()
            .is_some_and(|range| range.max_values() > ValueRange::SINGLE.max_values());
    match (choices.is_empty(), takes_several, is_number) {
        (false, ..) => OptionKind::Choice { choices },
        (_, true, _) => OptionKind::Texts,
        (_, _, true) => OptionKind::Number,
        _ => OptionKind::Text,
    }
}

/// Is what an argument is read into a number?
fn takes_numbers(arg: &Arg) -> bool {
    let read = arg.get_value_parser().type_id();
    [TypeId::of::<f64>(), TypeId::of::<u32>(), TypeId::of::<u64>(), TypeId::of::<usize>()]
        .into_iter()
        .any(|number| read == number)
}
