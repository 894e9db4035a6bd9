//! The same trace gives the same bytes, however many threads read it and however often.

use onca_testkit::sandbox::{STORE_FILES, Sandbox, same_text};

/// Traces in order and out of order, with every kind of entity and with problems.
fn traces() -> Vec<(String, Vec<u8>)> {
    let mut traces = Vec::new();
    let options = onca_generate::threads::Options { threads: 300, ..Default::default() };
    let mut text = Vec::new();
    onca_generate::threads::write(&options, &mut text).expect("a trace");
    traces.push(("threads".to_owned(), text));

    // A variable for every event, lines backwards in time, more than a block of them.
    let mut body = String::new();
    for step in (0..60_000).rev() {
        let container = if step % 3 == 0 { "a" } else { "b" };
        body += &format!(
            "9 {step}.5 V {container} {}\n18 {step} E {container} e{}\n",
            step * 7,
            step % 11
        );
    }
    traces.push(("backwards".to_owned(), onca_testkit::fixtures::trace(&body).into_bytes()));
    for seed in 0..3 {
        traces.push((format!("random{seed}"), onca_testkit::random::trace(seed)));
    }
    traces
}

#[test]
fn any_number_of_threads_gives_the_same_rows() {
    let sandbox = Sandbox::new();
    for (name, text) in traces() {
        sandbox.write(&name, &text);
        let mut first: Option<(Vec<u8>, Vec<u8>)> = None;
        for threads in ["1", "2", "5"] {
            let build = sandbox.onca(["index", "--force", "--threads", threads, &name]);
            let rows = sandbox.onca(["dump", &name]).expect(build.code).stdout;
            let problems = sandbox.onca(["validate", "--json", "--threads", threads, &name]).stdout;
            match &first {
                None => first = Some((rows, problems)),
                Some((first_rows, first_problems)) => {
                    same_text(&rows, first_rows, &format!("{name}: rows with {threads} threads"));
                    same_text(&problems, first_problems, &format!("{name}: problems"));
                }
            }
        }
    }
}

#[test]
fn a_store_built_again_has_the_same_bytes() {
    let sandbox = Sandbox::new();
    for (name, text) in traces() {
        sandbox.write(&name, &text);
        let store = |file: &str| sandbox.read(&format!("{name}.onca/{file}"));
        sandbox.onca(["index", "--threads", "1", &name]);
        let first = STORE_FILES.map(store);
        for threads in ["1", "2", "5"] {
            sandbox.onca(["index", "--force", "--threads", threads, &name]);
            for (file, before) in STORE_FILES.iter().zip(&first) {
                let now = store(file);
                let differs = now.iter().zip(before).position(|(now, before)| now != before);
                assert!(
                    now == *before,
                    "{name}, {threads} threads: {file} has {} bytes, had {}; first difference at {differs:?}",
                    now.len(),
                    before.len()
                );
            }
        }
    }
}
