//! Data sets in an object store, here one that stands for Amazon's.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::cluster::{Cluster, Environment};
use crate::process::{PATIENCE, Process};
use crate::sets::{Sample, database, expect_same, right_answer};

/// A running `moto_server`.
struct Moto {
    _process: Process,
    address: String,
    _folder: tempfile::TempDir,
}

impl Moto {
    /// Starts the one that ONCA_MOTO names.
    fn start() -> Option<Self> {
        let Some(program) = std::env::var_os("ONCA_MOTO") else {
            eprintln!("skipped: ONCA_MOTO names no moto_server; scripts/test installs one");
            return None;
        };
        let folder = tempfile::tempdir().expect("a folder");
        let free = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = free.local_addr().expect("an address").port();
        drop(free);
        let mut command = Command::new(program);
        command.args(["-H", "127.0.0.1", "-p", &port.to_string()]).current_dir(folder.path());
        let mut process = Process::start(&mut command, folder.path().join("moto.log"));
        let address = format!("127.0.0.1:{port}");
        let until = Instant::now() + PATIENCE;
        while TcpStream::connect(&address).is_err() {
            assert!(process.is_alive() && Instant::now() < until, "{}", process.said());
            std::thread::sleep(Duration::from_millis(100));
        }
        Some(Self { _process: process, address, _folder: folder })
    }

    /// Sends a request whose signature is not looked at, and gives the answer.
    fn ask(&self, method: &str, path: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("a server");
        stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
        let (host, length) = (&self.address, body.len());
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{SIGNED}\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        )
        .expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 2"), "{method} {path}: {answer}");
        answer
    }

    /// The objects whose names begin so.
    fn objects(&self, prefix: &str) -> Vec<String> {
        let listed = self.ask("GET", &format!("/bucket?list-type=2&prefix={prefix}"), "");
        let keys = listed.split("<Key>").skip(1).filter_map(|rest| rest.split("</Key>").next());
        keys.map(str::to_owned).collect()
    }

    /// After this, only those get in whom somebody has let in: nobody.
    fn believe_nobody(&self) {
        self.ask("POST", "/moto-api/reset-auth", "0");
    }

    fn believe_everybody(&self) {
        self.ask("POST", "/moto-api/reset-auth", "inf");
    }

    fn environment(&self) -> Environment {
        vec![
            ("AWS_ACCESS_KEY_ID", "onca".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", KEY.to_owned()),
            ("AWS_ENDPOINT_URL", format!("http://{}", self.address)),
            ("AWS_REGION", "us-east-1".to_owned()),
            ("AWS_ALLOW_HTTP", "true".to_owned()),
        ]
    }
}

/// No message may have it.
const KEY: &str = "a-key-that-nobody-may-see";

/// It says which service is asked, and by whom.
const SIGNED: &str = "Authorization: AWS4-HMAC-SHA256 Credential=onca/20260101/us-east-1/s3/aws4_request, \
                      SignedHeaders=host, Signature=00";

const PLACE: &str = "s3://bucket/runs/first";

const QUERIES: [&str; 5] = [
    "SELECT value, count(*) AS n, sum(exclusive_ticks) AS ticks FROM states GROUP BY value",
    "SELECT c.path, count(*) AS n, sum(l.size) AS bytes FROM links l
     JOIN containers c ON l.source_id = c.id GROUP BY c.path",
    "SELECT value, sum(ticks) AS ticks FROM slice('20%', '70%') GROUP BY value",
    "SELECT path(ancestor(container_id, 1)) AS path, count(*) AS n FROM states GROUP BY path",
    "SELECT * FROM type_values",
];

