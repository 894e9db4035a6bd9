//! The local server of Onca: its safety, its answers on the wire, the embedded web app.
//!
//! A [`Site`] is everything that answers requests; a [`Server`] puts it on a socket, and [`Inside`] lets the
//! program ask that it is part of. The requests
//! are described in `docs/http-api.md`. Nothing is analysed here: every answer comes from the
//! crates that commands ask too.

mod api;
mod app;
mod body;
mod comparisons;
mod conversations;
mod fault;
mod front;
mod guard;
mod inside;
mod kept;
mod listen;
mod matrices;
mod newest;
mod openable;
mod question;
mod scenes;
mod site;
mod sources;
mod traces;
#[cfg(feature = "typescript")]
mod typescript;
mod web;
mod wire;
mod work;

pub use app::{KnownPlatform, Memory};
pub use guard::{Audience, random_hex};
pub use inside::{Answered, Inside};
pub use listen::unix::{SocketFile, bind as bind_socket};
pub use listen::{Address, Patience, Place, Server};
pub use openable::Openable;
pub use site::{Shown, Site, SqlShown};
pub use traces::{Growth, Open, Opened, Opening, TraceSource};
#[cfg(feature = "typescript")]
pub use typescript::page_types;
