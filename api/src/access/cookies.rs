//! The session cookie (decision D29): set and cleared by the server, never readable by a script.

use axum_extra::extract::cookie::{Cookie, SameSite};
use chrono::TimeDelta;

use crate::state::ApiState;

/// Name of the cookie that holds the access token.
pub const ACCESS_TOKEN: &str = "access_token";
/// Name of the cookie that keeps an administrator's own token while working as another user.
pub const ADMIN_ACCESS_TOKEN: &str = "admin_access_token";
/// How long the browser keeps it. One day longer than the token, so that day 15 says 'session expired' (C6).
const LIFETIME_DAYS: i64 = 15;

/// The cookie that carries the token of the session, for [`LIFETIME_DAYS`].
pub fn session(token: String) -> Cookie<'static> {
    build_cookie(ACCESS_TOKEN, token, time::Duration::days(LIFETIME_DAYS))
}

/// The cookie that keeps an administrator's own token while working as another user, for [`LIFETIME_DAYS`].
pub fn of_administrator(token: String) -> Cookie<'static> {
    build_cookie(ADMIN_ACCESS_TOKEN, token, time::Duration::days(LIFETIME_DAYS))
}

/// A cookie that makes the browser delete the one of this name, whether the request carried it or not.
pub fn cleared(name: &'static str) -> Cookie<'static> {
    build_cookie(name, String::new(), time::Duration::ZERO)
}

/// A cookie that comes back from another site to this path, which a strict one would not: the secret of what was begun here. Scripts cannot read it.
pub fn across_sites(
    state: &ApiState,
    (name, path): (&'static str, &'static str),
    value: String,
    lives: TimeDelta,
) -> Cookie<'static> {
    Cookie::build((name, value))
        .path(path)
        .http_only(true)
        .secure(state.settings.api.is_secure())
        .same_site(SameSite::Lax)
        .max_age(time::Duration::seconds(lives.num_seconds()))
        .build()
}

/// A cookie for all paths that scripts cannot read, only over TLS and from pages of this site.
fn build_cookie(name: &'static str, value: String, lives: time::Duration) -> Cookie<'static> {
    Cookie::build((name, value))
        .path("/")
        .http_only(true)
        .secure(true)
        .same_site(SameSite::Strict)
        .max_age(lives)
        .build()
}
