use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::oklab::Lab;
use super::vision::VISIONS;
use super::*;

/// The colours of names whose roles are what they look like.
fn assign_guessed(names: &[&[u8]]) -> Vec<Color> {
    let named: Vec<_> = names.iter().map(|name| (*name, Role::guess(name))).collect();
    assign(&named)
}

/// The two of some colours that look most alike to anybody, and how far they are.
fn closest(colors: &[Color]) -> (f64, String) {
    let mut closest = (f64::INFINITY, String::new());
    for (at, a) in colors.iter().enumerate() {
        for b in &colors[..at] {
            let distance = Seen::of(*a).least_distance(&Seen::of(*b));
            if distance < closest.0 {
                closest = (distance, format!("{b} and {a}: {distance:.3}"));
            }
        }
    }
    closest
}

#[test]
fn visions_confuse_what_they_are_known_to_confuse() {
    for (name, matrix) in VISIONS {
        for row in matrix {
            let sum: f64 = row.iter().sum();
            assert!((sum - 1.0).abs() < 1e-5, "{name}: grey must stay grey");
        }
    }
    // An olive and a brown, which look alike without the cones for red or green.
    let (olive, brown) = (Color::rgb(0x80, 0x90, 0x40), Color::rgb(0xb0, 0x80, 0x40));
    let (olive, brown) = (Seen::of(olive), Seen::of(brown));
    assert!(olive.distance(&brown) > 0.08);
    assert!(olive.least_distance(&brown) < 0.04);
}

#[test]
fn known_colours_have_their_known_coordinates() {
    // Published values of OKLab for the corners of sRGB.
    for (color, [lightness, a, b]) in [
        (Color::rgb(255, 255, 255), [1.0, 0.0, 0.0]),
        (Color::rgb(0, 0, 0), [0.0, 0.0, 0.0]),
        (Color::rgb(255, 0, 0), [0.627_96, 0.224_86, 0.125_85]),
        (Color::rgb(0, 255, 0), [0.866_44, -0.233_89, 0.179_50]),
        (Color::rgb(0, 0, 255), [0.452_01, -0.032_46, -0.311_53]),
    ] {
        let known = Lab { lightness, a, b };
        assert!(Lab::of(color).distance(known) < 1e-4, "{color}: {:?}", Lab::of(color));
    }
    let red = Lch::of(Color::rgb(255, 0, 0));
    assert!((red.hue - 29.23).abs() < 0.01 && (red.chroma - 0.2577).abs() < 1e-4, "{red:?}");
    // The green of CSS, as its specification gives it in OKLCH.
    let green = Lch { lightness: 0.519_75, chroma: 0.176_86, hue: 142.495 };
    assert_eq!(green.to_color(), Color::rgb(0, 128, 0));
}

#[test]
fn colours_out_of_reach_keep_lightness_and_hue() {
    for hue in (0..360).step_by(15) {
        for lightness in [0.2, 0.5, 0.8, 0.97] {
            let wanted = Lch { lightness, chroma: 0.5, hue: f64::from(hue) };
            let got = Lch::of(wanted.to_color());
            assert!((got.lightness - lightness).abs() < 0.01, "{wanted:?} became {got:?}");
            let turn = (got.hue - wanted.hue + 540.0).rem_euclid(360.0) - 180.0;
            assert!(turn.abs() * got.chroma < 1.0, "{wanted:?} became {got:?}");
            assert!(got.chroma > 0.01, "{wanted:?} became {got:?}");
        }
    }
}

#[test]
fn text_has_contrast_on_every_fill() {
    for red in (0..=255).step_by(5) {
        for green in (0..=255).step_by(5) {
            for blue in (0..=255).step_by(5) {
                let fill = Color::rgb(red, green, blue);
                assert!(contrast(fill, text_on(fill)) >= 4.5, "{fill}");
            }
        }
    }
    let (black, white) = (Color::rgb(0, 0, 0), Color::rgb(255, 255, 255));
    assert!((contrast(black, white) - 21.0).abs() < 1e-9);
    assert!((contrast(white, Color::rgb(0x76, 0x76, 0x76)) - 4.54).abs() < 0.01);
    assert_eq!(text_on(Role::Init.color()), black);
    assert_eq!(text_on(Color::rgb(0, 0, 128)), white);
}

