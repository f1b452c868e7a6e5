//! Tickets in links to files: a token that opens one link with one query, once (decision D23). A session's token never appears in an address,
//! which ends up in histories and logs.

use std::borrow::Cow;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use sha2::{Digest, Sha256};
use url::form_urlencoded;

use super::caller::FoundSession;
use super::{Caller, tokens};
use crate::failure::ApiError;
use crate::state::ApiState;

/// Time enough to follow a link at once.
pub const TTL_SECONDS: i64 = 120;

const PREFIX: &str = "/api";
/// How the paths of files end.
const SUFFIXES: [&str; 2] = ["/export", "/actions/searchAll"];
/// How the scope of a ticket begins.
const SCOPE: &str = "export:";
/// What makes the list of `/Actions` a file.
const FLAT: (Cow<'_, str>, Cow<'_, str>) = (Cow::Borrowed("csv"), Cow::Borrowed("flatten"));
const PARAMETER: &str = "access_token";

/// The caller of a download, by a ticket for just this link or as in any other call. As an extractor it refuses everybody else.
#[derive(Clone, Debug)]
pub struct Downloader(pub Caller);

impl FromRequestParts<ApiState> for Downloader {
    type Rejection = ApiError;

    /// Extracts the caller: by the ticket in the parameter `access_token`, which it uses up, or without that parameter as [`Caller`] does.
    /// `NotSignedIn` for a ticket that is unknown, used, expired or for another link. `TooMuchAtOnce` and `Busy` as for [`Caller`]; the ticket is
    /// used up then, too.
    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, ApiError> {
        let query = parts.uri.query().unwrap_or_default();
        let Some((_, ticket)) = form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == PARAMETER) else {
            return Caller::from_request_parts(parts, state).await.map(Self);
        };
        let mut connection = state.postgres.acquire().await.map_err(postgres::Error::from)?;
        let found = postgres::tokens::find(&mut *connection, &tokens::digest(&ticket)).await?;
        let scope_of_link = ticket_scope(parts.uri.path(), query);
        let (token, user) = found
            .filter(|(ticket, _)| ticket.expires_at() > state.clock.now())
            .filter(|(ticket, _)| ticket.scopes.as_deref() == Some(&[scope_of_link]))
            .ok_or(ApiError::NotSignedIn)?;
        // Of two requests with the same ticket, the one that deletes it has used it.
        if !postgres::tokens::revoke(&mut *connection, token.id).await? {
            return Err(ApiError::NotSignedIn);
        }
        let session = FoundSession {
            token,
            user,
            by_cookie: false,
            connection,
        };
        Caller::from_session(session, parts, state)
            .await
            .map(|(caller, _)| Self(caller))
    }
}

/// A [`Downloader`] who is an administrator. As an extractor it refuses everybody else.
#[derive(Clone, Debug)]
pub struct AdministratorDownloader(pub Caller);

impl FromRequestParts<ApiState> for AdministratorDownloader {
    type Rejection = ApiError;

    /// Extracts the caller as [`Downloader`] does; `Forbidden` for others.
    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, ApiError> {
        let Downloader(caller) = Downloader::from_request_parts(parts, state).await?;
        if caller.scope.administers() {
            Ok(Self(caller))
        } else {
            Err(ApiError::Forbidden)
        }
    }
}

/// The scope of a ticket for a link; `None` when the link leads to no file of this API. The ticket opens only the same path with the same query.
pub fn scope_of(link: &str) -> Option<String> {
    let (path, query) = link.split_once('?').unwrap_or((link, ""));
    let path = path.strip_prefix(PREFIX)?;
    let is_flat = path == "/Actions" && form_urlencoded::parse(query.as_bytes()).any(|pair| pair == FLAT);
    let is_file = is_flat || SUFFIXES.iter().any(|suffix| path.ends_with(suffix));
    (path.starts_with('/') && is_file).then(|| ticket_scope(path, query))
}

/// Whether a scope is that of a ticket.
pub fn is_scope(scope: &str) -> bool {
    scope.starts_with(SCOPE)
}

/// The scope for a path within the API and its query: a hash over every pair but the ticket itself, in their order.
fn ticket_scope(path: &str, query: &str) -> String {
    let pairs = form_urlencoded::parse(query.as_bytes()).filter(|(key, _)| key != PARAMETER);
    let query = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs)
        .finish();
    format!("{SCOPE}{}", hex::encode(Sha256::digest(format!("{path}?{query}"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_opens_its_link_however_it_is_escaped_and_no_other() {
        let link = "/api/Sems/findAdvertisers/export?filters[country][inq][]=FR&lng=fr";
        let used = ticket_scope(
            "/Sems/findAdvertisers/export",
            "filters%5Bcountry%5D%5Binq%5D%5B%5D=FR&lng=fr&access_token=x",
        );
        assert_eq!(scope_of(link), Some(used));
        assert_ne!(scope_of(link), scope_of(&link.replace("FR", "BE")));
        assert_ne!(scope_of(link), scope_of(&link.replace("Sems", "Terms")));
    }

    #[test]
    fn only_files_of_this_api_have_tickets() {
        for link in [
            "",
            "/api",
            "/api/Sems",
            "https://evil.example/api/x/export",
            "/apix/export",
            "/other/export",
        ] {
            assert_eq!(scope_of(link), None, "{link}");
        }
    }
}
