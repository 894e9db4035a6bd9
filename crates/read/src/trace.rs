//! A whole trace, whatever its format: the file that is named, and all others that belong to it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use onca_model::Position;

use crate::paje::{self, Definitions, FileEnd};
use crate::{
    BatchConsumer, FileList, Folder, Format, Input, Origin, Progress, ReadError, ReadOptions,
    Refused, Source, SourceEnd, SourceError, Symbols, chrome, detect, detect_file, dumpi, onct,
    otf2, paraver,
};

/// Takes the batches of a trace, and knows which of its records name other files.
pub trait TraceConsumer: BatchConsumer {
    /// The files that were named since this was last asked.
    fn take_parts(&mut self) -> Vec<PartRequest>;

    /// A part could not be read.
    fn part_problem(&mut self, request: &PartRequest, problem: PartProblem);
}

/// A file that the trace names as a part of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PartRequest {
    /// The name as written.
    pub file: Vec<u8>,
    /// Who names it.
    pub position: Position,
}

/// Why a part was not read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartProblem {
    /// It is not there or cannot be read.
    Missing,
    /// It lies out of the folder of the trace.
    Outside,
    /// It is being read already.
    Cycle,
    /// The trace has as many files as it may have.
    TooMany,
}

/// Why a trace was not read to its end.
#[derive(Debug)]
pub enum TraceError {
    /// It cannot be opened.
    Source(SourceError),
    /// One of its files cannot be read.
    Read(PathBuf, ReadError),
    /// Somebody asked to stop.
    Cancelled,
}

/// One reading of a trace.
pub struct TraceReader<'a> {
    /// Where names become symbols.
    pub symbols: &'a Symbols,
    /// How each file is read, but for its number.
    pub options: ReadOptions,
    /// How many files a trace may have.
    pub most_files: usize,
    /// How far it is, and whether it is to stop.
    pub progress: &'a Arc<Progress>,
}

