//! Access tokens. Only their SHA-256 is stored, so that a copy of the database opens no session.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use rand::Rng;
use sha2::{Digest as _, Sha256};
use sqlx::PgExecutor;
use vocabulary::{BrandId, CompanyAccountId, FileId, RoleId, TermId, UserId};

use crate::users::{Company, CompanyBrand, GivenRole, User};
use crate::{Connection, Result};

/// 256 bits of randomness.
const TOKEN_BYTES: usize = 32;
/// Longer names of programs are cut.
const MAX_USER_AGENT: usize = 512;

/// The scope of a token in a link to choose a password. No other token has it.
pub const RESET_SCOPE: &str = "reset-password";

/// The only scope of a token that a worker prints a report with.
pub const REPORT_SCOPE: &str = "report";
/// The first scope of every API key; those of what it opens follow. No other token has it.
pub const KEY_SCOPE: &str = "key";

/// A stored token (its row, not the secret).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TokenId(pub i32);

/// SHA-256 of a token.
pub type Digest = [u8; 32];

/// A new token, 43 URL-safe characters.
pub fn fresh() -> String {
    let mut bytes = [0_u8; TOKEN_BYTES];
    rand::rng().fill_bytes(&mut bytes);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The SHA-256 of a token, which is all that is stored of it.
pub fn digest(token: &str) -> Digest {
    Sha256::digest(token.as_bytes()).into()
}

/// A stored token, without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Id of the token's row.
    pub id: TokenId,
    /// The user who signs in with it.
    pub user: UserId,
    /// Seconds it lives from `created` on; with zero or less, it has ended when it is made.
    pub ttl: i64,
    /// Its scopes; `None` means everything the user may do.
    pub scopes: Option<Vec<String>>,
    /// When it was made.
    pub created: DateTime<Utc>,
    /// The administrator who works as `user`.
    pub impersonated_by: Option<UserId>,
    /// The session that made it, and with which it ends.
    pub parent: Option<TokenId>,
    /// Latest end, whatever its ttl: that of the session that made it.
    pub ends_by: Option<DateTime<Utc>>,
    /// When a request last came with it.
    pub last_used: Option<DateTime<Utc>>,
    /// Whether the provider of OpenID Connect has vouched for the session, or for the one that made it.
    pub by_provider: bool,
}

impl Token {
    /// When the token ends: after its own time, or with the session that made it if that is earlier.
    pub fn expires_at(&self) -> DateTime<Utc> {
        let own = end_of_token(self.created, self.ttl);
        self.ends_by.map_or(own, |session| own.min(session))
    }

    /// Whether the token may be used for everything its user may do; one with scopes is good for a single purpose.
    pub fn is_session(&self) -> bool {
        self.scopes.as_ref().is_none_or(Vec::is_empty)
    }

    /// When a request last came with it; when it was made, if none did.
    pub fn used_at(&self) -> DateTime<Utc> {
        self.last_used.unwrap_or(self.created)
    }
}

/// Sessions listed for a user, the last used first: programs that sign in for every request leave many.
const MOST_SESSIONS: i64 = 1_000;

/// When a token made at `created` ends, `ttl` seconds later; the end of the calendar where that is beyond it.
fn end_of_token(created: DateTime<Utc>, ttl: i64) -> DateTime<Utc> {
    TimeDelta::try_seconds(ttl)
        .and_then(|ttl| created.checked_add_signed(ttl))
        .unwrap_or(DateTime::<Utc>::MAX_UTC)
}

/// A token to be stored.
#[derive(Clone, Copy, Debug)]
pub struct NewToken<'a> {
    /// SHA-256 of the secret.
    pub digest: &'a Digest,
    /// The user who signs in with it.
    pub user: UserId,
    /// Seconds it lives.
    pub ttl: i64,
    /// Its scopes; `None` means everything.
    pub scopes: Option<&'a [String]>,
    /// When it is made.
    pub created: DateTime<Utc>,
    /// The session that makes it, and with which it ends; `None` at a sign-in.
    pub made_in: Option<MadeIn>,
    /// The administrator who works as the user.
    pub impersonated_by: Option<UserId>,
    /// The program that signed in, as it names itself.
    pub user_agent: Option<&'a str>,
}

