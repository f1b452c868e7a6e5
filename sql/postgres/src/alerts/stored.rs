//! Alerts as their owners read and write them.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{Actor, BrandId, Scope, TemplateId, UserId};

use crate::scoped::ScopeLists;
use crate::stored::parse_some;
use crate::{Connection, Result};

/// Alerts of one answer at most.
const MOST: i64 = 1_000;

/// What an alert says and when, as its owner wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlertValues {
    /// The brand that it is about.
    pub brand: BrandId,
    /// Whether it is sent.
    pub enable: bool,
    /// A cron expression, which wins over the frequency.
    pub cron: Option<String>,
    /// A number of hours, days, weeks or months.
    pub frequency: Option<String>,
    /// Since when the frequency counts.
    pub start: Option<DateTime<Utc>>,
    /// The event after which it is sent; `None` where it has a schedule.
    pub hook: Option<String>,
    /// Whom it goes to.
    pub recipients: Vec<UserId>,
    /// The address that answers go to.
    pub from: Option<String>,
    /// The name beside the sender's address.
    pub from_name: Option<String>,
    /// The subject of its mails.
    pub subject: Option<String>,
    /// The newest version of the text of its mails; `None` for that of the product.
    pub template: Option<TemplateId>,
    /// Whether the report of the last month goes with its mails, as PDF.
    pub with_report: bool,
}

/// A stored alert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAlert {
    /// Id of the alert.
    pub id: i32,
    /// The user who made it.
    pub owner: Option<UserId>,
    /// What its owner wrote; without a brand that exists it is sent to nobody.
    pub values: AlertValues,
    /// Name of the brand.
    pub brand_label: Option<String>,
    /// When it is sent next.
    pub next_send: Option<DateTime<Utc>>,
    /// When it was sent last.
    pub last_send: Option<DateTime<Utc>>,
    /// Why Vigie switched it off, and when; `None` unless it did.
    pub off: Option<(OffReason, DateTime<Utc>)>,
}

/// Why Vigie switches an alert off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum OffReason {
    /// Its brand was deleted.
    BrandDeleted,
    /// Its schedule has no next time.
    Schedule,
}

/// A user whom the alerts of a brand can go to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlertRecipient {
    /// Id of the user.
    pub id: UserId,
    /// First and last name; empty without either.
    pub name: String,
    /// The address that mails go to.
    pub email: String,
}

/// The alerts that a scope sees, the newest first: a company user's own on the brands of the company and on brands that were deleted, and all for staff.
pub async fn list(executor: impl PgExecutor<'_>, scope: &Scope) -> Result<Vec<StoredAlert>> {
    read(executor, scope, None).await
}

/// One alert; `None` when there is none, or none in scope.
pub async fn get(executor: impl PgExecutor<'_>, scope: &Scope, id: i32) -> Result<Option<StoredAlert>> {
    Ok(read(executor, scope, Some(id)).await?.pop())
}

async fn read(executor: impl PgExecutor<'_>, scope: &Scope, id: Option<i32>) -> Result<Vec<StoredAlert>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query_file!(
        "queries/alerts_in_scope.sql",
        bounds.brands as Option<Vec<i32>>,
        owner_of(scope),
        id,
        MOST
    )
    .fetch_all(executor)
    .await?;
    let alerts = rows.into_iter().map(|row| {
        let reason: Option<OffReason> = parse_some("alert.off_reason", row.off_reason.as_deref())?;
        Ok(StoredAlert {
            id: row.id,
            off: reason.zip(row.off_at),
            owner: row.owner.map(UserId),
            brand_label: row.brand,
            next_send: row.next_send,
            last_send: row.last_send,
            values: AlertValues {
                brand: BrandId(row.brand_id.unwrap_or_default()),
                enable: row.enable,
                cron: row.cron,
                frequency: row.frequency,
                start: row.start_date,
                hook: row.hook_trigger.filter(|_| row.is_hook),
                recipients: row.recipients.into_iter().map(UserId).collect(),
                from: row.from_address,
                from_name: row.from_name,
                subject: row.subject,
                template: row.template.map(TemplateId),
                with_report: row.with_report,
            },
        })
    });
    alerts.collect()
}

