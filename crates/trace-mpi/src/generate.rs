//! The source of the wrapper: what is written by hand, between what is made from the table.

use std::fmt::Write;

use crate::table::{Call, Kind, Parameter, calls, counted};

/// What the calls do, by hand.
const BY_HAND: &str = include_str!("../c/onca_mpi.c");
/// Calls whose functions are written by hand too: they differ in Fortran.
const BEGINS: [&str; 2] = ["Init", "Init_thread"];

/// Who calls.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    C,
    Fortran,
    /// The module `mpi_f08`.
    Fortran08,
}

/// The wrapper as one file of C. It is made of what is in this program, so that it cannot fail but by a mistake in the table.
pub fn source() -> Result<String, String> {
    let calls = calls()?;
    let mut out = String::from("/* Made by onca. */\n");
    let names: Vec<_> = BEGINS.into_iter().chain(calls.iter().map(|call| call.name)).collect();
    let list = |separate: &dyn Fn(&str) -> String| -> String {
        names.iter().map(|name| separate(name)).collect()
    };
    out += &format!("enum {{{} N_CALLS }};\n", list(&|name| format!("CALL_{name}, ")));
    out += BY_HAND;
    out += "\nstatic onca_value value_of(int call) {\n";
    out += &format!(
        "    static const char *const names[] = {{{}}};\n",
        list(&|name| format!("\"MPI_{name}\", "))
    );
    out += "    static onca_value values[N_CALLS];\n    if (!values[call]) values[call] = \
            onca_value_of(state_type, names[call], ONCA_NO_COLOR);\n    return values[call];\n}\n";
    for call in &calls {
        function(call, Language::C, &mut out);
        function(call, Language::Fortran, &mut out);
        function(call, Language::Fortran08, &mut out);
    }
    counting(&calls, &mut out);
    Ok(out)
}

/// A function that a program calls.
fn function(call: &Call, language: Language, out: &mut String) {
    // Writing into a text cannot fail.
    let _ = try_function(call, language, out);
}

fn try_function(call: &Call, language: Language, out: &mut String) -> std::fmt::Result {
    let name = match language {
        Language::C => format!("MPI_{}", call.name),
        Language::Fortran => format!("mpi_{}_", call.name.to_lowercase()),
        Language::Fortran08 => {
            let form = if has_buffers(call) { "F08_WITH_BUFFERS" } else { "F08" };
            format!("{form}(mpi_{})", call.name.to_lowercase())
        }
    };
    let (inner, pmpi_returns) = match language {
        Language::C => (format!("P{name}"), "return "),
        Language::Fortran => (format!("p{name}"), ""),
        Language::Fortran08 => ("real".to_owned(), ""),
    };
    let parameters = parameters(call, language);
    let passed = |used: bool| {
        let one = |it: &Parameter| match it.kind {
            Kind::Status | Kind::Statuses if used && call.uses(it.name) => match language {
                Language::Fortran08 => "(MPI_Fint *)used".to_owned(),
                _ => "used".to_owned(),
            },
            _ => it.name.to_owned(),
        };
        let own: Vec<_> = call.parameters.iter().map(one).collect();
        let error = (language != Language::C).then(|| "ierror".to_owned());
        own.into_iter().chain(error).collect::<Vec<_>>().join(", ")
    };
    match language {
        Language::C => {
            writeln!(out, "\nint {name}({parameters}) {{")?;
            writeln!(out, "    if (!enters()) {pmpi_returns}{inner}({});", passed(false))?;
        }
        Language::Fortran => {
            writeln!(out, "\nextern void {inner}({parameters}) __attribute__((weak));")?;
            writeln!(out, "void {name}({parameters}) {{")?;
            writeln!(out, "    if (sizeof(MPI_Fint) != sizeof(int) || !enters()) {{")?;
            writeln!(out, "        {inner}({});\n        return;\n    }}", passed(false))?;
        }
        Language::Fortran08 => {
            writeln!(out, "\nvoid {name}({parameters}) {{")?;
            writeln!(out, "    static void (*real)({parameters});\n    MPI_Fint error = 0;")?;
            writeln!(
                out,
                "    if (!real) real = (void (*)({parameters}))next_function(TEXT({name}));"
            )?;
            writeln!(out, "    if (!ierror) ierror = &error;")?;
            writeln!(out, "    if (sizeof(MPI_Fint) != sizeof(int) || !enters()) {{")?;
            writeln!(out, "        {inner}({});\n        return;\n    }}", passed(false))?;
        }
    }
    hold(call, language, out)?;
    match call.enter {
        None => writeln!(out, "    plain(CALL_{});", call.name)?,
        Some(enter) => {
            let enter = enter.replacen('(', &format!("(CALL_{}, ", call.name), 1);
            writeln!(out, "    {};", expanded(&enter, call, language))?;
        }
    }
    if let Some(before) = call.before {
        writeln!(out, "    {};", expanded(before, call, language))?;
    }
    let result = match language {
        Language::C => {
            writeln!(out, "    int rc = {inner}({});", passed(true))?;
            "rc"
        }
        Language::Fortran | Language::Fortran08 => {
            writeln!(out, "    {inner}({});", passed(true))?;
            "*ierror"
        }
    };
    if let Some(after) = call.after {
        let after = expanded(after, call, language);
        writeln!(out, "    if ({result} == MPI_SUCCESS) {{\n        {after};\n    }}")?;
    }
    writeln!(out, "    leave();")?;
    give_back(call, language, out)?;
    match language {
        Language::C => writeln!(out, "    return rc;\n}}"),
        Language::Fortran | Language::Fortran08 => writeln!(out, "}}"),
    }
}

