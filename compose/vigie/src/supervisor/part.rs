//! One process of the stack: how it starts, becomes ready and ends.

use std::time::Duration;

use nix::sys::signal::Signal;

use super::launch::Launch;
use super::ready::Ready;

/// One process of the stack.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name in messages.
    pub name: &'static str,
    /// How it is started.
    pub launch: Launch,
    /// How to find out that it is ready.
    pub ready: Ready,
    /// The signal that shuts it down; also sent to it when the supervisor dies.
    pub end: Signal,
    /// How long a shutdown may take before it is killed.
    pub grace: Duration,
}
