//! Metrics in Prometheus text form. Recorded with the `metrics` crate's macros; labels never hold ids or domains.

use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};

/// Bounds of duration histograms, in seconds.
const SECONDS: [f64; 14] = [
    0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0,
];

/// Starts recording for this process and returns what renders `/metrics`. Histograms named `…_seconds` have fixed bounds.
///
/// # Errors
/// When a recorder was installed before.
pub fn start() -> Result<PrometheusHandle, BuildError> {
    PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &SECONDS)?
        .install_recorder()
}

pub use metrics_exporter_prometheus::{BuildError as StartError, PrometheusHandle as Handle};