#[test]
fn the_hash_is_the_published_one() {
    assert_eq!(hash(b""), 0xcbf2_9ce4_8422_2325);
    assert_eq!(hash(b"a"), 0xaf63_dc4c_8601_ec8c);
    assert_eq!(hash(b"foobar"), 0x8594_4171_f739_67e8);
}

#[test]
fn the_colours_of_the_roles_stay_apart_for_everybody() {
    let names = [
        "computing",
        "task",
        "MPI_Send",
        "MPI_Recv",
        "MPI_Wait",
        "MPI_Allreduce",
        "MPI_Init",
        "Scheduling",
        "Idle",
    ];
    let names: Vec<&[u8]> = names.iter().map(|name| name.as_bytes()).collect();
    let colors = assign_guessed(&names);
    assert_eq!(colors, Role::ALL.map(Role::color));
    let (distance, pair) = closest(&colors);
    assert!(distance >= 0.07, "{pair}");
}

#[test]
fn the_first_nine_colours_of_other_names_stay_apart_for_everybody() {
    for set in 0..50 {
        let names: Vec<String> = (0..9).map(|i| format!("f{set}_{i}")).collect();
        let names: Vec<&[u8]> = names.iter().map(|name| name.as_bytes()).collect();
        let (distance, pair) = closest(&assign_guessed(&names));
        assert!(distance >= LEAST_DISTANCE, "{pair}");
    }
}

#[test]
fn names_of_a_role_share_its_hue() {
    let names: [&[u8]; 5] = [b"MPI_Irecv", b"MPI_Recv", b"recv", b"ReceiveSubmitted", b"MPI_Get"];
    let colors = assign_guessed(&names);
    assert_eq!(colors[2], Role::Receive.color());
    let hue = Lch::of(Role::Receive.color()).hue;
    for (at, color) in colors.iter().enumerate() {
        assert!((Lch::of(*color).hue - hue).abs() < 6.0, "{color}");
        for other in &colors[..at] {
            let step = (Lch::of(*color).lightness - Lch::of(*other).lightness).abs();
            assert!(step >= 0.05, "{color} and {other}");
        }
    }
}

#[test]
fn colours_are_a_promise() {
    // These must never change: people know their traces by colour.
    for (name, expected) in [
        ("solve", "#cc79a7"),
        ("dgemm", "#e69f00"),
        ("dpotrf", "#009e73"),
        ("main", "#56b4e9"),
        ("MPI_Isend", "#e69f00"),
    ] {
        assert_eq!(color_of(name.as_bytes()).to_string(), expected, "{name}");
    }
    // Two like the same: the shorter has it, the longer takes a shade.
    let colors = assign_guessed(&[b"MPI_Isend", b"MPI_Send"]);
    assert_eq!(colors, [Color::rgb(0xc5, 0x88, 0x00), Color::rgb(0xe6, 0x9f, 0x00)]);
}

#[test]
fn very_many_names_have_colours_too() {
    let names: Vec<String> = (0..5000).map(|i| format!("fn_{i}")).collect();
    let names: Vec<&[u8]> = names.iter().map(|name| name.as_bytes()).collect();
    let colors = assign_guessed(&names);
    let distinct: BTreeSet<String> = colors.iter().map(Color::to_string).collect();
    assert_eq!(colors.len(), 5000);
    assert!(distinct.len() > 300, "{}", distinct.len());
}

/// Up to 30 names with a role and without, and names that come twice.
fn random_names(seed: u64) -> Vec<Vec<u8>> {
    let known = ["MPI_Send", "MPI_Isend", "send", "Idle", "computing", "wait", "MPI_Wait"];
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let n = rng.random_range(1..30);
    (0..n)
        .map(|_| match rng.random_bool(0.5) {
            true => known[rng.random_range(0..known.len())].as_bytes().to_vec(),
            false => {
                let n = rng.random_range(1..6);
                (0..n).map(|_| b"abc12_"[rng.random_range(0..6)]).collect()
            }
        })
        .collect()
}

