//! Where processes run: sites of clusters of machines, and the network between them.

use std::io::{self, Write};

use crate::paje::{Container, ContainerType, Record, Trace};
use crate::{GenerateError, TICKS_PER_UNIT, require};

/// More containers than this in one hierarchy are a mistake in the options.
const MAX_CONTAINERS: u64 = 100_000_000;

/// A platform. Processes are spread evenly over its machines, neighbours in rank close together.
///
/// Sites, clusters and machines are numbered from 1 over the whole platform, as in their names (`machine-1`);
/// processes from 0 (`rank-0`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Number of sites.
    pub sites: u32,
    /// Number of clusters in each site.
    pub clusters_per_site: u32,
    /// Number of machines in each cluster.
    pub machines_per_cluster: u32,
    /// Number of clusters of the whole platform, where sites do not have equally many: they are spread as evenly as
    /// can be.
    pub all_clusters: Option<u32>,
}

impl Default for Place {
    fn default() -> Self {
        Place { sites: 2, clusters_per_site: 2, machines_per_cluster: 4, all_clusters: None }
    }
}

/// One side of a slow part of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// A machine, from 1.
    Machine(u32),
    /// All machines of a cluster, from 1.
    Cluster(u32),
}

/// A part of the network on which messages take longer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowRoute {
    /// One side.
    pub side: Side,
    /// The other; everything else by default.
    pub other: Option<Side>,
    /// How many times as long messages between the two sides take.
    pub factor: f64,
}

impl SlowRoute {
    /// How many times as long a message between two machines takes.
    pub(crate) fn factor_between(&self, place: &Place, a: u32, b: u32) -> f64 {
        let holds = |side: Side, machine: u32| match side {
            Side::Machine(it) => it == machine,
            Side::Cluster(it) => place.cluster_of(machine) == it,
        };
        let passes = |a: u32, b: u32| {
            let is_other = self.other.is_none_or(|other| holds(other, b));
            holds(self.side, a) && !holds(self.side, b) && is_other
        };
        if passes(a, b) || passes(b, a) { self.factor } else { 1.0 }
    }
}

/// What a cable can do.
#[derive(Clone, Copy)]
struct Cable {
    bytes_per_unit: u64,
    latency_ticks: i64,
}

/// Between processes of one machine.
const MEMORY: Cable = Cable { bytes_per_unit: 5_000_000_000, latency_ticks: 1_000 };
/// From a machine to the switch of its cluster.
const MACHINE_CABLE: Cable = Cable { bytes_per_unit: 1_250_000_000, latency_ticks: 20_000 };
/// From a switch to the router of its site.
const CLUSTER_CABLE: Cable = Cable { bytes_per_unit: 1_250_000_000, latency_ticks: 50_000 };
/// From a router to the backbone.
const SITE_CABLE: Cable = Cable { bytes_per_unit: 125_000_000, latency_ticks: 2_500_000 };

impl Place {
    /// Number of clusters of the whole platform.
    pub fn clusters(&self) -> u32 {
        self.all_clusters.unwrap_or(self.sites.saturating_mul(self.clusters_per_site))
    }

    /// Number of machines of the whole platform.
    pub fn machines(&self) -> u32 {
        self.clusters().saturating_mul(self.machines_per_cluster)
    }

    /// The machine, from 1, of a process when there are `procs` of them.
    pub fn machine_of(&self, process: u32, procs: u32) -> u32 {
        1 + (u64::from(process) * u64::from(self.machines()) / u64::from(procs)) as u32
    }

    /// The cluster, from 1, of a machine.
    pub fn cluster_of(&self, machine: u32) -> u32 {
        1 + (machine - 1) / self.machines_per_cluster
    }

    /// The site, from 1, of a cluster.
    pub fn site_of(&self, cluster: u32) -> u32 {
        let place = u64::from(cluster - 1) * u64::from(self.sites);
        1 + (place / u64::from(self.clusters())) as u32
    }

