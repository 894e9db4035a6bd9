//! The front page: as it was built, with the first picture of a trace in it.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};

use onca_views::Theme;

use crate::api::first::{FIRST_TRACE, FirstPage, Plot, draw_ahead};
use crate::app::App;
use crate::guard::{cookies, front_frames};
use crate::web::is_known;

/// The cookie in which a browser keeps the size that its plot had last, such as `790x408`, and the
/// theme if one was chosen: `790x408.dark`.
const COOKIE: &str = "onca-plot";
/// The plot of a window of 1280 to 800 pixels, for browsers that were not here yet.
const USUAL_PLOT: (f64, f64) = (789.0, 394.0);
/// A plot that is smaller is no plot, one that is larger would take long to draw.
const SIDES: std::ops::RangeInclusive<f64> = 32.0..=4096.0;

/// Where the page takes in what is told of the trace, and the picture.
const HEAD: &str = "<html lang=\"en\"";
const PLACE: &str = "<div id=\"app\">";

/// The plot as a browser remembers it.
#[derive(Clone, Copy, PartialEq, Debug)]
struct KnownPlot {
    size: (f64, f64),
    /// Unless one was chosen, the system says.
    theme: Option<Theme>,
}

/// The front page. While there is nothing to draw yet, it is the page as it was built.
pub async fn page(app: &Arc<App>, headers: &HeaderMap, built: &str) -> Response {
    let known = cookies(headers, COOKIE).find_map(KnownPlot::read);
    let page = match FirstPage::of(app).await {
        Some(first) => {
            if let Some(known) = known {
                draw_ahead(app, known.plot(known.theme.unwrap_or_default()));
            }
            let plot = known.unwrap_or(KnownPlot { size: USUAL_PLOT, theme: None });
            with_picture(built, first, plot)
        }
        None => built.to_owned(),
    };
    let tag = tag_of(&page);
    let keep = HeaderValue::from_static("no-cache");
    let kept = [(header::CACHE_CONTROL, keep), (header::ETAG, tag.clone())];
    match is_known(headers, &tag) {
        true => (StatusCode::NOT_MODIFIED, kept, front_frames()).into_response(),
        false => (kept, front_frames(), Html(page)).into_response(),
    }
}

/// Changes with the content.
fn tag_of(page: &str) -> HeaderValue {
    let mut hasher = DefaultHasher::new();
    page.hash(&mut hasher);
    HeaderValue::try_from(format!("\"{:016x}\"", hasher.finish()))
        .expect("digits are letters that a header may have")
}

impl KnownPlot {
    /// Reads the cookie. Whatever else stands there, another program has written.
    fn read(text: &str) -> Option<Self> {
        let (size, theme) = match text.split_once('.') {
            Some((size, "light")) => (size, Some(Theme::Light)),
            Some((size, "dark")) => (size, Some(Theme::Dark)),
            Some(_) => return None,
            None => (text, None),
        };
        let (width, height) = size.split_once('x')?;
        let side = |text: &str| text.parse::<u32>().ok().map(f64::from);
        let size = (side(width)?, side(height)?);
        (SIDES.contains(&size.0) && SIDES.contains(&size.1)).then_some(Self { size, theme })
    }

    fn plot(self, theme: Theme) -> Plot {
        let (width, height) = self.size;
        Plot { width, height, theme }
    }

    fn address(self, theme: Theme) -> String {
        let (width, height) = self.size;
        format!("/first.png?width={width}&amp;height={height}&amp;theme={}", theme.name())
    }

    /// The picture in the theme that was chosen, or in the one that the system has. It has a name for
    /// whoever measures the page.
    fn markup(self) -> String {
        let image = |theme| {
            format!("<img src=\"{}\" alt=\"\" elementtiming=\"first\" />", self.address(theme))
        };
        match self.theme {
            Some(theme) => image(theme),
            None => format!(
                "<picture><source media=\"(prefers-color-scheme: dark)\" srcset=\"{}\" />{}</picture>",
                self.address(Theme::Dark),
                image(Theme::Light)
            ),
        }
    }
}

/// Puts the picture into the page. Nothing in it comes from the trace but numbers of our own making:
/// names stay outside of markup.
fn with_picture(built: &str, first: FirstPage, plot: KnownPlot) -> String {
    let FirstPage { rows, is_marked } = first;
    let marked = if is_marked { " data-marked" } else { "" };
    let theme = plot.theme.map_or("", Theme::name);
    let rows = rows.word();
    let told = format!(
        "{HEAD} data-first=\"{FIRST_TRACE}\" data-rows=\"{rows}\" data-first-theme=\"{theme}\"{marked}"
    );
    let picture = format!("<div id=\"first\">{}</div>\n    {PLACE}", plot.markup());
    built.replacen(HEAD, &told, 1).replacen(PLACE, &picture, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_is_read_from_a_cookie_or_not_at_all() {
        let plot = |size, theme| Some(KnownPlot { size, theme });
        assert_eq!(KnownPlot::read("790x408"), plot((790.0, 408.0), None));
        assert_eq!(KnownPlot::read("790x408.dark"), plot((790.0, 408.0), Some(Theme::Dark)));
        assert_eq!(KnownPlot::read("64x4096.light"), plot((64.0, 4096.0), Some(Theme::Light)));
        for wrong in [
            "",
            "790",
            "790x",
            "x408",
            "790x408.",
            "790x408.blue",
            "-790x408",
            "790.5x408",
            "1e3x408",
            "NaNx408",
            "0x408",
            "790x5000",
            "99999999999x408",
            "\"><script>x",
        ] {
            assert_eq!(KnownPlot::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_picture_has_the_theme_that_was_chosen_or_both() {
        let size = (790.0, 408.0);
        let dark = KnownPlot { size, theme: Some(Theme::Dark) }.markup();
        assert_eq!(
            dark,
            "<img src=\"/first.png?width=790&amp;height=408&amp;theme=dark\" alt=\"\" elementtiming=\"first\" />"
        );
        let both = KnownPlot { size, theme: None }.markup();
        assert!(
            both.contains("prefers-color-scheme: dark") && both.contains("theme=light"),
            "{both}"
        );
    }
}
