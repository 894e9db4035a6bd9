//! What the colours of a diagram mean, and how much of the time each has.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use hashbrown::hash_map::Entry::{Occupied, Vacant};

use onca_answer::bundles::LinkKinds;
use onca_answer::{Cut, Diagnosis, Level, Measure, WaitKind, entities, state_times};
use onca_model::{Color, Nature, TypeId, ValueId, Window, printable};
use onca_query::{Appearance, DerivedValue, LockUse, ReductionForm, Scope, palette};
use onca_scene::Pick;

use crate::{
    Result, Theme, color,
    legend::{Entry, Swatch},
    timeline::{
        Links, TimelineOptions, critical_path::path_color, events::shape_of, locks::MOST_STATES,
        waits::color_of,
    },
};

/// Events and links have at most this many entries.
const MOST_VALUES: usize = 8;
/// A scale of many numbers has this many parts.
const SCALE_PARTS: i64 = 4;
/// The width of a band of a lock, in tenths of a pixel.
const LOCK_WIDTH: u8 = 30;
/// The same for the critical path.
const PATH_WIDTH: u8 = 20;

/// The legend of a diagram.
pub(crate) struct Key {
    /// Its entries: states, the most common first, then links and events.
    pub entries: Vec<Entry>,
    /// The mark of each entry.
    pub swatches: Vec<Swatch>,
    behind: Color,
}

/// Where the entry of a name, colour and mark is. There may be a million.
type Places<'a> = HashMap<(&'a [u8], Color, Swatch), usize>;

impl Key {
    /// The legend of what is seen in the window.
    pub fn new(
        scope: &Scope<'_>,
        appearance: &Appearance,
        theme: Theme,
        options: &TimelineOptions,
    ) -> Result<Self> {
        let behind = theme.colors().background;
        let mut key = Self { entries: Vec::new(), swatches: Vec::new(), behind };
        let mut places = Places::new();
        key.add_states(scope, appearance, &mut places)?;
        key.add_counts(scope);
        key.add_locks(scope)?;
        if options.waits || options.critical_path {
            key.add_causes(scope, theme, options)?;
        }
        if options.links != Links::None {
            key.add_links(scope, appearance, &mut places);
        }
        if options.events {
            key.add_events(scope, appearance, &mut places);
        }
        Ok(key)
    }

