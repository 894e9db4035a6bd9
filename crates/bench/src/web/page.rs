//! The page in a browser without a screen.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use serde_json::Value;

use super::client::Target;
use onca_program::Failure;

/// What Chromium is called.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// The page measures itself within this time, also on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);
/// No screen, no graphics card, no questions to its maker. The page is drawn by the processor, as where there is no card;
/// only what asks for one by WebGL gets one, of software.
const FLAGS: [&str; 13] = [
    "--headless",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-gpu-compositing",
    "--disable-gpu-rasterization",
    "--disable-accelerated-2d-canvas",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1720,900",
    "--remote-debugging-port=0",
];

/// The browser: the one that was named, else the first that is found.
pub fn find_browser(named: Option<&Path>) -> Option<PathBuf> {
    let named =
        named.map(Path::to_owned).or_else(|| std::env::var_os("ONCA_BROWSER").map(Into::into));
    if named.is_some() {
        return named;
    }
    let folders = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&folders).collect();
    let places = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    places.into_iter().find(|place| place.is_file())
}

/// Opens the page, which measures itself and tells.
pub fn measure(
    program: &Path,
    target: &Target,
    reported: &Receiver<Value>,
) -> Result<Value, Failure> {
    let cannot = |what: String| Failure::Cannot(format!("{}: {what}", program.display()));
    let profile = tempfile::tempdir().map_err(|error| cannot(error.to_string()))?;
    let url = format!("http://{}/?token={}", target.address, target.token);
    let mut command = Command::new(program);
    command.args(FLAGS).arg(format!("--user-data-dir={}", profile.path().display()));
    if rustix::process::getuid().is_root() {
        // Chromium refuses to run as root otherwise.
        command.arg("--no-sandbox");
    }
    command.arg(url);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let running = Running(command.spawn().map_err(|error| cannot(error.to_string()))?);
    let report = reported.recv_timeout(PATIENCE);
    drop(running);
    report.map_err(|_| cannot(format!("the page did not report within {PATIENCE:?}")))
}

/// A program that ends when this does.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
