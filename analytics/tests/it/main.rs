//! The store of ad results against a real engine.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod ads;
mod both_times;
mod correcting;
mod engine;
mod ingest;
mod lists;
mod migrate;
mod officials;
mod retention;
mod retiming;
mod roll_up;
mod sample;
mod sample_data;