impl TraceReader<'_> {
    /// Reads all files of a trace, and adds them to a list.
    pub fn read(
        &self,
        source: &Source,
        consumer: &mut dyn TraceConsumer,
        files: &mut FileList,
    ) -> Result<SourceEnd, TraceError> {
        let Self { symbols, progress, .. } = *self;
        let options = self.options_of(files);
        if onct::is_folder(source.path()) {
            let read = onct::read(source, symbols, options, progress, consumer, files);
            return read.map_err(|error| self.error(source, error));
        }
        let input = source.open(self.progress).map_err(TraceError::Source)?;
        let read = match detect_file(source.path(), &input.head) {
            Format::Paje => return self.paje(source, input, consumer, files),
            Format::Otf2 => otf2::read(source, symbols, options, progress, consumer, files),
            Format::Dumpi => dumpi::read(source, symbols, options, progress, consumer, files),
            Format::Onct => onct::read(source, symbols, options, progress, consumer, files),
            Format::Paraver => {
                paraver::read(source, input, symbols, options, progress, consumer, files)
            }
            Format::Chrome => {
                files.push(source.path().to_owned());
                chrome::read(input, symbols, options, progress, consumer)
            }
            Format::Unsupported(what) => Err(ReadError::Format(what)),
        };
        read.map_err(|error| self.error(source, error))
    }

    /// Reads a file of Pajé and then, one after the other, the parts that it and they name.
    fn paje(
        &self,
        source: &Source,
        input: Input,
        consumer: &mut dyn TraceConsumer,
        files: &mut FileList,
    ) -> Result<SourceEnd, TraceError> {
        let mut seen = HashSet::new();
        seen.extend(source.path().canonicalize());
        let folder = match source.is_stream() {
            true => Folder::at(Path::new(".")),
            false => Folder::of(source.path()),
        };
        let main = self.file(source, input, Definitions::default(), consumer, files)?;
        let mut bytes = main.bytes;
        let mut open = parts_of(source, &main.definitions, consumer);
        while let Some(Part { request, path, inherited }) = open.pop() {
            // The trace may come from anybody, and what is in its parts ends in messages and stores.
            let is_absolute = request.file.starts_with(b"/");
            let checked = match &folder {
                Ok(folder) if !is_absolute => folder.check(&path),
                _ => Err(Refused::Outside),
            };
            let canonical = match checked {
                Ok(_) => path.canonicalize().map_err(|_| PartProblem::Missing),
                Err(Refused::Outside) => Err(PartProblem::Outside),
                Err(_) => Err(PartProblem::Missing),
            };
            let canonical = match canonical {
                Ok(canonical) => canonical,
                Err(problem) => {
                    consumer.part_problem(&request, problem);
                    // A link may lead elsewhere some day. What lies elsewhere is not looked at.
                    if problem == PartProblem::Missing || path.is_symlink() && !is_absolute {
                        files.unread.push(path);
                    }
                    continue;
                }
            };
            if !seen.insert(canonical) {
                consumer.part_problem(&request, PartProblem::Cycle);
                continue;
            }
            if files.read.len() >= self.most_files {
                consumer.part_problem(&request, PartProblem::TooMany);
                continue;
            }
            let part = Source::new(&path);
            match self.part(&part, inherited, consumer, files) {
                Ok(end) => {
                    bytes += end.bytes;
                    open.extend(parts_of(&part, &end.definitions, consumer));
                }
                Err(TraceError::Source(_)) if !self.progress.is_cancelled() => {
                    consumer.part_problem(&request, PartProblem::Missing);
                    files.unread.push(path);
                }
                Err(error) => return Err(error),
            }
        }
        let origin = Origin::Unsaid { head: main.head };
        Ok(SourceEnd { origin, bytes, truncated: main.truncated })
    }

    /// Reads a file that another one names.
    fn part(
        &self,
        source: &Source,
        inherited: Definitions,
        consumer: &mut dyn TraceConsumer,
        files: &mut FileList,
    ) -> Result<FileEnd, TraceError> {
        let input = source.open(self.progress).map_err(TraceError::Source)?;
        let what = match detect(&input.head) {
            Format::Paje => return self.file(source, input, inherited, consumer, files),
            Format::Otf2 => "an OTF2 archive",
            Format::Chrome => "JSON",
            Format::Paraver => "Paraver",
            Format::Dumpi => "DUMPI",
            Format::Onct => "a trace of onca-trace",
            Format::Unsupported(what) => what,
        };
        Err(self.error(source, ReadError::Format(what)))
    }

    fn file(
        &self,
        source: &Source,
        input: Input,
        inherited: Definitions,
        consumer: &mut dyn TraceConsumer,
        files: &mut FileList,
    ) -> Result<FileEnd, TraceError> {
        let options = self.options_of(files);
        files.push(source.path().to_owned());
        paje::read(input, self.symbols, inherited, options, self.progress, consumer)
            .map_err(|error| self.error(source, error))
    }

    fn options_of(&self, files: &FileList) -> ReadOptions {
        ReadOptions { part: files.next_part(), ..self.options }
    }

    fn error(&self, source: &Source, error: ReadError) -> TraceError {
        match error {
            ReadError::Stopped if self.progress.is_cancelled() => TraceError::Cancelled,
            error => TraceError::Read(source.path().to_owned(), error),
        }
    }
}

/// A part that is to be read.
struct Part {
    request: PartRequest,
    path: PathBuf,
    inherited: Definitions,
}

/// The parts that a file has named, the last one first.
fn parts_of(
    source: &Source,
    definitions: &Definitions,
    consumer: &mut dyn TraceConsumer,
) -> Vec<Part> {
    let part = |request: PartRequest| {
        let path = source.beside(&request.file);
        Part { request, path, inherited: definitions.clone() }
    };
    consumer.take_parts().into_iter().map(part).rev().collect()
}
