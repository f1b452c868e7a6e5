//! Logs on standard error: JSON lines for machines, text for people.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};

use crate::settings::{LogFormat, Logs};

/// Starts logging for this process, in the format and with the filter of the settings; a malformed filter counts as `info`. Call it once, before
/// anything that logs.
///
/// # Errors
/// When logging was started before.
pub fn start(settings: &Logs) -> Result<(), TryInitError> {
    let filter = EnvFilter::try_new(&settings.filter).unwrap_or_else(|_| EnvFilter::new("info"));
    let registry = tracing_subscriber::registry().with(filter);
    match settings.format {
        LogFormat::Json => registry
            .with(
                tracing_subscriber::fmt::layer()
                    .json()
                    .flatten_event(true)
                    .with_writer(std::io::stderr),
            )
            .try_init(),
        LogFormat::Text => registry
            .with(
                tracing_subscriber::fmt::layer()
                    .with_target(false)
                    .with_writer(std::io::stderr),
            )
            .try_init(),
    }
}
