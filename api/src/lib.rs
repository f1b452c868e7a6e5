//! The HTTP API of Vigie. `router` answers `/api`; `operations` answers health checks and metrics on a port of its own;
//! `serve` runs either until it is told to stop.

mod access;
mod extract;
mod failure;
mod features;
mod openapi;
mod operations;
mod router;
mod serve;
mod state;

pub use access::passwords;
pub use openapi::document as openapi;
pub use operations::router as operations;
pub use router::router;
pub use serve::{ServeError, Tls, serve};
pub use state::ApiState;