    /// Checks the platform together with the number of processes on it.
    pub(crate) fn check(&self, procs: u32) -> Result<(), GenerateError> {
        require(procs > 0, || "the number of processes must be at least 1".to_owned())?;
        for (what, n) in [
            ("sites", self.sites),
            ("clusters per site", self.clusters_per_site),
            ("machines per cluster", self.machines_per_cluster),
            ("clusters", self.all_clusters.unwrap_or(1)),
        ] {
            require(n > 0, || format!("the number of {what} must be at least 1"))?;
        }
        let by_site = u128::from(self.sites) * u128::from(self.clusters_per_site);
        let clusters = self.all_clusters.map_or(by_site, u128::from);
        require(clusters >= u128::from(self.sites), || {
            format!("{clusters} clusters are not enough for {} sites", self.sites)
        })?;
        let machines = clusters * u128::from(self.machines_per_cluster);
        require(machines + u128::from(procs) <= u128::from(MAX_CONTAINERS), || {
            format!("{machines} machines and {procs} processes are too many containers")
        })
    }

    /// How long a message is on its way between two machines.
    pub(crate) fn transit_ticks(&self, from: u32, to: u32, bytes: u64) -> i64 {
        if from == to {
            return MEMORY.latency_ticks + ticks_of(bytes, MEMORY);
        }
        let (from_cluster, to_cluster) = (self.cluster_of(from), self.cluster_of(to));
        let mut latency = 2 * MACHINE_CABLE.latency_ticks;
        let mut slowest = MACHINE_CABLE;
        if from_cluster != to_cluster {
            latency += 2 * CLUSTER_CABLE.latency_ticks;
            if self.site_of(from_cluster) != self.site_of(to_cluster) {
                latency += 2 * SITE_CABLE.latency_ticks;
                slowest = SITE_CABLE;
            }
        }
        latency + ticks_of(bytes, slowest)
    }

    /// Writes the network as an undirected graph in the DOT language: machines on the switch of their cluster,
    /// switches on the router of their site, routers on the backbone.
    pub(crate) fn write_topology(&self, procs: u32, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "// bandwidth in bytes per second, latency in seconds")?;
        writeln!(out, "graph topology {{")?;
        self.write_nodes(procs, out)?;
        self.write_cables(out)?;
        writeln!(out, "}}")?;
        out.flush()
    }

    fn write_nodes(&self, procs: u32, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "  \"backbone\" [kind=\"backbone\"];")?;
        for site in 1..=self.sites {
            writeln!(out, "  \"router-{site}\" [kind=\"router\", site=\"site-{site}\"];")?;
        }
        for cluster in 1..=self.clusters() {
            let site = self.site_of(cluster);
            writeln!(
                out,
                "  \"switch-{cluster}\" [kind=\"switch\", cluster=\"cluster-{cluster}\", site=\"site-{site}\"];"
            )?;
        }
        let mut processes_of = vec![0_u32; self.machines() as usize + 1];
        for process in 0..procs {
            processes_of[self.machine_of(process, procs) as usize] += 1;
        }
        for machine in 1..=self.machines() {
            let cluster = self.cluster_of(machine);
            let processes = processes_of[machine as usize];
            writeln!(
                out,
                "  \"machine-{machine}\" [kind=\"host\", cluster=\"cluster-{cluster}\", processes=\"{processes}\"];"
            )?;
        }
        Ok(())
    }

    fn write_cables(&self, out: &mut impl Write) -> io::Result<()> {
        for machine in 1..=self.machines() {
            let ends =
                (format!("machine-{machine}"), format!("switch-{}", self.cluster_of(machine)));
            write_cable(ends, MACHINE_CABLE, out)?;
        }
        for cluster in 1..=self.clusters() {
            let ends = (format!("switch-{cluster}"), format!("router-{}", self.site_of(cluster)));
            write_cable(ends, CLUSTER_CABLE, out)?;
        }
        for site in 1..=self.sites {
            let ends = (format!("router-{site}"), "backbone".to_owned());
            write_cable(ends, SITE_CABLE, out)?;
        }
        Ok(())
    }
}

/// The container types of a platform and its processes.
#[derive(Clone, Copy)]
pub(crate) struct PlaceTypes {
    site: ContainerType,
    cluster: ContainerType,
    pub(crate) machine: ContainerType,
    pub(crate) process: ContainerType,
}

