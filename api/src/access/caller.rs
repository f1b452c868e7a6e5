//! The signed-in user behind a request.

use axum::extract::{FromRequestParts, OriginalUri};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum_extra::extract::CookieJar;
use chrono::TimeDelta;
use postgres::audit::{self, AuditActor, AuditedChange, Event};
use postgres::tokens::Token;
use postgres::users::User;
use serde_json::{Value, json};
use tower_http::request_id::RequestId;
use vocabulary::{Language, Role, Scope};

use super::{api_keys, client, cookies, report_tokens, second_factor, tokens};
use crate::failure::ApiError;
use crate::fair_share::PermitSlot;
use crate::state::ApiState;

/// A session's last use is stored to this precision: storing every request would turn each into a write.
const USE_IS_NOTED_EVERY: TimeDelta = TimeDelta::minutes(1);

/// The signed-in user of a request. As an extractor it refuses everybody else.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The user acted for.
    pub user: User,
    /// What that user may see.
    pub scope: Scope,
    /// The session's token.
    pub session: Token,
    /// Whether the token came in the cookie, which means that a browser asks.
    pub by_cookie: bool,
    /// The id of the request.
    pub request: String,
}

/// A signed-in administrator. As an extractor it refuses everybody else.
#[derive(Clone, Debug)]
pub struct Administrator(pub Caller);

/// A signed-in operator or administrator. As an extractor it refuses everybody else.
#[derive(Clone, Debug)]
pub struct Staff(pub Caller);

impl FromRequestParts<ApiState> for Staff {
    type Rejection = ApiError;

    /// Extracts a caller with a role; `Forbidden` for others, and the failures of [`Caller`].
    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, ApiError> {
        let caller = Caller::from_request_parts(parts, state).await?;
        if caller.user.known_roles().is_empty() {
            Err(ApiError::Forbidden)
        } else {
            Ok(Self(caller))
        }
    }
}

impl FromRequestParts<ApiState> for Administrator {
    type Rejection = ApiError;

    /// Extracts a caller with the role of administrator; `Forbidden` for others, and the failures of [`Caller`].
    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, ApiError> {
        let caller = Caller::from_request_parts(parts, state).await?;
        if caller.user.known_roles().contains(&Role::Admin) {
            Ok(Self(caller))
        } else {
            Err(ApiError::Forbidden)
        }
    }
}

/// A session with its user, the way its token came, and the connection it was found on, for further queries.
pub(super) struct FoundSession {
    pub(super) token: Token,
    pub(super) user: User,
    pub(super) by_cookie: bool,
    pub(super) connection: postgres::PooledConnection,
}

/// A token and the way it came.
struct PresentedToken {
    token: String,
    by_cookie: bool,
}

impl FromRequestParts<ApiState> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, ApiError> {
        Self::signed_in(parts, state).await.map(|(caller, _)| caller)
    }
}

impl Caller {
    /// Finds the signed-in caller, and the database connection that the session was found on. Take no second connection while holding it and do not
    /// wait for the client: held connections that wait exhaust the pool. Fails with `NotSignedIn`, `SessionExpired` or `CrossSite`, and with
    /// `TooMuchAtOnce` or `Busy` when the user's fair share is used up for too long.
    pub(crate) async fn signed_in(
        parts: &Parts,
        state: &ApiState,
    ) -> Result<(Self, postgres::PooledConnection), ApiError> {
        let session = find_session(parts, state).await?.ok_or(ApiError::NotSignedIn)?;
        // A token for one purpose opens nothing else, and an API key or the token of a report, in a header, what it is
        // for.
        if !session.token.is_session() {
            if session.by_cookie {
                return Err(ApiError::NotSignedIn);
            }
            if report_tokens::is_one(&session.token) {
                report_tokens::admit(parts)?;
            } else {
                api_keys::admit(&session.token, parts, state).await?;
            }
        }
        Self::from_session(session, parts, state).await
    }

