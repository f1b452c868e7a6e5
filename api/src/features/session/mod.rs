//! Signing in and out, and who is signed in.

mod login;
mod logout;
mod me;
mod throttle;
mod views;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::ApiState;

/// The operations of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(login::login))
        .routes(routes!(logout::logout))
        .routes(routes!(me::me))
}
