//! The caller of a request: sessions, tokens, passwords, and what they allow.

mod address;
pub mod api_keys;
mod caller;
pub mod client;
pub mod cookies;
pub mod dashboards;
pub mod export_tickets;
pub mod frame_hosts;
pub mod mail_tickets;
pub mod notice;
pub mod owner;
pub mod passwords;
pub mod proofs;
pub mod report_tokens;
pub mod second_factor;
pub mod tokens;

pub use address::ClientAddress;
pub use caller::{Administrator, Caller, NotExpired, Origin, ResetCaller, Staff};
pub(crate) use caller::{comes_from_another_site, comes_from_our_client};
pub use export_tickets::{AdministratorDownloader, Downloader};
pub use mail_tickets::MailCaller;
