//! The calls that are recorded, and their arguments. A record does not tell its length, so that
//! all of them must be known, even those of which nothing is kept.

use std::sync::LazyLock;

/// How an argument is packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Packing {
    Byte,
    Short,
    Int,
    Long,
    Text,
    Statuses,
    Bytes,
    Shorts,
    Ints,
    Texts,
    IntLists,
    TextLists,
}

/// An argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Argument {
    /// What it is called; nothing where it is passed over.
    pub name: &'static str,
    pub packing: Packing,
    /// It is there only at the root of the operation.
    pub at_root: bool,
}

/// A function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Function {
    pub id: u16,
    pub name: String,
    pub arguments: Vec<Argument>,
}

/// The end of the calls.
pub(super) const END: u16 = 293;
/// A function of the program is entered.
pub(super) const FUNCTION_ENTER: u16 = 291;
/// A function of the program is left.
pub(super) const FUNCTION_EXIT: u16 = 292;
/// How many functions the footer counts.
pub(super) const N_COUNTED: usize = 291;

/// Number, name and arguments. Arguments are `name:packing`, or the packing alone: `b`, `h`, `i`
/// and `q` are numbers of 8 to 64 bits, `s` is a text, `S` a list of statuses, brackets are lists;
/// after `?` it is there only at the root.
const TABLE: &[(u16, &str, &str)] = &[
    (0, "Send", SEND),
    (1, "Recv", "count:i datatype:h source:i tag:i comm:h status:S"),
    (2, "Get_count", "status:S datatype:h count:i"),
    (3, "Bsend", SEND),
    (4, "Ssend", SEND),
    (5, "Rsend", SEND),
    (6, "Buffer_attach", "i"),
    (7, "Buffer_detach", "i"),
    (8, "Isend", ISEND),
    (9, "Ibsend", ISEND),
    (10, "Issend", ISEND),
    (11, "Irsend", ISEND),
    (12, "Irecv", IRECV),
    (13, "Wait", "request:i status:S"),
    (14, "Test", "request:i flag:i status:S"),
    (15, "Request_free", "request:i"),
    (16, "Waitany", "count:i requests:[i] index:i status:S"),
    (17, "Testany", "count:i requests:[i] index:i flag:i status:S"),
    (18, "Waitall", "count:i requests:[i] statuses:S"),
    (19, "Testall", "count:i requests:[i] flag:i statuses:S"),
    (20, "Waitsome", "count:i requests:[i] outcount:i indices:[i] statuses:S"),
    (21, "Testsome", "count:i requests:[i] outcount:i indices:[i] statuses:S"),
    (22, "Iprobe", "source:i tag:i comm:h flag:i status:S"),
    (23, "Probe", "source:i tag:i comm:h status:S"),
    (24, "Cancel", "request:i"),
    (25, "Test_cancelled", "S flag:i"),
    (26, "Send_init", ISEND),
    (27, "Bsend_init", ISEND),
    (28, "Ssend_init", ISEND),
    (29, "Rsend_init", ISEND),
    (30, "Recv_init", IRECV),
    (31, "Start", "request:i"),
    (32, "Startall", "count:i requests:[i]"),
    (
        33,
        "Sendrecv",
        "sendcount:i sendtype:h dest:i sendtag:i recvcount:i recvtype:h source:i recvtag:i comm:h \
         status:S",
    ),
    (
        34,
        "Sendrecv_replace",
        "count:i datatype:h dest:i sendtag:i source:i recvtag:i comm:h status:S",
    ),
    (35, "Type_contiguous", "count:i oldtype:h newtype:h"),
    (36, "Type_vector", VECTOR),
    (37, "Type_hvector", VECTOR),
    (38, "Type_indexed", "count:i [i] [i] oldtype:h newtype:h"),
    (39, "Type_hindexed", "count:i [i] [i] oldtype:h newtype:h"),
    (40, "Type_struct", "count:i [i] [i] [h] newtype:h"),
    (41, "Address", "i"),
    (42, "Type_extent", "datatype:h extent:i"),
    (43, "Type_size", "datatype:h size:i"),
    (44, "Type_lb", "datatype:h displacement:i"),
    (45, "Type_ub", "datatype:h displacement:i"),
    (46, "Type_commit", "datatype:h"),
    (47, "Type_free", "datatype:h"),
    (48, "Get_elements", "status:S datatype:h elements:i"),
    (49, "Pack", "i datatype:h i i i comm:h"),
    (50, "Unpack", "i i i i datatype:h comm:h"),
    (51, "Pack_size", "i datatype:h comm:h size:i"),
    (52, "Barrier", "comm:h"),
    (53, "Bcast", "count:i datatype:h root:i comm:h"),
    (54, "Gather", "commrank:i sendcount:i sendtype:h root:i comm:h ?recvcount:i ?recvtype:h"),
    (
        55,
        "Gatherv",
        "commrank:i commsize:i sendcount:i sendtype:h root:i comm:h ?recvcounts:[i] ?displs:[i] \
         recvtype:h",
    ),
    (56, "Scatter", "commrank:i recvcount:i recvtype:h root:i comm:h ?sendcount:i ?sendtype:h"),
    (
        57,
        "Scatterv",
        "commrank:i commsize:i sendtype:h recvcount:i recvtype:h root:i comm:h ?sendcounts:[i] \
         ?displs:[i]",
    ),
    (58, "Allgather", "sendcount:i sendtype:h recvcount:i recvtype:h comm:h"),
    (59, "Allgatherv", "commsize:i sendcount:i sendtype:h [i] [i] recvtype:h comm:h"),
    (60, "Alltoall", "sendcount:i sendtype:h recvcount:i recvtype:h comm:h"),
    (61, "Alltoallv", "commsize:i [i] [i] sendtype:h [i] [i] recvtype:h comm:h"),
    (62, "Reduce", "count:i datatype:h op:b root:i comm:h"),
    (63, "Op_create", "commute:i op:b"),
    (64, "Op_free", "op:b"),
    (65, "Allreduce", "count:i datatype:h op:b comm:h"),
    (66, "Reduce_scatter", "commsize:i [i] datatype:h op:b comm:h"),
    (67, "Scan", "count:i datatype:h op:b comm:h"),
    (68, "Group_size", "group:h size:i"),
    (69, "Group_rank", "group:h rank:i"),
    (70, "Group_translate_ranks", "h i [i] h [i]"),
    (71, "Group_compare", "h h result:b"),
    (72, "Comm_group", "comm:h group:h"),
    (73, "Group_union", "group1:h group2:h newgroup:h"),
    (74, "Group_intersection", "group1:h group2:h newgroup:h"),
    (75, "Group_difference", "group1:h group2:h newgroup:h"),
    (76, "Group_incl", "group:h count:i ranks:[i] newgroup:h"),
    (77, "Group_excl", "group:h count:i ranks:[i] newgroup:h"),
    (78, "Group_range_incl", "group:h count:i ranges:[[i]] newgroup:h"),
    (79, "Group_range_excl", "group:h count:i ranges:[[i]] newgroup:h"),
    (80, "Group_free", "group:h"),
    (81, "Comm_size", "comm:h size:i"),
    (82, "Comm_rank", "comm:h rank:i"),
    (83, "Comm_compare", "h h result:b"),
    (84, "Comm_dup", "oldcomm:h newcomm:h"),
    (85, "Comm_create", "oldcomm:h group:h newcomm:h"),
    (86, "Comm_split", "oldcomm:h color:i key:i newcomm:h"),
    (87, "Comm_free", "comm:h"),
    (88, "Comm_test_inter", "comm:h inter:i"),
    (89, "Comm_remote_size", "comm:h size:i"),
    (90, "Comm_remote_group", "comm:h group:h"),
    (
        91,
        "Intercomm_create",
        "localcomm:h localleader:i remotecomm:h remoteleader:i tag:i newcomm:h",
    ),
    (92, "Intercomm_merge", "comm:h high:i newcomm:h"),
    (93, "Keyval_create", "h"),
    (94, "Keyval_free", "h"),
    (95, "Attr_put", "comm:h i"),
    (96, "Attr_get", "comm:h i i"),
    (97, "Attr_delete", "comm:h i"),
    (98, "Topo_test", "comm:h status:b"),
    (99, "Cart_create", "oldcomm:h ndim:i dims:[i] periods:[i] reorder:i newcomm:h"),
    (100, "Dims_create", "nodes:i ndim:i [i] [i]"),
    (101, "Graph_create", "i oldcomm:h nodes:i [i] [i] reorder:i newcomm:h"),
    (102, "Graphdims_get", "comm:h nodes:i edges:i"),
    (103, "Graph_get", "i i comm:h i i [i] [i]"),
    (104, "Cartdim_get", "comm:h ndim:i"),
    (105, "Cart_get", "i comm:h ndim:i [i] [i] [i]"),
    (106, "Cart_rank", "i comm:h [i] rank:i"),
    (107, "Cart_coords", "i comm:h rank:i ndim:i [i]"),
    (108, "Graph_neighbors_count", "comm:h rank:i neighbors:i"),
    (109, "Graph_neighbors", "i comm:h rank:i i [i]"),
    (110, "Cart_shift", "comm:h direction:i displ:i source:i dest:i"),
    (111, "Cart_sub", "ndim:i oldcomm:h remain:[i] newcomm:h"),
    (112, "Cart_map", "comm:h ndim:i [i] [i] i"),
    (113, "Graph_map", "i comm:h i [i] [i] i"),
    (114, "Get_processor_name", "name:s resultlen:i"),
    (115, "Get_version", "version:i subversion:i"),
    (116, "Errhandler_create", "h"),
    (117, "Errhandler_set", "comm:h h"),
    (118, "Errhandler_get", "comm:h h"),
    (119, "Errhandler_free", "h"),
    (120, "Error_string", "i s i"),
    (121, "Error_class", "i i"),
    (122, "Wtime", ""),
    (123, "Wtick", ""),
    (124, "Init", "[s]"),
    (125, "Finalize", ""),
    (126, "Initialized", "result:i"),
    (127, "Abort", "comm:h errcode:i"),
    (129, "Close_port", "portname:s"),
    (130, "Comm_accept", "s h i oldcomm:h newcomm:h"),
    (131, "Comm_connect", "s h i oldcomm:h newcomm:h"),
    (132, "Comm_disconnect", "comm:h"),
    (133, "Comm_get_parent", "newcomm:h"),
    (134, "Comm_join", "i newcomm:h"),
    (135, "Comm_spawn", "commrank:i root:i h h ?s ?[s] ?i ?h ?[i]"),
    (136, "Comm_spawn_multiple", "i commrank:i root:i h h ?i ?[s] ?[[s]] ?[i] ?[h] ?[i]"),
    (137, "Lookup_name", "s h s"),
    (138, "Open_port", "h s"),
    (139, "Publish_name", "s h s"),
    (140, "Unpublish_name", "s h s"),
    (
        141,
        "Accumulate",
        "origincount:i origintype:h targetrank:i targetdisp:i targetcount:i targettype:h op:b win:h",
    ),
    (142, "Get", ONE_SIDED),
    (143, "Put", ONE_SIDED),
    (144, "Win_complete", "win:h"),
    (145, "Win_create", "size:i dispunit:i info:h comm:h win:h"),
    (146, "Win_fence", "assertion:b win:h"),
    (147, "Win_free", "win:h"),
    (148, "Win_get_group", "win:h group:h"),
    (149, "Win_lock", "locktype:b winrank:i assertion:b win:h"),
    (150, "Win_post", "group:h assertion:b win:h"),
    (151, "Win_start", "group:h assertion:b win:h"),
    (152, "Win_test", "win:h flag:i"),
    (153, "Win_unlock", "winrank:i win:h"),
    (154, "Win_wait", "win:h"),
    (155, "Alltoallw", "commsize:i [i] [i] [h] [i] [i] [h] comm:h"),
    (156, "Exscan", "count:i datatype:h op:b comm:h"),
    (157, "Add_error_class", "i"),
    (158, "Add_error_code", "i i"),
    (159, "Add_error_string", "i s"),
    (160, "Comm_call_errhandler", "comm:h errcode:i"),
    (161, "Comm_create_keyval", "h"),
    (162, "Comm_delete_attr", "comm:h h"),
    (163, "Comm_free_keyval", "h"),
    (164, "Comm_get_attr", "comm:h h i"),
    (165, "Comm_get_name", "comm:h name:s i"),
    (166, "Comm_set_attr", "comm:h h"),
    (167, "Comm_set_name", "comm:h name:s"),
    (168, "File_call_errhandler", "h i"),
    (169, "Grequest_complete", "request:i"),
    (170, "Grequest_start", "request:i"),
    (171, "Init_thread", "[s] required:b provided:b"),
    (172, "Is_thread_main", "flag:i"),
    (173, "Query_thread", "provided:b"),
    (174, "Status_set_cancelled", "S flag:i"),
    (175, "Status_set_elements", "S datatype:h count:i"),
    (176, "Type_create_keyval", "h"),
    (177, "Type_delete_attr", "datatype:h h"),
    (178, "Type_dup", "oldtype:h newtype:h"),
    (179, "Type_free_keyval", "h"),
    (180, "Type_get_attr", "datatype:h h i"),
    (181, "Type_get_contents", "i i i datatype:h i i i [i] [i] [h]"),
    (182, "Type_get_envelope", "datatype:h i i i b"),
    (183, "Type_get_name", "datatype:h name:s i"),
    (184, "Type_set_attr", "datatype:h h"),
    (185, "Type_set_name", "datatype:h name:s"),
    (186, "Type_match_size", "b size:i datatype:h"),
    (187, "Win_call_errhandler", "win:h errcode:i"),
    (188, "Win_create_keyval", "h"),
    (189, "Win_delete_attr", "win:h h"),
    (190, "Win_free_keyval", "h"),
    (191, "Win_get_attr", "win:h h i"),
    (192, "Win_get_name", "win:h name:s i"),
    (193, "Win_set_attr", "win:h h"),
    (194, "Win_set_name", "win:h name:s"),
    (195, "Alloc_mem", "size:i h"),
    (196, "Comm_create_errhandler", "h"),
    (197, "Comm_get_errhandler", "comm:h h"),
    (198, "Comm_set_errhandler", "comm:h h"),
    (199, "File_create_errhandler", "h"),
    (200, "File_get_errhandler", "file:h h"),
    (201, "File_set_errhandler", "file:h h"),
    (202, "Finalized", "result:i"),
    (203, "Free_mem", ""),
    (204, "Get_address", "i"),
    (205, "Info_create", "h"),
    (206, "Info_delete", "h s"),
    (207, "Info_dup", "h h"),
    (208, "Info_free", "h"),
    (209, "Info_get", "h s i s i"),
    (210, "Info_get_nkeys", "h i"),
    (211, "Info_get_nthkey", "h i s"),
    (212, "Info_get_valuelen", "h s i i"),
    (213, "Info_set", "h s s"),
    (214, "Pack_external", "s i datatype:h i i i"),
    (215, "Pack_external_size", "s i datatype:h i"),
    (216, "Request_get_status", "request:i flag:i S"),
    (217, "Type_create_darray", "i i i [i] [b] [i] [i] b oldtype:h newtype:h"),
    (218, "Type_create_hindexed", "count:i [i] [i] oldtype:h newtype:h"),
    (219, "Type_create_hvector", VECTOR),
    (220, "Type_create_indexed_block", "count:i i [i] oldtype:h newtype:h"),
    (221, "Type_create_resized", "oldtype:h i i newtype:h"),
    (222, "Type_create_struct", "count:i [i] [i] [h] newtype:h"),
    (223, "Type_create_subarray", "i [i] [i] [i] b oldtype:h newtype:h"),
    (224, "Type_get_extent", "datatype:h i extent:i"),
    (225, "Type_get_true_extent", "datatype:h i extent:i"),
    (226, "Unpack_external", "s i i i i datatype:h"),
    (227, "Win_create_errhandler", "h"),
    (228, "Win_get_errhandler", "win:h h"),
    (229, "Win_set_errhandler", "win:h h"),
    (230, "File_open", "comm:h name:s b h file:h"),
    (231, "File_close", "file:h"),
    (232, "File_delete", "name:s h"),
    (233, "File_set_size", "file:h size:q"),
    (234, "File_preallocate", "file:h size:q"),
    (235, "File_get_size", "file:h size:q"),
    (236, "File_get_group", "file:h group:h"),
    (237, "File_get_amode", "file:h b"),
    (238, "File_set_info", "file:h h"),
    (239, "File_get_info", "file:h h"),
    (240, "File_set_view", "file:h offset:q h h s h"),
    (241, "File_get_view", "file:h offset:q h h s"),
    (242, "File_read_at", FILE_AT),
    (243, "File_read_at_all", FILE_AT),
    (244, "File_write_at", FILE_AT),
    (245, "File_write_at_all", FILE_AT),
    (246, "File_iread_at", "file:h offset:q count:i datatype:h request:i"),
    (247, "File_iwrite_at", "file:h offset:q count:i datatype:h request:i"),
    (248, "File_read", FILE),
    (249, "File_read_all", FILE),
    (250, "File_write", FILE),
    (251, "File_write_all", FILE),
    (252, "File_iread", "file:h count:i datatype:h request:i"),
    (253, "File_iwrite", "file:h count:i datatype:h request:i"),
    (254, "File_seek", "file:h offset:q b"),
    (255, "File_get_position", "file:h offset:q"),
    (256, "File_get_byte_offset", "file:h offset:q q"),
    (257, "File_read_shared", FILE),
    (258, "File_write_shared", FILE),
    (259, "File_iread_shared", "file:h count:i datatype:h request:i"),
    (260, "File_iwrite_shared", "file:h count:i datatype:h request:i"),
    (261, "File_read_ordered", FILE),
    (262, "File_write_ordered", FILE),
    (263, "File_seek_shared", "file:h offset:q b"),
    (264, "File_get_position_shared", "file:h offset:q"),
    (265, "File_read_at_all_begin", "file:h offset:q count:i datatype:h"),
    (266, "File_read_at_all_end", "file:h S"),
    (267, "File_write_at_all_begin", "file:h offset:q count:i datatype:h"),
    (268, "File_write_at_all_end", "file:h S"),
    (269, "File_read_all_begin", "file:h count:i datatype:h"),
    (270, "File_read_all_end", "file:h S"),
    (271, "File_write_all_begin", "file:h count:i datatype:h"),
    (272, "File_write_all_end", "file:h S"),
    (273, "File_read_ordered_begin", "file:h count:i datatype:h"),
    (274, "File_read_ordered_end", "file:h S"),
    (275, "File_write_ordered_begin", "file:h count:i datatype:h"),
    (276, "File_write_ordered_end", "file:h S"),
    (277, "File_get_type_extent", "file:h datatype:h extent:i"),
    (278, "Register_datarep", "name:s"),
    (279, "File_set_atomicity", "file:h flag:i"),
    (280, "File_get_atomicity", "file:h flag:i"),
    (281, "File_sync", "file:h"),
    (FUNCTION_ENTER, "function enter", "address:q"),
    (FUNCTION_EXIT, "function exit", "address:q"),
];

