//! Scenes in space and flat networks as files, and the flags that draw the same.

use onca_answer::Level;
use onca_answer::topology::Routing;
use onca_query::Appearance;
use onca_scene::Figure;
use onca_views::matrix::Metric;
use onca_views::solid::{self, Base, Camera, SizedBy, SolidFigureOptions, SolidOptions};
use onca_views::topology::{self, CableColor, NetworkPlaces, TopologyOptions};
use onca_views::{Paper, ViewError};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::export::take;
use super::picture::ThemeName;
use super::solid::Asked;
use crate::fault::Fault;
use crate::question::Seen;

/// What is drawn of the structure.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Structure {
    /// A scene in space.
    Scene3d,
    /// A network, flat.
    Topology,
}

impl Structure {
    /// The picture of a name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Scene3d, Self::Topology].into_iter().find(|picture| picture.name() == name)
    }

    /// Its name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scene3d => "scene3d",
            Self::Topology => "topology",
        }
    }
}

/// From where a scene is seen.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CameraAsked {
    azimuth: f64,
    elevation: f64,
}

impl CameraAsked {
    fn meaning(&self) -> Result<Camera, Fault> {
        let &Self { azimuth, elevation } = self;
        match azimuth.is_finite() && (0.0..=90.0).contains(&elevation) {
            true => Ok(Camera { azimuth, elevation }),
            false => Err(Fault::question("camera: the elevation is from 0 to 90 degrees")),
        }
    }
}

/// What a file shows: what `solid` takes, with the size of the picture and the camera.
pub struct StructureFile {
    pub picture: Structure,
    pub width: f64,
    pub height: f64,
    pub theme: ThemeName,
    topology: Option<String>,
    options: SolidFigureOptions,
}

impl StructureFile {
    /// Reads the fields of a question.
    pub fn read(picture: Structure, mut fields: Map<String, Value>) -> Result<Self, Fault> {
        let width = take(&mut fields, "width")?.unwrap_or(Paper::default().width);
        let height = take(&mut fields, "height")?;
        let height = height.ok_or_else(|| Fault::question("height: it has none"))?;
        let camera: Option<CameraAsked> = take(&mut fields, "camera")?;
        let edges = take(&mut fields, "edges")?;
        let asked: Asked = serde_json::from_value(Value::Object(fields))
            .map_err(|error| Fault::question(error.to_string()))?;
        let camera = camera.map(|camera| camera.meaning()).transpose()?.unwrap_or(Camera::ISO);
        let scene = asked.options()?;
        let options = SolidFigureOptions { scene, camera, edges, ..SolidFigureOptions::default() };
        Ok(Self { picture, width, height, theme: asked.theme, topology: asked.topology, options })
    }

    /// The picture on a page.
    pub fn figure(
        &self,
        seen: &Seen<'_>,
        looks: &Appearance,
        paper: &Paper,
    ) -> Result<Figure, Fault> {
        let (scope, platform) = (&seen.scope, seen.platform(self.topology.as_deref())?);
        Ok(match self.picture {
            Structure::Scene3d => solid::figure(scope, looks, platform, paper, &self.options)?,
            Structure::Topology => {
                let none = || ViewError::Nothing("no network is known".to_owned());
                let platform = platform.ok_or_else(none)?;
                topology::figure(scope, looks, platform, paper, &self.network())?
            }
        })
    }

    fn network(&self) -> TopologyOptions {
        let SolidOptions { base, method, seed, routing, cables, .. } = self.options.scene;
        let places = (base != Base::Coords).then_some(NetworkPlaces::Layout(method, seed));
        TopologyOptions { places, routing, cables }
    }

    /// The flags of `onca render` for it.
    pub fn flags(&self, seen: &Seen<'_>) -> Result<Vec<String>, Fault> {
        let scene = &self.options.scene;
        let usual = SolidOptions::default();
        let is_flat = self.picture == Structure::Topology;
        let mut flags = if is_flat { Vec::new() } else { self.scene_flags() };
        if scene.base != Base::Coords && (is_flat || scene.method != usual.method) {
            flags.push(format!("--layout={}", scene.method.name()));
        }
        if scene.seed != usual.seed {
            flags.push(format!("--seed={}", scene.seed));
        }
        if is_flat || matches!(scene.base, Base::Topology | Base::Coords) {
            let switches = [
                (scene.routing == Routing::Latency, "--routing=latency"),
                (scene.cables == CableColor::Latency, "--colors=latency"),
            ];
            flags.extend(chosen(&switches));
            flags.extend_from_slice(seen.platform_flags(self.topology.as_deref())?);
        }
        Ok(flags)
    }

    fn scene_flags(&self) -> Vec<String> {
        let SolidFigureOptions { scene, camera, edges, .. } = &self.options;
        let mut flags = vec![
            format!("--base={}", scene.base.name()),
            format!("--camera={},{}", camera.azimuth, camera.elevation),
            format!("--arrows={}", scene.most_arrows),
        ];
        flags.extend(edges.map(|edges| format!("--edges={edges}")));
        flags.extend(match &scene.level {
            Level::Kind(kind) => Some(format!("--level={kind}")),
            Level::Depth(depth) => Some(format!("--depth={depth}")),
            _ => None,
        });
        if scene.most_boxes != SolidOptions::default().most_boxes {
            flags.push(format!("--boxes={}", scene.most_boxes));
        }
        let switches = [
            (scene.sized_by == SizedBy::Time, "--size=time"),
            (scene.sized_by == SizedBy::Count, "--size=count"),
            (scene.metric == Some(Metric::Bytes), "--metric=bytes"),
            (scene.metric == Some(Metric::Count), "--metric=count"),
            (scene.events, "--events"),
            (scene.variables, "--variables"),
        ];
        flags.extend(chosen(&switches));
        flags
    }
}

fn chosen(switches: &[(bool, &str)]) -> Vec<String> {
    switches.iter().filter(|(on, _)| *on).map(|(_, flag)| (*flag).to_owned()).collect()
}
