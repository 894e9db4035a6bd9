//! What a process takes.

/// The most memory that a process has held so far, in bytes, where the system tells; the process is
/// a number or `self`.
pub fn peak_memory(process: &str) -> Option<u64> {
    status(process, "VmHWM:")
}

/// What this process holds of its own now, in bytes: not what it shares with files.
pub(crate) fn held_memory() -> Option<u64> {
    status("self", "RssAnon:")
}

fn status(process: &str, what: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(what))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