    fn add_states<'a>(
        &mut self,
        scope: &'a Scope<'_>,
        appearance: &Appearance,
        places: &mut Places<'a>,
    ) -> Result<()> {
        let cut = Cut::new(scope, &Level::Whole)?;
        let times = state_times(scope, &cut, scope.window(), Measure::Exclusive)?;
        let mut rows: Vec<(ValueId, i128)> =
            times.rows.iter().map(|row| (row.value, row.ticks)).collect();
        rows.sort_by_key(|(value, ticks)| (std::cmp::Reverse(*ticks), *value));
        let total: i128 = rows.iter().map(|(_, ticks)| ticks).sum();
        for (value, ticks) in rows {
            let share = Some(ticks as f64 / total as f64);
            let color = appearance.of_value(value).color;
            let name = &scope.catalog().value(value).name;
            self.add(places, name, Entry::of(value, share, color), Swatch::Box);
        }
        Ok(())
    }

    /// Adds the numbers of derived states; of many, some of the scale.
    fn add_counts(&mut self, scope: &Scope<'_>) {
        for (reduction, derived) in scope.reductions().iter().enumerate() {
            if derived.form != ReductionForm::States {
                continue;
            }
            let most = i64::from(derived.most);
            let n_parts = if most < MOST_VALUES as i64 { most.max(1) } else { SCALE_PARTS };
            for part in 0..=n_parts {
                let value = DerivedValue { reduction, number: most * part / n_parts };
                let color = color::of_derived(scope, value);
                let name = value.words(scope);
                self.entries.push(Entry { name, share: None, color, pick: Pick::NOTHING });
                self.swatches.push(Swatch::Box);
            }
        }
    }

    /// Adds the locks that bands tell of.
    fn add_locks(&mut self, scope: &Scope<'_>) -> Result<()> {
        if scope.locks().is_empty() {
            return Ok(());
        }
        let mut names: BTreeMap<Vec<u8>, BTreeSet<&str>> = BTreeMap::new();
        for (track, ..) in scope.tracks(Nature::State) {
            if entities::n_states(scope, &[track], scope.instants())? > MOST_STATES {
                continue;
            }
            entities::visit_lock_states(scope, track, scope.instants(), |found| {
                let words = match found.lock_use {
                    LockUse::Holds => "held",
                    LockUse::Waits => "hatched: waited for",
                };
                if names.len() < MOST_VALUES || names.contains_key(found.lock) {
                    names.entry(found.lock.to_vec()).or_default().insert(words);
                }
            })?;
        }
        for (name, uses) in names {
            let color = color::legible(palette::color_of(&name), self.behind);
            let uses: Vec<&str> = uses.into_iter().collect();
            let name = format!("{} ({})", printable(&name), uses.join(", "));
            self.entries.push(Entry { name, share: None, color, pick: Pick::NOTHING });
            self.swatches.push(Swatch::Line(LOCK_WIDTH));
        }
        Ok(())
    }

    /// Adds the kinds of waiting that are in the window, and the critical path.
    fn add_causes(
        &mut self,
        scope: &Scope<'_>,
        theme: Theme,
        options: &TimelineOptions,
    ) -> Result<()> {
        let known = Diagnosis::of(scope.store())?;
        let mut add = |name: String, color, width| {
            self.entries.push(Entry { name, share: None, color, pick: Pick::NOTHING });
            self.swatches.push(Swatch::Line(width));
        };
        if options.critical_path && !known.path.is_empty() {
            add("critical path".to_owned(), path_color(theme.colors()), PATH_WIDTH);
        }
        if options.waits {
            let Window { from, to } = scope.window();
            let seen = known.waits.each().filter(|wait| wait.window.overlap(from, to) > 0);
            for kind in seen.map(|wait| wait.kind).collect::<BTreeSet<WaitKind>>() {
                let color = color_of(kind, theme.colors().background);
                add(format!("waits: {}", kind.name()), color, LOCK_WIDTH);
            }
        }
        Ok(())
    }

    fn add_links<'a>(
        &mut self,
        scope: &'a Scope<'_>,
        appearance: &Appearance,
        places: &mut Places<'a>,
    ) {
        let kinds = LinkKinds::new(scope);
        let mut types: Vec<_> = scope
            .link_lanes()
            .filter(|(lane, _)| entities::n_rows(scope, *lane) > 0)
            .map(|(_, type_id)| type_id)
            .collect();
        types.sort_unstable();
        types.dedup();
        for type_id in types {
            if kinds.by_value(type_id) {
                for value in values_of(scope, |owner| owner == type_id) {
                    let name = &scope.catalog().value(value).name;
                    let color = appearance.of_value(value).color;
                    let named = name.iter().any(u8::is_ascii_alphabetic);
                    // A number alone says nothing.
                    let name = if named { name } else { &scope.catalog().type_def(type_id).name };
                    self.add(places, name, Entry::of(value, None, color), Swatch::Arrow);
                }
            } else {
                let name = &scope.catalog().type_def(type_id).name;
                let color = appearance.of_type(type_id).color;
                let entry = Entry { name: String::new(), share: None, color, pick: Pick::NOTHING };
                self.add(places, name, entry, Swatch::Arrow);
            }
        }
    }

    fn add_events<'a>(
        &mut self,
        scope: &'a Scope<'_>,
        appearance: &Appearance,
        places: &mut Places<'a>,
    ) {
        let catalog = scope.catalog();
        let is_event = |owner: TypeId| {
            catalog.type_def(owner).nature == Nature::Event && scope.sees_type(owner)
        };
        let values = values_of(scope, is_event);
        if values.len() > MOST_VALUES {
            return;
        }
        for value in values {
            let style = appearance.of_value(value);
            let name = &catalog.value(value).name;
            let swatch = Swatch::Glyph(shape_of(style.shape));
            self.add(places, name, Entry::of(value, None, style.color), swatch);
        }
    }

    /// Adds an entry. Values that have the same name and colour, as those of several types often
    /// have, are one.
    fn add<'a>(
        &mut self,
        places: &mut Places<'a>,
        name: &'a [u8],
        mut entry: Entry,
        swatch: Swatch,
    ) {
        if swatch != Swatch::Box {
            entry.color = color::legible(entry.color, self.behind);
        }
        match places.entry((name, entry.color, swatch)) {
            Occupied(known) => {
                let known = &mut self.entries[*known.get()];
                known.share = known.share.zip(entry.share).map(|(a, b)| a + b);
            }
            Vacant(place) => {
                place.insert(self.entries.len());
                self.entries.push(Entry { name: printable(name).into_owned(), ..entry });
                self.swatches.push(swatch);
            }
        }
    }
}

/// The seen values of some types.
fn values_of(scope: &Scope<'_>, of: impl Fn(TypeId) -> bool) -> Vec<ValueId> {
    let values = scope.catalog().values.iter().enumerate();
    let values = values.filter(|(_, value)| of(value.type_id));
    let ids = values.map(|(id, _)| ValueId(id as u32));
    ids.filter(|id| scope.sees_value(*id)).collect()
}
