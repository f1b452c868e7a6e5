//! The pool against a real Chromium and a small engine of its own.

mod capturing;
mod consent;
mod egress;
mod emulation;
mod engine;
mod faults;
mod isolation;
mod life;
