//! Workers against the real stores, a real browser and the simulated search engine.

mod captures;
mod convergence;
mod stack;
