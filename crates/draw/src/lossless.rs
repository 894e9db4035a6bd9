//! Pixels as PNG, in the smallest of its forms that has all their colours.

use std::collections::HashMap;

use onca_model::Color;
use png::{BitDepth, ColorType, Compression, Encoder, EncodingError, Filter};

/// The most colours that a palette can have.
const MOST_COLORS: usize = 256;

/// An image of this size, row by row. `filter` is for images that have more colours than a palette;
/// in others neighbouring numbers mean nothing.
pub(crate) fn encode(
    (width, height): (u32, u32),
    pixels: impl Iterator<Item = Color> + Clone,
    filter: Filter,
    dimensions: Option<png::PixelDimensions>,
) -> Result<Vec<u8>, EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, width, height);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    encoder.set_pixel_dims(dimensions);
    let data = if let Some((palette, numbers)) = indexed(pixels.clone()) {
        encoder.set_color(ColorType::Indexed);
        encoder.set_filter(Filter::NoFilter);
        let opacities: Vec<u8> = palette.iter().map(|color| color.alpha).collect();
        encoder.set_palette(palette.into_iter().flat_map(rgb).collect::<Vec<u8>>());
        if opacities.iter().any(|alpha| *alpha < u8::MAX) {
            encoder.set_trns(opacities);
        }
        numbers
    } else if pixels.clone().all(|color| color.alpha == u8::MAX) {
        encoder.set_color(ColorType::Rgb);
        encoder.set_filter(filter);
        pixels.flat_map(rgb).collect()
    } else {
        encoder.set_color(ColorType::Rgba);
        encoder.set_filter(filter);
        let rgba = |color: Color| [color.red, color.green, color.blue, color.alpha];
        pixels.flat_map(rgba).collect()
    };
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&data)?;
    writer.finish()?;
    Ok(bytes)
}

fn rgb(color: Color) -> [u8; 3] {
    [color.red, color.green, color.blue]
}

/// The colours in the order in which they are first seen, and for each pixel the number of its own;
/// nothing if they are too many.
fn indexed(pixels: impl Iterator<Item = Color>) -> Option<(Vec<Color>, Vec<u8>)> {
    let (mut palette, mut data) = (Vec::new(), Vec::with_capacity(pixels.size_hint().0));
    let mut numbers = HashMap::new();
    let mut last = None;
    for color in pixels {
        // Most pixels look like the one before.
        let number = match last {
            Some((before, number)) if before == color => number,
            _ => *numbers.entry(color).or_insert_with(|| {
                palette.push(color);
                palette.len() - 1
            }),
        };
        if number >= MOST_COLORS {
            return None;
        }
        last = Some((color, number));
        data.push(number as u8);
    }
    Some((palette, data))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a decoder makes of an image: the form of the file, and its pixels.
    fn decoded(bytes: &[u8]) -> (ColorType, Vec<Color>) {
        let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::ALPHA);
        let mut reader = decoder.read_info().expect("a header");
        let form = reader.info().color_type;
        let mut pixels = vec![0; reader.output_buffer_size().expect("a small image")];
        reader.next_frame(&mut pixels).expect("an image");
        let color = |bytes: &[u8; 4]| Color {
            red: bytes[0],
            green: bytes[1],
            blue: bytes[2],
            alpha: bytes[3],
        };
        (form, pixels.as_chunks().0.iter().map(color).collect())
    }

    #[test]
    fn the_form_follows_the_colours_and_none_is_lost() {
        let some = |n: u32, alpha: u8| -> Vec<Color> {
            let byte = |number: u32| (number % 251) as u8;
            let color = |number: u32| Color {
                red: byte(number % n),
                green: byte(number % n / 7),
                blue: byte(number % n / 251),
                alpha: if number == 0 { alpha } else { u8::MAX },
            };
            (0..600).map(color).collect()
        };
        for (n, alpha, expected) in [
            (1, 255, ColorType::Indexed),
            (250, 255, ColorType::Indexed),
            (250, 90, ColorType::Indexed),
            (600, 255, ColorType::Rgb),
            (600, 90, ColorType::Rgba),
        ] {
            let pixels = some(n, alpha);
            let bytes = encode((30, 20), pixels.iter().copied(), Filter::NoFilter, None);
            let (form, found) = decoded(&bytes.expect("an image"));
            assert_eq!(form, expected, "{n} colours, opacity {alpha}");
            assert_eq!(found, pixels, "{n} colours, opacity {alpha}");
        }
    }
}
