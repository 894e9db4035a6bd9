//! Numbers and names on a terminal; what figures need as well is in `onca_model::format`.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use onca_model::printable;

pub use onca_model::format::{
    byte_size, count_of, exact_time, grouped, parse_size, percent, rounded, rounded_time, shortened,
};

/// A bar of block characters for a share of 1.
pub fn bar(share: f64, width: usize) -> String {
    const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    let eighths = (share.clamp(0.0, 1.0) * width as f64 * 8.0).round() as usize;
    let mut bar = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        bar.push(EIGHTHS[eighths % 8]);
    }
    bar
}

/// A path in a hierarchy of at most `width` characters. What stands between the first name and the last ones that fit gives way
/// to a mark; if that is not enough, the first name does too, then the beginning of the last.
pub fn shortened_path(path: &str, width: usize) -> String {
    let length = |text: &str| text.chars().count();
    if length(path) <= width {
        return path.to_owned();
    }
    let slashes: Vec<usize> =
        path.match_indices('/').map(|(at, _)| at).skip_while(|&at| at == 0).collect();
    let first = slashes.first().map_or("", |&end| &path[..end]);
    let heads = [format!("{first}/…"), "…".to_owned()];
    let candidates = heads
        .iter()
        .flat_map(|head| slashes.iter().map(move |&at| format!("{head}{}", &path[at..])));
    candidates.into_iter().find(|text| length(text) <= width).unwrap_or_else(|| {
        let kept = width.saturating_sub(1);
        ['…'].into_iter().chain(path.chars().skip(length(path) - kept)).collect()
    })
}

/// Reads a share such as `0.05` or `5%`.
pub fn parse_share(text: &str) -> Result<f64, String> {
    let (number, divisor) = match text.strip_suffix('%') {
        Some(number) => (number, 100.0),
        None => (text, 1.0),
    };
    let share = number.trim().parse::<f64>().map(|number| number / divisor);
    match share {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("write a share such as 0.01 or 1%".to_owned()),
    }
}

/// A path for a message: names of files may hold anything.
pub fn shown(path: &Path) -> String {
    printable(path.as_os_str().as_bytes()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read() {
        assert_eq!(parse_share("0.25"), Ok(0.25));
        assert_eq!(parse_share("5 %"), Ok(0.05));
        assert!(parse_share("101%").is_err() && parse_share("few").is_err());
    }

    #[test]
    fn shares_become_bars() {
        assert_eq!(bar(0.5, 4), "██");
        assert_eq!(bar(0.03125, 4), "▏");
    }

    #[test]
    fn paths_are_shortened_in_the_middle() {
        let path = "/site-1/cluster-2/machine-13/rank-48";
        for (width, text) in [
            (36, path),
            (35, "/site-1/…/machine-13/rank-48"),
            (28, "/site-1/…/machine-13/rank-48"),
            (27, "/site-1/…/rank-48"),
            (16, "…/rank-48"),
            (8, "…rank-48"),
            (5, "…k-48"),
        ] {
            assert_eq!(shortened_path(path, width), text);
        }
        assert_eq!(shortened_path("/very-long-name", 8), "…ng-name");
        assert_eq!(shortened_path("/a/bb/ccccc/d (4)", 11), "/a/…/d (4)");
    }
}