/// The session that makes a token.
#[derive(Clone, Copy, Debug)]
pub struct MadeIn {
    /// The session's token.
    pub session: TokenId,
    /// When that one ends.
    pub ends: DateTime<Utc>,
}

impl From<&Token> for MadeIn {
    /// This session as the maker of a token, with when it ends.
    fn from(session: &Token) -> Self {
        Self {
            session: session.id,
            ends: session.expires_at(),
        }
    }
}

/// Stores a token, of which only the digest is kept, and returns the id of its row. The user agent is cut to `MAX_USER_AGENT` characters.
pub async fn create(executor: impl PgExecutor<'_>, new: &NewToken<'_>) -> Result<TokenId> {
    let id = sqlx::query_scalar!(
        "insert into access_token (sha256, user_id, ttl, scopes, created, impersonated_by, parent_id, ends_by, user_agent, by_provider)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, coalesce((select by_provider from access_token where id = $7), false)) returning id",
        &new.digest[..],
        new.user.0,
        new.ttl,
        new.scopes,
        new.created,
        new.impersonated_by.map(|admin| admin.0),
        new.made_in.map(|made| made.session.0),
        new.made_in.map(|made| made.ends),
        new.user_agent
            .map(|name| name.chars().take(MAX_USER_AGENT).collect::<String>())
    )
    .fetch_one(executor)
    .await?;
    Ok(TokenId(id))
}

/// Notes that the provider of OpenID Connect has vouched for a session.
pub async fn note_provider(executor: impl PgExecutor<'_>, token: TokenId) -> Result<()> {
    sqlx::query!("update access_token set by_provider = true where id = $1", token.0)
        .execute(executor)
        .await?;
    Ok(())
}

/// The token with this digest and its user, with everything that decides what the user may see. Expired tokens are found too: the caller
/// compares [`Token::expires_at`] with its clock. `None` for an unknown token, and for one of an impersonation whose maker is no
/// administrator any more.
pub async fn find(executor: impl PgExecutor<'_>, digest: &Digest) -> Result<Option<(Token, User)>> {
    let row = sqlx::query_file!("queries/token_by_digest.sql", &digest[..])
        .fetch_optional(executor)
        .await?;
    let Some(row) = row else {
        return Ok(None);
    };
    let user = User {
        id: UserId(row.id),
        email: row.email,
        email_verified: row.email_verified,
        email_at_creation: row.email_at_creation,
        username: row.username,
        realm: row.realm,
        first_name: row.first_name,
        last_name: row.last_name,
        language: row.language,
        avatar_id: row.avatar_id.map(FileId),
        queries: row.queries,
        dashboard_category_filters: row.dashboard_category_filters,
        company: row.company_account_id.map(|id| Company {
            id: CompanyAccountId(id),
            name: row.company_name,
            label: row.company_label,
            brands: row.brands.0.into_iter().map(CompanyBrand::from).collect(),
        }),
        roles: row.roles.0.into_iter().map(GivenRole::from).collect(),
        terms: row.terms.into_iter().map(TermId).collect(),
        created_at: row.created_at,
        has_second_factor: row.has_second_factor,
    };
    let token = Token {
        id: TokenId(row.token_id),
        user: user.id,
        ttl: row.ttl,
        scopes: row.scopes,
        created: row.created,
        impersonated_by: row.impersonated_by.map(UserId),
        parent: row.parent_id.map(TokenId),
        ends_by: row.ends_by,
        last_used: row.last_used,
        by_provider: row.by_provider,
    };
    Ok(Some((token, user)))
}

/// A brand as a query returns it inside JSON.
#[derive(Debug, serde::Deserialize)]
struct BrandJson {
    id: i32,
    name: Option<String>,
    label: Option<String>,
}

