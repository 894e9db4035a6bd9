//! The header: layouts of all events, with the liberties that producers take.

use super::Writer;
use crate::fixtures::{self, HEADER_EVENTS};

#[derive(Clone)]
pub(super) struct Layout {
    pub(super) id: String,
    pub(super) event: &'static str,
    pub(super) fields: Vec<String>,
}

impl Writer {
    pub(super) fn write_header(&mut self) {
        let mut events: Vec<(u32, &'static str, &'static [&'static str])> = HEADER_EVENTS.to_vec();
        if self.variant_layouts && self.rng.percent(30) {
            self.rng.shuffle(&mut events);
        }
        let id_offset = if self.variant_layouts { self.rng.below(3) as u32 * 20 } else { 0 };
        for (id, event, fields) in events {
            let fields = self.vary_fields(event, fields);
            self.write_block((id + id_offset).to_string(), event, fields);
        }
        if self.variant_layouts {
            for id in 0..self.rng.below(4) {
                self.write_second_layout((200 + id).to_string());
            }
        }
    }

    fn vary_fields(&mut self, event: &str, fields: &[&str]) -> Vec<String> {
        let mut fields: Vec<String> = fields.iter().map(ToString::to_string).collect();
        if !self.variant_layouts {
            return fields;
        }
        if self.rng.percent(15) && !event.starts_with("PajeDestroy") {
            fields.retain(|field| field != "Alias");
        }
        if self.rng.percent(30) {
            self.rng.shuffle(&mut fields);
        }
        if self.rng.percent(20) {
            for field in &mut fields {
                let old = match field.as_str() {
                    "Type" if event.starts_with("PajeDefine") || event.ends_with("Container") => {
                        "ContainerType"
                    }
                    "Type" => "EntityType",
                    "StartContainerType" => "SourceContainerType",
                    "EndContainerType" => "DestContainerType",
                    "StartContainer" => "SourceContainer",
                    "EndContainer" => "DestContainer",
                    "Name" if event == "PajeDestroyContainer" => "Container",
                    "Alias" if event == "PajeCreateContainer" => "NewContainer",
                    _ => continue,
                };
                *field = old.to_string();
            }
        }
        if self.rng.percent(25) {
            let unused = match event {
                "PajePopState" | "PajeResetState" => "Value",
                "PajeStartLink" | "PajeEndLink" => "Line",
                _ => "Key",
            };
            let extra = self.rng.pick(&["Size", "Note", "Mark", "File", unused]);
            let position = self.rng.below(fields.len() + 1);
            fields.insert(position, extra.to_string());
        }
        fields
    }

    pub(super) fn write_second_layout(&mut self, id: String) {
        let (_, event, fields) = HEADER_EVENTS[self.rng.below(HEADER_EVENTS.len())];
        let mut fields = self.vary_fields(event, fields);
        if self.rng.percent(60) && !fields.iter().any(|field| field == "Size") {
            fields.push("Size".to_string());
        }
        self.write_block(id, event, fields);
    }

    fn write_block(&mut self, id: String, event: &'static str, fields: Vec<String>) {
        let borrowed: Vec<&str> = fields.iter().map(String::as_str).collect();
        let block = fixtures::block(&id, event, &borrowed);
        for line in block.lines() {
            self.out.extend_from_slice(line.as_bytes());
            if self.rng.percent(3) {
                self.out.extend_from_slice(b" \t");
            }
            self.end_line();
        }
        self.layouts.retain(|layout| layout.id != id);
        self.layouts.push(Layout { id, event, fields });
    }
}
