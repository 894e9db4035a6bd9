//! Flags of the picture, whatever it shows.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::FromArgMatches;
use onca_draw::DrawError;
use onca_model::{Catalog, Window};
use onca_query::{Appearance, Lens, Scope, type_tree_key};
use onca_scene::Figure;
use onca_views::registry::{AskedView, Before, Material, NoMemory};
use onca_views::{Paper, Theme, caption};

use crate::look::LookArgs;
use crate::platform::PlatformArgs;
use crate::remembered;
use crate::trace::{OpenTrace, TraceArgs};
use onca_program::format::shown;
use onca_program::new_file;
use onca_program::{Exit, Failure, print};

/// What every view takes: a trace, a part of it, a page.
#[derive(clap::Args, Debug)]
pub struct FigureArgs {
    #[command(flatten)]
    seen: SeenArgs,

    #[command(flatten)]
    page: PageArgs,
}

/// A trace, and the part of it that is seen, with the colours of its values.
#[derive(clap::Args, Debug)]
pub struct SeenArgs {
    #[command(flatten)]
    trace: TraceArgs,

    #[command(flatten)]
    look: LookArgs,

    /// Use the colours that were chosen for traces of this kind; figures are otherwise the same on
    /// every machine
    #[arg(long, help_heading = "Picture")]
    remembered: bool,
}

impl SeenArgs {
    /// Opens the trace and hands on what is seen of it.
    pub fn with<T>(
        &self,
        show: impl FnOnce(&OpenTrace, &Scope<'_>, &Appearance) -> Result<T, Failure>,
    ) -> Result<Exit, Failure> {
        let trace = self.trace.open()?;
        trace.mention_problems();
        let catalog = trace.store.catalog();
        let window = self.look.window.window(&catalog.facts)?;
        let lens = self.look.lens.lens()?;
        let scope = Scope::new(&trace.store, &lens, window)?;
        let appearance = self.appearance(catalog, &lens)?;
        show(&trace, &scope, &appearance)?;
        Ok(Exit::from_lost(catalog.facts.lost))
    }

    /// How a trace looks.
    fn appearance(&self, catalog: &Catalog, lens: &Lens) -> Result<Appearance, Failure> {
        let remembered = match self.remembered {
            true => remembered::recall(&type_tree_key(catalog))?,
            false => None,
        };
        Ok(Appearance::new(catalog, lens, remembered.as_ref())?)
    }
}

/// The page of a figure.
#[derive(clap::Args, Debug)]
pub struct PageArgs {
    /// Where to draw: a file whose name ends in .svg, .png or .pdf; "-" for standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Picture")]
    output: PathBuf,

    /// The format, where the name of the file does not tell
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Picture")]
    format: Option<Format>,

    /// The width: a number of pixels, or a length with mm, cm, in or pt
    #[arg(long, value_name = "LENGTH", value_parser = parse_length, default_value = "960",
          help_heading = "Picture")]
    width: f64,

    /// The height; what the picture needs by default
    #[arg(long, value_name = "LENGTH", value_parser = parse_length, help_heading = "Picture")]
    height: Option<f64>,

    /// Pixels of a PNG for each pixel of the page
    #[arg(long, value_name = "FACTOR", value_parser = parse_scale, default_value = "2",
          help_heading = "Picture")]
    scale: f64,

    /// Light for paper, dark for screens
    #[arg(long, value_enum, value_name = "THEME", default_value_t, help_heading = "Picture")]
    theme: Theme,

    /// The title; "" for none
    #[arg(long, value_name = "TEXT", help_heading = "Picture")]
    title: Option<String>,

    /// No line at the foot that names the trace
    #[arg(long, help_heading = "Picture")]
    no_caption: bool,
}

/// The format of a figure.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Svg,
    Png,
    Pdf,
}

impl FigureArgs {
    /// Opens the trace, draws a view of it and writes the figure.
    pub fn render(&self, view: &dyn AskedView, platform: &PlatformArgs) -> Result<Exit, Failure> {
        let format = self.page.format()?;
        self.seen.with(|trace, scope, appearance| {
            let platform = match view.entry().uses_network {
                true => platform.of(&trace.store)?,
                false => None,
            };
            let platform = platform.as_ref();
            let material =
                Material { scope, appearance, platform, memory: &NoMemory, before: None };
            let name = || caption(&short_name(trace), scope, appearance);
            let figure = view.figure(&material, &self.page.paper(name))?;
            self.page.write(&figure, format)
        })
    }
}

