//! One process of the stack: how it is started, known to be ready and asked to end.

use std::time::Duration;

use nix::sys::signal::Signal;

use super::launch::Launch;
use super::ready::Ready;

/// One process of the stack.
#[derive(Clone, Debug)]
pub struct Part {
    /// What messages call it.
    pub name: &'static str,
    /// How it is started.
    pub launch: Launch,
    /// What tells that it serves.
    pub ready: Ready,
    /// The signal that ends it in order; also sent to it when the supervisor dies.
    pub end: Signal,
    /// How long an orderly end may take before it is killed.
    pub grace: Duration,
}
