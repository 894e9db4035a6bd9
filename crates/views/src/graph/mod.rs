//! Who communicates with whom, as a graph: a pie of states for every node, edges by volume.

mod edges;
pub(crate) mod nodes;
pub(crate) mod standing;

use onca_answer::Level;
use onca_model::Nature;
use onca_query::{Appearance, Scope};
use onca_scene::{Bounds, Figure, Layer, Line, Lines, Point, Scene, Title, Titles};
use serde::{Deserialize, Serialize};

use crate::amount_scale::AmountScale;
use crate::options::{EdgeMetric, LayoutOptions, LevelOptions, ViewOptions};
use crate::registry::{Needs, Tab, View, drawn_from_scope};
use crate::sheet::Sheet;
use crate::{Canvas, Drawn, Paper, Result, color};

pub(crate) use edges::Edges;
pub(crate) use nodes::{Disc, NodePies};
use standing::Standing;
pub(crate) use standing::laid_out;

/// Who communicates with whom: a graph with a pie of states for every node, edges by volume
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(
    feature = "clap",
    command(after_long_help = "\
Examples:
  onca render graph run.paje -o graph.svg
  onca render graph run.paje --level machine --layout circular --metric count -o graph.pdf")
)]
pub struct GraphOptions {
    /// Which nodes are shown.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub level: LevelOptions,

    /// How they are laid out.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub layout: LayoutOptions,

    /// What the width of edges shows; bytes where links have sizes, else their number
    #[cfg_attr(feature = "clap", arg(long, value_enum, value_name = "METRIC"))]
    pub metric: Option<EdgeMetric>,
}

impl ViewOptions for GraphOptions {}

/// Who communicates with whom, as a graph.
pub struct GraphView;

impl View for GraphView {
    type Options = GraphOptions;
    const NAME: &str = "graph";
    const TITLE: &str = "Graph";
    const TAB: Tab = Tab::Graph;
    const NEEDS: Needs = Needs::Links;

    drawn_from_scope!();
}

/// The widest edge, in pixels, and of the half width of a node.
const WIDEST: f64 = 8.0;
const WIDEST_SHARE: f64 = 0.7;
/// The thinnest edge, in pixels.
const THINNEST: f64 = 0.6;
/// Edges together cover at most this share of the picture, so that many of them can be seen
/// through.
const INK: f64 = 0.15;
/// Around the graph, for names.
const MARGIN: f64 = 14.0;
/// How high a figure is, of its width, and the most.
const FORM: f64 = 0.75;
const MOST_HEIGHT: f64 = 800.0;
/// The scale of edges takes this much.
const SCALE_HEIGHT: f64 = 46.0;
const SCALE_WIDTH: f64 = 220.0;

/// The graph alone, in pixels.
pub fn scene(
    scope: &Scope<'_>,
    appearance: &Appearance,
    canvas: &Canvas,
    options: &GraphOptions,
) -> Result<Drawn> {
    let level = options.level.or(Level::Own);
    let standing =
        Standing::new(scope, &level, options.metric.map(EdgeMetric::metric), &[Nature::State])?;
    let pies = NodePies::new(scope, appearance, canvas.theme, &level)?;
    let edges = Edges::new(scope, &standing);
    Ok(drawn(scope, &standing, &edges, &pies, canvas, options))
}

