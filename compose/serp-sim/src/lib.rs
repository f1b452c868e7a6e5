//! serp-sim
