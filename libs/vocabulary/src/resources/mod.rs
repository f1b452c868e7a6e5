//! The resources of the API as data, and the filters of clients. No I/O: each of the two stores writes its own SQL from this.

pub mod brackets;
mod condition;
mod conversion;
mod date;
mod filter;
mod filter_error;
mod model;
pub mod models;
mod pattern;
mod restricts;
pub mod rights;
mod rules;
mod value;

pub use condition::{Condition, Usage, ValueTest};
pub use conversion::ValueError;
pub use date::{date_text, parse_date};
pub use filter::{Fields, Filter, Include, MAX_ROWS, OrderBy};
pub use filter_error::FilterError;
pub use model::{
    Access, Default, Field, Join, JoinKey, Kind, Labelled, Labels, Link, Model, Paths, Relation, RowStore, Rule,
    Unique, Visibility,
};
pub use pattern::{Like, Pattern};
pub use value::Value;
