//! What is wrong with a source, as text and as JSON.

use std::io::{self, Write};
use std::path::PathBuf;

use onca_model::{Code, Diagnostic, Diagnostics, Position, Severity};
use serde::Serialize;

use onca_program::format::{count_of, grouped, shown};

/// How many problems of one kind are printed.
const SHOWN_PER_CODE: usize = 5;

/// The place and the text of a problem: `file:line:column: severity[code]: message`, or
/// `file:offset N` where there are no lines.
pub fn line(problem: &Diagnostic, files: &[PathBuf]) -> String {
    let file = files.get(problem.position.part as usize).map_or("-".to_owned(), |file| shown(file));
    let Position { line, column, offset, .. } = problem.position;
    let place = match (line, column, offset) {
        (_, _, Some(offset)) => format!("{file}:offset {offset}"),
        (0, _, None) => file,
        (line, 0, None) => format!("{file}:{line}"),
        (line, column, None) => format!("{file}:{line}:{column}"),
    };
    let (severity, code) = (problem.severity.name(), problem.code.name());
    format!("{place}: {severity}[{code}]: {}", problem.message)
}

/// Prints the first problems of each kind in file order, and how many more there are.
pub fn list(out: &mut impl Write, problems: &Diagnostics, files: &[PathBuf]) -> io::Result<()> {
    let mut shown: Vec<&Diagnostic> =
        problems.iter().flat_map(|(_, tally)| tally.samples.iter().take(SHOWN_PER_CODE)).collect();
    shown.sort_by_key(|problem| problem.position);
    for problem in shown {
        writeln!(out, "{}", line(problem, files))?;
        if let Some(hint) = &problem.hint {
            writeln!(out, "  note: {hint}")?;
        }
    }
    for (code, tally) in problems.iter() {
        let more = tally.count - (tally.samples.len().min(SHOWN_PER_CODE) as u64).min(tally.count);
        if more > 0 {
            writeln!(out, "{}[{}]: {} more", tally.severity.name(), code.name(), grouped(more))?;
        }
    }
    Ok(())
}

/// One line about all problems, or none if there is nothing to say.
pub fn summary(problems: &Diagnostics, lost: u64, what: &str) -> Option<String> {
    let counts: Vec<String> = [Severity::Fatal, Severity::Error, Severity::Warning, Severity::Note]
        .into_iter()
        .map(|severity| (severity, problems.count_of(severity)))
        .filter(|&(_, count)| count > 0)
        .map(|(severity, count)| count_of(count, severity.name()))
        .collect();
    if counts.is_empty() {
        return None;
    }
    let lost =
        if lost > 0 { format!(" ({} lost)", count_of(lost, "record")) } else { String::new() };
    let count = |code: Code| problems.get(code).map_or(0, |tally| tally.count);
    let repaired = match (count(Code::LinkRepaired), count(Code::LinkRepairAmbiguous)) {
        (0, _) => String::new(),
        (links, 0) => format!("; {} repaired", count_of(links, "link")),
        (links, several) => {
            format!(
                "; {} repaired, {} of them ambiguous",
                count_of(links, "link"),
                grouped(several)
            )
        }
    };
    Some(format!("{} in {what}{lost}{repaired}", counts.join(", ")))
}

/// A kind of problem in JSON.
#[derive(Serialize)]
pub struct JsonProblem {
    code: &'static str,
    severity: &'static str,
    count: u64,
    file: Option<String>,
    line: u64,
    column: u32,
    /// Left out where there are lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    message: String,
    hint: Option<String>,
}

/// All problems in JSON, each kind with its first occurrence.
pub fn json(problems: &Diagnostics, files: &[PathBuf]) -> Vec<JsonProblem> {
    problems
        .iter()
        .map(|(code, tally)| {
            let first = tally.samples.iter().min_by_key(|problem| problem.position);
            let position = first.map(|problem| problem.position).unwrap_or_default();
            JsonProblem {
                code: code.name(),
                severity: tally.severity.name(),
                count: tally.count,
                file: files.get(position.part as usize).map(|file| shown(file)),
                line: position.line,
                column: position.column,
                offset: position.offset,
                message: first.map(|problem| problem.message.clone()).unwrap_or_default(),
                hint: first.and_then(|problem| problem.hint.clone()),
            }
        })
        .collect()
}
