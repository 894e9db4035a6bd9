//! The source of the wrapper compiles without a warning, with each MPI that is installed.

use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn the_wrapper_compiles_without_a_warning() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = onca_trace_mpi::source().expect("a table");
    fs::write(folder.path().join("onca_mpi.c"), source).expect("a file");
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("../trace/include");
    let mut n_compiled = 0;
    for compiler in ["mpicc.openmpi", "mpicc.mpich"] {
        let mut command = Command::new(compiler);
        command.args(["-std=gnu11", "-O2", "-fPIC", "-Wall", "-Wextra", "-Werror", "-c"]);
        command.arg("-I").arg(&header).arg("onca_mpi.c").current_dir(folder.path());
        let Ok(output) = command.output() else {
            eprintln!("{compiler} is not installed: SKIPPED");
            continue;
        };
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{compiler}: {said}");
        n_compiled += 1;
    }
    let is_required = std::env::var("ONCA_MPI_TESTS").is_ok_and(|word| word == "required");
    assert!(n_compiled == 2 || !is_required, "Open MPI and MPICH are required");
}
