//! The rows of a table that a lens shows in a window, some of their columns, batch by batch.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use arrow_select::filter::filter_record_batch;
use onca_model::{LaneId, TypeId, Window};
use onca_query::{Lens, Scope};
use onca_tables::{Collect, Table, Trace, batch, seen_blocks, seen_rows, sees_lane, tables_of};

/// A batch is handed on when it has this many rows. Blocks are added whole.
const BATCH_ROWS: usize = 1 << 16;
/// Batches that wait to be taken.
const AHEAD: usize = 2;

/// What is seen of a trace.
#[derive(Clone, Debug)]
pub struct Looked {
    /// Through what.
    pub lens: Lens,
    /// When.
    pub window: Window,
}

/// What is read of a table.
#[derive(Clone, Debug)]
pub struct Scan {
    trace: Arc<Trace>,
    table: Arc<dyn Table>,
    /// Nothing if everything is seen.
    looked: Option<Looked>,
    /// Places of the columns.
    columns: Vec<usize>,
    schema: SchemaRef,
}

impl Scan {
    /// The columns have the order in which they are named.
    pub fn new(
        trace: Arc<Trace>,
        table: &str,
        looked: Option<Looked>,
        columns: Option<&[String]>,
    ) -> Result<Self, String> {
        let tables = tables_of(&trace);
        let named = |found: &&Arc<dyn Table>| found.name() == table;
        let Some(table) = tables.iter().find(named).map(Arc::clone) else {
            let names: Vec<_> = tables.iter().map(|table| table.name()).collect();
            return Err(format!("there is no table {table}; there are {}", names.join(", ")));
        };
        let fields = table.schema().fields();
        let place = |name: &String| {
            fields.iter().position(|field| field.name() == name).ok_or_else(|| {
                let names: Vec<_> = fields.iter().map(|field| field.name().as_str()).collect();
                format!("{} has no column {name}; it has {}", table.name(), names.join(", "))
            })
        };
        let columns: Vec<usize> = match columns {
            Some(names) => names.iter().map(place).collect::<Result<_, _>>()?,
            None => (0..fields.len()).collect(),
        };
        let schema = Arc::new(table.schema().project(&columns).map_err(|why| why.to_string())?);
        if let Some(looked) = &looked {
            Scope::new(&trace.store, &looked.lens, looked.window).map_err(|why| why.to_string())?;
        }
        Ok(Self { trace, table, looked, columns, schema })
    }

    /// The columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Reads all rows into batches, until nobody takes them.
    fn read(&self, sender: &SyncSender<Batch>) -> Result<(), ArrowError> {
        let error = |why: String| ArrowError::ExternalError(why.into());
        let store = &self.trace.store;
        let is_entities = self.table.nature().is_some();
        let looked = self.looked.as_ref().filter(|_| is_entities);
        let scope = looked.map(|looked| Scope::new(store, &looked.lens, looked.window));
        let scope = scope.transpose().map_err(|why| error(why.to_string()))?;
        let wanted = match &scope {
            Some(_) => self.with_seen_by(),
            None => self.columns.clone(),
        };
        let schema = Arc::new(self.table.schema().project(&wanted)?);
        let places: Vec<usize> = (0..self.columns.len()).collect();
        let mut collector = self.table.collect(&wanted);
        let send = |collector: &mut dyn Collect, of: Option<TypeId>| {
            if collector.n_rows() == 0 {
                return Ok(true);
            }
            let rows = batch(&schema, collector)?;
            let seen = scope.as_ref().zip(of);
            let seen = seen.and_then(|(scope, type_id)| seen_rows(scope, type_id, &rows));
            let rows = match seen {
                Some(seen) => filter_record_batch(&rows, &seen)?.project(&places)?,
                None => rows.project(&places)?,
            };
            Ok::<bool, ArrowError>(rows.num_rows() == 0 || sender.send(Ok(rows)).is_ok())
        };
        let mut of = None;
        for lane in self.table.lanes() {
            if scope.as_ref().is_some_and(|scope| !sees_lane(scope, LaneId(lane))) {
                continue;
            }
            let type_id = is_entities.then(|| self.trace.catalog().lane(LaneId(lane)).type_id);
            // The rows of a batch are looked at together, and those of one type are looked at alike.
            if scope.is_some() && of != type_id && !send(&mut *collector, of)? {
                return Ok(());
            }
            of = type_id;
            for (block, _) in seen_blocks(&*self.table, scope.as_ref(), lane) {
                collector.add(lane, block).map_err(|why| error(why.to_string()))?;
                if collector.n_rows() >= BATCH_ROWS && !send(&mut *collector, of)? {
                    return Ok(());
                }
            }
        }
        send(&mut *collector, of).map(drop)
    }

    /// The columns that are asked for, and after them those by which rows are seen.
    fn with_seen_by(&self) -> Vec<usize> {
        const SEEN_BY: [&str; 6] =
            ["tick_start", "tick_end", "tick", "value", "source_id", "destination_id"];
        let fields = self.table.schema().fields();
        let more = (0..fields.len()).filter(|place| {
            SEEN_BY.contains(&fields[*place].name().as_str()) && !self.columns.contains(place)
        });
        self.columns.iter().copied().chain(more).collect()
    }
}

type Batch = Result<RecordBatch, ArrowError>;

/// The batches of a scan. Nothing is read before the first is asked for; from then on, a thread reads ahead.
pub struct Batches {
    scan: Scan,
    reading: Option<Receiver<Batch>>,
}

impl From<Scan> for Batches {
    fn from(scan: Scan) -> Self {
        Self { scan, reading: None }
    }
}

impl Iterator for Batches {
    type Item = Batch;

    fn next(&mut self) -> Option<Batch> {
        if self.reading.is_none() {
            let (sender, receiver) = sync_channel(AHEAD);
            let scan = self.scan.clone();
            let read = move || {
                if let Err(why) = scan.read(&sender) {
                    // Nobody is left to be told where nobody takes it.
                    let _ = sender.send(Err(why));
                }
            };
            if let Err(why) = std::thread::Builder::new().spawn(read) {
                return Some(Err(ArrowError::ExternalError(Box::new(why))));
            }
            self.reading = Some(receiver);
        }
        self.reading.as_ref()?.recv().ok()
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        Arc::clone(self.scan.schema())
    }
}
