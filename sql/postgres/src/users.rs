//! User accounts: who can sign in, and what they may see.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{BrandId, CompanyAccountId, FileId, Language, Role, RoleId, Scope, SystemScope, TermId, UserId};

use crate::{Connection, Result};

/// The user who signs in, and the hash that the password is checked against.
#[derive(Clone, Debug)]
pub struct Credentials {
    /// Whose they are.
    pub id: UserId,
    /// An argon2id hash in PHC form; `None` until the user has chosen a password.
    pub password_hash: Option<String>,
}

/// A user as the API knows the caller: with roles, company account and its brands.
#[derive(Clone, Debug)]
pub struct User {
    /// Id of the user.
    pub id: UserId,
    /// The address to sign in with.
    pub email: String,
    /// Whether the address was confirmed.
    pub email_verified: Option<bool>,
    /// The address the account was made with.
    pub email_at_creation: Option<String>,
    /// Another name to sign in with.
    pub username: Option<String>,
    /// Kept for clients; Vigie knows one realm.
    pub realm: Option<String>,
    /// First name, if given.
    pub first_name: Option<String>,
    /// Last name, if given.
    pub last_name: Option<String>,
    /// The language last used, `en` or `fr`.
    pub language: Option<String>,
    /// The file with the user's picture.
    pub avatar_id: Option<FileId>,
    /// Saved queries, as stored.
    pub queries: Option<serde_json::Value>,
    /// Tag filters of the dashboard, as stored.
    pub dashboard_category_filters: Option<serde_json::Value>,
    /// The tenant, if any.
    pub company: Option<Company>,
    /// Every role given to the user, known to the program or not.
    pub roles: Vec<GivenRole>,
    /// Terms that the company account was given access to beside those of its brands (decision D94).
    pub terms: Vec<TermId>,
    /// When the account was made.
    pub created_at: DateTime<Utc>,
    /// Whether a sign-in needs a code beside the password.
    pub has_second_factor: bool,
}

/// The company account of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Company {
    /// The company account.
    pub id: CompanyAccountId,
    /// Its slug, if it has one.
    pub name: Option<String>,
    /// Name on screens.
    pub label: Option<String>,
    /// Its brands, by name.
    pub brands: Vec<CompanyBrand>,
}

/// A brand of a user's company account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompanyBrand {
    /// Id of the brand.
    pub id: BrandId,
    /// Its slug, if it has one.
    pub name: Option<String>,
    /// Its name on screens.
    pub label: Option<String>,
}

/// A role given to a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenRole {
    /// Id of the role.
    pub id: RoleId,
    /// Name of the role.
    pub name: String,
}

impl User {
    /// First and last name, username, label of the company and address of the user, in this order and as far as known: what others know and would try
    /// first as a password.
    pub fn known_to_others(&self) -> Vec<&str> {
        let names = [&self.first_name, &self.last_name, &self.username];
        let names = names.into_iter().flatten().map(String::as_str);
        let company = self.company.iter().filter_map(|company| company.label.as_deref());
        names.chain(company).chain([self.email.as_str()]).collect()
    }

    /// The roles of the user that the program knows, each once, in the order of [`Role`].
    pub fn known_roles(&self) -> Vec<Role> {
        let mut roles: Vec<Role> = self.roles.iter().filter_map(|role| role.name.parse().ok()).collect();
        roles.sort_unstable();
        roles.dedup();
        roles
    }

    /// What the user may see (decision D21): administrators everything, operators everything but the accounts of others, any other user the
    /// company account, its brands and the terms that it was given. Roles that the program does not know count for nothing.
    pub fn scope(&self) -> Scope {
        let roles = self.known_roles();
        if roles.contains(&Role::Admin) {
            Scope::administrator(self.id)
        } else if roles.is_empty() {
            let brands = self
                .company
                .iter()
                .flat_map(|company| &company.brands)
                .map(|brand| brand.id);
            let company = self.company.as_ref().map(|company| company.id);
            Scope::within(self.id, brands.collect(), self.terms.clone()).of_company(company)
        } else {
            Scope::everything(self.id)
        }
    }
}

/// An account to be made.
#[derive(Clone, Debug, Default)]
pub struct NewUser<'a> {
    /// The address, unique.
    pub email: &'a str,
    /// An argon2id hash in PHC form.
    pub password_hash: Option<&'a str>,
    /// First name, if given.
    pub first_name: Option<&'a str>,
    /// Last name, if given.
    pub last_name: Option<&'a str>,
    /// The user's company account, if any.
    pub company: Option<CompanyAccountId>,
    /// Roles to be given.
    pub roles: &'a [Role],
}

