//! A report as a page: nothing but what was put in, and nothing that runs or is fetched.

use crate::support;

use std::collections::BTreeMap;

use onca_answer::overview::{Choice, Matrix, Metric};
use onca_model::Color;
use onca_scene::{Block, Cell, Heading, Picture, Report, Section, Table};
use onca_testkit::fixtures::{header, table_4_2, trace};
use onca_views::{Paper, Theme, bars, report};
use roxmltree::{Document, Node, ParsingOptions};
use support::{Stored, sample};

const HOSTILE: &str = "</title></style><script>alert('x')</script>\"&<!--";

fn picture() -> Block {
    let (light, dark) = (sample::every_mark(), Some(sample::every_mark()));
    Block::Picture(Picture { light, dark, caption: HOSTILE.to_owned() })
}

fn table() -> Table {
    Table {
        headings: vec![Heading::text(HOSTILE), Heading::number("share")],
        rows: vec![
            vec![Cell::text(HOSTILE), Cell::Share(0.25)],
            vec![Cell::Named(Color::rgb(1, 2, 3), HOSTILE.to_owned()), Cell::Share(7.0)],
        ],
        left_out: 3,
    }
}

fn everything() -> Report {
    let blocks = vec![
        Block::Paragraph(HOSTILE.to_owned()),
        Block::Note(HOSTILE.to_owned()),
        Block::Facts(vec![(HOSTILE.to_owned(), HOSTILE.to_owned())]),
        Block::Table(table()),
        picture(),
        picture(),
    ];
    Report {
        title: HOSTILE.to_owned(),
        subtitle: HOSTILE.to_owned(),
        sections: vec![
            Section { heading: HOSTILE.to_owned(), blocks: blocks.clone() },
            Section { heading: "again".to_owned(), blocks },
        ],
        foot: HOSTILE.to_owned(),
    }
}

/// The page as a tree: what is written is also XML, so that any reader sees the same.
fn parsed(page: &str) -> Document<'_> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(page, options).expect("a well-formed page")
}

fn elements<'a, 'd>(document: &'a Document<'d>, tag: &str) -> Vec<Node<'a, 'd>> {
    document.descendants().filter(|node| node.tag_name().name() == tag).collect()
}

/// All text inside an element.
fn text(node: Node<'_, '_>) -> String {
    node.descendants().filter(Node::is_text).filter_map(|node| node.text()).collect()
}

#[test]
fn hostile_texts_stay_texts() {
    let page = onca_draw::page(&everything());
    let document = parsed(&page);
    assert!(elements(&document, "script").is_empty());
    assert_eq!(text(elements(&document, "h1")[0]), HOSTILE);
    assert_eq!(text(elements(&document, "title")[0]), HOSTILE);
    assert_eq!(text(elements(&document, "dt")[0]), HOSTILE);
    assert_eq!(text(elements(&document, "dd")[0]), HOSTILE);
    assert_eq!(text(elements(&document, "th")[0]), HOSTILE);
    assert_eq!(text(elements(&document, "td")[0]), HOSTILE);
    assert_eq!(text(elements(&document, "td")[2]), HOSTILE);
    assert_eq!(text(elements(&document, "figcaption")[0]), HOSTILE);
    assert_eq!(text(elements(&document, "footer")[0]), HOSTILE);
    // A browser takes what is between these for its own language, whatever an XML reader does.
    let style = page.split("<style>").nth(1).and_then(|rest| rest.split("</style>").next());
    assert!(!style.expect("a style").contains(['<', '&']));
}

#[test]
fn nothing_is_fetched() {
    let page = onca_draw::page(&everything());
    let document = parsed(&page);
    for node in document.descendants() {
        for attribute in node.attributes() {
            let value = attribute.value();
            let is_link = ["href", "src", "xlink:href"].contains(&attribute.name());
            let stays = value.starts_with('#') || value.starts_with("data:");
            assert!(!is_link || stays, "{} = {value}", attribute.name());
        }
    }
    assert!(page.contains("default-src 'none'"));
    assert!(!page.contains("@import") && !page.contains("url(h"));
}

#[test]
fn a_name_means_one_thing() {
    let page = onca_draw::page(&everything());
    let document = parsed(&page);
    let mut meant: BTreeMap<&str, &str> = BTreeMap::new();
    for node in document.descendants() {
        if let Some(id) = node.attribute("id") {
            let source = &page[node.range()];
            let before = meant.entry(id).or_insert(source);
            assert_eq!(*before, source, "{id} is defined twice, and not the same");
        }
    }
    let wanted = elements(&document, "a");
    assert_eq!(wanted.len(), 2);
    for link in wanted {
        let target = link.attribute("href").and_then(|href| href.strip_prefix('#'));
        assert!(meant.contains_key(target.expect("a place in the page")));
    }
}

