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
    strips.push_column(parts, rare, false);
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

/// The colours that the scene gives a point: the one there, and where the point is next to a
/// border, also those beyond.
fn colors_at(strips: &Strips, x: f64, y: f64) -> [Color; 5] {
    [-0.02, -0.01, 0.0, 0.01, 0.02].map(|near| color_at(strips, x, y + near))
}

fn color_at(strips: &Strips, x: f64, y: f64) -> Color {
    let is_here = |strip: &&Strip| {
        let bounds = &strip.bounds;
        bounds.x0 <= x && x < bounds.x1 && bounds.y0 <= y && y < bounds.y1
    };
    let Some(strip) = strips.strips.iter().find(is_here) else { return WHITE };
    let bounds = &strip.bounds;
    let number = (x - bounds.x0) / bounds.width() * strip.columns.len() as f64;
    let column = strip.columns.start + number as usize;
    let mark = (bounds.height() / 5.0).clamp(1.0, 3.0);
    if let Some(rare) = strips.columns[column].rare().filter(|_| y < bounds.y0 + mark) {
        return PALETTE[usize::from(rare)];
    }
    let level = (bounds.y1 - y) / bounds.height() * 255.0;
    let mut sum = 0.0;
    for part in strips.parts_of(column) {
        sum += f64::from(part.share);
        if level < sum {
            return PALETTE[usize::from(part.color)];
        }
    }
    WHITE
}

#[test]
fn paths_and_images_show_every_pixel_as_the_scene_has_it() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for scale in [1, 2, 3] {
        for _ in 0..12 {
            let strips = random_strips(&mut random);
            let figure = figure(&strips);
            let place = Place::new(&figure, &figure.panels[0]);
            let layer = StripLayer::new(&place, &strips);
            let paths = rasterise(&layer.paths(usize::MAX).expect("no limit"), scale);
            let images = image::images(&layer, f64::from(scale)).expect("few colours");
            let images = rasterise(&images, scale);
            for (number, pixel) in paths.pixels().iter().enumerate() {
                assert_eq!(*pixel, images.pixels()[number], "pixel {number} at {scale}");
                let side = |number: usize| (number as f64 + 0.5) / f64::from(scale);
                let across = (WIDTH * scale) as usize;
                let colors = colors_at(&strips, side(number % across), side(number / across));
                let seen = Color::rgb(pixel.red(), pixel.green(), pixel.blue());
                assert!(colors.contains(&seen), "{seen} at pixel {number}, not {colors:?}");
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
    let layer = StripLayer::new(&place, &strips);
    let image = image::images(&layer, 1.0).expect("few colours");
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
fn only_what_can_be_seen_as_a_hatch_is_hatched() {
    let mut strips = Strips { palette: PALETTE.to_vec(), ..Strips::default() };
    // 100 columns on 100 pixels: one alone, then three together.
    for column in 0..100 {
        let aggregate = column == 10 || (20..23).contains(&column);
        strips.push_column([ColumnPart { color: 0, share: 255 }], None, aggregate);
    }
    strips.strips.push(Strip {
        bounds: Bounds::new(0.0, 0.0, 100.0, 10.0),
        columns: 0..100,
        pick: Pick::NOTHING,
    });
    let svg = crate::svg(&figure(&strips));
    assert!(svg.contains("fill=\"url(#hatch-ffffff)\" d=\"M20 0H23V10H20\""), "{svg}");
}