impl PlaceTypes {
    pub(crate) fn define<W: Write>(trace: &mut Trace<'_, W>) -> Self {
        let site = trace.container_type("SITE", "Site", ContainerType::ROOT, (b's', "site-"));
        let cluster = trace.container_type("CLUSTER", "Cluster", site, (b'c', "cluster-"));
        let machine = trace.container_type("MACHINE", "Machine", cluster, (b'm', "machine-"));
        let process = trace.container_type("PROCESS", "Process", machine, (b'p', "rank-"));
        PlaceTypes { site, cluster, machine, process }
    }

    /// Creates all containers at time 0.
    pub(crate) fn create<W: Write>(
        &self,
        place: &Place,
        procs: u32,
        trace: &mut Trace<'_, W>,
    ) -> io::Result<()> {
        let mut create = |container: Container, parent: Container| {
            trace.record(0, Record::Create { container, parent })
        };
        for site in 1..=place.sites {
            create(self.site.number(site), Container::ROOT)?;
        }
        for cluster in 1..=place.clusters() {
            let site = self.site.number(place.site_of(cluster));
            create(self.cluster.number(cluster), site)?;
        }
        for machine in 1..=place.machines() {
            let cluster = self.cluster.number(place.cluster_of(machine));
            create(self.machine.number(machine), cluster)?;
        }
        for process in 0..procs {
            let machine = self.machine.number(place.machine_of(process, procs));
            create(self.process.number(process), machine)?;
        }
        Ok(())
    }

    /// Destroys all containers, children before their parents.
    pub(crate) fn destroy<W: Write>(
        &self,
        (place, procs): (&Place, u32),
        end: i64,
        trace: &mut Trace<'_, W>,
    ) -> io::Result<()> {
        let levels = [
            (self.process, 0..procs),
            (self.machine, 1..place.machines() + 1),
            (self.cluster, 1..place.clusters() + 1),
            (self.site, 1..place.sites + 1),
        ];
        for (of_type, numbers) in levels {
            for number in numbers {
                let container = of_type.number(number);
                trace.record(end, Record::Destroy { container })?;
            }
        }
        Ok(())
    }
}

fn ticks_of(bytes: u64, cable: Cable) -> i64 {
    (u128::from(bytes) * TICKS_PER_UNIT as u128 / u128::from(cable.bytes_per_unit)) as i64
}

fn write_cable(
    (end, other_end): (String, String),
    cable: Cable,
    out: &mut impl Write,
) -> io::Result<()> {
    let bandwidth = cable.bytes_per_unit;
    let latency = cable.latency_ticks;
    writeln!(
        out,
        "  \"{end}\" -- \"{other_end}\" [bandwidth=\"{bandwidth}\", latency=\"0.{latency:09}\"];"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_are_spread_evenly() {
        let place = Place { sites: 1, machines_per_cluster: 2, ..Place::default() };
        let machines: Vec<u32> = (0..8).map(|p| place.machine_of(p, 8)).collect();
        assert_eq!(machines, [1, 1, 2, 2, 3, 3, 4, 4]);
        let machines: Vec<u32> = (0..2).map(|p| place.machine_of(p, 2)).collect();
        assert_eq!(machines, [1, 3]);
        assert_eq!([1, 2, 3, 4].map(|m| place.cluster_of(m)), [1, 1, 2, 2]);
    }

    #[test]
    fn clusters_need_not_be_the_same_number_in_each_site() {
        let place = Place { all_clusters: Some(3), ..Place::default() };
        assert_eq!([1, 2, 3].map(|cluster| place.site_of(cluster)), [1, 1, 2]);
        assert_eq!((place.clusters(), place.machines()), (3, 12));
        let too_few = Place { all_clusters: Some(1), ..Place::default() };
        assert!(too_few.check(4).is_err());
    }

    #[test]
    fn farther_is_slower() {
        let place = Place::default();
        // Machines 1 and 2 share a cluster, 5 is in the other cluster of the site, 9 in the other site.
        let ticks = [1, 2, 5, 9].map(|to| place.transit_ticks(1, to, 1_250_000));
        assert_eq!(ticks, [251_000, 1_040_000, 1_140_000, 15_140_000]);
    }
}
