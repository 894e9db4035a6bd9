//! The table of calls, `c/calls.txt`, which says how it is read.

const CALLS: &str = include_str!("../c/calls.txt");
const COUNTED: &str = include_str!("../c/counted.txt");

/// A function of MPI.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Call {
    /// Without `MPI_`.
    pub name: &'static str,
    pub parameters: Vec<Parameter>,
    /// What is done around it, in C.
    pub enter: Option<&'static str>,
    pub before: Option<&'static str>,
    pub after: Option<&'static str>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Parameter {
    pub name: &'static str,
    pub kind: Kind,
}

impl Call {
    /// Does what is done around the call look at this?
    pub fn uses(&self, name: &str) -> bool {
        let name = format!("${name}");
        [self.enter, self.before, self.after].into_iter().flatten().any(|text| {
            text.match_indices(&name).any(|(at, _)| {
                !text[at + name.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
            })
        })
    }

    pub fn parameter(&self, kinds: &[Kind]) -> Option<Parameter> {
        self.parameters.iter().find(|it| kinds.contains(&it.kind)).copied()
    }
}

macro_rules! kinds {
    ($($kind:ident $word:literal $c:literal $fortran:literal)*) => {
        /// What a parameter is.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Kind {
            $($kind),*
        }

        impl Kind {
            fn of(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$kind),)*
                    _ => None,
                }
            }

            /// Its type in C, and where Fortran calls.
            pub fn types(self) -> (&'static str, &'static str) {
                match self {
                    $(Self::$kind => ($c, $fortran)),*
                }
            }
        }
    };
}

kinds! {
    In "in" "const void *" "void *"
    Out "out" "void *" "void *"
    Int "int" "int " "MPI_Fint *"
    IntOut "int*" "int *" "MPI_Fint *"
    Ints "ints" "const int *" "MPI_Fint *"
    IntsOut "out-ints" "int *" "MPI_Fint *"
    Type "type" "MPI_Datatype " "MPI_Fint *"
    Types "types" "const MPI_Datatype *" "MPI_Fint *"
    Op "op" "MPI_Op " "MPI_Fint *"
    Comm "comm" "MPI_Comm " "MPI_Fint *"
    CommOut "comm*" "MPI_Comm *" "MPI_Fint *"
    Group "group" "MPI_Group " "MPI_Fint *"
    Info "info" "MPI_Info " "MPI_Fint *"
    Win "win" "MPI_Win " "MPI_Fint *"
    WinOut "win*" "MPI_Win *" "MPI_Fint *"
    Aint "aint" "MPI_Aint " "MPI_Aint *"
    Aints "aints" "const MPI_Aint *" "MPI_Aint *"
    RequestOut "request*" "MPI_Request *" "MPI_Fint *"
    Request "request" "MPI_Request *" "MPI_Fint *"
    Requests "requests" "MPI_Request *" "MPI_Fint *"
    Status "status" "MPI_Status *" "MPI_Fint *"
    Statuses "statuses" "MPI_Status *" "MPI_Fint *"
    MessageOut "message*" "MPI_Message *" "MPI_Fint *"
    Message "message" "MPI_Message *" "MPI_Fint *"
}

/// All calls that are recorded. A line that cannot be read is the error.
pub(crate) fn calls() -> Result<Vec<Call>, String> {
    let lines = CALLS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| call(line).ok_or_else(|| format!("calls.txt: {line}"))).collect()
}

fn call(line: &'static str) -> Option<Call> {
    let (name, rest) = line.split_once('(')?;
    let (parameters, actions) = rest.split_once(')')?;
    let parameter = |word: &'static str| {
        let (name, kind) = word.split_once(':')?;
        Some(Parameter { name, kind: Kind::of(kind)? })
    };
    let parameters = parameters.split_whitespace().map(parameter).collect::<Option<_>>()?;
    let mut call = Call { name, parameters, enter: None, before: None, after: None };
    let mut rest = actions;
    for (word, action) in
        [(" after ", &mut call.after), (" before ", &mut call.before), (" enter ", &mut call.enter)]
    {
        if let Some((earlier, text)) = rest.rsplit_once(word) {
            *action = Some(text);
            rest = earlier;
        }
    }
    rest.is_empty().then_some(call)
}

/// Calls that are counted, and those of them that only MPI 4 has.
pub(crate) fn counted() -> (Vec<&'static str>, Vec<&'static str>) {
    let lines = COUNTED.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<_> = lines.flat_map(str::split_whitespace).collect();
    let mut parts = names.split(|name| *name == "MPI-4").map(<[_]>::to_vec);
    (parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_line_is_a_call() {
        let line = "Wait(request:request status:status) after done($held, 1)";
        let Some(wait) = call(line) else { panic!("{line}") };
        assert_eq!((wait.name, wait.parameters.len()), ("Wait", 2));
        assert_eq!((wait.enter, wait.before, wait.after), (None, None, Some("done($held, 1)")));
        assert!(wait.uses("held") && !wait.uses("hel") && !wait.uses("status"));
        assert_eq!(call("Wait(request:rope)"), None);
        assert_eq!(call("Wait(request:request) sometimes"), None);
        let both = call("Bcast(comm:comm) enter a($comm) before b after c($comm)");
        let both = both.map(|it| (it.enter, it.before, it.after));
        assert_eq!(both, Some((Some("a($comm)"), Some("b"), Some("c($comm)"))));
    }

    #[test]
    fn no_call_stands_twice() {
        let calls = calls().unwrap_or_else(|line| panic!("{line}"));
        let (counted, of_mpi_4) = counted();
        let recorded = calls.iter().map(|call| call.name);
        let all: Vec<_> = recorded.chain(counted).chain(of_mpi_4).collect();
        let different: BTreeSet<_> = all.iter().collect();
        assert_eq!(different.len(), all.len());
    }
}
