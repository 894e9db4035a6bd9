//! The calls of `include/onca_trace.h`. What they do is described there.

use std::ffi::{CStr, OsStr, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Mutex;

use crate::api::link;
use crate::clock;
use crate::config::{Options, Overflow};
use crate::definitions::{self, Definition, Nature};
use crate::ring::{self, Attribute, AttributeValue, Kind};
use crate::session;

/// What `onca_trace_options` in the header is.
#[repr(C)]
pub struct CallerOptions {
    overflow: c_int,
    capacity: usize,
    interval_ms: u32,
    leave_signals: c_int,
}

/// The last error, as a text that stays until the next one.
static LAST_ERROR: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// A text of the caller; bytes that are no UTF-8 are replaced. None is empty.
///
/// # Safety
/// The pointer is null, or that of a text that ends with a zero byte.
unsafe fn text<'t>(pointer: *const c_char) -> std::borrow::Cow<'t, str> {
    if pointer.is_null() {
        return "".into();
    }
    // SAFETY: the caller says so.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy()
}

fn status(done: std::io::Result<()>) -> c_int {
    match done {
        Ok(()) => 0,
        Err(error) => {
            let mut message = error.to_string().replace('\0', " ").into_bytes();
            message.push(0);
            *LAST_ERROR.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = message;
            -1
        }
    }
}

/// Opens a trace.
///
/// # Safety
/// The path is a text that ends with a zero byte, or null; the options are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onca_trace_open(
    path: *const c_char,
    options: *const CallerOptions,
) -> c_int {
    let path = match path.is_null() {
        true => Path::new("trace-%p.onct"),
        // SAFETY: the caller says so.
        false => Path::new(OsStr::from_bytes(unsafe { CStr::from_ptr(path) }.to_bytes())),
    };
    let mut chosen = Options::new(path);
    // SAFETY: the caller says so.
    if let Some(options) = unsafe { options.as_ref() } {
        chosen.overflow = if options.overflow == 1 { Overflow::Drop } else { Overflow::Block };
        if options.capacity > 0 {
            chosen.capacity = options.capacity;
        }
        if options.interval_ms > 0 {
            chosen.interval = std::time::Duration::from_millis(u64::from(options.interval_ms));
        }
        chosen.catch_signals = options.leave_signals == 0;
    }
    status(session::open(chosen))
}

/// Closes the trace.
#[unsafe(no_mangle)]
pub extern "C" fn onca_trace_close() -> c_int {
    status(session::close())
}

/// Writes everything that was recorded before.
#[unsafe(no_mangle)]
pub extern "C" fn onca_trace_flush() -> c_int {
    if session::flush() { 0 } else { -1 }
}

/// Is a trace open?
#[unsafe(no_mangle)]
pub extern "C" fn onca_trace_enabled() -> c_int {
    c_int::from(ring::is_enabled())
}

/// What went wrong last, as far as the buffer goes; how long the text is.
///
/// # Safety
/// The buffer has room for as many bytes as is said.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onca_trace_error(buffer: *mut c_char, size: usize) -> usize {
    let message = LAST_ERROR.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let len = message.len().saturating_sub(1);
    if !buffer.is_null() && size > 0 {
        let n = len.min(size - 1);
        // SAFETY: the caller says how much room there is.
        unsafe {
            std::ptr::copy_nonoverlapping(message.as_ptr().cast(), buffer, n);
            *buffer.add(n) = 0;
        }
    }
    len
}

macro_rules! types {
    ($($call:ident $nature:ident)*) => {$(
        #[doc = concat!("Defines a type of nature ", stringify!($nature), ".")]
        ///
        /// # Safety
        /// The name is a text that ends with a zero byte, or null.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $call(parent: u32, name: *const c_char) -> u32 {
            // SAFETY: the caller says so.
            definitions::define_type(Nature::$nature, parent, &unsafe { text(name) }, None)
        }
    )*};
}

types! {
    onca_container_type Container
    onca_state_type State
    onca_event_type Event
    onca_variable_type Variable
}

/// Defines a type of links.
///
/// # Safety
/// The name is a text that ends with a zero byte, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onca_link_type(
    parent: u32,
    name: *const c_char,
    from: u32,
    to: u32,
) -> u32 {
    // SAFETY: the caller says so.
    let name = unsafe { text(name) };
    definitions::define_type(Nature::Link, parent, &name, Some((from, to)))
}

/// Defines a value; a colour that is no colour is none.
///
/// # Safety
/// The name is a text that ends with a zero byte, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onca_value_of(of: u32, name: *const c_char, color: u32) -> u32 {
    let color = (color <= 0xff_ffff).then_some(color);
    // SAFETY: the caller says so.
    definitions::define_value(of, &unsafe { text(name) }, color)
}

/// Creates a container.
///
/// # Safety
/// The name is a text that ends with a zero byte, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onca_create(of: u32, parent: u32, name: *const c_char) -> u32 {
    // SAFETY: the caller says so.
    definitions::create(of, parent, &unsafe { text(name) })
}

