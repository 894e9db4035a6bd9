//! The local server of Onca: its safety, its answers on the wire, the embedded web app.
//!
//! A [`Site`] is everything that answers requests; a [`Server`] puts it on a socket. The requests
//! are described in `docs/http-api.md`. Nothing is analysed here: every answer comes from the
//! crates that commands ask too.

mod api;
mod app;
mod body;
mod conversations;
mod fault;
mod front;
mod guard;
mod kept;
mod listen;
mod matrices;
mod newest;
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
pub use guard::Audience;
pub use listen::{Address, Patience, Place, Server};
pub use site::{Shown, Site, SqlShown};
pub use traces::{Open, Opened, TraceSource};
#[cfg(feature = "typescript")]
pub use typescript::page_types;
