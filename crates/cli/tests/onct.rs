//! Traces of `onca-trace` as a user opens them: one process, a folder of several, and what `onca run` has recorded.

use std::path::Path;

use onca_testkit::sandbox::{Run, Sandbox, diagnostic};
use onca_trace::{Container, ContainerType};

/// A process that works three times, with a link to itself.
fn record(path: &Path, name: &str) {
    onca_trace::open(path).expect("a trace");
    let process = ContainerType::ROOT.container_type("Process");
    let doing = process.state_type("Doing");
    let item = ContainerType::ROOT.link_type("Item", process, process);
    let me = Container::ROOT.create(process, name);
    for key in 0..3 {
        drop(me.enter(doing.value("working")));
        me.start_link(item.value("item"), key, Some(8));
        me.end_link(item.value("item"), key, Some(8));
    }
    onca_trace::close().expect("a whole trace");
}

/// The library has one trace at a time, so this is one test.
#[test]
fn a_file_and_a_folder_are_traces() {
    if let Some(file) = std::env::var_os("ONCA_TRACE_FILE") {
        record(Path::new(&file), "child");
        return;
    }
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("folder")).expect("a folder");
    record(&sandbox.path("one.onct"), "alone");
    record(&sandbox.path("folder/first.onct"), "first");
    record(&sandbox.path("folder/second.onct"), "second");
    for (trace, n) in [("one.onct", 1), ("folder", 2)] {
        let info = sandbox.info(trace, 0);
        assert_eq!(info["counts"]["states"], 3 * n, "{trace}: {info}");
        assert_eq!(info["counts"]["links"], 3 * n, "{trace}");
        let slice = sandbox.onca(["slice", trace, "--level", "Process"]).expect(0).out();
        assert!(slice.contains("working"), "{slice}");
    }
    // A file that is cut is read, and says so.
    let bytes = sandbox.read("one.onct");
    sandbox.write("cut.onct", &bytes[..bytes.len() - 30]);
    let info = sandbox.info("cut.onct", 1);
    assert!(diagnostic(&info, "truncated").is_some(), "{info}");
    // This very program, started by the command.
    let program = std::env::current_exe().expect("this program");
    let mut command = sandbox.command();
    command.args(["run", "--no-view", "--"]).arg(program);
    Run::of(command.args(["a_file_and_a_folder_are_traces", "--exact"])).expect(0);
    assert_eq!(sandbox.names(&sandbox.path("trace-1")).len(), 1);
    assert_eq!(sandbox.info("trace-1", 0)["counts"]["states"], 3);
}
