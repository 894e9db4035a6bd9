//! When the trace is first seen, and when the page can be used, in a browser that runs already.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use onca_program::Failure;
use serde_json::{Value, json};

use super::client::Target;

/// Opens pages and prints what it measured. It lies in the checkout that this program was built from,
/// with the packages that it needs.
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/bench/first_picture.mjs");

/// A network between browser and server.
struct Network {
    name: &'static str,
    latency_ms: u32,
    /// None is as fast as this machine.
    mbit_per_s: u32,
}

const NETWORKS: [Network; 2] = [
    Network { name: "this machine", latency_ms: 0, mbit_per_s: 0 },
    Network { name: "80 ms, 10 Mbit/s", latency_ms: 80, mbit_per_s: 10 },
];

/// What the script measured, for each network.
pub struct FirstPictures(Vec<(&'static str, Value)>);

/// Says what is missing, before anything else has taken its time.
pub fn check() -> Result<(), Failure> {
    let packages = Path::new(SCRIPT).with_file_name("../node_modules/playwright-core");
    let version = Command::new("node").arg("--version").stdout(Stdio::null()).status();
    let missing = match version {
        Ok(status) if status.success() && packages.is_dir() => return Ok(()),
        Ok(status) if status.success() => "run npm ci in web/ first",
        _ => "Node.js is missing",
    };
    Err(Failure::Cannot(format!("{missing}, or measure with --no-browser")))
}

/// Opens the page over each network, as often as told.
pub fn measure(browser: &Path, target: &Target, runs: u32) -> Result<FirstPictures, Failure> {
    let address = format!("http://{}/?token={}", target.address, target.token);
    let measured = NETWORKS.iter().map(|network| {
        let cannot = |why: String| Failure::Cannot(format!("node {SCRIPT}: {why}"));
        let said = Command::new("node")
            .args([SCRIPT, &address, "--runs", &runs.to_string()])
            .args(["--latency", &network.latency_ms.to_string()])
            .args(["--mbit", &network.mbit_per_s.to_string()])
            .env("ONCA_BROWSER", browser)
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| cannot(error.to_string()))?;
        if !said.status.success() {
            return Err(cannot(said.status.to_string()));
        }
        let answer = serde_json::from_slice(&said.stdout);
        Ok((network.name, answer.map_err(|error| cannot(error.to_string()))?))
    });
    measured.collect::<Result<_, _>>().map(FirstPictures)
}

impl FirstPictures {
    pub fn json(&self) -> Value {
        self.0.iter().map(|(name, answer)| json!({"network": name, "measured": answer})).collect()
    }

    pub fn print(&self, out: &mut impl Write) -> io::Result<()> {
        for (name, answer) in &self.0 {
            let median = |visit: &str, what: &str| {
                answer[visit][what]["median"].as_f64().unwrap_or(f64::NAN)
            };
            writeln!(
                out,
                "first picture   {:.0} ms after the request, usable after {:.0} ms; on the next visit {:.0} and {:.0} ms ({name})",
                median("first_visit", "picture_ms"),
                median("first_visit", "usable_ms"),
                median("next_visit", "picture_ms"),
                median("next_visit", "usable_ms"),
            )?;
        }
        Ok(())
    }
}
