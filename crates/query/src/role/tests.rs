use super::*;

const DOCUMENT: &str = include_str!("../../../../docs/roles.md");

/// The first two cells of all rows of tables where both are code.
fn rows_of_code(text: &str) -> Vec<[&str; 2]> {
    text.lines().filter_map(row_of_code).collect()
}

fn row_of_code(line: &str) -> Option<[&str; 2]> {
    let mut cells = line.split('|').skip(1).map(str::trim);
    let mut code = || cells.next()?.strip_prefix('`')?.strip_suffix('`');
    Some([code()?, code()?])
}

#[test]
fn the_document_lists_the_roles_and_the_patterns_as_they_are() {
    let (roles, patterns) = DOCUMENT.split_once("## Patterns").expect("a chapter of patterns");
    let listed = Role::ALL.map(|role| [role.name().to_owned(), role.color().to_string()]);
    assert_eq!(rows_of_code(roles), listed);
    let listed: Vec<_> = PATTERNS.iter().map(|(pattern, role)| [*pattern, role.name()]).collect();
    assert_eq!(rows_of_code(patterns), listed);
}

#[test]
fn the_document_lists_what_stands_around_names_as_it_is() {
    let (_, chapter) = DOCUMENT.split_once("## Names that say nothing").expect("a chapter");
    let (chapter, _) = chapter.split_once("## Patterns").expect("the next chapter");
    let listed: Vec<String> =
        chapter.lines().filter(|line| line.starts_with('|')).skip(2).map(str::to_owned).collect();
    let row = |(around, pattern, role): &(Around, &str, Role)| {
        let pattern = if pattern.is_empty() { "any".to_owned() } else { format!("`{pattern}`") };
        format!("| {} | {pattern} | `{}` |", around.name(), role.name())
    };
    assert_eq!(listed, SURROUNDINGS.iter().map(row).collect::<Vec<_>>());
}

#[test]
fn names_of_roles_are_read_back_and_are_those_of_json() {
    for role in Role::ALL {
        assert_eq!(role.name().parse(), Ok(role));
        let json = serde_json::to_string(&role).expect("a role is a word");
        assert_eq!(json, format!("\"{}\"", role.name()));
        assert_eq!(serde_json::from_str::<Role>(&json).expect("its own JSON"), role);
    }
    let error = "waiting".parse::<Role>().expect_err("not a role").to_string();
    assert_eq!(
        error,
        "no role \"waiting\"; there are compute, task, send, receive, wait, collective, init, \
         runtime, idle"
    );
}

#[test]
fn names_are_cut_into_words() {
    let words = |name: &str| {
        let words = words_of(name.as_bytes());
        words.iter().map(|word| String::from_utf8_lossy(word)).collect::<Vec<_>>().join(" ")
    };
    for (name, expected) in [
        ("", ""),
        ("__", ""),
        ("MPI_Isend", "mpi isend"),
        ("PMPI_Isend", "mpi isend"),
        ("mpi_isend_", "mpi isend"),
        ("MPI::Isend()", "mpi isend"),
        ("action_allReduce", "mpi all reduce"),
        ("FetchingInput", "fetching input"),
        ("OpenMP barrier", "omp barrier"),
        ("!$omp parallel @solver.c:55", "omp parallel solver c 55"),
        ("cudaMemcpyHtoD", "cuda memcpy htod"),
        ("ncclDevKernel_AllReduce_Sum_f32_RING_LL", "nccl all reduce sum f32 ring ll"),
        ("ncclKernel_SendRecv", "nccl send recv"),
        ("nccl:all_reduce", "nccl all reduce"),
        ("Condition.wait (lib/sync/threading.py:295)", "condition wait"),
        ("_find_and_load (<frozen importlib._bootstrap>:1002)", "find and load"),
        ("torch/sync/sgd.py(80): step", "step"),
        ("area (3:4)", "area 3 4"),
        ("write.py(x): no", "write py x no"),
        ("état 3", "état 3"),
    ] {
        assert_eq!(words(name), expected, "{name}");
    }
}

#[test]
fn patterns_are_well_formed_and_not_hidden_by_earlier_ones() {
    for (at, (pattern, _)) in PATTERNS.iter().enumerate() {
        let bare = pattern.trim_start_matches('^').trim_end_matches('$');
        for word in bare.split(' ') {
            let inner = word.strip_prefix('*').unwrap_or(word);
            let inner = inner.strip_suffix('*').unwrap_or(inner);
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
            assert!(inner.chars().all(plain), "{pattern}");
            assert!(!inner.is_empty() || word == "*", "{pattern}");
        }
        // Of the names that a pattern is for, a plain one must reach it.
        let name = bare.replace('*', "x");
        let words: Vec<_> = name.split(' ').map(|word| word.as_bytes().to_vec()).collect();
        let first = PATTERNS.iter().position(|(earlier, _)| Pattern::parse(earlier).fits(&words));
        assert_eq!(first, Some(at), "{pattern}");
    }
}

