//! What administrators see and do on the operations page.

pub mod journal;
pub mod outcomes;
pub mod pauses;
pub mod queue;
pub mod reviews;
pub mod schedules;
