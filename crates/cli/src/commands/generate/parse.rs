//! Options that are more than a number or a word.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use onca_generate::pattern::Pattern;
use onca_generate::{Side, SlowRoute, TICKS_PER_UNIT, hierarchy, iterative};

pub(super) fn pattern_parser() -> impl TypedValueParser<Value = Pattern> {
    PossibleValuesParser::new(Pattern::ALL.map(Pattern::name))
        .try_map(|name| name.parse::<Pattern>())
}

pub(super) fn parse_level(text: &str) -> Result<hierarchy::Level, String> {
    let (name, branching) = text.rsplit_once(':').ok_or("a level is written NAME:N")?;
    let branching = parse("branching factor", branching)?;
    Ok(hierarchy::Level { name: name.to_owned(), branching })
}

pub(super) fn parse_slow_node(text: &str) -> Result<iterative::SlowNode, String> {
    let parts: Vec<&str> = text.split(':').collect();
    let (machine, factor, interval) = match parts[..] {
        [machine] => (machine, "2", None),
        [machine, factor] => (machine, factor, None),
        [machine, factor, from, to] => {
            (machine, factor, Some((parse_ticks(from)?, parse_ticks(to)?)))
        }
        _ => {
            return Err(
                "a slow node is written MACHINE, MACHINE:FACTOR or MACHINE:FACTOR:T0:T1".to_owned()
            );
        }
    };
    // Both the number and the name that stands in the trace are understood.
    let machine = machine.strip_prefix("machine-").unwrap_or(machine);
    Ok(iterative::SlowNode {
        machine: parse("machine", machine)?,
        factor: parse("factor", factor)?,
        interval_ticks: interval,
    })
}

pub(super) fn parse_burst(text: &str) -> Result<iterative::Burst, String> {
    let parts: Vec<&str> = text.split(':').collect();
    let (from, to, share, factor) = match parts[..] {
        [from, to, share] => (from, to, share, "2"),
        [from, to, share, factor] => (from, to, share, factor),
        _ => return Err("a burst is written T0:T1:SHARE or T0:T1:SHARE:FACTOR".to_owned()),
    };
    Ok(iterative::Burst {
        from_ticks: parse_ticks(from)?,
        to_ticks: parse_ticks(to)?,
        share: parse("share", share)?,
        factor: parse("factor", factor)?,
    })
}

pub(super) fn parse_checkpoint(text: &str) -> Result<iterative::Checkpoint, String> {
    let parts: Vec<&str> = text.split(':').collect();
    let (after, steps, factor) = match parts[..] {
        [after, steps] => (after, steps, "1"),
        [after, steps, factor] => (after, steps, factor),
        _ => return Err("a checkpoint is written AFTER:STEPS or AFTER:STEPS:FACTOR".to_owned()),
    };
    Ok(iterative::Checkpoint {
        after: parse("number of iterations", after)?,
        steps: parse("number of steps", steps)?,
        factor: parse("factor", factor)?,
    })
}

/// `NUMBER:FACTOR`, the number perhaps after a word such as `rank-`.
pub(super) fn parse_times(
    word: &'static str,
) -> impl Fn(&str) -> Result<(u32, f64), String> + Clone {
    move |text| {
        let (number, factor) = text.split_once(':').unwrap_or((text, "2"));
        let number = number.strip_prefix(word).unwrap_or(number);
        Ok((parse("number", number)?, parse("factor", factor)?))
    }
}

pub(super) fn parse_slow_link(text: &str) -> Result<SlowRoute, String> {
    let (sides, factor) =
        text.rsplit_once(':').ok_or("a slow link is written A,B:FACTOR or A:FACTOR")?;
    let side = |text: &str| match text.strip_prefix("cluster-") {
        Some(number) => Ok(Side::Cluster(parse("cluster", number)?)),
        None => {
            let number = text.strip_prefix("machine-").unwrap_or(text);
            parse("machine", number).map(Side::Machine)
        }
    };
    let (one, other) = match sides.split_once(',') {
        Some((one, other)) => (side(one)?, Some(side(other)?)),
        None => (side(sides)?, None),
    };
    Ok(SlowRoute { side: one, other, factor: parse("factor", factor)? })
}

fn parse<T: std::str::FromStr>(what: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{text:?} is no {what}"))
}

/// Seconds to ticks. A quarter of the range of the clock is far more than any run, and safe to calculate with.
pub(super) fn parse_ticks(text: &str) -> Result<i64, String> {
    let seconds: f64 = parse("number of seconds", text)?;
    let ticks = (seconds * TICKS_PER_UNIT as f64).round();
    match (0.0..=(i64::MAX / 4) as f64).contains(&ticks) {
        true => Ok(ticks as i64),
        false => Err(format!("{text:?} is no number of seconds that a trace can hold")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_nodes_are_understood() {
        let node = |machine, factor, interval_ticks| iterative::SlowNode {
            machine,
            factor,
            interval_ticks,
        };
        assert_eq!(parse_slow_node("3"), Ok(node(3, 2.0, None)));
        assert_eq!(parse_slow_node("machine-3:1.5"), Ok(node(3, 1.5, None)));
        let interval = Some((1_500_000_000, 2_000_000_000));
        assert_eq!(parse_slow_node("3:4:1.5:2"), Ok(node(3, 4.0, interval)));
        assert!(parse_slow_node("3:4:1.5").is_err());
        assert!(parse_slow_node("three").is_err());
    }

    #[test]
    fn slow_links_are_understood() {
        let both = SlowRoute { side: Side::Machine(3), other: Some(Side::Cluster(2)), factor: 8.0 };
        assert_eq!(parse_slow_link("machine-3,cluster-2:8"), Ok(both));
        let uplink = SlowRoute { side: Side::Machine(3), other: None, factor: 1.5 };
        assert_eq!(parse_slow_link("3:1.5"), Ok(uplink));
        assert!(parse_slow_link("3").is_err());
        assert!(parse_slow_link("rack-3:2").is_err());
        assert_eq!(parse_times("rank-")("rank-7:1.5"), Ok((7, 1.5)));
        assert_eq!(parse_times("rank-")("7"), Ok((7, 2.0)));
    }

    #[test]
    fn bursts_are_understood() {
        let burst = |factor| iterative::Burst {
            from_ticks: 1_000_000_000,
            to_ticks: 2_000_000_000,
            share: 0.25,
            factor,
        };
        assert_eq!(parse_burst("1:2:0.25"), Ok(burst(2.0)));
        assert_eq!(parse_burst("1:2:0.25:3"), Ok(burst(3.0)));
        assert!(parse_burst("1:2").is_err());
        assert!(parse_burst("-1:2:0.5").is_err());
    }
}