#[test]
fn a_data_set_in_an_object_store_is_as_good_as_a_folder() {
    let Some(moto) = Moto::start() else { return };
    moto.ask("PUT", "/bucket", "");
    let cluster = Cluster::apart_in(2, moto.environment());
    let sample = Sample::run(16, 10_000, 1);
    let trace = sample.place.to_str().expect("text");
    cluster.run(&["export", trace, "-o", PLACE, "--shard", "2/2"]).expect(0);
    let early = cluster.query(PLACE, QUERIES[0], &[]).expect(2).err();
    assert!(early.contains(PLACE) && early.contains("1 of 2 shards"), "{early}");
    let early = cluster.run(&["export", "-o", PLACE, "--seal"]).expect(2).err();
    assert!(early.contains("1of2.json"), "{early}");
    cluster.run(&["export", trace, "-o", PLACE, "--shard", "1/2"]).expect(0);
    cluster.run(&["export", "-o", PLACE, "--seal"]).expect(0);
    let again = cluster.run(&["export", "-o", PLACE, "--seal"]).expect(2).err();
    assert!(again.contains("sealed already"), "{again}");

    sample.write(&cluster.path("local"), 2, u64::MAX);
    let one = database(&cluster.path("local"));
    for sql in QUERIES {
        expect_same(&cluster.answer(PLACE, sql), &right_answer(&one, sql), sql);
    }
    let by_run = "SELECT run, count(*) AS n FROM states GROUP BY run";
    let runs = cluster.answer("s3://bucket/runs", by_run);
    let count = right_answer(&one, "SELECT count(*) AS n FROM states");
    assert_eq!(runs["rows"], serde_json::json!([["first", count["rows"][0][0]]]));
    let cube = |place: &str| {
        cluster.run(&["cube", place, "--slices", "16", "-o", "cube.json"]).expect(0);
        let file = cluster.sandbox.read("cube.json");
        serde_json::from_slice::<serde_json::Value>(&file).expect("JSON")
    };
    assert_eq!(cube(PLACE), cube("local"));

    wrong_credentials_are_told(&moto, &cluster);
    what_is_missing_is_named(&moto, &cluster);
}

fn wrong_credentials_are_told(moto: &Moto, cluster: &Cluster) {
    moto.believe_nobody();
    let said = cluster.query(PLACE, QUERIES[0], &[]).expect(2);
    moto.believe_everybody();
    let words = said.err();
    assert!(said.out().is_empty() && words.contains("s3://bucket"), "{words}");
    assert!(!words.contains(KEY) && words.lines().count() == 1, "{words}");
    // Without any there is nothing to try.
    let mut command = cluster.command(&["query", PLACE, QUERIES[0]]);
    command.env_remove("AWS_ACCESS_KEY_ID").env_remove("AWS_SECRET_ACCESS_KEY");
    let said = onca_testkit::sandbox::Run::of(&mut command).expect(2).err();
    assert!(said.contains("AWS_ACCESS_KEY_ID"), "{said}");
    cluster.query(PLACE, QUERIES[0], &[]).expect(0);
}

fn what_is_missing_is_named(moto: &Moto, cluster: &Cluster) {
    let files = moto.objects("runs/first/states/");
    let file = files.first().expect("a file of states");
    moto.ask("DELETE", &format!("/bucket/{file}"), "");
    let said = cluster.query(PLACE, QUERIES[0], &[]).expect(2).err();
    let name = file.rsplit('/').next().expect("a name");
    assert!(said.contains(name) && said.contains("missing"), "{name}: {said}");
    moto.ask("DELETE", "/bucket/runs/first/manifest.json", "");
    let said = cluster.query(PLACE, QUERIES[0], &[]).expect(2).err();
    assert!(said.contains("not a sealed data set"), "{said}");
    let said = cluster.query("s3://bucket/nowhere", QUERIES[0], &[]).expect(2).err();
    assert!(said.contains("s3://bucket/nowhere"), "{said}");
    let said = cluster.query("s3://no-such-bucket/run", QUERIES[0], &[]).expect(2).err();
    assert!(said.contains("no-such-bucket"), "{said}");
}
