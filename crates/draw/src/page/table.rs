//! A table in HTML.

use std::fmt::Write;

use onca_model::{
    Color,
    format::{count_of, percent},
};
use onca_scene::{Cell, Table};

use super::push_element;
use crate::xml::push_text;

/// Appends a table, and how much of it is left out.
pub(super) fn push(out: &mut String, table: &Table) {
    out.push_str("<div class=\"scroll\"><table>\n<thead><tr>");
    for heading in &table.headings {
        out.push_str(if heading.numbers { "<th class=\"n\">" } else { "<th>" });
        push_text(out, &heading.text);
        out.push_str("</th>");
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        out.push_str("<tr>");
        for (cell, heading) in row.iter().zip(&table.headings) {
            out.push_str(if heading.numbers { "<td class=\"n\">" } else { "<td>" });
            push_cell(out, cell);
            out.push_str("</td>");
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table></div>\n");
    if table.left_out > 0 {
        let text = format!("{} not shown", count_of(table.left_out, "more row"));
        push_element(out, "p", "more", &text);
    }
}

fn push_cell(out: &mut String, cell: &Cell) {
    match cell {
        Cell::Text(text) => push_text(out, text),
        Cell::Share(share) => {
            let length = (share.clamp(0.0, 1.0) * 100.0 * 10.0).round() / 10.0;
            let text = percent(*share);
            let _ =
                write!(out, "{text}<span class=\"share\"><i style=\"width:{length}%\"></i></span>");
        }
        Cell::Named(color, name) => {
            let opaque = Color { alpha: 255, ..*color };
            let _ = write!(out, "<span class=\"swatch\" style=\"background:{opaque}\"></span>");
            push_text(out, name);
        }
    }
}
