//! Paths and images are compared with each other and with what the scene says of every pixel.

use onca_scene::{ColumnPart, Figure, Layer, Panel, Pick, Scene};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use resvg::tiny_skia::{Pixmap, Transform};

use super::*;

const WIDTH: u32 = 120;
const HEIGHT: u32 = 80;
const WHITE: Color = Color::rgb(255, 255, 255);
const PALETTE: [Color; 4] = [
    Color::rgb(0, 158, 115),
    Color::rgb(230, 159, 0),
    Color::rgb(0, 114, 178),
    Color::rgb(213, 94, 0),
];

/// Rows of columns that are full, mixed, empty or partly empty, some with a rare value.
fn random_strips(random: &mut ChaCha8Rng) -> Strips {
    let mut strips = Strips { palette: PALETTE.to_vec(), ..Strips::default() };
    let mut y = random.random_range(0.0..4.0);
    // Every column is some whole pixels wide.
    let (x0, count) = (20.0, [100, 50, 20][random.random_range(0..3)]);
    loop {
        let height = random.random_range(2.5..14.0);
        if y + height > f64::from(HEIGHT) {
            return strips;
        }
        let first = strips.columns.len();
        for _ in 0..count {
            push_random_column(&mut strips, random);
        }
        strips.strips.push(Strip {
            bounds: Bounds::new(x0, y, 120.0, y + height),
            columns: first..strips.columns.len(),
            pick: Pick::NOTHING,
        });
        y += height + [0.0, 0.37, 2.0][random.random_range(0..3)];
    }
}

fn push_random_column(strips: &mut Strips, random: &mut ChaCha8Rng) {
    let mut left = 255;
    let mut parts = Vec::new();
    for _ in 0..random.random_range(0..4) {
        let share = random.random_range(0..=left);
        left -= share;
        parts.push(ColumnPart { color: random.random_range(0..4), share });
    }
    if random.random_bool(0.4) {
        parts.push(ColumnPart { color: 0, share: left });
    }
    let rare = random.random_bool(0.1).then_some(3);
    strips.push_column(parts, rare, random.random_bool(0.3));
}

fn figure(strips: &Strips) -> Figure {
    let mut figure = Figure {
        width: f64::from(WIDTH),
        height: f64::from(HEIGHT),
        background: WHITE,
        description: String::new(),
        panels: Vec::new(),
    };
    let scene = Scene { layers: vec![Layer::Strips(strips.clone())], ..Scene::default() };
    figure.panels.push(Panel::on_page("test", figure.page(), scene));
    figure
}

fn rasterise(fragment: &str, scale: u32) -> Pixmap {
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\">\
         <path fill=\"#fff\" d=\"M0 0H{WIDTH}V{HEIGHT}H0\"/>{fragment}</svg>"
    );
    let tree = crate::raster::parse(&svg).expect("a well-formed document");
    let mut pixels = Pixmap::new(WIDTH * scale, HEIGHT * scale).expect("a small picture");
    let transform = Transform::from_scale(scale as f32, scale as f32);
    resvg::render(&tree, transform, &mut pixels.as_mut());
    pixels
}

/// Lower strips have the mean of what a pixel covers.
const THIN: f64 = 6.0;
/// How often what a pixel covers is looked at.
const SAMPLES: i32 = 500;

/// Does the scene give a pixel of the device this colour? Next to a border it may also have that
/// beyond.
fn shows(strips: &Strips, x: f64, row: usize, scale: u32, seen: Color) -> bool {
    let y = (row as f64 + 0.5) / f64::from(scale);
    let on_pixels = |y: f64| (y * f64::from(scale)).round() / f64::from(scale);
    let is_here = |strip: &&Strip| {
        let bounds = &strip.bounds;
        let (y0, y1) = (on_pixels(bounds.y0), on_pixels(bounds.y1));
        bounds.x0 <= x && x < bounds.x1 && y0 <= y && y < y1
    };
    let Some(strip) = strips.strips.iter().find(is_here) else { return seen == WHITE };
    let placed =
        Bounds { y0: on_pixels(strip.bounds.y0), y1: on_pixels(strip.bounds.y1), ..strip.bounds };
    let number = (x - placed.x0) / placed.width() * strip.columns.len() as f64;
    let column = strip.columns.start + number as usize;
    if strip.bounds.height() >= THIN {
        let near = [-0.02, -0.01, 0.0, 0.01, 0.02];
        return near.iter().any(|near| color_at(strips, column, &placed, y + near) == seen);
    }
    let mut sums = [0.0; 3];
    for sample in 0..SAMPLES {
        let within = (f64::from(sample) + 0.5) / f64::from(SAMPLES) - 0.5;
        let level = (placed.y1 - y + within / f64::from(scale)) / placed.height();
        let Color { red, green, blue, .. } = part_at(strips, column, level).unwrap_or(WHITE);
        let own = [red, green, blue].map(f64::from);
        sums.iter_mut().zip(own).for_each(|(sum, own)| *sum += own / f64::from(SAMPLES));
    }
    let channels = [seen.red, seen.green, seen.blue].map(f64::from);
    // The mean and its opacity are rounded before they meet the background.
    channels.iter().zip(sums).all(|(channel, sum)| (channel - sum).abs() < 5.0)
}