/// Creates a container that has been there since some time.
///
/// # Safety
/// The name is a text that ends with a zero byte, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onca_create_at(
    of: u32,
    parent: u32,
    name: *const c_char,
    ticks: u64,
) -> u32 {
    // SAFETY: the caller says so.
    definitions::create_at(of, parent, &unsafe { text(name) }, ticks)
}

/// Ends a container.
#[unsafe(no_mangle)]
pub extern "C" fn onca_destroy(container: u32) {
    definitions::destroy(container);
}

/// Records with a comment, if there is one.
///
/// # Safety
/// The comment is a text that ends with a zero byte, or null.
unsafe fn commented(kind: Kind, container: u32, of: u32, payload: u64, comment: *const c_char) {
    if !ring::is_enabled() {
        return;
    }
    if comment.is_null() {
        return ring::record(kind, container, of, payload);
    }
    // SAFETY: the caller says so.
    let comment = unsafe { text(comment) };
    let field = definitions::define_field("Comment");
    let attribute = Attribute { field, value: AttributeValue::Text(&comment) };
    ring::record_more(None, kind, container, of, payload, None, &[attribute]);
}

macro_rules! with_values {
    ($($call:ident $with_comment:ident $kind:ident)*) => {$(
        #[doc = concat!("Records ", stringify!($kind), ".")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $call(container: u32, of: u32, value: u32) {
            ring::record(Kind::$kind, container, of, u64::from(value));
        }

        /// The same with a comment.
        ///
        /// # Safety
        /// The comment is a text that ends with a zero byte, or null.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $with_comment(
            container: u32,
            of: u32,
            value: u32,
            comment: *const c_char,
        ) {
            // SAFETY: the caller says so.
            unsafe { commented(Kind::$kind, container, of, u64::from(value), comment) }
        }
    )*};
}

with_values! {
    onca_push onca_push_comment PushState
    onca_set onca_set_comment SetState
    onca_event onca_event_comment Event
}

macro_rules! without_values {
    ($($call:ident $with_comment:ident $kind:ident)*) => {$(
        #[doc = concat!("Records ", stringify!($kind), ".")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $call(container: u32, of: u32) {
            ring::record(Kind::$kind, container, of, 0);
        }

        /// The same with a comment.
        ///
        /// # Safety
        /// The comment is a text that ends with a zero byte, or null.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $with_comment(container: u32, of: u32, comment: *const c_char) {
            // SAFETY: the caller says so.
            unsafe { commented(Kind::$kind, container, of, 0, comment) }
        }
    )*};
}

without_values! {
    onca_pop onca_pop_comment PopState
    onca_reset onca_reset_comment ResetState
}

macro_rules! variables {
    ($($call:ident $with_comment:ident $kind:ident)*) => {$(
        #[doc = concat!("Records ", stringify!($kind), ".")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $call(container: u32, of: u32, value: f64) {
            ring::record(Kind::$kind, container, of, value.to_bits());
        }

        /// The same with a comment.
        ///
        /// # Safety
        /// The comment is a text that ends with a zero byte, or null.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $with_comment(
            container: u32,
            of: u32,
            value: f64,
            comment: *const c_char,
        ) {
            // SAFETY: the caller says so.
            unsafe { commented(Kind::$kind, container, of, value.to_bits(), comment) }
        }
    )*};
}

variables! {
    onca_set_d onca_set_d_comment SetVariable
    onca_add_d onca_add_d_comment AddVariable
    onca_sub_d onca_sub_d_comment SubVariable
}

/// A link leaves a container.
#[unsafe(no_mangle)]
pub extern "C" fn onca_link_start(container: u32, of: u32, value: u32, key: u64, bytes: u64) {
    link(Kind::StartLink, container, 0, of, value, key, Some(bytes), None, &[]);
}

/// A link reaches a container.
#[unsafe(no_mangle)]
pub extern "C" fn onca_link_end(container: u32, of: u32, value: u32, key: u64, bytes: u64) {
    link(Kind::EndLink, container, 0, of, value, key, Some(bytes), None, &[]);
}

/// Records an end of a link that belongs to some container, without a size.
///
/// # Safety
/// The comment is a text that ends with a zero byte, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onca_link_in(
    starts: c_int,
    owner: u32,
    container: u32,
    of: u32,
    value: u32,
    key: u64,
    comment: *const c_char,
) {
    if !ring::is_enabled() {
        return;
    }
    let kind = if starts != 0 { Kind::StartLink } else { Kind::EndLink };
    // SAFETY: the caller says so.
    let comment = (!comment.is_null()).then(|| unsafe { text(comment) });
    let fields: Vec<_> = comment
        .iter()
        .map(|comment| {
            let field = definitions::define_field("Comment");
            Attribute { field, value: AttributeValue::Text(comment) }
        })
        .collect();
    link(kind, container, owner, of, value, key, None, None, &fields);
}

