//! What every process needs to run: settings, logs, metrics, a clock and an orderly shutdown.

mod clock;
pub mod logs;
mod loops;
pub mod metrics;
pub mod sealing;
mod secret;
pub mod settings;
pub mod shutdown;

pub use clock::Clock;
pub use loops::{LoopError, Loops};
pub use secret::Secret;
pub use settings::Settings;