    /// Makes the caller of a session that was found valid and records the request. Waits for the user's fair share of the stores (`TooMuchAtOnce` or
    /// `Busy` when that takes too long); gives the connection back meanwhile and returns another one.
    pub(super) async fn from_session(
        session: FoundSession,
        parts: &Parts,
        state: &ApiState,
    ) -> Result<(Self, postgres::PooledConnection), ApiError> {
        let FoundSession {
            token,
            user,
            by_cookie,
            mut connection,
        } = session;
        if lacks_second_factor(&token, &user, state) {
            return Err(ApiError::NotSignedIn);
        }
        let path = parts.uri.path();
        if let Some(permits) = parts.extensions.get::<PermitSlot>()
            && !permits.try_take(user.id, path)
        {
            // Give the connection back while waiting: others may need it.
            drop(connection);
            permits.acquire(user.id, path).await?;
            connection = state.postgres.acquire().await.map_err(postgres::Error::from)?;
        }
        let caller = Self {
            scope: user.scope(),
            user,
            session: token,
            by_cookie,
            request: request_id(parts),
        };
        caller.record_request(parts, state, &mut connection).await?;
        Ok((caller, connection))
    }

    /// The same caller with present rights, for a response that goes on for long; `None` once the session was ended or has expired.
    pub(crate) async fn reloaded(&self, state: &ApiState) -> Result<Option<Self>, ApiError> {
        let mut connection = state.postgres.acquire().await.map_err(postgres::Error::from)?;
        let found = postgres::tokens::find_again(&mut connection, self.session.id).await?;
        let found = found.filter(|(token, user)| !has_ended(token, state) && !lacks_second_factor(token, user, state));
        Ok(found.map(|(session, user)| Self {
            scope: user.scope(),
            user,
            session,
            by_cookie: self.by_cookie,
            request: self.request.clone(),
        }))
    }

    /// The caller of a session that was just created, before its first request: not by cookie, and with an empty id of the request.
    pub(crate) fn of_session(session: Token, user: User) -> Self {
        Self {
            scope: user.scope(),
            user,
            session,
            by_cookie: false,
            request: String::new(),
        }
    }

    /// The language that the client shows, else that of the account, else English.
    pub fn language(&self, headers: &HeaderMap) -> Language {
        let of_account = || self.user.language.as_deref().and_then(|language| language.parse().ok());
        client::language(headers).or_else(of_account).unwrap_or(Language::En)
    }

    /// Whether an administrator works as this user.
    pub const fn is_impersonated(&self) -> bool {
        self.session.impersonated_by.is_some()
    }

    /// The account that really acts (the administrator when impersonating), the impersonated account if there is one, and the request, as the audit
    /// log stores them.
    pub fn audit_actor(&self) -> AuditActor {
        let (actor, acting_as) = match self.session.impersonated_by {
            Some(administrator) => (administrator, Some(self.user.id)),
            None => (self.user.id, None),
        };
        AuditActor {
            actor,
            acting_as,
            request: self.request.clone(),
        }
    }

    /// Writes one change to the audit log. Call it in the transaction of the change.
    pub async fn record(
        &self,
        connection: &mut postgres::Connection,
        (event, model): (Event, &'static str),
        target: i64,
        details: Value,
    ) -> Result<(), ApiError> {
        let change = AuditedChange {
            event,
            model,
            target: target.to_string(),
            details,
        };
        Ok(audit::record(connection, &self.audit_actor(), &[change]).await?)
    }

    /// Records the request in the span of its log lines, in the session's last use (at most once in [`USE_IS_NOTED_EVERY`]) and, if it writes while
    /// an administrator works as this user, in the audit log.
    async fn record_request(
        &self,
        parts: &Parts,
        state: &ApiState,
        connection: &mut postgres::Connection,
    ) -> Result<(), ApiError> {
        let span = tracing::Span::current();
        span.record("user", self.user.id.0);
        let now = state.clock.now();
        if self
            .session
            .last_used
            .is_none_or(|last| last + USE_IS_NOTED_EVERY <= now)
        {
            postgres::tokens::note_use(&mut *connection, self.session.id, now).await?;
        }
        let Some(administrator) = self.session.impersonated_by else {
            return Ok(());
        };
        span.record("impersonated_by", administrator.0);
        if !parts.method.is_safe() {
            let whole = parts.extensions.get::<OriginalUri>();
            let path = whole.map_or(parts.uri.path(), |uri| uri.path());
            let change = AuditedChange {
                event: Event::Request,
                model: "Request",
                target: format!("{} {path}", parts.method),
                details: json!({}),
            };
            audit::record(connection, &self.audit_actor(), &[change]).await?;
        }
        Ok(())
    }
}

/// The id of a request; empty when it has none.
fn request_id(parts: &Parts) -> String {
    let id = parts.extensions.get::<RequestId>();
    id.and_then(|id| id.header_value().to_str().ok())
        .unwrap_or_default()
        .to_owned()
}

/// The holder of a link to choose a new password. As an extractor it refuses every token but that of such a link.
#[derive(Clone, Debug)]
pub struct ResetCaller {
    /// The account whose password is to be chosen.
    pub user: vocabulary::UserId,
    /// The token of the link, to be used up.
    pub link: postgres::tokens::TokenId,
}

impl FromRequestParts<ApiState> for ResetCaller {
    type Rejection = ApiError;

