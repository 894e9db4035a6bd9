//! Why a figure cannot be drawn.

use std::fmt;

/// Why a figure cannot be drawn.
#[derive(Clone, PartialEq, Debug)]
pub enum DrawError {
    /// The scale factor is not a number above 0.
    Scale(f64),
    /// The picture has more pixels than can be drawn.
    TooManyPixels {
        /// Its width, in pixels of the device.
        width: f64,
        /// Its height, in pixels of the device.
        height: f64,
        /// The most pixels that can be drawn.
        most: u32,
        /// The scale factor that would just do.
        fitting_scale: f64,
    },
    /// The figure has no area.
    Empty,
    /// A renderer refused what it was given.
    Renderer(String),
}

/// What drawing gives.
pub type Result<T> = std::result::Result<T, DrawError>;

impl fmt::Display for DrawError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scale(scale) => {
                write!(f, "the scale {scale} cannot be drawn: give a number above 0, such as 2")
            }
            Self::TooManyPixels { width, height, most, fitting_scale } => write!(
                f,
                "a picture of {width:.0} × {height:.0} pixels is too large: {most} pixels can be \
                 drawn, which a scale of {:.2} or a smaller figure gives",
                // Never rounded up to what would be refused again.
                (fitting_scale * 100.0).floor() / 100.0
            ),
            Self::Empty => write!(f, "the figure has no area: give it a width and a height"),
            Self::Renderer(why) => write!(f, "the picture could not be drawn: {why}"),
        }
    }
}

impl std::error::Error for DrawError {}
