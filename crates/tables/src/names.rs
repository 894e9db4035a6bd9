//! Names as dictionaries: one array of distinct texts that all batches share, and for each id
//! the place of its name in it. No text is copied or hashed per row.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, Int32Array, StringArray};
use arrow_buffer::{NullBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType};
use arrow_select::take::take;
use onca_model::{Catalog, display_text};

/// The type of a column of names.
pub fn name_type() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}

/// A longer dictionary is not shared: the engine looks at all texts of a dictionary for each
/// batch, so a batch then gets one with its own texts only.
const LONGEST_SHARED: usize = 4096;

/// Distinct texts, and which of them each id has.
#[derive(Debug)]
pub struct Dictionary {
    texts: ArrayRef,
    key_of: Vec<i32>,
}

impl Dictionary {
    /// Names that occur twice get one key, so that grouping by key is grouping by name.
    pub fn new<'a>(names: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut keys = HashMap::new();
        let mut texts = Vec::new();
        let key_of = names
            .map(|name| {
                let text = display_text(name);
                *keys.entry(text.clone()).or_insert_with(|| {
                    texts.push(text);
                    texts.len() as i32 - 1
                })
            })
            .collect();
        Self { texts: Arc::new(StringArray::from_iter_values(texts)), key_of }
    }

    /// The key of an id.
    #[inline]
    pub fn key(&self, id: u32) -> i32 {
        self.key_of[id as usize]
    }

    /// The column with these keys.
    pub fn column(
        &self,
        keys: Vec<i32>,
        nulls: Option<NullBuffer>,
    ) -> Result<ArrayRef, ArrowError> {
        let (keys, texts) = match self.texts.len() <= LONGEST_SHARED {
            true => (keys, Arc::clone(&self.texts)),
            false => self.own_texts(keys)?,
        };
        let keys = Int32Array::new(ScalarBuffer::from(keys), nulls);
        Ok(Arc::new(DictionaryArray::<Int32Type>::try_new(keys, texts)?))
    }

    /// The same keys, as places in a list of those texts only that occur.
    fn own_texts(&self, mut keys: Vec<i32>) -> Result<(Vec<i32>, ArrayRef), ArrowError> {
        let mut place_of = HashMap::new();
        let mut used = Vec::new();
        // Neighbours mostly have the same name.
        let mut last = None;
        for key in &mut keys {
            let place = match last {
                Some((before, place)) if before == *key => place,
                _ => *place_of.entry(*key).or_insert_with(|| {
                    used.push(*key);
                    used.len() as i32 - 1
                }),
            };
            last = Some((*key, place));
            *key = place;
        }
        Ok((keys, take(&self.texts, &Int32Array::from(used), None)?))
    }

    /// The same where some rows have no name.
    pub fn optional(&self, keys: &[Option<i32>]) -> Result<ArrayRef, ArrowError> {
        let nulls = NullBuffer::from_iter(keys.iter().map(Option::is_some));
        self.column(keys.iter().map(|key| key.unwrap_or(0)).collect(), Some(nulls))
    }
}

/// The dictionaries of a trace, made when first needed.
#[derive(Debug, Default)]
pub struct Names {
    containers: OnceLock<Dictionary>,
    types: OnceLock<Dictionary>,
    values: OnceLock<Dictionary>,
}

impl Names {
    /// The names of containers, by their number.
    pub fn containers(&self, catalog: &Catalog) -> &Dictionary {
        self.containers.get_or_init(|| {
            let names = &catalog.containers.names;
            Dictionary::new((0..names.len()).map(|index| names.get(index)))
        })
    }

    /// The names of types, by their number.
    pub fn types(&self, catalog: &Catalog) -> &Dictionary {
        self.types.get_or_init(|| Dictionary::new(catalog.types.iter().map(|def| &*def.name)))
    }

    /// The names of values, by their number.
    pub fn values(&self, catalog: &Catalog) -> &Dictionary {
        self.values.get_or_init(|| Dictionary::new(catalog.values.iter().map(|def| &*def.name)))
    }
}
