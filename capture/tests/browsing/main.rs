//! The pool against a real Chromium and a small engine.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod capturing;
mod consent;
mod egress;
mod emulation;
mod engine;
mod faults;
mod host;
mod isolation;
mod life;
mod printing;
