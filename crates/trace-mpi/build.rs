//! Builds the recorder as a shared library, which this crate carries.
//!
//! A program that `onca run` starts needs the recorder as a file of its own. Cargo cannot yet hand a crate the library that
//! another makes, so it is asked once more, in a folder of this build; the recorder and `libc` take a few seconds.

use std::env;
use std::path::PathBuf;
use std::process::Command;

fn main() {
    let folder = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let manifest = folder.join("../trace/Cargo.toml");
    for changed in ["../trace/src", "../trace/Cargo.toml", "../../Cargo.lock", "build.rs"] {
        println!("cargo::rerun-if-changed={}", folder.join(changed).display());
    }
    let out = PathBuf::from(variable("OUT_DIR"));
    let (built, target) = (out.join("recorder"), variable("TARGET"));
    let mut cargo = Command::new(variable("CARGO"));
    cargo.args(["rustc", "--quiet", "--locked", "--release", "--lib", "--crate-type", "cdylib"]);
    cargo.args(["--config", "profile.release.strip=\"symbols\"", "--target", &target]);
    cargo.arg("--manifest-path").arg(manifest).arg("--target-dir").arg(&built);
    // Linters are for what is built outside.
    cargo.env_remove("RUSTC_WORKSPACE_WRAPPER").env_remove("CLIPPY_ARGS");
    match cargo.status() {
        Ok(status) if status.success() => {}
        Ok(status) => fail(&format!("the recorder cannot be built: {status}")),
        Err(error) => fail(&format!("cargo cannot be started: {error}")),
    }
    let library = built.join(target).join("release/libonca_trace.so");
    if let Err(error) = std::fs::copy(&library, out.join("libonca_trace.so")) {
        fail(&format!("{}: {error}", library.display()));
    }
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| fail(&format!("Cargo does not set {name}")))
}

fn fail(message: &str) -> ! {
    eprintln!("{message}");
    std::process::exit(1);
}