impl From<BrandJson> for CompanyBrand {
    fn from(brand: BrandJson) -> Self {
        Self {
            id: BrandId(brand.id),
            name: brand.name,
            label: brand.label,
        }
    }
}

/// A role as a query returns it inside JSON.
#[derive(Debug, serde::Deserialize)]
struct RoleJson {
    id: i32,
    name: String,
}

impl From<RoleJson> for GivenRole {
    fn from(role: RoleJson) -> Self {
        Self {
            id: RoleId(role.id),
            name: role.name,
        }
    }
}

/// Reads token and user by the id of the token's row, to see whether they are still what they were; the rules are those of [`find`], so an
/// expired token is found and one that was revoked is `None`.
pub async fn find_again(connection: &mut Connection, token: TokenId) -> Result<Option<(Token, User)>> {
    let digest: Option<Vec<u8>> = sqlx::query_scalar("select sha256 from access_token where id = $1")
        .bind(token.0)
        .fetch_optional(&mut *connection)
        .await?;
    match digest.and_then(|digest| Digest::try_from(digest).ok()) {
        Some(digest) => find(connection, &digest).await,
        None => Ok(None),
    }
}

/// Notes that a request came with a token at the time `at`.
pub async fn note_use(executor: impl PgExecutor<'_>, token: TokenId, at: DateTime<Utc>) -> Result<()> {
    sqlx::query!("update access_token set last_used = $2 where id = $1", token.0, at)
        .execute(executor)
        .await?;
    Ok(())
}

/// A session as its owner sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionInfo {
    /// The token's row.
    pub id: TokenId,
    /// The program that signed in, as it names itself.
    pub user_agent: Option<String>,
    /// When it signed in.
    pub created: DateTime<Utc>,
    /// When a request last came with it.
    pub last_used: Option<DateTime<Utc>>,
    /// When it ends.
    pub expires_at: DateTime<Utc>,
}

/// The sessions of a user that have not ended at `now`, the last used first, of the `MOST_SESSIONS` used last. Tokens for one purpose are
/// no sessions, and impersonations belong to the administrator.
pub async fn sessions(executor: impl PgExecutor<'_>, user: UserId, now: DateTime<Utc>) -> Result<Vec<SessionInfo>> {
    let rows = sqlx::query!(
        "select id, user_agent, created, last_used, ttl, ends_by from access_token
         where user_id = $1 and impersonated_by is null and coalesce(cardinality(scopes), 0) = 0
         order by coalesce(last_used, created) desc, id desc limit $2",
        user.0,
        MOST_SESSIONS
    )
    .fetch_all(executor)
    .await?;
    let sessions = rows.into_iter().map(|row| SessionInfo {
        id: TokenId(row.id),
        expires_at: row
            .ends_by
            .into_iter()
            .fold(end_of_token(row.created, row.ttl), DateTime::min),
        user_agent: row.user_agent,
        created: row.created,
        last_used: row.last_used,
    });
    Ok(sessions.filter(|session| session.expires_at > now).collect())
}