#[test]
fn only_a_collision_changes_a_colour() {
    for seed in 0..64 {
        let names: BTreeSet<Vec<u8>> = random_names(seed).into_iter().collect();
        let names: Vec<&[u8]> = names.iter().map(|name| &name[..]).collect();
        let colors = assign_guessed(&names);
        for (at, name) in names.iter().enumerate() {
            let alone = assign_guessed(&[name])[0];
            assert_eq!(alone, color_of(name));
            let near = |other: usize| {
                let distance = Seen::of(colors[other]).least_distance(&Seen::of(alone));
                other != at && distance < LEAST_DISTANCE
            };
            assert!(colors[at] == alone || (0..names.len()).any(near), "{names:?}");
        }
        let distinct: BTreeSet<String> = colors.iter().map(Color::to_string).collect();
        assert_eq!(distinct.len(), names.len(), "{names:?}");
    }
}

#[test]
fn the_order_of_names_does_not_matter() {
    for seed in 0..64 {
        let names = random_names(seed);
        let forward: Vec<&[u8]> = names.iter().map(|name| &name[..]).collect();
        let backward: Vec<&[u8]> = forward.iter().rev().copied().collect();
        let mut turned = assign_guessed(&backward);
        turned.reverse();
        assert_eq!(assign_guessed(&forward), turned, "{names:?}");
    }
}

#[test]
fn a_sequence_grows_lighter_for_everybody() {
    let lightness: Vec<[f64; 4]> =
        (0..=90).map(|i| Seen::of(sequential(f64::from(i) / 90.0)).lightness()).collect();
    for pair in lightness.windows(2) {
        for (before, after) in pair[0].into_iter().zip(pair[1]) {
            assert!(before < after && after - before < 0.03, "{pair:?}");
        }
    }
    assert_eq!(sequential(0.0), Color::rgb(0x00, 0x22, 0x4e));
    assert_eq!(sequential(1.0), Color::rgb(0xfe, 0xe8, 0x38));
    assert_eq!(sequential(1.0 / 18.0), Color::rgb(0x09, 0x2c, 0x5f));
    assert_eq!(sequential(-3.0), sequential(0.0));
    assert_eq!(sequential(f64::INFINITY), sequential(1.0));
    assert_eq!(sequential(f64::NAN), sequential(0.0));
}

#[test]
fn differences_have_a_neutral_middle_and_two_hues() {
    let middle = diverging(0.0);
    assert!(middle.red == middle.green && middle.green == middle.blue, "{middle}");
    for i in 1..=20 {
        let size = f64::from(i) / 20.0;
        let (less, more) = (Lch::of(diverging(-size)), Lch::of(diverging(size)));
        assert!((less.lightness - more.lightness).abs() < 0.01, "{size}");
        let nearer = Lch::of(diverging(size - 0.05));
        assert!(more.lightness < nearer.lightness, "{size}");
    }
    let ends = Seen::of(diverging(-1.0)).least_distance(&Seen::of(diverging(1.0)));
    assert!(ends > 0.12, "{ends}");
    assert_eq!(diverging(7.0), diverging(1.0));
    assert_eq!(diverging(f64::NAN), middle);
}

#[test]
fn each_count_has_its_shade() {
    for most in [0, 1, 2, 4, 16, 64, 128] {
        let shades = count_shades(most);
        assert_eq!(shades.len(), most + 1);
        for pair in shades.windows(2) {
            assert!(Lab::of(pair[0]).lightness > Lab::of(pair[1]).lightness, "{most}: {pair:?}");
        }
    }
    assert_eq!(count_shades(4)[4], count_shades(64)[64]);
    assert_eq!(count_shade(9, 4), count_shade(4, 4));
}
