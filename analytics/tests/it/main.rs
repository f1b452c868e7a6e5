//! The store of ad results against a real engine.

mod engine;
mod ingest;
mod lists;
mod migrate;
mod roll_up;
mod sample;
