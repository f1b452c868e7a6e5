//! Signing in and out, who is signed in, where, and works as whom, and passwords.

mod api_keys;
mod arguments;
mod change_password;
mod company_keys;
mod credentials;
mod device;
mod login;
mod logout;
mod me;
mod own_sessions;
mod provider;
mod reset;
mod restore;
mod second_factor;
mod throttle;
mod verify;
mod views;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::ApiState;

/// The routes of this slice.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(login::login))
        .routes(routes!(logout::logout))
        .routes(routes!(me::me))
        .routes(routes!(change_password::change_password))
        .routes(routes!(reset::reset))
        .routes(routes!(reset::reset_password))
        .routes(routes!(restore::restore))
        .routes(routes!(verify::verify))
        .routes(routes!(verify::confirm))
        .routes(routes!(own_sessions::list_sessions, own_sessions::end_other_sessions))
        .routes(routes!(own_sessions::end_session))
        .routes(routes!(api_keys::list_keys, api_keys::make_key))
        .routes(routes!(api_keys::end_key))
        .routes(routes!(company_keys::list_company_keys, company_keys::make_company_key))
        .routes(routes!(company_keys::end_company_key))
        .routes(routes!(provider::provider))
        .routes(routes!(provider::start))
        .routes(routes!(provider::take_answer))
        .routes(routes!(second_factor::status, second_factor::begin))
        .routes(routes!(second_factor::confirm))
        .routes(routes!(second_factor::renew_recovery_codes))
        .routes(routes!(second_factor::switch_off))
        .routes(routes!(second_factor::of_user, second_factor::remove_of_user))
}
