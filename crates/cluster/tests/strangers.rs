//! What somebody without the secret gets from the sockets of a cluster: nothing.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::cluster::Cluster;
use crate::sets::Sample;

/// How long to wait for an answer that should not come.
const WAIT: Duration = Duration::from_secs(2);

/// What a socket says to some bytes, until it hangs up, says no more or has said enough.
fn said(address: &str, bytes: &[u8], is_enough: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).expect("a server");
    stream.set_read_timeout(Some(WAIT)).expect("a limit");
    // It may hang up before it has heard all.
    let _ = stream.write_all(bytes);
    let (mut answer, mut part) = (Vec::new(), [0; 4096]);
    while !is_enough(&answer) {
        match stream.read(&mut part) {
            Ok(n) if n > 0 => answer.extend(&part[..n]),
            _ => break,
        }
    }
    answer
}

/// A frame of HTTP/2.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut frame = (payload.len() as u32).to_be_bytes()[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// A call of gRPC with an empty message: the bytes of the answer's messages.
fn called(address: &str, path: &str) -> Vec<u8> {
    // In the table of names that every HTTP/2 has, these are the method POST and the scheme http.
    let mut headers = vec![0x83, 0x86];
    for (name, value) in [
        (":path", path),
        (":authority", address),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
    ] {
        for text in [[0].as_slice(), &[name.len() as u8], name.as_bytes()] {
            headers.extend(text);
        }
        headers.push(value.len() as u8);
        headers.extend(value.bytes());
    }
    let mut request = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    request.extend(frame(SETTINGS, 0, 0, &[]));
    request.extend(frame(HEADERS, END_HEADERS, 1, &headers));
    request.extend(frame(DATA, END_STREAM, 1, &[0; 5]));
    let is_last = |(kind, flags, _): &(u8, u8, &[u8])| {
        matches!(*kind, DATA | HEADERS) && flags & END_STREAM != 0
    };
    messages_in(&said(address, &request, |answer| frames(answer).iter().any(is_last)))
}

/// The frames of an answer, as far as they have come: kind, flags and what is in them.
fn frames(answer: &[u8]) -> Vec<(u8, u8, &[u8])> {
    let (mut rest, mut frames) = (answer, Vec::new());
    while let [a, b, c, kind, flags, _, _, _, _, more @ ..] = rest {
        let length = u32::from_be_bytes([0, *a, *b, *c]) as usize;
        let (payload, after) = more.split_at(length.min(more.len()));
        frames.push((*kind, *flags, payload));
        rest = after;
    }
    frames
}

/// What the data frames of an answer have in them.
fn messages_in(answer: &[u8]) -> Vec<u8> {
    let data = frames(answer).into_iter().filter(|(kind, ..)| *kind == DATA);
    data.flat_map(|(_, _, payload)| payload.to_vec()).collect()
}

#[test]
fn frames_are_told_apart() {
    let answer =
        [frame(SETTINGS, 0, 0, &[1; 6]), frame(DATA, 0, 1, b"abc"), frame(DATA, 1, 1, b"d")];
    assert_eq!(messages_in(&answer.concat()), b"abcd");
    assert_eq!(messages_in(b"HTTP/1.1 400 Bad Request\r\n"), b"");
}

/// What could tell something, or harm somebody.
const CALLS: [&str; 10] = [
    "/ballista.protobuf.SchedulerGrpc/CreateUpdateSession",
    "/ballista.protobuf.SchedulerGrpc/ExecuteQuery",
    "/ballista.protobuf.SchedulerGrpc/GetJobStatus",
    "/ballista.protobuf.SchedulerGrpc/PollWork",
    "/ballista.protobuf.SchedulerGrpc/CleanJobData",
    "/arrow.flight.protocol.FlightService/DoGet",
    "/arrow.flight.protocol.FlightService/DoAction",
    "/arrow.flight.protocol.FlightService/ListActions",
    "/ballista.protobuf.ExecutorGrpc/LaunchMultiTask",
    "/ballista.protobuf.ExecutorGrpc/StopExecutor",
];

