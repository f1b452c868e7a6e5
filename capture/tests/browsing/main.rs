//! The pool against a real Chromium and a small engine of its own.

mod capturing;
mod engine;
