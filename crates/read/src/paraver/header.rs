//! The first line of a trace: its unit, its processors, and its applications.

use crate::reading::ReadError;

/// More threads than this are taken for damage.
const MAX_THREADS: u64 = 1 << 22;

/// A task: how many threads it has, and on which node, from 1; 0 where that is not told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Task {
    pub n_threads: u32,
    pub node: u32,
}

/// What the first line says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Header {
    /// Ticks of the trace to a second.
    pub ticks_per_second: u64,
    /// The tasks of each application.
    pub applications: Vec<Vec<Task>>,
}

/// Is this the first line of a trace?
pub(super) fn is_header(line: &[u8]) -> bool {
    line.get(..8).is_some_and(|start| start.eq_ignore_ascii_case(b"#Paraver"))
}

impl Header {
    /// Reads the line `#Paraver (date):end_unit:resources:n:applications,n`.
    pub fn parse(line: &[u8]) -> Result<Self, ReadError> {
        let wrong = |what: &str| ReadError::Invalid(format!("the header of the trace: {what}"));
        let text = std::str::from_utf8(line).map_err(|_| wrong("it is no text"))?.trim();
        // The date has colons, too.
        let (_, rest) = text.split_once("):").ok_or_else(|| wrong("the date has no end"))?;
        let mut parts = rest.splitn(2, ':');
        let end = parts.next().unwrap_or_default();
        let ticks_per_second = match end.trim_start_matches(|c: char| c.is_ascii_digit()).trim() {
            "_ns" => 1_000_000_000,
            "" | "_us" => 1_000_000,
            "_ms" => 1_000,
            _ => return Err(wrong("its unit is none of ns, us and ms")),
        };
        let rest = parts.next().ok_or_else(|| wrong("the resources are missing"))?;
        let (_, rest) = split_resources(rest).ok_or_else(|| wrong("the resources have no end"))?;
        let (_, rest) =
            rest.split_once(':').ok_or_else(|| wrong("the applications are missing"))?;
        let applications = parse_applications(rest).map_err(wrong)?;
        Ok(Self { ticks_per_second, applications })
    }
}

/// Parts the resources, `0`, `n` or `n(m,m,…)`, from what follows.
fn split_resources(text: &str) -> Option<(&str, &str)> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let end = match text.as_bytes()[digits] {
        b'(' => text.find(')')? + 1,
        _ => digits,
    };
    let rest = text[end..].strip_prefix(':')?;
    Some((&text[..end], rest))
}

/// Reads `n(threads:node,…)` of every application; they are parted by commas or colons. A number
/// alone at the end is that of the communicators.
fn parse_applications(mut text: &str) -> Result<Vec<Vec<Task>>, &'static str> {
    let mut applications = Vec::new();
    let mut n_threads = 0;
    while let Some(open) = text.find('(') {
        let close = text.find(')').filter(|&close| close > open);
        let close = close.ok_or("an application has no end")?;
        let tasks = parse_tasks(&text[open + 1..close])?;
        n_threads += tasks.iter().map(|task| u64::from(task.n_threads)).sum::<u64>();
        if n_threads > MAX_THREADS {
            return Err("it tells of more than four million threads");
        }
        applications.push(tasks);
        text = &text[close + 1..];
    }
    match applications.is_empty() {
        true => Err("it tells of no application"),
        false => Ok(applications),
    }
}

fn parse_tasks(text: &str) -> Result<Vec<Task>, &'static str> {
    let task = |task: &str| {
        let (threads, node) = task.split_once(':').unwrap_or((task, "0"));
        let number = |text: &str| text.trim().parse::<u32>();
        match (number(threads), number(node)) {
            (Ok(n_threads), Ok(node)) => Ok(Task { n_threads, node }),
            _ => Err("a task is not told as threads:node"),
        }
    };
    match text.trim() {
        "" => Ok(Vec::new()),
        text => text.split(',').map(task).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks(tasks: &[(u32, u32)]) -> Vec<Task> {
        tasks.iter().map(|&(n_threads, node)| Task { n_threads, node }).collect()
    }

    #[test]
    fn headers_of_all_shapes_are_read() {
        let parse = |text: &str| Header::parse(text.as_bytes()).map_err(|error| error.to_string());
        let told = "#Paraver (15/11/2026 at 10:00):1000_ns:2(2,2):2:2(2:1,1:2),1(1:2),3";
        let expected = Header {
            ticks_per_second: 1_000_000_000,
            applications: vec![tasks(&[(2, 1), (1, 2)]), tasks(&[(1, 2)])],
        };
        assert_eq!(parse(told), Ok(expected.clone()));
        let colons = "#Paraver (15/11/2026 at 10:00):1000_ns:2(2,2):2:2(2:1,1:2):1(1:2)";
        assert_eq!(parse(colons), Ok(expected));
        let old = "#Paraver (26/01/04 at 16:35):260199:4:1:4(1:1,1:2,1:3,1:4),8";
        assert_eq!(parse(old).map(|header| header.ticks_per_second), Ok(1_000_000));
        let unplaced = "#PARAVER (1/1/20):9_us:0:1:1(3:0)\r";
        assert_eq!(parse(unplaced).map(|header| header.applications), Ok(vec![tasks(&[(3, 0)])]));
    }

    #[test]
    fn damaged_headers_are_refused() {
        for damaged in [
            "#Paraver",
            "#Paraver (1/1/20):9_us",
            "#Paraver (1/1/20):9_parsec:0:1:1(1:1)",
            "#Paraver (1/1/20):9_us:2(2,2:1:1(1:1)",
            "#Paraver (1/1/20):9_us:0:1:1(1:1",
            "#Paraver (1/1/20):9_us:0:1:",
            "#Paraver (1/1/20):9_us:0:1:1(x:1)",
            "#Paraver (1/1/20):9_us:0:1:1(4294967295:1)",
        ] {
            assert!(Header::parse(damaged.as_bytes()).is_err(), "{damaged}");
        }
    }
}