/// Names of real traces, by role, with `|` between them.
const NAMES: &[(Role, &str)] = &[
    (
        Role::Compute,
        "computing|compute|action_compute|Computing|Running|Executing|Working|Active|\
         OpenMP Parallel|OpenMP For|OpenMP Section|OpenMP Workshare|\
         GOMP_parallel_loop_dynamic|!$omp parallel @solver.c:55|\
         heavy_kernel(float*, float const*)|CalcForceForNodes|MPI_Reduce_local|\
         void at::native::vectorized_elementwise_kernel<4>",
    ),
    (
        Role::Task,
        "OpenMP Task run|OpenMP Untied  Task run|task|job|I/O|MPI_File_read_all|\
         MPI_File_open|fwrite|Processing",
    ),
    (
        Role::Send,
        "MPI_Send|PMPI_Send|MPI_Isend|MPI_Ssend|MPI_Ibsend|MPI_Rsend_init|MPI_Send_init|\
         MPI_Sendrecv|MPI_Sendrecv_replace|PMPI_Sendrecv|MPI_Startall|MPI_Put|MPI_Rput|\
         MPI_Accumulate|MPI_Raccumulate|MPI_Get_accumulate|MPI_Fetch_and_op|action_Isend|\
         mpi_send_|send|SendSubmitted|SendCompleted|start_send_tasks|PushingOutput|\
         WritingBack|WritingBackAsync|DriverCopy|DriverCopyAsync|gaspi_write_notify|\
         gaspi_passive_send|cudaMemcpy|cudaMemcpyAsync|[CUDA memcpy HtoD]|hipMemcpy|\
         Blocking Send|Bloking Send|Immediate Send|Send Receive|Memory transfer|\
         One-sided op|exchange|ncclDevKernel_SendRecv|nccl:send|Memcpy HtoD (Pageable -> Device)",
    ),
    (
        Role::Receive,
        "MPI_Recv|PMPI_Irecv|MPI_Recv_init|MPI_Mrecv|MPI_Imrecv|MPI_Get|MPI_Rget|recv|\
         receive|Fetching input|FetchingInput|ReceiveSubmitted|RecieveCompleted|\
         Inmediate Receive|gaspi_read|gaspi_passive_receive|cuMemcpyDtoH_v2|\
         [CUDA memcpy Device-to-Host]|nccl:recv|Memcpy DtoH (Device -> Pinned)|socket.recv",
    ),
    (
        Role::Wait,
        "MPI_Wait|PMPI_Waitall|MPI_Waitsome|MPI_Test|MPI_Testany|MPI_Probe|MPI_Iprobe|\
         MPI_Improbe|MPI_Win_wait|MPI_Win_lock_all|MPI_Win_unlock|action_waitall|wait|\
         Blocked|UserWaiting|UserTesting|MPI Test|Testing Detached|Polling|\
         Waiting all tasks|Waiting task|Throttling task submission|Waiting a message|\
         Wait/WaitAll|Test/Probe|pthread_join|pthread_cond_wait|pthread_cond_timedwait|\
         pthread_mutex_lock|pthread_mutex_trylock|pthread_rwlock_rdlock|pthread_spin_lock|\
         OpenMP Task wait|OpenMP critical|OpenMP Set Nest Lock|gaspi_wait|\
         gaspi_notify_waitsome|cudaDeviceSynchronize|cudaStreamSynchronize|\
         hipEventSynchronize|sem_wait|Context Sync|Stream Sync|_thread.lock.acquire|\
         Semaphore.acquire (lib/threading.py:431)|Condition.wait (lib/threading.py:295)|\
         Thread.join (lib/threading.py:1087)|Queue.get (lib/queue.py:154)|_queue.SimpleQueue.get|\
         select.select|select.epoll.poll|EpollSelector.select (lib/selectors.py:451)",
    ),
    (
        Role::Collective,
        "MPI_Allreduce|PMPI_Allreduce|MPI_Iallreduce|MPI_Reduce|PMPI_Reduce_scatter|\
         MPI_Reduce_scatter_block|MPI_Bcast|MPI_Barrier|MPI_Ibarrier|MPI_Gather|\
         MPI_Allgatherv|MPI_Scatterv|MPI_Alltoall|MPI_Ialltoallw|MPI_Scan|MPI_Exscan|\
         MPI_Ineighbor_allgatherv|MPI_Comm_split|MPI_Comm_dup_with_info|MPI_Cart_create|\
         MPI_Intercomm_merge|MPI_Win_fence|MPI_Win_create_dynamic|action_allReduce|\
         action_bcast|gaspi_barrier|gaspi_allreduce|OpenMP barrier|!$omp implicit barrier|\
         OpenMP implicit barrier|GOMP_barrier|__kmpc_barrier|pthread_barrier_wait|\
         Synchronization|Thd. Synchr.|Group Communication|ncclDevKernel_AllReduce_Sum_f32_RING_LL|\
         ncclKernel_ReduceScatter_RING_LL_Sum_half|nccl:all_reduce|nccl:_all_gather_base|\
         ncclDevKernel_Broadcast_RING_LL|c10d::allreduce_|gloo:all_gather",
    ),
    (
        Role::Init,
        "MPI_Init|MPI_Init_thread|MPI_Initialized|PMPI_Init|MPI_Finalize|PMPI_Finalize|\
         action_init|action_finalize|Initializing|Initialising|Deinitializing|\
         EZTrace finalize|gaspi_proc_init|gaspi_proc_term|ncclCommInitRank",
    ),
    (
        Role::Runtime,
        "Scheduling|Overhead|Callback|Progressing|Hypervisor|Unpartitioning|\
         Submitting task|Building task|Decoding task for MPI|Preparing task for MPI|\
         Post-processing task for MPI|Allocating|AllocatingReuse|Freeing|Reclaiming|\
         DriverRun|Steal|Stealing|MPI_Comm_rank|MPI_Type_commit|MPI_Get_count|\
         MPI_Topo_test|MPI_Comm_test_inter|pthread_create|pthread_mutex_unlock|\
         pthread_cond_broadcast|OpenMP Task create|OpenMP Unset Lock|cudaLaunchKernel|\
         hipMalloc|gaspi_segment_create|TRACE BUFFER FLUSH|Scheduling and Fork/Join|\
         Sched. and Fork/Join|Allocating memory|ncclGroupStart|Memset (Device)|PyTorch Profiler (0)",
    ),
    (Role::Idle, "Idle|IDLE|idle|Sleeping|action_sleep|nanosleep|time.sleep|Nothing|Not created"),
];

