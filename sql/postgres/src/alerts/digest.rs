//! What the digest of an alert is made from, at the time that it leaves.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use uuid::Uuid;
use vocabulary::{ActionId, BrandId, CaptureId, CompanyAccountId, Role, Scope, SystemScope, TermId, UserId};

use super::texts::AlertText;
use crate::Result;
use crate::stored::parse;

/// An alert that may be sent to a recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DigestOrder {
    /// Whether it is sent after something happened.
    pub is_hook: bool,
    /// The brand it is about.
    pub brand: BrandId,
    /// Name of the brand on screens.
    pub brand_label: String,
    /// The subject that its owner wrote.
    pub subject: Option<String>,
    /// The name of the sender that its owner wrote.
    pub from_name: Option<String>,
    /// The address that answers go to: the one its owner wrote, if it belongs to a user of the owner's company.
    pub reply_to: Option<String>,
    /// The text that its owner chose, as long as that is there.
    pub text: Option<AlertText>,
    /// Whether the report of the last month goes with it.
    pub with_report: bool,
}

/// The alert for one recipient. `None` when it was deleted or switched off, its brand was deleted, the user is no recipient any more, or left the company
/// account of the alert's owner.
pub async fn order(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    alert: i32,
    user: UserId,
) -> Result<Option<DigestOrder>> {
    let row = sqlx::query_file!("queries/digest_order.sql", alert, user.0)
        .fetch_optional(executor)
        .await?;
    row.map(|row| {
        let text = match (row.text_language, row.text_subject, row.text_body) {
            (Some(language), Some(subject), Some(body)) => Some(AlertText {
                language: parse("email_template.language", &language)?,
                subject,
                body,
            }),
            _ => None,
        };
        Ok(DigestOrder {
            is_hook: row.is_hook,
            brand: BrandId(row.brand_id),
            brand_label: row.brand,
            subject: row.subject,
            from_name: row.from_name,
            reply_to: row.reply_to,
            text,
            with_report: row.with_report,
        })
    })
    .transpose()
}

/// What a user may see at present, as `users::User::scope` has it; `None` for an unknown user.
pub async fn scope_of(executor: impl PgExecutor<'_>, _system: &SystemScope, user: UserId) -> Result<Option<Scope>> {
    let row = sqlx::query!(
        r#"select u.company_account_id,
               array(select r.name from role_mapping m join role r on r.id = m.role_id
                   where coalesce(m.principal_type, 'USER') = 'USER' and m.principal_id = u.id::text and r.name is not null) as "roles!",
               array(select brand_id from brand_company_account where company_account_id = u.company_account_id) as "brands!",
               array(select term_id from term_company_account where company_account_id = u.company_account_id) as "terms!"
           from user_account u where u.id = $1"#,
        user.0
    )
    .fetch_optional(executor)
    .await?;
    Ok(row.map(|row| {
        let roles: Vec<Role> = row.roles.iter().filter_map(|name| name.parse().ok()).collect();
        if roles.contains(&Role::Admin) {
            Scope::administrator(user)
        } else if roles.is_empty() {
            let brands = row.brands.into_iter().map(BrandId).collect();
            let terms = row.terms.into_iter().map(TermId).collect();
            Scope::within(user, brands, terms).of_company(row.company_account_id.map(CompanyAccountId))
        } else {
            Scope::everything(user)
        }
    }))
}

/// A case that a digest is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The case in which it happened.
    pub action: ActionId,
    /// The capture that the advertiser was found on, new or again; `None` for other events, and once its page is not kept any more.
    pub capture: Option<CaptureId>,
}

/// The cases that the digest of an alert at `digest` is about, the latest first.
pub async fn hits(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    alert: i32,
    digest: DateTime<Utc>,
) -> Result<Vec<Hit>> {
    let rows = sqlx::query_file!("queries/alert_hits.sql", alert, digest)
        .fetch_all(executor)
        .await?;
    let hits = rows.into_iter().map(|row| Hit {
        action: ActionId(row.action_id),
        capture: row.capture_id.map(CaptureId),
    });
    Ok(hits.collect())
}

/// Takes the recipient of the digest with this key off its alert. `false` for the key of no digest, or of one that is not known any more. It may be done
/// again.
pub async fn unsubscribe(executor: impl PgExecutor<'_>, _system: &SystemScope, leave_key: Uuid) -> Result<bool> {
    let done = sqlx::query!(
        "update alert a set recipient_ids = coalesce((select jsonb_agg(r) from jsonb_array_elements(a.recipient_ids) r where r #>> '{}' <> o.user_id::text), '[]')
         from mail_outbox o
         where o.leave_key = $1 and o.kind = 'alert' and a.id = (o.context ->> 'alert')::int and jsonb_typeof(a.recipient_ids) = 'array'",
        leave_key
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() > 0)
}
