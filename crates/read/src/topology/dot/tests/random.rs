//! Random graphs, written in random ways, are read back as they were; damaged ones never panic.

use std::sync::Arc;

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::super::read_dot;
use crate::topology::{Attributes, Edge, Group, Node, Topology};

/// A graph whose nodes are first mentioned in order, as reading gives them.
fn random_graph(rng: &mut impl Rng) -> Topology {
    let n_nodes = rng.random_range(1..12);
    let nodes = (0..n_nodes)
        .map(|i| Node { name: random_name(rng, i), attributes: random_attributes(rng) })
        .collect();
    let edges = (0..rng.random_range(0..15))
        .map(|_| {
            let (a, b) = (rng.random_range(0..n_nodes), rng.random_range(0..n_nodes));
            Edge { a, b, attributes: random_attributes(rng) }
        })
        .collect();
    let mut groups: Vec<Group> = Vec::new();
    for i in 0..rng.random_range(0..5_usize) {
        let parent = if i > 0 && rng.random() { Some(rng.random_range(0..i)) } else { None };
        let n_members = rng.random_range(0..4);
        let mut nodes: Vec<usize> = (0..n_members).map(|_| rng.random_range(0..n_nodes)).collect();
        nodes.sort_unstable();
        nodes.dedup();
        groups.push(Group {
            name: Some(format!("cluster {i}").into_bytes()),
            label: rng.random_bool(0.5).then(|| random_name(rng, i)),
            parent,
            attributes: Attributes::default(),
            nodes,
        });
    }
    Topology {
        directed: rng.random(),
        name: rng.random_bool(0.5).then(|| b"g".to_vec()),
        label: None,
        attributes: random_attributes(rng),
        nodes,
        edges,
        groups,
    }
}

fn random_name(rng: &mut impl Rng, number: usize) -> Vec<u8> {
    let beginnings: [&[u8]; 8] =
        [b"n", b"Node", b"\xc3\xa9", b"a \"b\"", b"x-", b"/*", b"{;", b"# \r\n"];
    [beginnings[rng.random_range(0..beginnings.len())], number.to_string().as_bytes()].concat()
}

fn random_attributes(rng: &mut impl Rng) -> Attributes {
    let mut attributes = Attributes::default();
    for i in 0..rng.random_range(0..3) {
        let key = random_name(rng, i);
        attributes.set(&Arc::from(&key[..]), &Arc::from(&random_name(rng, 7)[..]));
    }
    attributes
}

/// Writes graphs with blanks, comments and forms of names as the dice say.
struct Writer<'a, R> {
    rng: &'a mut R,
    text: Vec<u8>,
}

impl<R: Rng> Writer<'_, R> {
    fn put(&mut self, piece: &[u8]) {
        let blanks: [&[u8]; 6] =
            [b" ", b"\n", b"\t\r\n", b" /* } \" */ ", b"// { \" \n", b"\n# x\n"];
        self.text.extend_from_slice(blanks[self.rng.random_range(0..blanks.len())]);
        self.text.extend_from_slice(piece);
    }

    fn name(&mut self, name: &[u8]) {
        let plain = name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80);
        if plain && self.rng.random() {
            return self.put(name);
        }
        let cut = self.rng.random_range(0..=name.len());
        let (first, second) = name.split_at(cut);
        self.put(&quoted(first));
        if cut < name.len() {
            self.put(b"+");
            self.put(&quoted(second));
        }
    }

    fn attributes(&mut self, attributes: &Attributes) {
        if attributes.is_empty() && self.rng.random() {
            return;
        }
        self.put(b"[");
        for (key, value) in attributes.iter() {
            self.name(key);
            self.put(b"=");
            self.name(value);
            let ends: [&[u8]; 4] = [b",", b";", b"", b"]["];
            let end = ends[self.rng.random_range(0..ends.len())];
            self.put(end);
        }
        self.put(b"]");
    }

    fn end_of_statement(&mut self) {
        if self.rng.random() {
            self.put(b";");
        }
    }

    fn group(&mut self, graph: &Topology, group: usize) {
        let Group { name, label, nodes, .. } = &graph.groups[group];
        self.put(b"SubGraph");
        self.name(name.as_deref().unwrap_or_default());
        self.put(b"{");
        if let Some(label) = label {
            self.name(b"label");
            self.put(b"=");
            self.name(label);
            self.end_of_statement();
        }
        for &node in nodes {
            self.name(&graph.nodes[node].name);
            self.end_of_statement();
        }
        for inner in group + 1..graph.groups.len() {
            if graph.groups[inner].parent == Some(group) {
                self.group(graph, inner);
            }
        }
        self.put(b"}");
        self.end_of_statement();
    }

    fn graph(&mut self, graph: &Topology) {
        self.put(if graph.directed { b"digraph" } else { b"Graph" });
        if let Some(name) = &graph.name {
            self.name(name);
        }
        self.put(b"{");
        for node in &graph.nodes {
            self.name(&node.name);
            self.attributes(&node.attributes);
            self.end_of_statement();
        }
        for edge in &graph.edges {
            self.name(&graph.nodes[edge.a].name);
            self.put(if graph.directed { b"->" } else { b"--" });
            self.name(&graph.nodes[edge.b].name);
            self.attributes(&edge.attributes);
            self.end_of_statement();
        }
        for group in 0..graph.groups.len() {
            if graph.groups[group].parent.is_none() {
                self.group(graph, group);
            }
        }
        // Last, as groups would inherit them.
        if !graph.attributes.is_empty() {
            self.put(b"graph");
            self.put(b"[ ]");
            self.attributes(&graph.attributes);
        }
        self.put(b"}\n");
    }
}