const SEND: &str = "count:i datatype:h dest:i tag:i comm:h";
const ISEND: &str = "count:i datatype:h dest:i tag:i comm:h request:i";
const IRECV: &str = "count:i datatype:h source:i tag:i comm:h request:i";
const VECTOR: &str = "count:i blocklength:i stride:i oldtype:h newtype:h";
const ONE_SIDED: &str =
    "origincount:i origintype:h targetrank:i targetdisp:i targetcount:i targettype:h win:h";
const FILE_AT: &str = "file:h offset:q count:i datatype:h S";
const FILE: &str = "file:h count:i datatype:h S";

static FUNCTIONS: LazyLock<Vec<Option<Function>>> = LazyLock::new(|| {
    let mut functions = vec![None; usize::from(END)];
    for &(id, name, arguments) in TABLE {
        let name = format!("MPI_{name}");
        let arguments = arguments.split_ascii_whitespace().map(argument).collect();
        functions[usize::from(id)] = Some(Function { id, name, arguments });
    }
    functions
});

/// The function with a number; `None` if there is none whose arguments are known.
pub(super) fn function(id: u16) -> Option<&'static Function> {
    FUNCTIONS.get(usize::from(id))?.as_ref()
}

/// All functions, in order of their numbers.
pub(super) fn functions() -> impl Iterator<Item = &'static Function> {
    FUNCTIONS.iter().flatten()
}

