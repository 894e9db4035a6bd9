//! A document: sections of texts, tables and figures.

use onca_model::Color;

use crate::Figure;

/// A document.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Report {
    /// What it is about.
    pub title: String,
    /// A line below the title.
    pub subtitle: String,
    /// Its sections.
    pub sections: Vec<Section>,
    /// A line at the foot.
    pub foot: String,
}

/// A part of a document under a heading.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Section {
    /// Its heading.
    pub heading: String,
    /// What is in it, from top to bottom.
    pub blocks: Vec<Block>,
}

/// A piece of a section.
#[derive(Clone, PartialEq, Debug)]
pub enum Block {
    /// Running text.
    Paragraph(String),
    /// Something that the reader must not miss.
    Note(String),
    /// Names and what they are.
    Facts(Vec<(String, String)>),
    /// A table.
    Table(Table),
    /// A picture.
    Picture(Picture),
}

/// A picture in a document.
#[derive(Clone, PartialEq, Debug)]
pub struct Picture {
    /// The figure on light paper.
    pub light: Figure,
    /// The same for dark screens; the light one is shown when there is none.
    pub dark: Option<Figure>,
    /// What is to be seen in it.
    pub caption: String,
}

/// Rows under headings.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Table {
    /// The headings.
    pub headings: Vec<Heading>,
    /// The rows, each with a cell for each heading.
    pub rows: Vec<Vec<Cell>>,
    /// How many rows there would be more.
    pub left_out: u64,
}

/// The heading of a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Heading {
    /// What is in the column.
    pub text: String,
    /// Are there numbers in it? They stand at the right.
    pub numbers: bool,
}

impl Heading {
    /// The heading of a column of texts.
    pub fn text(text: &str) -> Self {
        Self { text: text.to_owned(), numbers: false }
    }

    /// The heading of a column of numbers.
    pub fn number(text: &str) -> Self {
        Self { text: text.to_owned(), numbers: true }
    }
}

/// A cell of a table.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell {
    /// A text or a number, as it is written.
    Text(String),
    /// A share of a whole, from 0 to 1, shown as a bar too.
    Share(f64),
    /// A name and the colour that stands for it in the figures.
    Named(Color, String),
}

impl Cell {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}