fn quoted(name: &[u8]) -> Vec<u8> {
    let escaped: Vec<u8> = name
        .iter()
        .flat_map(|byte| if *byte == b'"' { vec![b'\\', b'"'] } else { vec![*byte] })
        .collect();
    [b"\"", &escaped[..], b"\""].concat()
}

fn written(graph: &Topology, rng: &mut impl Rng) -> Vec<u8> {
    let mut writer = Writer { rng, text: Vec::new() };
    writer.graph(graph);
    writer.text
}

/// The same groups in the order of the file: depth first.
fn in_file_order(graph: &mut Topology) {
    let mut order = Vec::new();
    let mut todo: Vec<usize> = (0..graph.groups.len()).rev().collect();
    todo.retain(|&group| graph.groups[group].parent.is_none());
    while let Some(group) = todo.pop() {
        order.push(group);
        let children = (0..graph.groups.len()).rev();
        todo.extend(children.filter(|&child| graph.groups[child].parent == Some(group)));
    }
    let place = |group: usize| order.iter().position(|&at| at == group);
    let groups = order.iter().map(|&group| {
        let group = graph.groups[group].clone();
        Group { parent: group.parent.and_then(place), ..group }
    });
    graph.groups = groups.collect();
}

#[test]
fn what_is_written_is_read_back() {
    for seed in 0..3000 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut graph = random_graph(&mut rng);
        let text = written(&graph, &mut rng);
        in_file_order(&mut graph);
        match read_dot(&text) {
            Ok(read) => assert_eq!(read, graph, "seed {seed}:\n{}", String::from_utf8_lossy(&text)),
            Err(error) => panic!("seed {seed}: {error}\n{}", String::from_utf8_lossy(&text)),
        }
    }
}

#[test]
fn damage_is_an_error_inside_the_text_or_another_graph() {
    let bytes = b"{}[]();,=:-><\"\\/*#+.\n a0\xff";
    let mut n_refused = 0;
    for seed in 0..3000 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let graph = random_graph(&mut rng);
        let mut text = written(&graph, &mut rng);
        for _ in 0..rng.random_range(1..4) {
            let at = rng.random_range(0..text.len());
            let byte = bytes[rng.random_range(0..bytes.len())];
            match rng.random_range(0..4) {
                0 => text[at] = byte,
                1 => text.insert(at, byte),
                2 => _ = text.remove(at),
                _ => text.truncate(at.max(1)),
            }
        }
        if let Err(error) = read_dot(&text) {
            n_refused += 1;
            let line = text.split(|&byte| byte == b'\n').nth(error.line as usize - 1);
            let line = line.unwrap_or_else(|| panic!("seed {seed}: {error} is beyond the text"));
            assert!(error.column as usize <= line.len() + 1, "seed {seed}: {error}");
        }
    }
    assert!(n_refused > 1000, "{n_refused}");
}