/// The graph on a page.
pub fn figure(
    scope: &Scope<'_>,
    appearance: &Appearance,
    paper: &Paper,
    options: &GraphOptions,
) -> Result<Figure> {
    let level = options.level.or(Level::Own);
    let standing =
        Standing::new(scope, &level, options.metric.map(EdgeMetric::metric), &[Nature::State])?;
    let pies = NodePies::new(scope, appearance, paper.theme, &level)?;
    let title = format!("Communication graph: {}", standing.metric.noun());
    let entries = pies.legend(paper.theme);
    let wanted = (paper.width * FORM).min(MOST_HEIGHT);
    let around = Sheet::height_around(paper, &title, &entries) + SCALE_HEIGHT;
    let mut sheet = Sheet::new(paper, &title, around + wanted);
    sheet.reserve_caption();
    sheet.legend(&entries);
    let edges = Edges::new(scope, &standing);
    if !standing.pairs.is_empty() {
        let room = sheet.take_bottom(SCALE_HEIGHT);
        let bar = Bounds::new(room.x0, room.y0 + 20.0, room.x0 + SCALE_WIDTH, room.y0 + 28.0);
        let name = standing.metric.noun();
        let amounts = AmountScale { quantity: &edges.quantity, scale: &edges.scale, name };
        amounts.draw(&mut sheet, &bar, |share| color::quantity(share, paper.theme));
    }
    let frame = sheet.room;
    let canvas = Canvas::in_frame(&frame, paper);
    let drawn = drawn(scope, &standing, &edges, &pies, &canvas, options);
    drawn.notes.iter().for_each(|note| sheet.note(note.clone()));
    let n = (standing.nodes.len(), standing.pairs.len());
    let description = format!("{title}. {} nodes and {} edges", n.0, n.1);
    Ok(sheet.finish(description, vec![drawn.panel("graph", frame)]))
}

fn drawn(
    scope: &Scope<'_>,
    standing: &Standing,
    edges: &Edges,
    pies: &NodePies,
    canvas: &Canvas,
    options: &GraphOptions,
) -> Drawn {
    let (spots, radius) = standing.laid_out(scope, &options.layout);
    let field = canvas.bounds().inset(MARGIN);
    let scale = field.width().min(field.height()) / 2.0;
    // Wide pictures are filled where nothing is turned by that.
    let across = (field.width() / 2.0).min(scale * 1.35);
    let center = field.center();
    let at = |place: usize| {
        Point::new(center.x + spots[place].x * across, center.y - spots[place].y * scale)
    };
    let discs: Vec<Disc> = (0..spots.len())
        .map(|place| Disc { center: at(place), radius: (radius * scale).max(1.5) })
        .collect();
    let mut titles = Titles::default();
    let mut layers = vec![Layer::Lines(lines(edges, standing, &discs, canvas, &mut titles))];
    layers.extend(pies.draw(scope, standing, &discs, canvas, &mut titles));
    let notes = edges.note().into_iter().collect();
    let name = standing.metric.noun();
    let amounts = AmountScale { quantity: &edges.quantity, scale: &edges.scale, name };
    let scale = (!standing.pairs.is_empty())
        .then(|| amounts.shown(|share| color::quantity(share, canvas.theme)));
    Drawn { notes, scale, ..Drawn::plain(Scene { layers, titles }, canvas.bounds()) }
}

/// How wide the largest edge is.
fn widest(edges: &Edges, discs: &[Disc], canvas: &Canvas) -> f64 {
    let length = |(a, b): (usize, usize)| {
        let (a, b) = (discs[a].center, discs[b].center);
        (a.x - b.x).hypot(a.y - b.y)
    };
    let ink: f64 = edges.list.iter().map(|edge| edges.share(edge) * length(edge.ends)).sum();
    let by_ink = INK * canvas.width * canvas.height / ink.max(1.0);
    let by_node = WIDEST_SHARE * discs.first().map_or(WIDEST, |disc| disc.radius);
    WIDEST.min(by_node).min(by_ink).max(THINNEST)
}

/// Lines between nodes.
fn lines(
    edges: &Edges,
    standing: &Standing,
    discs: &[Disc],
    canvas: &Canvas,
    titles: &mut Titles,
) -> Lines {
    let widest = widest(edges, discs, canvas);
    let mut lines = Lines::default();
    for edge in &edges.list {
        let share = edges.share(edge);
        let first = lines.points.len();
        lines.points.extend([discs[edge.ends.0].center, discs[edge.ends.1].center]);
        let title = match canvas.titles {
            true => titles.add(edges.title(standing, edge)),
            false => Title::NONE,
        };
        lines.lines.push(Line {
            points: first..first + 2,
            color: color::quantity(share, canvas.theme),
            width: THINNEST + share * (widest - THINNEST).max(0.0),
            dashed: false,
            title,
            pick: edges.pick(standing, edge),
        });
    }
    lines
}