/// Ends one session of a user, and with it every token made in it. `false`, and nothing ended, when the user has no such session; a token
/// for one purpose or of an impersonation is none.
pub async fn end_session(executor: impl PgExecutor<'_>, user: UserId, token: TokenId) -> Result<bool> {
    let done = sqlx::query!(
        "delete from access_token
         where id = $1 and user_id = $2 and impersonated_by is null and coalesce(cardinality(scopes), 0) = 0",
        token.0,
        user.0
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// An API key as its owner sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// The token's row.
    pub id: TokenId,
    /// What its owner calls it.
    pub name: String,
    /// Its last four letters.
    pub hint: String,
    /// What it opens, without [`KEY_SCOPE`].
    pub scopes: Vec<String>,
    /// When it was made.
    pub created: DateTime<Utc>,
    /// When a request last came with it.
    pub last_used: Option<DateTime<Utc>>,
    /// When it ends.
    pub expires_at: DateTime<Utc>,
}

/// Lets nobody else make keys of a user until the transaction ends.
pub async fn lock_keys(executor: impl PgExecutor<'_>, user: UserId) -> Result<()> {
    sqlx::query!("select id from user_account where id = $1 for no key update", user.0)
        .fetch_optional(executor)
        .await?;
    Ok(())
}

/// Names the token of a row as an API key.
pub async fn name_key(executor: impl PgExecutor<'_>, token: TokenId, (name, hint): (&str, &str)) -> Result<()> {
    sqlx::query!(
        "update access_token set name = $2, hint = $3 where id = $1",
        token.0,
        name,
        hint
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// The API keys of a user that have not ended at `now`, the newest first.
pub async fn keys(executor: impl PgExecutor<'_>, user: UserId, now: DateTime<Utc>) -> Result<Vec<ApiKey>> {
    let rows = sqlx::query!(
        r#"select id, coalesce(name, '') as "name!", coalesce(hint, '') as "hint!", coalesce(scopes, '{}') as "scopes!", created, last_used, ttl, ends_by
           from access_token where user_id = $1 and scopes[1] = $2 order by id desc"#,
        user.0,
        KEY_SCOPE
    )
    .fetch_all(executor)
    .await?;
    let keys = rows.into_iter().map(|row| ApiKey {
        id: TokenId(row.id),
        name: row.name,
        hint: row.hint,
        scopes: row.scopes.into_iter().skip(1).collect(),
        created: row.created,
        last_used: row.last_used,
        expires_at: row
            .ends_by
            .into_iter()
            .fold(end_of_token(row.created, row.ttl), DateTime::min),
    });
    Ok(keys.filter(|key| key.expires_at > now).collect())
}

/// Ends an API key of a user; its name. `None`, and nothing ended, where the user has no such key.
pub async fn end_key(executor: impl PgExecutor<'_>, user: UserId, token: TokenId) -> Result<Option<String>> {
    Ok(sqlx::query_scalar!(
        r#"delete from access_token where id = $1 and user_id = $2 and scopes[1] = $3 returning coalesce(name, '') as "name!""#,
        token.0,
        user.0,
        KEY_SCOPE
    )
    .fetch_optional(executor)
    .await?)
}

/// Ends every token of a user except `but` and the API keys. Returns how many.
pub async fn end_other_sessions(executor: impl PgExecutor<'_>, user: UserId, but: Option<TokenId>) -> Result<u64> {
    let done = sqlx::query!(
        "delete from access_token where user_id = $1 and id is distinct from $2 and coalesce(scopes[1] <> $3, true)",
        user.0,
        but.map(|token| token.0),
        KEY_SCOPE
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected())
}

/// Ends a token and the impersonations that were begun with it. `false` when there is no such token any more.
pub async fn revoke(executor: impl PgExecutor<'_>, token: TokenId) -> Result<bool> {
    let done = sqlx::query!("delete from access_token where id = $1", token.0)
        .execute(executor)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Ends every token of a user except `but` (the session of the request): sessions, tokens for one purpose and impersonations of the user.
/// Returns how many; impersonations of others that were begun in an ended session end too, uncounted.
pub async fn revoke_all(executor: impl PgExecutor<'_>, user: UserId, but: Option<TokenId>) -> Result<u64> {
    let done = sqlx::query!(
        "delete from access_token where user_id = $1 and id is distinct from $2",
        user.0,
        but.map(|token| token.0)
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected())
}

/// Deletes the tokens that ended before `now`, by their own time or with their session. Returns how many.
pub async fn delete_expired(executor: impl PgExecutor<'_>, now: DateTime<Utc>) -> Result<u64> {
    let done = sqlx::query!(
        "delete from access_token
         where created + least(ttl, 3153600000) * interval '1 second' < $1 or ends_by < $1",
        now
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_and_all_different() {
        let (one, two) = (fresh(), fresh());
        assert_eq!(one.len(), 43);
        assert_ne!(one, two);
        assert_ne!(digest(&one), digest(&two));
    }
}
