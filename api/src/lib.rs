//! The HTTP API of Vigie. `router` answers `/api`; `operations` answers health checks and metrics on a port of its own; `serve` runs either until
//! it is stopped.

mod access;
mod ad_filters;
mod author;
mod brand_rows;
mod captured_page;
mod changes;
mod chosen_terms;
mod connection;
mod coverage;
mod extract;
mod failure;
mod fair_share;
mod features;
mod health;
mod list_file;
mod lists;
mod openapi;
mod plan_cost;
mod quotas;
mod readers_language;
mod reference;
mod refused_template;
mod resources;
mod router;
mod serve;
mod state;
mod valid_captures;

pub use access::{dashboards, passwords};
pub use changes::Changes;
pub use health::router as operations;
pub use router::{openapi, router};
pub use serve::{ServeError, Tls, serve};
pub use state::ApiState;