impl FigureArgs {
    /// Opens two runs, draws a view of both and writes the figure.
    pub fn render_both(&self, after: &Path, view: &dyn AskedView) -> Result<Exit, Failure> {
        let format = self.page.format()?;
        let SeenArgs { trace: before, look, .. } = &self.seen;
        if look.window.from.is_some() || look.window.to.is_some() {
            let why = "two runs are compared as a whole; --from and --to have no place there";
            return Err(Failure::Cannot(why.to_owned()));
        }
        let _watch = before.read.watch();
        let after = TraceArgs { trace: after.to_owned(), read: before.read.clone() };
        let open = |trace: &TraceArgs| -> Result<OpenTrace, Failure> {
            let open = trace.open_unwatched()?;
            open.mention_problems();
            Ok(open)
        };
        let (before, after) = (open(before)?, open(&after)?);
        let lens = look.lens.lens()?;
        let whole = |trace: &OpenTrace| -> Window {
            let facts = &trace.store.catalog().facts;
            Window { from: facts.start, to: facts.end }
        };
        let scopes = (
            Scope::new(&before.store, &lens, whole(&before))?,
            Scope::new(&after.store, &lens, whole(&after))?,
        );
        let looks = (
            self.seen.appearance(before.store.catalog(), &lens)?,
            self.seen.appearance(after.store.catalog(), &lens)?,
        );
        let material = Material {
            scope: &scopes.1,
            appearance: &looks.1,
            platform: None,
            memory: &NoMemory,
            before: Some(Before { scope: &scopes.0, appearance: &looks.0 }),
        };
        let name = || format!("{} → {}", short_name(&before), short_name(&after));
        let figure = view.figure(&material, &self.page.paper(name))?;
        self.page.write(&figure, format)?;
        let lost = [&before, &after].map(|trace| trace.store.catalog().facts.lost);
        Ok(Exit::from_lost(lost.iter().sum()))
    }
}

/// A file that is no trace, and a page.
#[derive(Debug)]
pub struct FileArgs {
    file: PathBuf,
    page: PageArgs,
}

impl FileArgs {
    /// The page that arguments ask for.
    pub fn new(file: PathBuf, matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self { file, page: PageArgs::from_arg_matches(matches)? })
    }

    /// Draws a view of the file and writes the figure.
    pub fn render(&self, view: &dyn AskedView) -> Result<Exit, Failure> {
        let format = self.page.format()?;
        let cannot = |why: String| Failure::Cannot(format!("{}: {why}", shown(&self.file)));
        let text = fs::read_to_string(&self.file).map_err(|error| cannot(error.to_string()))?;
        let name = self.file.file_name().map_or(self.file.as_path(), Path::new);
        let drawn = view.figure_of_file(&text, &self.page.paper(|| shown(name)));
        let drawn = drawn.map_err(|error| cannot(error.to_string()))?;
        self.page.write(&drawn.figure, format)?;
        Ok(Exit::from_lost(drawn.lost))
    }
}

impl PageArgs {
    /// The page, with a line at its foot that names the source unless nobody wants it.
    pub fn paper(&self, source: impl FnOnce() -> String) -> Paper {
        Paper {
            width: self.width,
            height: self.height,
            theme: self.theme,
            title: self.title.clone(),
            source: (!self.no_caption).then(source),
            ..Paper::default()
        }
    }

    /// The format that is asked for.
    pub fn format(&self) -> Result<Format, Failure> {
        if let Some(format) = self.format {
            return Ok(format);
        }
        let extension = self.output.extension().and_then(|extension| extension.to_str());
        match extension.map(str::to_ascii_lowercase).as_deref() {
            Some("svg") => Ok(Format::Svg),
            Some("png") => Ok(Format::Png),
            Some("pdf") => Ok(Format::Pdf),
            _ if self.output == Path::new("-") => Ok(Format::Svg),
            _ => Err(Failure::Cannot(format!(
                "{}: the name of the file must end in .svg, .png or .pdf, or --format must tell",
                shown(&self.output)
            ))),
        }
    }

    /// Writes a figure.
    pub fn write(&self, figure: &Figure, format: Format) -> Result<(), Failure> {
        let bytes = match format {
            Format::Svg => onca_draw::svg(figure).into_bytes(),
            Format::Png => onca_draw::png(figure, self.scale).map_err(cannot_draw)?,
            Format::Pdf => onca_draw::pdf(figure).map_err(cannot_draw)?,
        };
        write_out(&self.output, &bytes)
    }
}

/// Writes a file, or to standard output.
pub fn write_out(output: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if output == Path::new("-") {
        return print(|out| out.write_all(bytes));
    }
    new_file::write(output, bytes)
}

fn cannot_draw(error: DrawError) -> Failure {
    Failure::Cannot(error.to_string())
}

/// The name of the trace without its folders.
pub fn short_name(trace: &OpenTrace) -> String {
    let name = trace.path().file_name();
    name.map_or_else(|| trace.name(), |name| shown(Path::new(name)))
}

/// The longest side of a page, in pixels.
const LONGEST: f64 = 20_000.0;

/// Reads a length in pixels of 1/96 inch.
fn parse_length(text: &str) -> Result<f64, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let pixels = match unit.trim() {
        "" | "px" => 1.0,
        "mm" => 96.0 / 25.4,
        "cm" => 96.0 / 2.54,
        "in" => 96.0,
        "pt" => 96.0 / 72.0,
        other => return Err(format!("{other:?} is no unit of length; use px, mm, cm, in or pt")),
    };
    match number.parse::<f64>().map(|number| number * pixels) {
        Ok(length) if (40.0..=LONGEST).contains(&length) => Ok(length),
        Ok(_) => Err(format!("a side of a picture has from 40 to {LONGEST} pixels")),
        Err(_) => Err(format!("{text:?} is no length")),
    }
}

fn parse_scale(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(scale) if (0.1..=20.0).contains(&scale) => Ok(scale),
        _ => Err("write a factor from 0.1 to 20".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_units() {
        assert_eq!(parse_length("960"), Ok(960.0));
        assert_eq!(parse_length("2in"), Ok(192.0));
        assert!((parse_length("90mm").unwrap() - 340.157).abs() < 0.01);
        assert!(parse_length("3 parsecs").is_err());
        assert!(parse_length("1").is_err());
        assert!(parse_length("nan").is_err());
    }
}
