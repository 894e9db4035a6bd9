//! From where a scene in space is seen.

use onca_scene::Point;

/// Where the camera is. All that is seen is drawn without perspective, so that lengths along one
/// direction can be compared.
#[derive(Clone, Copy, PartialEq, Debug)]
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
    fn presets_look_along_the_axes() {
        let place = Place { x: 1.0, y: 2.0, z: 3.0 };
        assert_eq!(View::new(Camera::FRONT).project(place), Point::new(1.0, -3.0));
        assert_eq!(View::new(Camera::SIDE).project(place), Point::new(2.0, -3.0));
        assert_eq!(View::new(Camera::TOP).project(place), Point::new(1.0, -2.0));
    }
}
