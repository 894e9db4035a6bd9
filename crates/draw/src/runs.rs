//! Shapes that are painted alike share one element, as far as the order of painting allows.

use crate::style::Style;
use crate::xml::push_text;

/// Shapes in one path at most: renderers sort the edges of a path, and long lists take long.
const MOST_IN_PATH: usize = 256;

/// Writes shapes in the order in which they are painted. Neighbours of the same style come into one
/// path, or where that would change the picture or lose a text, into one group.
pub(crate) struct Runs<'a> {
    out: &'a mut String,
    run: Option<Style>,
    shapes: Vec<Shape<'a>>,
    /// A group of shapes with edges on pixels is open.
    in_crisp: bool,
}

struct Shape<'a> {
    path: String,
    title: Option<&'a str>,
}

impl<'a> Runs<'a> {
    /// Appends to a picture.
    pub fn new(out: &'a mut String) -> Self {
        Self { out, run: None, shapes: Vec::new(), in_crisp: false }
    }

    /// Paints a shape over all before.
    pub fn add(&mut self, style: Style, path: String, title: Option<&'a str>) {
        if path.is_empty() || (style.is_clear() && title.is_none()) {
            return;
        }
        if self.run != Some(style) {
            self.end_run();
            self.run = Some(style);
        }
        self.shapes.push(Shape { path, title });
    }

    /// Writes what is left.
    pub fn finish(mut self) {
        self.end_run();
        self.set_crisp(false);
    }

    fn end_run(&mut self) {
        let Some(style) = self.run.take() else { return };
        self.set_crisp(style.crisp);
        let shapes = std::mem::take(&mut self.shapes);
        let elements = elements(&style, &shapes);
        match elements.as_slice() {
            [only] => self.element(only, Some(&style)),
            many => {
                self.out.push_str("<g");
                style.push_attributes(self.out);
                self.out.push('>');
                many.iter().for_each(|element| self.element(element, None));
                self.out.push_str("</g>");
            }
        }
        self.out.push('\n');
    }

    fn set_crisp(&mut self, crisp: bool) {
        match (self.in_crisp, crisp) {
            (false, true) => self.out.push_str("<g shape-rendering=\"crispEdges\">\n"),
            (true, false) => self.out.push_str("</g>\n"),
            _ => {}
        }
        self.in_crisp = crisp;
    }

    fn element(&mut self, shapes: &[Shape<'_>], style: Option<&Style>) {
        self.out.push_str("<path");
        if let Some(style) = style {
            style.push_attributes(self.out);
        }
        self.out.push_str(" d=\"");
        shapes.iter().for_each(|shape| self.out.push_str(&shape.path));
        match shapes[0].title {
            None => self.out.push_str("\"/>"),
            Some(title) => {
                self.out.push_str("\"><title>");
                push_text(self.out, title);
                self.out.push_str("</title></path>");
            }
        }
    }
}

/// Cuts a run into what shares a path. A shape with a text stands alone.
fn elements<'s, 'a>(style: &Style, shapes: &'s [Shape<'a>]) -> Vec<&'s [Shape<'a>]> {
    let is_solid = style.is_solid();
    let together = |first: &Shape<'_>, second: &Shape<'_>| {
        is_solid && first.title.is_none() && second.title.is_none()
    };
    shapes.chunk_by(together).flat_map(|group| group.chunks(MOST_IN_PATH)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use onca_model::Color;

    const RED: Color = Color::rgb(255, 0, 0);
    const BLUE: Color = Color::rgb(0, 0, 255);

    fn written(shapes: &[(Style, &str, Option<&'static str>)]) -> String {
        let mut out = String::new();
        let mut runs = Runs::new(&mut out);
        shapes.iter().for_each(|(style, path, title)| runs.add(*style, (*path).to_owned(), *title));
        runs.finish();
        out
    }

    #[test]
    fn neighbours_of_one_style_share_a_path() {
        let (red, blue) = (Style::filled(RED), Style::filled(BLUE));
        assert_eq!(
            written(&[(red, "M1", None), (red, "M2", None), (blue, "M3", None), (red, "M4", None)]),
            "<path fill=\"#f00\" d=\"M1M2\"/>\n<path fill=\"#00f\" d=\"M3\"/>\n\
             <path fill=\"#f00\" d=\"M4\"/>\n"
        );
    }

    #[test]
    fn a_text_needs_an_element_of_its_own() {
        let red = Style::filled(RED);
        assert_eq!(
            written(&[(red, "M1", None), (red, "M2", Some("a<b")), (red, "M3", None)]),
            "<g fill=\"#f00\"><path d=\"M1\"/><path d=\"M2\"><title>a&lt;b</title></path>\
             <path d=\"M3\"/></g>\n"
        );
    }

    #[test]
    fn what_is_translucent_is_painted_one_after_the_other() {
        let faint = Style::filled(Color { alpha: 51, ..RED });
        assert_eq!(
            written(&[(faint, "M1", None), (faint, "M2", None)]),
            "<g fill=\"#f00\" fill-opacity=\".2\"><path d=\"M1\"/><path d=\"M2\"/></g>\n"
        );
    }

    #[test]
    fn what_is_crisp_is_said_once() {
        let (red, blue) = (Style::filled(RED).crisp(true), Style::filled(BLUE).crisp(true));
        assert_eq!(
            written(&[(red, "M1", None), (blue, "M2", None), (Style::filled(RED), "M3", None)]),
            "<g shape-rendering=\"crispEdges\">\n<path fill=\"#f00\" d=\"M1\"/>\n\
             <path fill=\"#00f\" d=\"M2\"/>\n</g>\n<path fill=\"#f00\" d=\"M3\"/>\n"
        );
    }

    #[test]
    fn what_cannot_be_seen_is_left_out() {
        assert_eq!(written(&[(Style::filled(onca_scene::CLEAR), "M1", None)]), "");
        assert_eq!(written(&[(Style::filled(RED), "", None)]), "");
    }

    #[test]
    fn no_path_grows_without_end() {
        let shape = (Style::filled(RED), "M1", None);
        assert_eq!(written(&vec![shape; MOST_IN_PATH + 1]).matches("<path").count(), 2);
    }
}
