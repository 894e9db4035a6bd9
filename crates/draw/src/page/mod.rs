//! A report as one file of HTML.

mod table;

use std::fmt::Write;

use onca_scene::{Block, Figure, Picture, Report, Section};

use crate::svg::svg;
use crate::xml::push_text;

/// How the page looks: on light and dark screens, and on paper.
const STYLE: &str = include_str!("style.css");

/// Nothing is loaded and nothing is run, whatever names the trace has.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/// A report as one file of HTML that needs nothing else: no network, no scripts. The same report
/// gives the same bytes. Names of traces are text, whatever they look like.
pub fn page(report: &Report) -> String {
    let mut out = String::new();
    push_head(&mut out, &report.title);
    out.push_str("<body>\n<header>\n");
    push_element(&mut out, "h1", "", &report.title);
    push_element(&mut out, "p", "subtitle", &report.subtitle);
    out.push_str("</header>\n");
    push_contents(&mut out, &report.sections);
    out.push_str("<main>\n");
    for (number, section) in report.sections.iter().enumerate() {
        push_section(&mut out, number, section);
    }
    out.push_str("</main>\n");
    push_element(&mut out, "footer", "", &report.foot);
    out.push_str("</body>\n</html>\n");
    out
}

fn push_head(out: &mut String, title: &str) {
    out.push_str("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n");
    let _ = writeln!(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\"/>");
    out.push_str("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>\n");
    push_element(out, "title", "", title);
    let _ = writeln!(out, "<style>\n{STYLE}</style>\n</head>");
}

fn push_contents(out: &mut String, sections: &[Section]) {
    out.push_str("<nav><ol>\n");
    for (number, section) in sections.iter().enumerate() {
        let _ = write!(out, "<li><a href=\"#{}\">", anchor(number));
        push_text(out, &section.heading);
        out.push_str("</a></li>\n");
    }
    out.push_str("</ol></nav>\n");
}

/// The name of a section in the page. No name in a figure begins like this.
fn anchor(number: usize) -> String {
    format!("section-{}", number + 1)
}

fn push_section(out: &mut String, number: usize, section: &Section) {
    let _ = writeln!(out, "<section id=\"{}\">", anchor(number));
    push_element(out, "h2", "", &section.heading);
    for block in &section.blocks {
        match block {
            Block::Paragraph(text) => push_element(out, "p", "", text),
            Block::Note(text) => push_element(out, "p", "note", text),
            Block::Facts(facts) => push_facts(out, facts),
            Block::Table(table) => table::push(out, table),
            Block::Picture(picture) => push_picture(out, picture),
        }
    }
    out.push_str("</section>\n");
}

fn push_facts(out: &mut String, facts: &[(String, String)]) {
    out.push_str("<dl>\n");
    for (name, fact) in facts {
        push_element(out, "dt", "", name);
        push_element(out, "dd", "", fact);
    }
    out.push_str("</dl>\n");
}

fn push_picture(out: &mut String, picture: &Picture) {
    out.push_str("<figure>\n");
    // The dark one comes first: a style can see what stands before, not what comes after.
    if let Some(dark) = &picture.dark {
        push_figure(out, "dark", dark);
    }
    push_figure(out, "light", &picture.light);
    push_element(out, "figcaption", "", &picture.caption);
    out.push_str("</figure>\n");
}

fn push_figure(out: &mut String, class: &str, figure: &Figure) {
    let _ = writeln!(out, "<div class=\"{class}\">");
    out.push_str(&svg(figure));
    out.push_str("</div>\n");
}

/// An element with nothing but text in it; none where there is no text.
fn push_element(out: &mut String, tag: &str, class: &str, text: &str) {
    if text.is_empty() {
        return;
    }
    match class {
        "" => _ = write!(out, "<{tag}>"),
        class => _ = write!(out, "<{tag} class=\"{class}\">"),
    }
    push_text(out, text);
    let _ = writeln!(out, "</{tag}>");
}