fn parameters(call: &Call, language: Language) -> String {
    let one = |it: &Parameter| {
        let (c, fortran) = it.kind.types();
        format!("{}{}", if language == Language::C { c } else { fortran }, it.name)
    };
    let error = (language != Language::C).then(|| "MPI_Fint *ierror".to_owned());
    let all: Vec<_> = call.parameters.iter().map(one).chain(error).collect();
    if all.is_empty() { "void".to_owned() } else { all.join(", ") }
}

/// Does a call have buffers of any type? A pointer that the call gives is none.
fn has_buffers(call: &Call) -> bool {
    let is_buffer =
        |it: &Parameter| matches!(it.kind, Kind::In | Kind::Out) && it.name != "baseptr";
    call.parameters.iter().any(is_buffer)
}

/// The requests that a call is given, where somebody looks at them.
fn held(call: &Call) -> Option<Parameter> {
    call.parameter(&[Kind::Request, Kind::Requests, Kind::Message]).filter(|_| call.uses("held"))
}

/// The statuses, where somebody looks at them: the program may not want them.
fn statuses(call: &Call) -> Option<Parameter> {
    call.parameter(&[Kind::Status, Kind::Statuses]).filter(|it| call.uses(it.name))
}

/// How many requests or statuses there are.
fn number(kind: Kind, language: Language) -> &'static str {
    match (kind, language) {
        (Kind::Requests | Kind::Statuses, Language::C) => "count",
        (Kind::Requests | Kind::Statuses, Language::Fortran | Language::Fortran08) => "*count",
        _ => "1",
    }
}

