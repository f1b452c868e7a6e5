//! Events of actions, by users and by Vigie: a whole group changes, or nothing does (decisions D42, D61).

use chrono::{DateTime, Utc};
use vocabulary::{ActionEvent, ActionId, ActionStatus, Actor, CategoryId, DealerId, Scope, has_subdomains};

use crate::scoped::ScopeLists;
use crate::stored::parse;
use crate::{Connection, Result};

/// Outcome of [`apply`] for a group of actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Applied {
    /// Every action has its new status.
    All,
    /// Nothing was changed: these do not exist, or the scope does not see them.
    Unknown(Vec<ActionId>),
    /// Nothing was changed: the event may not happen to these.
    Unfit(Vec<ActionId>),
}

/// Applies an event to every action of a group, at `now`, and writes the history. Nothing is changed unless all of them exist in scope and their
/// status allows the event; the rows stay locked until the transaction ends either way.
pub async fn apply(
    connection: &mut Connection,
    scope: &Scope,
    event: ActionEvent,
    group: &[ActionId],
    now: DateTime<Utc>,
) -> Result<Applied> {
    let bounds = ScopeLists::from_scope(scope);
    let group_ids: Vec<i32> = group.iter().map(|id| id.0).collect();
    // In the order in which detection locks them.
    let rows = sqlx::query!(
        r#"select id, status as "status: String" from action
           where id = any($2) and ($1::int[] is null or brand_id = any($1))
           order by brand_id, country, engine, domain, id for update"#,
        bounds.brands as Option<Vec<i32>>,
        &group_ids
    )
    .fetch_all(&mut *connection)
    .await?;
    let (mut ids, mut next, mut unfit) = (vec![], vec![], vec![]);
    for row in rows {
        let status: ActionStatus = parse("action.status", &row.status)?;
        ids.push(row.id);
        match status.after(event) {
            Some(status) => next.push(status.to_string()),
            None => unfit.push(ActionId(row.id)),
        }
    }
    let unknown: Vec<ActionId> = group.iter().copied().filter(|id| !ids.contains(&id.0)).collect();
    if !unknown.is_empty() {
        return Ok(Applied::Unknown(unknown));
    }
    if !unfit.is_empty() {
        return Ok(Applied::Unfit(unfit));
    }
    set(connection, &ids, &next, now, user_of(scope)).await?;
    Ok(Applied::All)
}

/// Ignores the new and reappeared actions of a dealer's domain, and of the hosts below it where it [has any](has_subdomains), against the
/// brand that owns this `official` tag, as far as they are in scope. Call it after the tag was linked to the dealer. Returns how many
/// actions were ignored: 0 for an unknown dealer, a dealer without the tag, and any other tag.
pub async fn put_official_aside(
    connection: &mut Connection,
    scope: &Scope,
    tag: CategoryId,
    dealer: DealerId,
    now: DateTime<Utc>,
) -> Result<usize> {
    let domain = sqlx::query_scalar!("select domain from dealer where id = $1", dealer.0)
        .fetch_optional(&mut *connection)
        .await?;
    let Some(domain) = domain else { return Ok(0) };
    let bounds = ScopeLists::from_scope(scope);
    // In the order in which detection locks them.
    let ids = sqlx::query_scalar!(
        "select a.id from action a
             join dealer d on a.domain = d.domain or $4 and right(a.domain, length(d.domain) + 1) = '.' || d.domain
             join category c on c.brand_owner_id = a.brand_id and c.name = 'official' and c.scope = 'tag'
         where d.id = $1 and c.id = $2 and a.status in ('new', 'reappearance')
             and ($3::int[] is null or a.brand_id = any($3))
             and exists (select from category_dealer cd
                 where cd.dealer_id = d.id and cd.category_id = c.id and cd.company_account_id is null)
         order by a.brand_id, a.country, a.engine, a.domain, a.id for update of a",
        dealer.0,
        tag.0,
        bounds.brands as Option<Vec<i32>>,
        has_subdomains(&domain)
    )
    .fetch_all(&mut *connection)
    .await?;
    let ignored = vec![ActionStatus::Ignored.to_string(); ids.len()];
    set(connection, &ids, &ignored, now, user_of(scope)).await?;
    Ok(ids.len())
}

/// The id of the user behind a scope; `None` for Vigie itself.
fn user_of(scope: &Scope) -> Option<i32> {
    match scope.actor() {
        Actor::User(user) => Some(user.0),
        Actor::System(_) => None,
    }
}

/// Gives each of the actions the status at the same place of `statuses`, sets the dates and counters that follow from it, and writes the history with
/// the user `actor`, `None` for Vigie. Checks nothing: the caller has locked the actions and tested the events.
pub(super) async fn set(
    connection: &mut Connection,
    ids: &[i32],
    statuses: &[String],
    now: DateTime<Utc>,
    actor: Option<i32>,
) -> Result<()> {
    sqlx::query!(
        "update action set status = s.status, last_status_date = $3, updated_date = $3,
             requested_date = case s.status when 'requested' then $3 when 'new' then null else requested_date end,
             ignored_date = case s.status when 'ignored' then $3 when 'new' then null else ignored_date end,
             inprogress_date = case s.status when 'inprogress' then $3 else inprogress_date end,
             reminded_date = case s.status when 'reminded' then $3 else reminded_date end,
             accepted_date = case s.status when 'accepted' then $3 else accepted_date end,
             refused_date = case s.status when 'refused' then $3 else refused_date end,
             blocked_date = case s.status when 'blocked' then $3 else blocked_date end,
             disappeared_date = case s.status when 'disappeared' then $3 else disappeared_date end,
             waiting = case when s.status in ('ignored', 'accepted', 'refused', 'disappeared') then false
                 when s.status = 'inprogress' then true else waiting end,
             cycle_forced = cycle_forced and s.status <> 'ignored'
         from unnest($1::int[], $2::text[]) as s (id, status) where action.id = s.id",
        ids,
        statuses,
        now
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "insert into action_history (action_id, status, at, actor_id)
         select s.id, s.status, $3, $4 from unnest($1::int[], $2::text[]) with ordinality as s (id, status, n) order by n",
        ids,
        statuses,
        now,
        actor
    )
    .execute(connection)
    .await?;
    Ok(())
}