#[test]
fn tables_are_as_they_were_given() {
    let page = onca_draw::page(&everything());
    let document = parsed(&page);
    let rows = elements(&document, "tr");
    let cells = |row: Node<'_, '_>| {
        row.children().filter(Node::is_element).map(text).collect::<Vec<String>>()
    };
    assert_eq!(cells(rows[0]), [HOSTILE, "share"]);
    assert_eq!(cells(rows[1]), [HOSTILE, "25.0 %"]);
    let bars: Vec<_> = elements(&document, "i").iter().map(|bar| bar.attribute("style")).collect();
    assert_eq!(&bars[..2], [Some("width:25%"), Some("width:100%")]);
    assert!(page.contains("3 more rows not shown"));
}

/// The texts of a table.
fn words(table: &Table) -> Vec<Vec<String>> {
    let word = |cell: &Cell| match cell {
        Cell::Text(text) | Cell::Named(_, text) => text.clone(),
        Cell::Share(share) => onca_model::format::percent(*share),
    };
    table.rows.iter().map(|row| row.iter().map(word).collect()).collect()
}

fn tables(section: &Section) -> Vec<Vec<Vec<String>>> {
    let table = |block: &Block| match block {
        Block::Table(table) => Some(words(table)),
        _ => None,
    };
    section.blocks.iter().filter_map(table).collect()
}

#[test]
fn sections_tell_what_a_person_would_count() {
    let stored = Stored::from_text(&table_4_2());
    let scope = stored.whole();
    let types = tables(&report::trace(&scope)).remove(0);
    assert_eq!(types[3], ["Process", "containers", "Machine", "5"]);
    assert_eq!(types[4], ["State", "states", "Process", "13"]);
    assert_eq!(types[5], ["Message", "links", "–", "9"]);
    let values = tables(&report::statistics(&scope, &stored.appearance).expect("statistics"));
    let (states, links) = (&values[0], &values[1]);
    assert_eq!(states[0][..5], ["Executing", "State", "7", "52.000 s", "62.7 %"]);
    assert_eq!(states[1][..5], ["Blocked", "State", "6", "31.000 s", "37.3 %"]);
    assert_eq!(states[0][7..], ["25.000 s", "25.000 s"]);
    assert_eq!(links[0][..5], ["m", "Message", "9", "19.000 s", "352 B"]);
    let whole = &tables(&report::efficiency(&scope).expect("efficiency"))[0];
    // 52 of 150 seconds are useful; the busiest process has 25, the mean is 10.4.
    assert_eq!(whole[0], ["everything", "5", "34.7 %", "41.6 %", "83.3 %"]);
}

#[test]
fn problems_are_listed_with_the_first_of_each() {
    let stored = Stored::from_text(&trace("12 1 S nobody x\n12 2 S nobody x\n12 3 S a x\n"));
    let section = report::problems(&stored.whole());
    let Some(Block::Note(note)) = section.blocks.first() else { panic!("{section:?}") };
    assert!(note.starts_with("2 records had no effect"), "{note}");
    let rows = tables(&section).remove(0);
    let row = rows.iter().find(|row| row[1] == "unknown-container").expect("a row");
    assert_eq!((row[0].as_str(), row[2].as_str()), ("error", "2"));
    assert!(row[3].starts_with("line ") && row[3].contains("nobody"), "{row:?}");
}

#[test]
fn an_empty_trace_has_a_report() {
    let stored = Stored::from_text(&header());
    let scope = stored.whole();
    let sections = vec![
        report::trace(&scope),
        report::statistics(&scope, &stored.appearance).expect("statistics"),
        report::efficiency(&scope).expect("efficiency"),
        report::problems(&scope),
    ];
    assert!(sections.iter().all(|section| !section.blocks.is_empty()));
    let page = onca_draw::page(&Report { sections, ..Report::default() });
    assert!(text(parsed(&page).root_element()).contains("There is nothing to count."));
}

#[test]
fn the_same_report_gives_the_same_page() {
    let page = || {
        let stored = Stored::from_text(&table_4_2());
        let scope = stored.whole();
        let figure = |theme| {
            let paper = Paper { theme, ..Paper::default() };
            bars::figure(&scope, &stored.appearance, &paper, &Default::default()).expect("bars")
        };
        let (light, dark) = (figure(Theme::Light), Some(figure(Theme::Dark)));
        let picture = Block::Picture(Picture { light, dark, caption: "bars".to_owned() });
        let matrix = Matrix::new(&scope, 10, &Metric::States { idle: true }).expect("a matrix");
        let sections = vec![
            report::trace(&scope),
            Section { heading: "Bars".to_owned(), blocks: vec![picture] },
            report::statistics(&scope, &stored.appearance).expect("statistics"),
            report::disruptions(&matrix, Choice::P(0.5)).expect("disruptions"),
        ];
        onca_draw::page(&Report { sections, ..Report::default() })
    };
    let first = page();
    assert!(first.len() > 10_000 && first.contains("<h2>Disruptions</h2>"));
    assert_eq!(first, page());
}