fn argument(text: &'static str) -> Argument {
    let (at_root, text) = match text.strip_prefix('?') {
        Some(text) => (true, text),
        None => (false, text),
    };
    let (name, packing) = text.split_once(':').unwrap_or(("", text));
    let packing = match packing {
        "b" => Packing::Byte,
        "h" => Packing::Short,
        "q" => Packing::Long,
        "s" => Packing::Text,
        "S" => Packing::Statuses,
        "[b]" => Packing::Bytes,
        "[h]" => Packing::Shorts,
        "[i]" => Packing::Ints,
        "[s]" => Packing::Texts,
        "[[i]]" => Packing::IntLists,
        "[[s]]" => Packing::TextLists,
        _ => Packing::Int,
    };
    Argument { name, packing, at_root }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_but_the_reserved_ones_has_a_function() {
        let missing: Vec<u16> = (0..END).filter(|&id| function(id).is_none()).collect();
        assert_eq!(missing, [128, 282, 283, 284, 285, 286, 287, 288, 289, 290]);
        assert_eq!(functions().count(), TABLE.len());
    }

    #[test]
    fn packings_are_written_right() {
        let known = ["b", "h", "i", "q", "s", "S", "[b]", "[h]", "[i]", "[s]", "[[i]]", "[[s]]"];
        for (_, name, arguments) in TABLE {
            for argument in arguments.split_ascii_whitespace() {
                let packing = argument.trim_start_matches('?').rsplit(':').next();
                assert!(packing.is_some_and(|packing| known.contains(&packing)), "{name}");
            }
        }
        let names: Vec<_> =
            function(54).expect("Gather").arguments.iter().map(|a| a.name).collect();
        assert_eq!(names[..3], ["commrank", "sendcount", "sendtype"]);
        assert!(function(54).expect("Gather").arguments[5].at_root);
    }
}