/// What is at a height of a strip on whole pixels.
fn color_at(strips: &Strips, column: usize, bounds: &Bounds, y: f64) -> Color {
    let look = strips.columns[column];
    let mark = (bounds.height() / 5.0).clamp(1.0, 3.0);
    if let Some(rare) = look.rare().filter(|_| y < bounds.y0 + mark) {
        return PALETTE[usize::from(rare)];
    }
    let Some(color) = part_at(strips, column, (bounds.y1 - y) / bounds.height()) else {
        return WHITE;
    };
    if !look.aggregate || bounds.y1 - y >= 1.0 {
        return color;
    }
    let dark = |byte: u8| (f64::from(byte) * 0.65).round() as u8;
    Color::rgb(dark(color.red), dark(color.green), dark(color.blue))
}

/// The part of a column at a share of its height.
fn part_at(strips: &Strips, column: usize, level: f64) -> Option<Color> {
    let mut sum = 0.0;
    let mut parts = strips.parts_of(column);
    let found = parts.find(|part| {
        sum += f64::from(part.share);
        level * 255.0 < sum
    });
    found.map(|part| PALETTE[usize::from(part.color)])
}

#[test]
fn paths_and_images_show_every_pixel_as_the_scene_has_it() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for scale in [1, 2, 3] {
        for _ in 0..12 {
            let strips = random_strips(&mut random);
            let figure = figure(&strips);
            let place = Place::new(&figure, &figure.panels[0]);
            let layer = StripLayer::new(&place, &strips, f64::from(scale));
            let paths = rasterise(&layer.paths(usize::MAX).expect("no limit"), scale);
            let images = image::images(&layer).expect("a small image");
            let images = rasterise(&images, scale);
            for (number, pixel) in paths.pixels().iter().enumerate() {
                assert_eq!(*pixel, images.pixels()[number], "pixel {number} at {scale}");
                let across = (WIDTH * scale) as usize;
                let x = ((number % across) as f64 + 0.5) / f64::from(scale);
                let seen = Color::rgb(pixel.red(), pixel.green(), pixel.blue());
                let is_right = shows(&strips, x, number / across, scale, seen);
                assert!(is_right, "{seen} at pixel {number} at {scale}");
            }
        }
    }
}

#[test]
fn strips_over_others_are_painted_later() {
    let mut strips = Strips { palette: PALETTE.to_vec(), ..Strips::default() };
    for (number, inset) in [(0, 0.0), (1, 4.0), (0, 8.0)].into_iter().enumerate() {
        strips.push_column([ColumnPart { color: inset.0, share: 255 }], None, false);
        strips.strips.push(Strip {
            bounds: Bounds::new(0.0, 0.0, 100.0, 40.0).inset(inset.1),
            columns: number..number + 1,
            pick: Pick::NOTHING,
        });
    }
    let figure = figure(&strips);
    let place = Place::new(&figure, &figure.panels[0]);
    let layer = StripLayer::new(&place, &strips, 1.0);
    let image = image::images(&layer).expect("few colours");
    for fragment in [layer.paths(usize::MAX).expect("no limit"), image] {
        let pixels = rasterise(&fragment, 1);
        let green = |x, y| pixels.pixel(x, y).expect("inside").red() == PALETTE[0].red;
        assert_eq!([(1, 20), (5, 20), (50, 20)].map(|(x, y)| green(x, y)), [true, false, true]);
    }
}

#[test]
fn the_shorter_form_is_taken() {
    let mut random = ChaCha8Rng::seed_from_u64(6);
    let strips = random_strips(&mut random);
    let small = figure(&strips);
    assert!(!crate::svg(&small).contains("<image"));
    let mut noisy = Strips { palette: PALETTE.to_vec(), ..Strips::default() };
    for row in 0..20 {
        let first = noisy.columns.len();
        (0..500).for_each(|_| push_random_column(&mut noisy, &mut random));
        let y = f64::from(row) * 4.0;
        noisy.strips.push(Strip {
            bounds: Bounds::new(0.0, y, 100.0, y + 4.0),
            columns: first..noisy.columns.len(),
            pick: Pick::NOTHING,
        });
    }
    assert!(crate::svg(&figure(&noisy)).contains("<image"));
}

#[test]
fn columns_that_hide_single_states_have_a_foot_where_there_is_room() {
    let column = |aggregate, height| {
        let mut strips = Strips { palette: PALETTE.to_vec(), ..Strips::default() };
        strips.push_column([ColumnPart { color: 0, share: 255 }], None, aggregate);
        strips.push_strip(Bounds::new(0.0, 0.0, 100.0, height), Pick::NOTHING);
        crate::svg(&figure(&strips))
    };
    let plain = "fill=\"#009e73\" d=\"M0 0H100V10H0\"";
    assert!(column(false, 10.0).contains(plain));
    let high = column(true, 10.0);
    assert!(high.contains("fill=\"#009e73\" d=\"M0 0H100V9H0\""), "{high}");
    assert!(high.contains("fill=\"#00674b\" d=\"M0 9H100V10H0\""), "{high}");
    let thin = column(true, 5.0);
    assert!(thin.contains("fill=\"#009e73\" d=\"M0 0H100V5H0\""), "{thin}");
}
