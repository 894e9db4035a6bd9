//! A cluster of processes on this machine, for one test.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use onca_testkit::sandbox::{Run, Sandbox};
use serde_json::Value;

use crate::process::Process;

/// What people may have in their environment, and a test must not.
const SURROUNDINGS: [&str; 8] = [
    "ONCA_CLUSTER_SECRET",
    "ONCA_CLUSTER_SCHEDULER",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_ENDPOINT_URL",
    "AWS_REGION",
    "AWS_ALLOW_HTTP",
];

/// As many as there are executors, at most: a part takes its time, however little is in it.
pub const PARTS: &str = "4";

/// The environment that a test gives to all processes.
pub type Environment = Vec<(&'static str, String)>;

/// `onca-cluster` in a sandbox.
pub fn program(sandbox: &Sandbox) -> Command {
    let mut command = sandbox.confined(Command::new(env!("CARGO_BIN_EXE_onca-cluster")));
    SURROUNDINGS.iter().for_each(|name| {
        command.env_remove(name);
    });
    command
}

/// Makes the file of a secret.
pub fn make_secret(sandbox: &Sandbox, name: &str) -> PathBuf {
    let path = sandbox.path(name);
    Run::of(program(sandbox).arg("secret").arg(&path)).expect(0);
    path
}

/// An executor, and where it listens.
pub struct Executor {
    pub process: Process,
    pub address: String,
}

/// A client that asks while a test does something else.
pub struct Client {
    child: Child,
    shown: String,
}

impl Client {
    /// Waits for its end.
    pub fn end(self) -> Run {
        Run::checked(self.shown, self.child.wait_with_output().expect("an end"))
    }
}

/// A scheduler with executors.
pub struct Cluster {
    pub executors: Vec<Executor>,
    /// The scheduler, or what started it and the executors.
    pub first: Process,
    pub scheduler: String,
    pub secret: PathBuf,
    environment: Environment,
    n_started: usize,
    pub sandbox: Sandbox,
}

impl Cluster {
    /// All in one command, as on a laptop.
    pub fn local(executors: usize) -> Self {
        let sandbox = Sandbox::new();
        let mut command = program(&sandbox);
        command.args(["local", "--cores", "1", "--executors", &executors.to_string()]);
        let first = Process::start(command.current_dir("/"), sandbox.path("local.log"));
        let scheduler = first.line("scheduler: ");
        let secret = first.line("secret: ").into();
        let (executors, environment) = (Vec::new(), Environment::new());
        Self { executors, first, scheduler, secret, environment, n_started: 0, sandbox }
    }

    /// A process each.
    pub fn apart(executors: usize) -> Self {
        Self::apart_in(executors, Environment::new())
    }

    /// A process each, in an environment.
    pub fn apart_in(executors: usize, environment: Environment) -> Self {
        let sandbox = Sandbox::new();
        let secret = make_secret(&sandbox, "secret");
        let mut command = program(&sandbox);
        command.args(["scheduler", "--bind", "127.0.0.1:0", "--patience", "8", "--secret"]);
        command.arg(&secret);
        command.envs(environment.iter().cloned());
        let first = Process::start(command.current_dir("/"), sandbox.path("scheduler.log"));
        let scheduler = first.line("scheduler: ");
        let mut cluster = Self {
            executors: Vec::new(),
            first,
            scheduler,
            secret,
            environment,
            n_started: 0,
            sandbox,
        };
        (0..executors).for_each(|_| cluster.start_executor());
        cluster
    }

    /// Starts one more executor, and waits until it is registered.
    pub fn start_executor(&mut self) {
        let process = self.executor_with(&self.secret);
        self.n_started += 1;
        let address = process.line("executor: ");
        self.executors.push(Executor { process, address });
    }

    /// An executor with one core that has this secret.
    pub fn executor_with(&self, secret: &Path) -> Process {
        let mut command = program(&self.sandbox);
        command.args(["executor", "--cores", "1", "--scheduler", &self.scheduler, "--secret"]);
        command.arg(secret).envs(self.environment.iter().cloned());
        let log = self.sandbox.path(&format!("executor-{}.log", self.n_started));
        Process::start(command.current_dir("/"), log)
    }

    /// A path below the folder that clients run in. Schedulers and executors run elsewhere.
    pub fn path(&self, name: &str) -> PathBuf {
        self.sandbox.path(name)
    }

    /// A client, with all that it needs to find the scheduler in its environment.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = program(&self.sandbox);
        command
            .args(args)
            .env("ONCA_CLUSTER_SCHEDULER", &self.scheduler)
            .env("ONCA_CLUSTER_SECRET", &self.secret)
            .envs(self.environment.iter().cloned());
        command
    }

    /// Runs a client to its end.
    pub fn run(&self, args: &[&str]) -> Run {
        Run::of(&mut self.command(args))
    }

    /// Starts a client that asks for JSON.
    pub fn start_query(&self, place: &str, sql: &str) -> Client {
        let args = ["query", place, sql, "--parts", PARTS, "--format", "json"];
        let mut command = self.command(&args);
        command.args(["--timeout", "600"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Client { child: command.spawn().expect("a client"), shown: format!("{command:?}") }
    }

    /// Asks, with more options.
    pub fn query(&self, place: &str, sql: &str, options: &[&str]) -> Run {
        self.run(&[&["query", place, sql, "--parts", PARTS], options].concat())
    }

    /// The answer as JSON: columns and rows.
    #[track_caller]
    pub fn answer(&self, place: &str, sql: &str) -> Value {
        let run = self.query(place, sql, &["--format", "json"]);
        // With status 1 the trace had lost records when it was read.
        let code = run.code.min(1);
        run.expect(code).json()
    }
}