/// Stores an alert of the user of the scope, whose brand the caller has found in scope, and returns its id.
pub async fn create(
    connection: &mut Connection,
    scope: &Scope,
    values: &AlertValues,
    next: Option<DateTime<Utc>>,
) -> Result<i32> {
    let id = sqlx::query_scalar!(
        "insert into alert (user_account_id) values ($1) returning id",
        owner_of(scope)
    )
    .fetch_one(&mut *connection)
    .await?;
    write(connection, id, values, next).await?;
    Ok(id)
}

/// Replaces the values of an alert and the time of its next mail. `false` when there is none in scope.
pub async fn change(
    connection: &mut Connection,
    scope: &Scope,
    id: i32,
    values: &AlertValues,
    next: Option<DateTime<Utc>>,
) -> Result<bool> {
    let is_in_scope = get(&mut *connection, scope, id).await?.is_some();
    if is_in_scope {
        write(connection, id, values, next).await?;
    }
    Ok(is_in_scope)
}

async fn write(connection: &mut Connection, id: i32, values: &AlertValues, next: Option<DateTime<Utc>>) -> Result<()> {
    let recipients: Vec<i32> = values.recipients.iter().map(|user| user.0).collect();
    // The schedule first: changing it forgets the time of the next mail.
    sqlx::query!(
        "update alert set brand = jsonb_build_object('id', $2::int), enable = $3, cron = $4, frequency = $5, start_date = $6,
             type = case when $7::text is null then 'cron' else 'hook' end, hook_trigger = $7, recipient_ids = to_jsonb($8::int[]),
             from_address = $9, from_name = $10, subject = $11,
             template_id = $12, template_type = case when $12::int is null then null else 'alert' end,
             with_report = $13, off_reason = null, off_at = null, former_brand = null
         where id = $1",
        id,
        values.brand.0,
        values.enable,
        values.cron,
        values.frequency,
        values.start,
        values.hook,
        &recipients,
        values.from,
        values.from_name,
        values.subject,
        values.template.map(|template| template.0),
        values.with_report
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!("update alert set next_send = $2 where id = $1", id, next)
        .execute(connection)
        .await?;
    Ok(())
}

/// Deletes an alert. `false` when there is none in scope.
pub async fn remove(connection: &mut Connection, scope: &Scope, id: i32) -> Result<bool> {
    let is_in_scope = get(&mut *connection, scope, id).await?.is_some();
    if is_in_scope {
        sqlx::query!("delete from alert where id = $1", id)
            .execute(connection)
            .await?;
    }
    Ok(is_in_scope)
}

/// The users whom alerts of a brand can go to, by address: those of the reader's company or, for staff, of every company with the brand, and staff.
pub async fn recipients(executor: impl PgExecutor<'_>, scope: &Scope, brand: BrandId) -> Result<Vec<AlertRecipient>> {
    let rows = sqlx::query!(
        r#"select u.id, concat_ws(' ', u.first_name, u.last_name) as "name!", u.email
           from user_account u
           where case when $2 then
                   exists (select from brand_company_account bc where bc.company_account_id = u.company_account_id and bc.brand_id = $1)
                   or exists (select from role_mapping m join role r on r.id = m.role_id
                       where coalesce(m.principal_type, 'USER') = 'USER' and m.principal_id = u.id::text and r.name in ('admin', 'operator'))
               else u.company_account_id = $3
                   and exists (select from brand_company_account bc where bc.company_account_id = $3 and bc.brand_id = $1) end
           order by u.email limit $4"#,
        brand.0,
        scope.is_everything(),
        scope.company().map(|company| company.0),
        MOST
    )
    .fetch_all(executor)
    .await?;
    let users = rows.into_iter().map(|row| AlertRecipient {
        id: UserId(row.id),
        name: row.name,
        email: row.email,
    });
    Ok(users.collect())
}

/// The user of a scope; none for Vigie itself.
fn owner_of(scope: &Scope) -> Option<i32> {
    match scope.actor() {
        Actor::User(user) => Some(user.0),
        Actor::System(_) => None,
    }
}
