//! From where a scene in space is seen.

use onca_scene::Point;
use serde::{Deserialize, Serialize};

/// Where the camera is. All that is seen is drawn without perspective, so that lengths along one
/// direction can be compared.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "WrittenCamera", into = "String")]
pub struct Camera {
    /// How far the camera goes around the scene, in degrees; at 0 `x` goes to the right.
    pub azimuth: f64,
    /// How high above the base it stands, in degrees: 0 looks along the base, 90 down on it.
    pub elevation: f64,
}

impl Camera {
    /// Down on the base: the structure.
    pub const TOP: Self = Self { azimuth: 0.0, elevation: 90.0 };
    /// Along the base, from the front: space and time.
    pub const FRONT: Self = Self { azimuth: 0.0, elevation: 0.0 };
    /// Along the base, from the right side.
    pub const SIDE: Self = Self { azimuth: 90.0, elevation: 0.0 };
    /// From above at a slant: both.
    pub const ISO: Self = Self { azimuth: 30.0, elevation: 28.0 };

    /// Reads the name of a camera, or its two angles.
    pub fn parse(text: &str) -> Result<Self, String> {
        let angles = || {
            let (azimuth, elevation) = text.split_once(',')?;
            let angle = |text: &str| text.trim().parse::<f64>().ok();
            Self { azimuth: angle(azimuth)?, elevation: angle(elevation)? }.checked()
        };
        let named = match text {
            "top" => Some(Self::TOP),
            "side" => Some(Self::SIDE),
            "front" => Some(Self::FRONT),
            "iso" => Some(Self::ISO),
            _ => angles(),
        };
        named.ok_or_else(|| {
            "write top, side, front, iso, or two angles such as 45,20, of which the second is from 0 to 90"
                .to_owned()
        })
    }

    fn checked(self) -> Option<Self> {
        let fine = self.azimuth.is_finite() && (0.0..=90.0).contains(&self.elevation);
        fine.then_some(self)
    }
}

/// How requests write a camera: as a command does, or as two numbers.
#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenCamera {
    Text(String),
    Angles { azimuth: f64, elevation: f64 },
}

impl TryFrom<WrittenCamera> for Camera {
    type Error = String;

    fn try_from(written: WrittenCamera) -> Result<Self, String> {
        match written {
            WrittenCamera::Text(text) => Self::parse(&text),
            WrittenCamera::Angles { azimuth, elevation } => Self { azimuth, elevation }
                .checked()
                .ok_or_else(|| "the elevation is from 0 to 90 degrees".to_owned()),
        }
    }
}

impl From<Camera> for String {
    fn from(Camera { azimuth, elevation }: Camera) -> Self {
        format!("{azimuth},{elevation}")
    }
}

/// A place in space; `z` in the unit of the base.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Place {
    pub x: f64,
    pub y: f64,
    pub z: f64,
}

/// A camera with its sines.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    /// What lies to the right on the picture.
    right: (f64, f64),
    /// What leads away from the camera, along the base.
    pub away: (f64, f64),
    /// The sine and the cosine of the elevation.
    pub rise: (f64, f64),
}

impl View {
    pub fn new(camera: Camera) -> Self {
        let (sine, cosine) = exact_sin_cos(camera.azimuth);
        let rise = exact_sin_cos(camera.elevation.clamp(0.0, 90.0));
        Self { right: (cosine, sine), away: (-sine, cosine), rise }
    }

    /// Where a place is on the picture, with `y` down.
    pub fn project(&self, place: Place) -> Point {
        let across = place.x * self.right.0 + place.y * self.right.1;
        Point::new(across, -(self.depth(place) * self.rise.0 + place.z * self.rise.1))
    }

    /// How far away a place is along the base.
    fn depth(&self, place: Place) -> f64 {
        place.x * self.away.0 + place.y * self.away.1
    }

    /// The way from any place to the camera.
    pub fn towards_camera(&self) -> Place {
        let (sine, cosine) = self.rise;
        Place { x: -self.away.0 * cosine, y: -self.away.1 * cosine, z: sine }
    }

    /// Where the edges of a square on the base lie across the picture.
    pub fn across(&self, (x, y): (f64, f64), radius: f64) -> (f64, f64) {
        let middle = x * self.right.0 + y * self.right.1;
        let half = radius * (self.right.0.abs() + self.right.1.abs());
        (middle - half, middle + half)
    }
}

/// Right angles are exact: what lies in a plane is seen edge on, not nearly so.
fn exact_sin_cos(degrees: f64) -> (f64, f64) {
    match degrees.rem_euclid(360.0) {
        0.0 => (0.0, 1.0),
        90.0 => (1.0, 0.0),
        180.0 => (0.0, -1.0),
        270.0 => (-1.0, 0.0),
        other => other.to_radians().sin_cos(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cameras_are_read() {
        assert_eq!(Camera::parse("top"), Ok(Camera::TOP));
        let slanted = Camera { azimuth: -45.0, elevation: 20.0 };
        assert_eq!(Camera::parse("-45, 20"), Ok(slanted));
        assert_eq!(Camera::parse(&String::from(slanted)), Ok(slanted));
        for wrong in ["", "up", "45", "45,91", "45,-1", "nan,3", "1,2,3"] {
            assert!(Camera::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn presets_look_along_the_axes() {
        let place = Place { x: 1.0, y: 2.0, z: 3.0 };
        assert_eq!(View::new(Camera::FRONT).project(place), Point::new(1.0, -3.0));
        assert_eq!(View::new(Camera::SIDE).project(place), Point::new(2.0, -3.0));
        assert_eq!(View::new(Camera::TOP).project(place), Point::new(1.0, -2.0));
    }
}