    /// Extracts the account and the token of a reset link, which is not used up; `NotSignedIn` for every other token and without one,
    /// `SessionExpired` for an expired link.
    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, ApiError> {
        let session = find_session(parts, state).await?.ok_or(ApiError::NotSignedIn)?.token;
        let scopes = session.scopes.unwrap_or_default();
        if scopes.iter().any(|scope| scope == tokens::RESET_SCOPE) {
            Ok(Self {
                user: session.user,
                link: session.id,
            })
        } else {
            Err(ApiError::NotSignedIn)
        }
    }
}

/// Where a request comes from that may come without a session.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The session's token, if it comes from one.
    pub session: Option<postgres::tokens::TokenId>,
    /// The id of the request.
    pub request: String,
}

impl FromRequestParts<ApiState> for Origin {
    type Rejection = ApiError;

    /// An expired session counts as none. `CrossSite` for a write by cookie that another site could have sent.
    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, ApiError> {
        let session = match find_session(parts, state).await {
            Err(ApiError::SessionExpired) => None,
            found => found?.map(|session| session.token.id),
        };
        Ok(Self {
            session,
            request: request_id(parts),
        })
    }
}

/// Refuses an expired token even where none is needed, as clients expect it of a sign-in.
#[derive(Clone, Copy, Debug)]
pub struct NotExpired;

impl FromRequestParts<ApiState> for NotExpired {
    type Rejection = ApiError;

    /// `SessionExpired` for an expired token in a header, which is deleted; passes without a token, with an unknown one, and with one in a cookie.
    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, ApiError> {
        match presented_token(&parts.headers) {
            Some(presented) if !presented.by_cookie => find_session(parts, state).await.map(|_| Self),
            _ => Ok(Self),
        }
    }
}

/// The session whose token a request carries, with its user. `None` without a token or with an unknown one. An ended session is deleted and answered
/// `SessionExpired`, this once; a write by cookie that another site could have sent is `CrossSite`.
pub(super) async fn find_session(parts: &Parts, state: &ApiState) -> Result<Option<FoundSession>, ApiError> {
    let Some(presented) = presented_token(&parts.headers) else {
        return Ok(None);
    };
    if presented.by_cookie && !parts.method.is_safe() && !comes_from_our_client(&parts.headers) {
        return Err(ApiError::CrossSite);
    }
    let mut connection = state.postgres.acquire().await.map_err(postgres::Error::from)?;
    let Some((token, user)) = postgres::tokens::find(&mut *connection, &tokens::digest(&presented.token)).await? else {
        return Ok(None);
    };
    if has_ended(&token, state) {
        postgres::tokens::revoke(&mut *connection, token.id).await?;
        return Err(ApiError::SessionExpired);
    }
    Ok(Some(FoundSession {
        token,
        user,
        by_cookie: presented.by_cookie,
        connection,
    }))
}

