//! Who asks, and what they may do.

mod caller;
pub mod client;
pub mod cookies;
pub mod export_tickets;
pub mod notice;
pub mod passwords;
pub mod tokens;

pub use caller::{Administrator, Caller, NotExpired, ResetCaller};
pub use export_tickets::Downloader;