#[test]
fn nothing_is_told_without_the_secret() {
    let cluster = Cluster::apart(1);
    Sample::run(8, 2_000, 1).write(&cluster.path("set"), 1, u64::MAX);
    cluster.query("set", "SELECT count(*) FROM states", &[]).expect(0);
    let processes = [cluster.first.id(), cluster.executors[0].process.id()];
    let sockets = processes.into_iter().flat_map(listening).map(|socket| {
        let (_, port) = socket.rsplit_once(':').expect("a port");
        format!("127.0.0.1:{}", u16::from_str_radix(port, 16).expect("a number"))
    });
    let sockets: Vec<String> = sockets.collect();
    for address in [&cluster.scheduler, &cluster.executors[0].address] {
        assert!(sockets.contains(address), "{address} is not one of {sockets:?}");
    }
    for address in &sockets {
        for page in ["/", "/api/state", "/api/executors", "/api/jobs", "/api/metrics"] {
            let request = format!("GET {page} HTTP/1.1\r\nHost: {address}\r\n\r\n");
            let answer = said(address, request.as_bytes(), |_| false);
            let text = String::from_utf8_lossy(&answer);
            assert!(!text.contains(" 200 OK"), "{address}{page}: {text}");
        }
        for bytes in [b"\n\n".as_slice(), &[0xff; 64]] {
            assert_eq!(messages_in(&said(address, bytes, |_| false)), b"", "{address}: {bytes:?}");
        }
        for call in CALLS {
            assert_eq!(called(address, call), b"", "{address}{call}");
        }
    }
    // All of it has harmed nobody.
    cluster.query("set", "SELECT count(*) FROM states", &[]).expect(0);
}

/// The sockets that a process and what it has started listen on, as the system writes their addresses.
fn listening(process: u32) -> Vec<String> {
    let mut found = Vec::new();
    let files = fs::read_dir(format!("/proc/{process}/fd")).expect("open files");
    let targets = files.filter_map(|file| fs::read_link(file.ok()?.path()).ok());
    let open: Vec<String> = targets.map(|target| target.display().to_string()).collect();
    for table in ["tcp", "tcp6"] {
        let table = fs::read_to_string(format!("/proc/{process}/net/{table}")).unwrap_or_default();
        for line in table.lines().skip(1) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [address, state, number] = [words[1], words[3], words[9]];
            if state == "0A" && open.contains(&format!("socket:[{number}]")) {
                found.push(address.to_owned());
            }
        }
    }
    found.into_iter().chain(children_of(process).into_iter().flat_map(listening)).collect()
}

/// What a process has started.
pub fn children_of(parent: u32) -> Vec<u32> {
    let entries = fs::read_dir("/proc").expect("processes").filter_map(Result::ok);
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_child = |number: &u32| {
        let status = fs::read_to_string(format!("/proc/{number}/status")).unwrap_or_default();
        status.lines().any(|line| line == format!("PPid:\t{parent}"))
    };
    numbers.filter(is_child).collect()
}

#[test]
fn nothing_listens_but_on_this_machine() {
    let cluster = Cluster::local(2);
    Sample::run(8, 2_000, 1).write(&cluster.path("set"), 1, u64::MAX);
    cluster.query("set", "SELECT count(*) FROM states", &[]).expect(0);
    let mut sockets = listening(cluster.first.id());
    assert!(sockets.len() >= 3, "{sockets:?}");
    // 127.0.0.1 in either order of bytes, and ::1.
    let own = ["0100007F:", "7F000001:", "00000000000000000000000001000000:"];
    sockets.retain(|socket| !own.iter().any(|own| socket.starts_with(own)));
    assert_eq!(sockets, [""; 0], "beyond this machine");
    assert!(cluster.scheduler.starts_with("127.0.0.1:"), "{}", cluster.scheduler);
}