/// Whether a token has expired: by its lifetime or, for a session, because it was not used for the idle time of the settings.
fn has_ended(token: &Token, state: &ApiState) -> bool {
    let now = state.clock.now();
    let idle = state.settings.api.session_idle();
    token.expires_at() <= now || (token.is_session() && idle.is_some_and(|idle| token.used_at() + idle <= now))
}

/// Whether a token opens nothing because its user has to set up a second factor first. An administrator
/// working as another user has shown the own one, and the provider of OpenID Connect has rules of its own.
fn lacks_second_factor(token: &Token, user: &User, state: &ApiState) -> bool {
    !token.by_provider && token.impersonated_by.is_none() && second_factor::is_missing(state, user)
}

/// The token that a request presents (decision D23): the first of the headers `Authorization` (raw or `Bearer`), `X-Access-Token` and `token` that is
/// not empty, or else the cookie. An empty cookie counts as none.
fn presented_token(headers: &HeaderMap) -> Option<PresentedToken> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let header = text(header::AUTHORIZATION.as_str())
        .map(|value| {
            value
                .strip_prefix("Bearer ")
                .or_else(|| value.strip_prefix("bearer "))
                .unwrap_or(value)
                .trim()
        })
        .into_iter()
        .chain(["x-access-token", "token"].into_iter().filter_map(text))
        .find(|token| !token.is_empty());
    if let Some(token) = header {
        return Some(PresentedToken {
            token: token.to_owned(),
            by_cookie: false,
        });
    }
    let jar = CookieJar::from_headers(headers);
    let token = jar.get(cookies::ACCESS_TOKEN)?.value().to_owned();
    (!token.is_empty()).then_some(PresentedToken { token, by_cookie: true })
}

/// Whether a request carries `X-Requested-With`, or `Sec-Fetch-Site: same-origin`. A page of another site can make the browser send the cookie, but
/// neither of these.
pub(crate) fn comes_from_our_client(headers: &HeaderMap) -> bool {
    headers.contains_key("x-requested-with")
        || headers
            .get("sec-fetch-site")
            .is_some_and(|site| site.as_bytes() == b"same-origin")
}

/// Whether a browser says, in `Sec-Fetch-Site` or `Origin`, that a page of another site sends this; `Origin` is ignored if the request [comes from
/// our client](comes_from_our_client). False for programs, which send no such header.
pub(crate) fn comes_from_another_site(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let by_site = text("sec-fetch-site").is_some_and(|site| site != "same-origin" && site != "none");
    let own = text(header::HOST.as_str());
    let by_origin = text(header::ORIGIN.as_str()).is_some_and(|origin| {
        let host = origin.split_once("://").map(|(_, host)| host);
        !comes_from_our_client(headers) && (host.is_none() || host != own)
    });
    by_site || by_origin
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| ((*name).parse().unwrap(), value.parse().unwrap()))
            .collect()
    }

    #[test]
    fn a_token_is_found_in_every_place_it_may_stand() {
        for (name, value, by_cookie) in [
            ("authorization", "abc", false),
            ("authorization", "Bearer abc", false),
            ("x-access-token", "abc", false),
            ("token", "abc", false),
            ("cookie", "x=1; access_token=abc", true),
        ] {
            let found = presented_token(&headers(&[(name, value)])).unwrap();
            assert_eq!(
                (found.token.as_str(), found.by_cookie),
                ("abc", by_cookie),
                "{name}: {value}"
            );
        }
        assert!(presented_token(&headers(&[("authorization", "")])).is_none());
        let found = presented_token(&headers(&[("authorization", ""), ("token", "abc")])).unwrap();
        assert_eq!(found.token, "abc");
    }

    #[test]
    fn only_our_client_can_change_things_by_cookie() {
        assert!(comes_from_our_client(&headers(&[(
            "x-requested-with",
            "XMLHttpRequest"
        )])));
        assert!(comes_from_our_client(&headers(&[("sec-fetch-site", "same-origin")])));
        assert!(!comes_from_our_client(&headers(&[("sec-fetch-site", "cross-site")])));
        assert!(!comes_from_our_client(&headers(&[("origin", "https://evil.example")])));
    }
}