/// Keeps what the call is going to change.
fn hold(call: &Call, language: Language, out: &mut String) -> std::fmt::Result {
    if let Some(Parameter { name, kind }) = held(call) {
        let n = number(kind, language);
        match (kind, language) {
            (Kind::Message, Language::C) => {
                writeln!(out, "    struct receive *held = held_message(*{name});")?
            }
            (Kind::Message, Language::Fortran | Language::Fortran08) => {
                writeln!(
                    out,
                    "    struct receive *held = held_message(MPI_Message_f2c(*{name}));"
                )?;
            }
            _ => {
                let how = match language {
                    Language::C => "held_requests",
                    Language::Fortran | Language::Fortran08 => "held_fortran_requests",
                };
                writeln!(
                    out,
                    "    struct held held_room[ROOM], *held = {how}({n}, {name}, held_room);"
                )?;
            }
        }
    }
    let Some(Parameter { name, kind }) = statuses(call) else { return Ok(()) };
    let n = number(kind, language);
    let ignore = match kind {
        Kind::Statuses => "STATUSES_IGNORE",
        _ => "STATUS_IGNORE",
    };
    match language {
        Language::C => {
            writeln!(out, "    MPI_Status room[ROOM], *used = {name};")?;
            writeln!(out, "    if ({name} == MPI_{ignore}) used = room_for_statuses({n}, room);")
        }
        Language::Fortran08 => {
            writeln!(out, "    MPI_Status room[ROOM], *used = (MPI_Status *){name};")?;
            writeln!(
                out,
                "    if ((void *){name} == F08_{ignore}) used = room_for_statuses({n}, room);"
            )
        }
        Language::Fortran => {
            writeln!(out, "    MPI_Fint room[ROOM * STATUS_SIZE], *used = {name};")?;
            writeln!(
                out,
                "    if ({name} == MPI_F_{ignore}) used = room_for_fortran_statuses({n}, room);"
            )?;
            writeln!(
                out,
                "    MPI_Status copy_room[ROOM], *copies = room_for_statuses({n}, copy_room);"
            )
        }
    }
}

fn give_back(call: &Call, language: Language, out: &mut String) -> std::fmt::Result {
    if held(call).is_some_and(|it| it.kind == Kind::Requests) {
        writeln!(out, "    given_back(held, held_room);")?;
    }
    let Some(Parameter { name, kind: Kind::Statuses }) = statuses(call) else { return Ok(()) };
    let given = if language == Language::Fortran08 { "(MPI_Status *)" } else { "" };
    writeln!(out, "    if (used != {given}{name}) given_back(used, room);")?;
    if language == Language::Fortran {
        writeln!(out, "    given_back(copies, copy_room);")?;
    }
    Ok(())
}

/// What is done, with what stands for parameters put in.
fn expanded(action: &str, call: &Call, language: Language) -> String {
    let mut text = String::new();
    let mut rest = action;
    while let Some((before, after)) = rest.split_once('$') {
        let len =
            after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
        let (name, after) = after.split_at(len);
        text += before;
        text += &meaning(name, call, language);
        rest = after;
    }
    text + rest
}

/// A parameter as C has it.
fn meaning(name: &str, call: &Call, language: Language) -> String {
    match (name, language) {
        ("held", _) => return "held".to_owned(),
        ("base", Language::C) => return "0".to_owned(),
        ("base", Language::Fortran) => return "1".to_owned(),
        ("base", Language::Fortran08) => {
            let index = call.parameters.iter().find(|it| ["index", "indices"].contains(&it.name));
            return index.map_or("1".to_owned(), |index| {
                format!("f08_base(*count, requests, held, {})", index.name)
            });
        }
        _ => {}
    }
    let Some(parameter) = call.parameters.iter().find(|it| it.name == name) else {
        return format!("NO_PARAMETER_{name}");
    };
    match (parameter.kind, language) {
        (Kind::Status | Kind::Statuses, Language::C | Language::Fortran08) => "used".to_owned(),
        (Kind::In | Kind::Out, Language::Fortran08) => format!("F08_ADDRESS({name})"),
        (kind @ (Kind::Status | Kind::Statuses), Language::Fortran) => {
            format!("statuses_of_fortran({}, used, copies)", number(kind, language))
        }
        (Kind::CommOut | Kind::WinOut | Kind::RequestOut | Kind::MessageOut, Language::C) => {
            format!("*{name}")
        }
        (_, Language::C) => name.to_owned(),
        (Kind::Int | Kind::Aint, _) => format!("*{name}"),
        (Kind::Type, _) => format!("MPI_Type_f2c(*{name})"),
        (Kind::Comm | Kind::CommOut, _) => format!("MPI_Comm_f2c(*{name})"),
        (Kind::Win | Kind::WinOut, _) => format!("MPI_Win_f2c(*{name})"),
        (Kind::RequestOut, _) => format!("MPI_Request_f2c(*{name})"),
        (Kind::MessageOut, _) => format!("MPI_Message_f2c(*{name})"),
        (_, _) => name.to_owned(),
    }
}

