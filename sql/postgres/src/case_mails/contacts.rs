//! Whom staff can write to in a case: the contacts of its host's dealer and of the dealer of the registrable domain.

use chrono::{DateTime, Utc};
use vocabulary::{ActionId, ContactId, DealerId, Scope};

use crate::scoped::ScopeLists;
use crate::{Connection, Result};

/// Other cases of an advertiser that are offered to be named in a mail.
const MOST_SIBLINGS: i64 = 20;

/// A contact of the advertiser of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseContact {
    /// By which the API names it.
    pub id: ContactId,
    /// Where mail to it goes.
    pub email: String,
    /// Whom letters greet.
    pub name: Option<String>,
    /// `active`, `bounced`, `unreachable` or `inactive`.
    pub state: String,
    /// Why its address is not written to any more.
    pub suppressed: Option<String>,
    /// When a mail to it last bounced.
    pub last_bounce: Option<DateTime<Utc>>,
    /// Whether it belongs to the dealer of the host itself, not to that of its registrable domain.
    pub is_of_host: bool,
}

/// A contact's change.
#[derive(Clone, Copy, Debug, Default)]
pub struct ContactChange<'a> {
    /// Whether it may be written to.
    pub is_active: Option<bool>,
    /// Whom letters greet.
    pub name: Option<&'a str>,
}

/// Another case of the brand against the same advertiser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sibling {
    /// The number of the case.
    pub id: ActionId,
    /// The country of the searches.
    pub country: String,
    /// The search engine.
    pub engine: String,
    /// The advertiser's host.
    pub domain: String,
    /// The status at present.
    pub status: String,
}

/// What a case says about its advertiser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseAdvertiser {
    /// The country of the searches.
    pub country: Option<String>,
    /// The languages of the searches.
    pub languages: Vec<String>,
}

/// What a case says about its advertiser; `None` for one that the scope does not see.
pub async fn advertiser(
    connection: &mut Connection,
    scope: &Scope,
    action: ActionId,
) -> Result<Option<CaseAdvertiser>> {
    let bounds = ScopeLists::from_scope(scope);
    let row = sqlx::query!(
        r#"select country, coalesce(languages, '{}') as "languages!: Vec<String>" from action
           where id = $2 and ($1::int[] is null or brand_id = any($1))"#,
        bounds.brands as Option<Vec<i32>>,
        action.0
    )
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| CaseAdvertiser {
        country: row.country,
        languages: row.languages,
    }))
}

/// The contacts of a case that the caller has found in scope, active ones first.
pub async fn contacts(connection: &mut Connection, action: ActionId) -> Result<Vec<CaseContact>> {
    let rows = sqlx::query!(
        r#"select c.id, c.email, c.name, coalesce(c.state, 'active') as "state!", bool_or(d.domain = a.domain) as "is_of_host!",
               (select s.reason from suppression s where s.digest = sha256(convert_to(lower(c.email), 'UTF8'))) as suppressed,
               (select max(m.bounced_at) from mail_delivery m where lower(m.address) = lower(c.email)) as last_bounce
           from action a join dealer d on d.id = a.advertiser_id or d.domain = a.domain
               join dealer_contact l on l.dealer_id = d.id join contact c on c.id = l.contact_id
           where a.id = $1
           group by c.id, c.email, c.name, c.state
           order by coalesce(c.state, 'active') <> 'active', lower(c.email), c.id"#,
        action.0
    )
    .fetch_all(connection)
    .await?;
    let contacts = rows.into_iter().map(|row| CaseContact {
        id: ContactId(row.id),
        email: row.email,
        name: row.name,
        state: row.state,
        suppressed: row.suppressed,
        last_bounce: row.last_bounce,
        is_of_host: row.is_of_host,
    });
    Ok(contacts.collect())
}

/// Makes an address a contact of the dealer of a case that the caller has found in scope; one that is known already is used and is active again. A dealer is
/// made where the case has none.
pub async fn add_contact(
    connection: &mut Connection,
    action: ActionId,
    email: &str,
    name: Option<&str>,
) -> Result<ContactId> {
    let dealer = dealer(connection, action).await?;
    let known = sqlx::query_scalar!(
        "update contact set state = 'active', name = coalesce($2, name)
         where id = (select id from contact where lower(email) = lower($1) order by id limit 1) returning id",
        email,
        name
    )
    .fetch_optional(&mut *connection)
    .await?;
    let id = match known {
        Some(id) => id,
        None => {
            sqlx::query_scalar!(
                "insert into contact (email, name, state) values ($1, $2, 'active') returning id",
                email,
                name
            )
            .fetch_one(&mut *connection)
            .await?
        }
    };
    sqlx::query!(
        "insert into dealer_contact (dealer_id, contact_id) values ($1, $2) on conflict do nothing",
        dealer.0,
        id
    )
    .execute(connection)
    .await?;
    Ok(ContactId(id))
}

/// The dealer of a case that new contacts belong to.
async fn dealer(connection: &mut Connection, action: ActionId) -> Result<DealerId> {
    let known = sqlx::query_scalar!(
        "select d.id from action a join dealer d on d.id = a.advertiser_id or d.domain = a.domain where a.id = $1
         order by d.id = a.advertiser_id desc limit 1",
        action.0
    );
    if let Some(id) = known.fetch_optional(&mut *connection).await? {
        return Ok(DealerId(id));
    }
    let made = sqlx::query_scalar!(
        "insert into dealer (domain) select coalesce(domain, 'action ' || id) from action where id = $1
         on conflict (domain) do update set domain = excluded.domain returning id",
        action.0
    );
    Ok(DealerId(made.fetch_one(connection).await?))
}

/// Changes a contact of a case that the caller has found in scope; `false` if it is none of this case.
pub async fn change_contact(
    connection: &mut Connection,
    action: ActionId,
    contact: ContactId,
    change: ContactChange<'_>,
) -> Result<bool> {
    let state = change.is_active.map(|is| if is { "active" } else { "inactive" });
    let changed = sqlx::query!(
        "update contact c set state = coalesce($3, c.state), name = coalesce($4, c.name)
         where c.id = $2 and exists (
             select from action a join dealer d on d.id = a.advertiser_id or d.domain = a.domain join dealer_contact l on l.dealer_id = d.id
             where a.id = $1 and l.contact_id = c.id
         )",
        action.0,
        contact.0,
        state,
        change.name
    )
    .execute(connection)
    .await?;
    Ok(changed.rows_affected() > 0)
}

/// The other cases of the brand against the advertiser of a case that still wait for their first mail.
pub async fn siblings(connection: &mut Connection, scope: &Scope, action: ActionId) -> Result<Vec<Sibling>> {
    let bounds = ScopeLists::from_scope(scope);
    let rows = sqlx::query!(
        r#"select s.id, coalesce(s.country, '') as "country!", coalesce(s.engine, '') as "engine!", coalesce(s.domain, '') as "domain!",
               s.status::text as "status!"
           from action a join action s on s.brand_id = a.brand_id and s.advertiser_id = a.advertiser_id and s.id <> a.id
           where a.id = $2 and ($1::int[] is null or a.brand_id = any($1)) and s.status in ('new', 'reappearance', 'requested')
           order by s.country, s.engine, s.domain, s.id limit $3"#,
        bounds.brands as Option<Vec<i32>>,
        action.0,
        MOST_SIBLINGS
    )
    .fetch_all(connection)
    .await?;
    let siblings = rows.into_iter().map(|row| Sibling {
        id: ActionId(row.id),
        country: row.country,
        engine: row.engine,
        domain: row.domain,
        status: row.status,
    });
    Ok(siblings.collect())
}
