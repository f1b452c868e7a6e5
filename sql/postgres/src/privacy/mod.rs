//! Personal data of those whom mails are exchanged with: export and erasure by address, and the end of its retention (decision D216).

mod again;
mod erase;
mod export;
mod outdated;

pub use again::{erase_again, erased};
pub use erase::{Erased, erase};
pub use export::export;
pub use outdated::{Forgotten, forget_mails, forget_sources, is_used};