/// Defines a type of links as the Pajé paper does, without the types of its ends: they are containers of the type that was
/// last defined below the parent, or of the parent itself.
///
/// # Safety
/// The name is a text that ends with a zero byte, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onca_link_type_within(parent: u32, name: *const c_char) -> u32 {
    let end = definitions::last_type_below(parent).unwrap_or(parent);
    // SAFETY: the caller says so.
    let name = unsafe { text(name) };
    definitions::define_type(Nature::Link, parent, &name, Some((end, end)))
}

/// A field of a record, as the header has it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CallerAttribute {
    field: u32,
    kind: c_int,
    value: CallerValue,
}

#[repr(C)]
#[derive(Clone, Copy)]
union CallerValue {
    int: i64,
    double: f64,
    ticks: u64,
    text: *const c_char,
}

impl CallerAttribute {
    /// # Safety
    /// The value is what its kind says, and a text ends with a zero byte or is null.
    unsafe fn attribute<'t>(&self) -> Attribute<'t> {
        // SAFETY: the caller says so.
        let value = unsafe {
            match self.kind {
                1 => AttributeValue::Double(self.value.double),
                2 => AttributeValue::Time(self.value.ticks),
                3 if self.value.text.is_null() => AttributeValue::Text(""),
                3 => AttributeValue::Text(valid(CStr::from_ptr(self.value.text).to_bytes())),
                _ => AttributeValue::Int(self.value.int),
            }
        };
        Attribute { field: self.field, value }
    }
}

/// A text as far as it is UTF-8.
fn valid(bytes: &[u8]) -> &str {
    let len = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    std::str::from_utf8(&bytes[..len]).unwrap_or_default()
}

/// Attributes beyond this are left out.
const MOST_ATTRIBUTES: usize = 16;

/// # Safety
/// There are as many attributes as is said, and each is what it says.
unsafe fn with_attributes(
    attributes: *const CallerAttribute,
    n: usize,
    record: impl FnOnce(&[Attribute<'_>]),
) {
    let none = Attribute { field: 0, value: AttributeValue::Int(0) };
    let mut own = [none; MOST_ATTRIBUTES];
    let n = if attributes.is_null() { 0 } else { n.min(MOST_ATTRIBUTES) };
    for (place, own) in own[..n].iter_mut().enumerate() {
        // SAFETY: the caller says so.
        *own = unsafe { (*attributes.add(place)).attribute() };
    }
    record(&own[..n]);
}

/// Defines a field.
///
/// # Safety
/// The name is a text that ends with a zero byte, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onca_field_of(name: *const c_char) -> u32 {
    // SAFETY: the caller says so.
    definitions::define_field(&unsafe { text(name) })
}

/// What the clock of records shows.
#[unsafe(no_mangle)]
pub extern "C" fn onca_now() -> u64 {
    clock::now()
}

/// Opens a state that has fields.
///
/// # Safety
/// There are as many attributes as is said, and each is what it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onca_push_with(
    container: u32,
    of: u32,
    value: u32,
    ticks: u64,
    attributes: *const CallerAttribute,
    n: usize,
) {
    if !ring::is_enabled() {
        return;
    }
    // SAFETY: the caller says so.
    unsafe {
        with_attributes(attributes, n, |fields| {
            ring::record_more(
                (ticks != 0).then_some(ticks),
                Kind::PushState,
                container,
                of,
                u64::from(value),
                None,
                fields,
            );
        });
    }
}

/// Records an event that has fields.
///
/// # Safety
/// There are as many attributes as is said, and each is what it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onca_event_with(
    container: u32,
    of: u32,
    value: u32,
    attributes: *const CallerAttribute,
    n: usize,
) {
    if !ring::is_enabled() {
        return;
    }
    // SAFETY: the caller says so.
    unsafe {
        with_attributes(attributes, n, |fields| {
            ring::record_more(None, Kind::Event, container, of, u64::from(value), None, fields);
        });
    }
}

/// Records an end of a link that has fields, at some time or now.
///
/// # Safety
/// There are as many attributes as is said, and each is what it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onca_link_with(
    starts: c_int,
    container: u32,
    of: u32,
    value: u32,
    key: u64,
    bytes: u64,
    ticks: u64,
    attributes: *const CallerAttribute,
    n: usize,
) {
    if !ring::is_enabled() {
        return;
    }
    let kind = if starts != 0 { Kind::StartLink } else { Kind::EndLink };
    let ticks = (ticks != 0).then_some(ticks);
    // SAFETY: the caller says so.
    unsafe {
        with_attributes(attributes, n, |fields| {
            link(kind, container, 0, of, value, key, Some(bytes), ticks, fields);
        });
    }
}

/// Tells something of the process, in the open trace.
///
/// # Safety
/// Key and value are texts that end with a zero byte, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onca_property(key: *const c_char, value: *const c_char) {
    // SAFETY: the caller says so.
    let (key, value) = unsafe { (text(key).into_owned(), text(value).into_owned()) };
    definitions::add_to_trace(&Definition::Property { key, value });
}

/// Tells what the clock of another process showed.
#[unsafe(no_mangle)]
pub extern "C" fn onca_clock_pair(rank: u32, own: u64, other: u64, width: u64) {
    definitions::add_to_trace(&Definition::ClockPair { rank, own, other, width });
}
