//! Actions: the cases of advertisers' domains against brands.

pub mod covered;
pub mod detection;
pub mod events;
pub mod figures;
pub mod list;
mod list_filter;
pub mod notes;
pub mod outreach;
pub mod pace;
pub mod presence;
pub mod removal;
mod seen_days;
pub mod silence;
pub mod story;
pub mod work;

pub use list_filter::{ActionKey, Condition, DateField, TextField};
pub use seen_days::SeenDays;