/// The user with this address in any case, for signing in; `None` when no account has it. The exact address wins over one that differs by
/// case.
pub async fn credentials(executor: impl PgExecutor<'_>, email: &str) -> Result<Option<Credentials>> {
    let row = sqlx::query!(
        "select id, password_hash from user_account where lower(email) = lower($1) and program_of is null
         order by (email = $1) desc, id limit 1",
        email
    )
    .fetch_optional(executor)
    .await?;
    Ok(row.map(|row| Credentials {
        id: UserId(row.id),
        password_hash: row.password_hash,
    }))
}

/// The id and password hash, which may be missing, of the user with exactly this username; `None` when no account has it.
pub async fn credentials_of_name(executor: impl PgExecutor<'_>, username: &str) -> Result<Option<Credentials>> {
    let row: Option<(i32, Option<String>)> =
        sqlx::query_as("select id, password_hash from user_account where username = $1")
            .bind(username)
            .fetch_optional(executor)
            .await?;
    Ok(row.map(|(id, password_hash)| Credentials {
        id: UserId(id),
        password_hash,
    }))
}

/// The password hash of a user, to check an old password; `None` for an unknown user and for one that has chosen no password.
pub async fn password_hash(executor: impl PgExecutor<'_>, user: UserId) -> Result<Option<String>> {
    let hash = sqlx::query_scalar!("select password_hash from user_account where id = $1", user.0)
        .fetch_optional(executor)
        .await?;
    Ok(hash.flatten())
}

/// Where a user is written to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The address as stored.
    pub email: String,
    /// Whether it was confirmed.
    pub verified: Option<bool>,
}

/// The address of a user as stored, and whether it is confirmed; `None` for an unknown user.
pub async fn address(executor: impl PgExecutor<'_>, user: UserId) -> Result<Option<Address>> {
    let row = sqlx::query!("select email, email_verified from user_account where id = $1", user.0)
        .fetch_optional(executor)
        .await?;
    Ok(row.map(|row| Address {
        email: row.email,
        verified: row.email_verified,
    }))
}

/// Makes an account with its roles and returns its id. A taken address is an error whose violated key is `user_account_email_key`, or
/// `user_account_address_key` where only the case differs (see [`crate::Error::violated_key`]). Call it in a transaction.
pub async fn create(connection: &mut Connection, new: &NewUser<'_>) -> Result<UserId> {
    let id = sqlx::query_scalar!(
        "insert into user_account (email, email_at_creation, password_hash, first_name, last_name, company_account_id,
             queries, dashboard_category_filters)
         values ($1, $1, $2, $3, $4, $5, '[]', '[]') returning id",
        new.email,
        new.password_hash,
        new.first_name,
        new.last_name,
        new.company.map(|id| id.0)
    )
    .fetch_one(&mut *connection)
    .await?;
    let roles: Vec<String> = new.roles.iter().map(ToString::to_string).collect();
    sqlx::query!(
        "insert into role_mapping (principal_type, principal_id, role_id)
         select 'USER', $1::int::text, id from role where name = any($2)",
        id,
        &roles
    )
    .execute(connection)
    .await?;
    Ok(UserId(id))
}