#[test]
fn names_of_real_traces_have_their_role() {
    let wrong: Vec<String> = NAMES
        .iter()
        .flat_map(|(role, names)| names.split('|').map(move |name| (role, name)))
        .filter(|(role, name)| Role::guess(name.as_bytes()) != Some(**role))
        .map(|(role, name)| format!("{name}: {:?}, not {role:?}", Role::guess(name.as_bytes())))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn names_that_say_nothing_have_no_role() {
    for name in [
        "",
        "a",
        "c",
        "main",
        "int main(int, char**)",
        "fn_149",
        "chol_model_22",
        "pipeline_model_axpy",
        "dgemm",
        "leaf (lib/sync/app.py:3)",
        "select_best",
        "clock",
        "booked",
        "free",
        "normal",
        "violation-det",
        "MEASUREMENT OFF",
        "Others",
        "Tracing Disabled",
        "\u{e9}tat",
    ] {
        assert_eq!(Role::guess(name.as_bytes()), None, "{name}");
    }
    assert_eq!(Role::guess(b"\xff\xfe\x00"), None);
}

/// Most names are passed over by a quick look; that must not change what is guessed.
#[test]
fn a_quick_look_misses_nothing() {
    use rand::seq::IndexedRandom;
    use rand::{RngExt, SeedableRng};

    let patterns: Vec<Pattern> =
        PATTERNS.iter().map(|(pattern, _)| Pattern::parse(pattern)).collect();
    let by_every_pattern = |name: &[u8]| {
        let words = words_of(name);
        let found = patterns.iter().position(|pattern| pattern.fits(&words));
        found.map(|at| PATTERNS[at].1)
    };
    let letters = patterns.iter().flat_map(|pattern| &pattern.words).map(WordPattern::letters);
    let mut pieces: Vec<Vec<u8>> = letters.map(<[u8]>::to_vec).collect();
    pieces.extend(FAMILIES.iter().map(|(alias, _)| alias.to_vec()));
    pieces.extend(["x", "Of", "17", "_", "::", " ", "\u{e9}"].map(|text| text.as_bytes().to_vec()));
    let mut dice = rand_chacha::ChaCha8Rng::seed_from_u64(22);
    let mut with_role = 0;
    for _ in 0..20_000 {
        let mut name: Vec<u8> = Vec::new();
        for _ in 0..dice.random_range(1..4) {
            let piece = pieces.choose(&mut dice).expect("a piece");
            let mut piece = piece.clone();
            // Patterns are in small letters; names are not.
            piece.iter_mut().filter(|_| dice.random_bool(0.3)).for_each(u8::make_ascii_uppercase);
            name.extend(piece);
            name.extend(["", "", "_", "-", " "].choose(&mut dice).expect("a gap").as_bytes());
        }
        let expected = by_every_pattern(&name);
        with_role += usize::from(expected.is_some());
        assert_eq!(Role::guess(&name), expected, "{}", String::from_utf8_lossy(&name));
    }
    assert!((2_000..19_000).contains(&with_role), "{with_role}");
}
