//! What administrators watch and steer: queue, schedules, captures that need a look, and the engines.

mod capacity;
mod engines;
mod jobs;
mod journal;
mod outcomes;
mod overview;
mod reviews;
mod schedules;
mod undelivered;
mod views;

use postgres::operations::journal::Operator;
use postgres::users::User;
use runtime::Settings;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use vocabulary::Engine;

use crate::state::ApiState;

/// The routes of this slice, all for administrators.
pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(overview::read_overview))
        .routes(routes!(capacity::read_capacity))
        .routes(routes!(outcomes::list_outcomes))
        .routes(routes!(schedules::list_schedules))
        .routes(routes!(jobs::list_jobs))
        .routes(routes!(undelivered::list_undelivered))
        .routes(routes!(reviews::list_reviews))
        .routes(routes!(reviews::read_review))
        .routes(routes!(reviews::read_reviewed_page))
        .routes(routes!(reviews::read_reviewed_picture))
        .routes(routes!(journal::retry_captures))
        .routes(routes!(journal::discard_captures))
        .routes(routes!(journal::list_acts))
        .routes(routes!(engines::pause_engine))
        .routes(routes!(engines::resume_engine))
}

/// First and last name of a user as the journal stores them, or the e-mail address where there is neither.
fn display_name(user: &User) -> String {
    let names = [user.first_name.as_deref(), user.last_name.as_deref()];
    let name = names.into_iter().flatten().collect::<Vec<_>>().join(" ");
    if name.is_empty() { user.email.clone() } else { name }
}

/// The user as the journal records it.
fn operator<'a>(user: &User, name: &'a str) -> Operator<'a> {
    Operator { user: user.id, name }
}

/// The settings of an engine.
const fn settings_of(settings: &Settings, engine: Engine) -> &runtime::settings::Engine {
    match engine {
        Engine::Google => &settings.engines.google,
        Engine::Bing => &settings.engines.bing,
    }
}