/// Replaces the password hash of a user; sessions are not ended. `false` for an unknown user.
pub async fn set_password(executor: impl PgExecutor<'_>, user: UserId, password_hash: &str) -> Result<bool> {
    let done = sqlx::query!(
        "update user_account set password_hash = $2 where id = $1",
        user.0,
        password_hash
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Stores the language that a user last used, in which mails to that user are written. Does nothing for an unknown user.
pub async fn set_language(executor: impl PgExecutor<'_>, user: UserId, language: Language) -> Result<()> {
    sqlx::query!(
        "update user_account set language = $2 where id = $1 and language is distinct from $2",
        user.0,
        language.to_string()
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// How many users have a role, each counted once.
pub async fn count_with_role(executor: impl PgExecutor<'_>, role: Role) -> Result<i64> {
    let count = sqlx::query_scalar!(
        r#"select count(distinct u.id) as "count!" from user_account u
           join role_mapping m on m.principal_id = u.id::text and coalesce(m.principal_type, 'USER') = 'USER'
           join role r on r.id = m.role_id where r.name = $1"#,
        role.to_string()
    )
    .fetch_one(executor)
    .await?;
    Ok(count)
}

/// Whether a user has a role.
pub async fn has_role(executor: impl PgExecutor<'_>, user: UserId, role: Role) -> Result<bool> {
    let has = sqlx::query_scalar!(
        r#"select exists (
               select from role_mapping m join role r on r.id = m.role_id
               where m.principal_id = $1::int::text and coalesce(m.principal_type, 'USER') = 'USER' and r.name = $2
           ) as "has!""#,
        user.0,
        role.to_string()
    )
    .fetch_one(executor)
    .await?;
    Ok(has)
}

/// The dashboard entries of one user, as stored.
#[derive(Clone, Debug)]
pub struct StoredDashboards {
    /// The user whose they are.
    pub user: UserId,
    /// Unencrypted, as an earlier version left them.
    pub unsealed: Option<serde_json::Value>,
    /// Encrypted, as the API wrote them.
    pub sealed: Option<String>,
}

/// The dashboard entries of every user that has any, ordered by user, with these accounts locked until the transaction ends.
pub async fn lock_dashboards(connection: &mut Connection, _system: &SystemScope) -> Result<Vec<StoredDashboards>> {
    let rows: Vec<(i32, Option<serde_json::Value>, Option<String>)> = sqlx::query_as(
        "select id, dashboards_unsealed, dashboards_sealed from user_account
         where dashboards_unsealed is not null or dashboards_sealed is not null order by id for update",
    )
    .fetch_all(connection)
    .await?;
    let stored = rows.into_iter().map(|(id, unsealed, sealed)| StoredDashboards {
        user: UserId(id),
        unsealed,
        sealed,
    });
    Ok(stored.collect())
}

/// Replaces all dashboard entries of a user, unencrypted ones included, by `sealed`, all of them as one encrypted text. Does nothing for an unknown user.
pub async fn seal_dashboards(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    user: UserId,
    sealed: &str,
) -> Result<()> {
    sqlx::query("update user_account set dashboards_sealed = $2, dashboards_unsealed = null where id = $1")
        .bind(user.0)
        .bind(sealed)
        .execute(executor)
        .await?;
    Ok(())
}

/// The sealed dashboard entries of a user, and those of the company account.
pub async fn dashboards_of(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    user: UserId,
) -> Result<(Option<String>, Option<serde_json::Value>)> {
    let row = sqlx::query_as(
        "select u.dashboards_sealed, c.dashboards from user_account u left join company_account c on c.id = u.company_account_id
         where u.id = $1",
    );
    Ok(row.bind(user.0).fetch_optional(executor).await?.unwrap_or_default())
}

/// Days that a proof of an address is valid.
pub const PROOF_DAYS: i64 = 7;

/// The SHA-256 of the proof that an address will be confirmed with, and when it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// SHA-256 in hex.
    pub digest: String,
    /// When it ends.
    pub ends: DateTime<Utc>,
}

/// Stores the proof that will confirm the address of a user and replaces any earlier one; with `None`, only removes that. Does nothing for
/// an unknown user.
pub async fn set_proof(executor: impl PgExecutor<'_>, user: UserId, proof: Option<&Proof>) -> Result<()> {
    sqlx::query("update user_account set verification_token = $2, verification_ends = $3 where id = $1")
        .bind(user.0)
        .bind(proof.map(|proof| &proof.digest))
        .bind(proof.map(|proof| proof.ends))
        .execute(executor)
        .await?;
    Ok(())
}

/// Marks the address of a user as confirmed if `digest` (hex) is that of the proof stored for it, and removes the proof. `false`, and
/// nothing changed, if the proof is another one, has ended at `now` or there is no such user.
pub async fn confirm(executor: impl PgExecutor<'_>, user: UserId, digest: &str, now: DateTime<Utc>) -> Result<bool> {
    let done = sqlx::query(
        "update user_account set email_verified = true, verification_token = null, verification_ends = null
         where id = $1 and verification_token = $2 and verification_ends > $3",
    )
    .bind(user.0)
    .bind(digest)
    .bind(now)
    .execute(executor)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Whether any user still has a role. Call it in the transaction that may have revoked it: it locks the role, so that of two transactions
/// that each revoke it from one of the last two users, the later one sees what the earlier did.
pub async fn keeps_role(connection: &mut Connection, role: Role) -> Result<bool> {
    sqlx::query("select from role where name = $1 for update")
        .bind(role.to_string())
        .execute(&mut *connection)
        .await?;
    Ok(count_with_role(connection, role).await? > 0)
}