/// Functions that only count: they add one and jump to what the program meant, with all that it passes.
fn counting(calls: &[Call], out: &mut String) {
    let (counted, of_mpi_4) = counted();
    let with_large_counts = calls.iter().map(|call| format!("{}_c", call.name));
    let of_mpi_4: Vec<_> =
        of_mpi_4.into_iter().map(str::to_owned).chain(with_large_counts).collect();
    *out += "\n#if defined(__x86_64__)\n#define COUNTED(NAME, NUMBER) \\\n    \
             __asm__(\".text\\n.globl MPI_\" NAME \"\\n.type MPI_\" NAME \", @function\\n.weak PMPI_\" NAME \
             \"\\nMPI_\" NAME \":\\n\" \\\n            \
             \"lock incq onca_counts+8*\" #NUMBER \"(%rip)\\njmp *PMPI_\" NAME \"@GOTPCREL(%rip)\\n\" \\\n            \
             \".size MPI_\" NAME \", .-MPI_\" NAME);\n";
    *out += &format!(
        "uint64_t onca_counts[{}] __attribute__((visibility(\"hidden\"), used));\n",
        counted.len() + of_mpi_4.len()
    );
    for (number, name) in counted.iter().enumerate() {
        *out += &format!("COUNTED(\"{name}\", {number})\n");
    }
    *out += "#if MPI_VERSION >= 4\n";
    for (number, name) in (counted.len()..).zip(&of_mpi_4) {
        *out += &format!("COUNTED(\"{name}\", {number})\n");
    }
    *out += "#endif\nstatic uint64_t *counts_of(int number, const char **name) {\n    \
             static const char *const names[] = {";
    for name in counted.iter().copied().chain(of_mpi_4.iter().map(String::as_str)) {
        *out += &format!("\"MPI_{name}\", ");
    }
    *out += "NULL};\n    *name = names[number];\n    return *name ? &onca_counts[number] : NULL;\n}\n#else\n\
             static uint64_t *counts_of(int number, const char **name) {\n    \
             (void)number, (void)name;\n    return NULL;\n}\n#endif\n";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_the_table_names_is_a_parameter() {
        let source = source().unwrap_or_else(|line| panic!("{line}"));
        assert!(!source.contains("NO_PARAMETER"));
        // One function for each language.
        let calls = calls().unwrap_or_else(|line| panic!("{line}"));
        for Call { name, .. } in calls {
            assert_eq!(source.matches(&format!("\nint MPI_{name}(")).count(), 1, "{name}");
            let fortran = format!("\nvoid mpi_{}_(", name.to_lowercase());
            assert_eq!(source.matches(&fortran).count(), 1, "{name}");
            let module = format!("(mpi_{})(", name.to_lowercase());
            assert_eq!(source.matches(&module).count(), 1, "{name}");
        }
    }

    #[test]
    fn fortran_hands_over_addresses() {
        let calls = calls().unwrap_or_else(|line| panic!("{line}"));
        let Some(send) = calls.iter().find(|call| call.name == "Send") else { panic!("no Send") };
        let action = "sent($comm, $dest, $datatype, $buf)";
        assert_eq!(expanded(action, send, Language::C), "sent(comm, dest, datatype, buf)");
        assert_eq!(
            expanded(action, send, Language::Fortran),
            "sent(MPI_Comm_f2c(*comm), *dest, MPI_Type_f2c(*datatype), buf)"
        );
    }
}
