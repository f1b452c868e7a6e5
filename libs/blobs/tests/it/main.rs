//! The same promises in a folder and in a bucket of a real S3 server, and what a service does wrong.

#![allow(clippy::unwrap_used, reason = "tests")]

mod faults;
mod promises;
mod server;
#[path = "../../examples/s3_server/service.rs"]
mod service;
