//! Who asks, and what they may do.

mod caller;
pub mod cookies;
pub mod passwords;
pub mod tokens;

pub use caller::{Administrator, Caller, NotExpired, ResetCaller};
