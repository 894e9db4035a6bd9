//! The browser of the user.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::NamedTempFile;

/// Opens an address that nobody else may know. Arguments of programs are seen by all users of a
/// machine, so the browser gets the name of a file that only the user can read, which leads there.
/// The file goes when what is returned does. A browser that cannot be opened is no failure: the
/// address was printed.
pub fn open(url: &str) -> Option<NamedTempFile> {
    if !has_screen() {
        return None;
    }
    let page = page(url).ok()?;
    launch(page.path()).ok()?;
    Some(page)
}

/// Without a screen there is only a browser for terminals, which does not run the page.
fn has_screen() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(target_os = "macos") || set("DISPLAY") || set("WAYLAND_DISPLAY")
}

/// A page that leads to an address. Temporary files are the user's alone.
pub fn page(url: &str) -> io::Result<NamedTempFile> {
    let mut page = tempfile::Builder::new().prefix("onca-").suffix(".html").tempfile()?;
    writeln!(
        page,
        "<!doctype html><meta charset=\"utf-8\"><title>Onca</title>\
         <meta name=\"referrer\" content=\"no-referrer\">\
         <meta http-equiv=\"refresh\" content=\"0; url={url}\"><a href=\"{url}\">Onca</a>"
    )?;
    page.flush()?;
    Ok(page)
}

fn launch(page: &Path) -> io::Result<()> {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut child = Command::new(program)
        .arg(page)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    // Somebody must hear that it has ended.
    // Without a thread the browser stays a zombie when it ends before the server.
    let _ = std::thread::Builder::new().spawn(move || child.wait());
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_page_is_for_the_user_alone_and_leads_there() {
        let page = page("http://127.0.0.1:1/?token=abc").unwrap();
        let mode = page.as_file().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let text = std::fs::read_to_string(page.path()).unwrap();
        assert!(text.contains("url=http://127.0.0.1:1/?token=abc"));
    }
}
