//! Metrics in the text format of Prometheus, recorded with the macros of the `metrics` crate. Labels never contain ids or domains.

use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};

/// Bounds of duration histograms, in seconds.
const SECONDS: [f64; 14] = [
    0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0,
];

/// Bounds of the lateness of slots in seconds, up to a day.
const LATENESS: [f64; 10] = [1.0, 5.0, 15.0, 60.0, 180.0, 600.0, 1_800.0, 3_600.0, 14_400.0, 86_400.0];

/// Starts recording for this process and returns what renders `/metrics`. Histograms named `…_seconds` have fixed bounds.
///
/// # Errors
/// When a recorder was installed before.
pub fn start() -> Result<PrometheusHandle, BuildError> {
    PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &SECONDS)?
        .set_buckets_for_metric(Matcher::Full("vigie_slot_lateness_seconds".to_owned()), &LATENESS)?
        .install_recorder()
}

pub use metrics_exporter_prometheus::{BuildError as StartError, PrometheusHandle as Handle};
