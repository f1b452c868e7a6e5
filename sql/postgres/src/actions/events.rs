//! Events of actions, by users and by Vigie: a whole group changes, or nothing does (decisions D42, D61).

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use vocabulary::{
    ActionEvent, ActionId, ActionStatus, Actor, BlockReason, BrandId, CategoryId, DealerId, Officials, Scope,
    SystemScope, UserId,
};

use super::{covered, outreach};
use crate::scoped::ScopeLists;
use crate::stored::parse;
use crate::{Connection, Result, case_mails};

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

/// An action whose row is locked until the transaction ends.
pub(super) struct LockedCase {
    pub(super) id: ActionId,
    pub(super) status: ActionStatus,
    /// The last block was made by hand.
    is_blocked_by_hand: bool,
}

/// The step of an action from one status to the next.
struct Step {
    id: i32,
    was: ActionStatus,
    next: ActionStatus,
    /// Whether it enters the status, be it the same again: this is dated and recorded.
    enters: bool,
}

impl LockedCase {
    /// Where an event leads; `None` where it may not happen. A reply takes up again what the machine has blocked, not what somebody has.
    fn step(&self, event: ActionEvent) -> Option<Step> {
        let stays = event == ActionEvent::Reply && self.is_blocked_by_hand;
        let next = self.status.after(event)?;
        let entered = self.status.entered_by(event).filter(|_| !stays);
        Some(Step {
            id: self.id.0,
            was: self.status,
            next: if stays { self.status } else { next },
            enters: entered.is_some(),
        })
    }
}

/// Applies an event to every action of a group, at `now`, and writes the history. Nothing is changed unless all of them exist in scope, their status
/// allows the event and, for a cycle of reminders begun by hand, no cycle runs and somebody can be written to; the rows stay locked until the
/// transaction ends either way.
pub async fn apply(
    connection: &mut Connection,
    scope: &Scope,
    event: ActionEvent,
    group: &[ActionId],
    now: DateTime<Utc>,
) -> Result<Applied> {
    let reason = match event {
        ActionEvent::StopWork => BlockReason::ManuallyBlocked,
        ActionEvent::Undelivered => BlockReason::NoActiveRecipients,
        _ => BlockReason::Unknown,
    };
    apply_with_reason(connection, scope, (event, reason), group, now).await
}

/// Blocks actions whose reminder cycle cannot go on, for this reason, like [`apply`].
pub async fn block(
    connection: &mut Connection,
    system: &SystemScope,
    reason: BlockReason,
    group: &[ActionId],
    now: DateTime<Utc>,
) -> Result<Applied> {
    apply_with_reason(connection, system, (ActionEvent::BlockCondition, reason), group, now).await
}

/// [`apply`], with the reason that a block is given.
async fn apply_with_reason(
    connection: &mut Connection,
    scope: &Scope,
    (event, reason): (ActionEvent, BlockReason),
    group: &[ActionId],
    now: DateTime<Utc>,
) -> Result<Applied> {
    let locked = match lock(connection, scope, group).await? {
        Ok(locked) => locked,
        Err(unknown) => return Ok(Applied::Unknown(unknown)),
    };
    let (mut steps, mut unfit) = (vec![], vec![]);
    for case in &locked {
        match case.step(event) {
            Some(step) => steps.push(step),
            None => unfit.push(case.id),
        }
    }
    if event == ActionEvent::ForceReminders {
        let facts = outreach::of_actions(&mut *connection, scope, group).await?;
        let can_be_forced = |id: &ActionId| {
            facts
                .get(id)
                .is_some_and(|(state, settings)| state.can_be_forced(*settings))
        };
        unfit.extend(
            steps
                .iter()
                .map(|step| ActionId(step.id))
                .filter(|id| !can_be_forced(id)),
        );
        unfit.sort_unstable();
    }
    if !unfit.is_empty() {
        return Ok(Applied::Unfit(unfit));
    }
    write(connection, (event, reason), &steps, now, user_of(scope)).await?;
    Ok(Applied::All)
}

/// Locks the actions of a group until the transaction ends, and returns them with their status; `Err` with those that do not exist or that the scope does
/// not see.
pub(super) async fn lock(
    connection: &mut Connection,
    scope: &Scope,
    group: &[ActionId],
) -> Result<std::result::Result<Vec<LockedCase>, Vec<ActionId>>> {
    let bounds = ScopeLists::from_scope(scope);
    let group_ids: Vec<i32> = group.iter().map(|id| id.0).collect();
    // In the order in which detection locks them.
    let rows = sqlx::query!(
        r#"select id, status as "status: String",
               coalesce(jsonb_path_query_first(metas, 'lax $.blockedReason[last].reason') = to_jsonb($3::text), false) as "is_by_hand!"
           from action
           where id = any($2) and ($1::int[] is null or brand_id = any($1))
           order by brand_id, country, engine, domain, id for update"#,
        bounds.brands as Option<Vec<i32>>,
        &group_ids,
        BlockReason::ManuallyBlocked.to_string()
    )
    .fetch_all(connection)
    .await?;
    let mut locked = Vec::with_capacity(rows.len());
    for row in rows {
        let status = parse("action.status", &row.status)?;
        locked.push(LockedCase {
            id: ActionId(row.id),
            status,
            is_blocked_by_hand: status == ActionStatus::Blocked && row.is_by_hand,
        });
    }
    let found: BTreeSet<ActionId> = locked.iter().map(|case| case.id).collect();
    let unknown: Vec<ActionId> = group.iter().copied().filter(|id| !found.contains(id)).collect();
    Ok(if unknown.is_empty() { Ok(locked) } else { Err(unknown) })
}

/// The statuses that a new official domain sets to ignored (decision D98).
pub const SET_ASIDE: [ActionStatus; 2] = [ActionStatus::New, ActionStatus::Reappearance];

/// Ignores the [open](SET_ASIDE) actions of the domains of dealers, and of the hosts below them that [are covered](Officials::cover), against the brand that
/// owns this `official` tag, as far as they are in scope. Call it after the tag was linked to the dealers. Returns the ignored actions with their status
/// before. Unknown dealers and those without the tag are left out; none for any other tag.
pub async fn put_official_aside(
    connection: &mut Connection,
    scope: &Scope,
    tag: CategoryId,
    dealers: &[DealerId],
    now: DateTime<Utc>,
) -> Result<Vec<(ActionId, ActionStatus)>> {
    let dealers: Vec<i32> = dealers.iter().map(|dealer| dealer.0).collect();
    let linked = sqlx::query!(
        r#"select c.brand_owner_id as "brand!", d.domain
           from category c join category_dealer cd on cd.category_id = c.id join dealer d on d.id = cd.dealer_id
           where c.id = $1 and c.name = 'official' and c.scope = 'tag' and c.brand_owner_id is not null
               and cd.company_account_id is null and d.id = any($2)"#,
        tag.0,
        &dealers
    )
    .fetch_all(&mut *connection)
    .await?;
    let Some(brand) = linked.first().map(|row| BrandId(row.brand)) else {
        return Ok(Vec::new());
    };
    let officials: Officials = linked.into_iter().map(|row| row.domain).collect();
    let hosts = covered::hosts_with_cases(&mut *connection, scope, brand, &SET_ASIDE).await?;
    let hosts: Vec<String> = hosts
        .into_iter()
        .map(|host| host.domain)
        .filter(|host| officials.cover(host))
        .collect();
    let statuses = SET_ASIDE.map(|status| status.to_string());
    // In the order in which detection locks them.
    let rows = sqlx::query!(
        r#"select id, status as "status: String" from action
           where brand_id = $1 and domain = any($2) and status::text = any($3)
           order by brand_id, country, engine, domain, id for update"#,
        brand.0,
        &hosts,
        &statuses
    )
    .fetch_all(&mut *connection)
    .await?;
    let mut were = Vec::with_capacity(rows.len());
    for row in &rows {
        were.push((ActionId(row.id), parse("action.status", &row.status)?));
    }
    let rows = rows.into_iter().map(|row| (row.id, row.status));
    happen(connection, ActionEvent::Ignore, rows, now, user_of(scope)).await?;
    Ok(were)
}

/// Gives actions that [`put_official_aside`] ignored their status before back, and writes the history. Returns false, and changes nothing, unless all of
/// them are in scope and still ignored.
pub async fn take_back(
    connection: &mut Connection,
    scope: &Scope,
    aside: &[(ActionId, ActionStatus)],
    now: DateTime<Utc>,
) -> Result<bool> {
    let group: Vec<ActionId> = aside.iter().map(|(id, _)| *id).collect();
    let Ok(locked) = lock(connection, scope, &group).await? else {
        return Ok(false);
    };
    if locked.iter().any(|case| case.status != ActionStatus::Ignored) {
        return Ok(false);
    }
    let steps = aside.iter().map(|(id, was)| Step {
        id: id.0,
        was: ActionStatus::Ignored,
        next: *was,
        enters: true,
    });
    let event = (ActionEvent::CancelIgnore, BlockReason::Unknown);
    write(connection, event, &steps.collect::<Vec<_>>(), now, user_of(scope)).await?;
    Ok(true)
}

/// Makes an event happen to locked actions, given with their statuses, and returns how many they were; those whose status does not allow it are left out.
pub(super) async fn happen(
    connection: &mut Connection,
    event: ActionEvent,
    locked: impl Iterator<Item = (i32, String)>,
    now: DateTime<Utc>,
    actor: Option<i32>,
) -> Result<usize> {
    let mut steps = Vec::new();
    for (id, status) in locked {
        let case = LockedCase {
            id: ActionId(id),
            status: parse("action.status", &status)?,
            is_blocked_by_hand: false,
        };
        steps.extend(case.step(event));
    }
    write(connection, (event, BlockReason::Unknown), &steps, now, actor).await?;
    Ok(steps.len())
}

/// Does to a case what a mail of ours that has left does, written by this user or by Vigie, and after it the event `then`. An event that the status of
/// the case does not allow any more leaves the status as it is; the mail counts all the same. Call it once a mail, in the transaction that settles it.
pub(crate) async fn mail_left(
    connection: &mut Connection,
    system: &SystemScope,
    action: ActionId,
    (event, then): (ActionEvent, Option<ActionEvent>),
    author: Option<UserId>,
    now: DateTime<Utc>,
) -> Result<()> {
    let actor = author.map(|author| author.0);
    for event in std::iter::once(event).chain(then) {
        let Ok(locked) = lock(connection, system, &[action]).await? else {
            return Ok(());
        };
        let steps: Vec<Step> = locked.iter().filter_map(|case| case.step(event)).collect();
        if steps.is_empty() && Some(event) != then {
            count_late(connection, action, event, now).await?;
        }
        write(connection, (event, BlockReason::Unknown), &steps, now, actor).await?;
    }
    Ok(())
}

/// Counts a mail that left although its case had moved on.
async fn count_late(
    connection: &mut Connection,
    action: ActionId,
    event: ActionEvent,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!(
        "update action set sended_count = coalesce(sended_count, 0) + 1, reminded_count = coalesce(reminded_count, 0) + ($2 = 'remind')::int,
             contacted_at = $3, updated_date = $3
         where id = $1",
        action.0,
        event.to_string(),
        now
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The id of the user behind a scope; `None` for Vigie itself.
pub(crate) fn user_of(scope: &Scope) -> Option<i32> {
    match scope.actor() {
        Actor::User(user) => Some(user.0),
        Actor::System(_) => None,
    }
}

/// Takes each action its step, which an event causes: sets the dates, counters and flags that follow from it, and writes the history of the statuses that
/// are entered with the user `actor`, `None` for Vigie. Checks nothing: the caller has locked the actions and tested the event. An error, and nothing
/// to commit, when one of them has left its status.
async fn write(
    connection: &mut Connection,
    (event, reason): (ActionEvent, BlockReason),
    steps: &[Step],
    now: DateTime<Utc>,
    actor: Option<i32>,
) -> Result<()> {
    if steps.is_empty() {
        return Ok(());
    }
    let ids: Vec<i32> = steps.iter().map(|step| step.id).collect();
    let were: Vec<String> = steps.iter().map(|step| step.was.to_string()).collect();
    let nexts: Vec<String> = steps.iter().map(|step| step.next.to_string()).collect();
    let enter: Vec<bool> = steps.iter().map(|step| step.enters).collect();
    let changed = sqlx::query!(
        r#"update action set status = s.next, updated_date = $6, last_status_date = case when s.enters then $6 else last_status_date end,
             requested_date = case when s.enters and s.next = 'requested' then $6 when s.enters and s.next = 'new' then null else requested_date end,
             ignored_date = case when s.enters and s.next = 'ignored' then $6 when s.enters and s.next in ('new', 'reappearance') then null else ignored_date end,
             inprogress_date = case when s.enters and s.next = 'inprogress' then $6 else inprogress_date end,
             reminded_date = case when s.enters and s.next = 'reminded' then $6 else reminded_date end,
             accepted_date = case when s.enters and s.next = 'accepted' then $6 else accepted_date end,
             refused_date = case when s.enters and s.next = 'refused' then $6 else refused_date end,
             blocked_date = case when s.enters and s.next = 'blocked' then $6 else blocked_date end,
             disappeared_date = case when s.enters and s.next = 'disappeared' then $6 else disappeared_date end,
             waiting = case
                 when $5 = 'reply' or s.next in ('ignored', 'accepted', 'refused', 'disappeared') then false
                 when $5 in ('notify', 'manual', 'remind', 'answer') then true
                 -- Taken up again by hand: it is their turn unless they had the last word, which may be the only one.
                 when $5 = 'force-reminders' and s.enters then coalesce(replied_at <= contacted_at, replied_at is null)
                 else waiting end,
             clock_at = case
                 when s.next in ('inprogress', 'reminded') and $5 in ('notify', 'manual', 'remind', 'answer', 'force-reminders') then $6
                 else clock_at end,
             contacted_at = case when $5 in ('notify', 'manual', 'remind', 'answer') then $6 else contacted_at end,
             replied_at = case when $5 = 'reply' then $6 else replied_at end,
             received_count = coalesce(received_count, 0) + ($5 = 'reply')::int,
             unread_count = coalesce(unread_count, 0) + ($5 = 'reply')::int,
             sended_count = coalesce(sended_count, 0) + ($5 in ('notify', 'remind', 'answer'))::int,
             reminded_count = coalesce(reminded_count, 0) + ($5 = 'remind')::int,
             cycle_reminders = case $5 when 'force-reminders' then 0 when 'remind' then cycle_reminders + 1 else cycle_reminders end,
             cycle_quota = case when $5 = 'remind' then (select quota from reminder_settings(brand_id)) else cycle_quota end,
             -- A new round of mails, which are none of the round before. So is a cycle begun by hand.
             cycle = cycle + ($5 = 'force-reminders' or s.enters and s.next in ('blocked', 'new'))::int,
             cycle_forced = s.next in ('inprogress', 'reminded') and (cycle_forced or $5 = 'force-reminders'),
             notified_manually = case $5 when 'manual' then true when 'notify' then false else notified_manually end,
             paused_until = case when s.next in ('inprogress', 'reminded') then paused_until end,
             -- Old records have a text in place of the list.
             metas = case when s.enters and s.next = 'blocked' then
                 coalesce(metas, '{}') || jsonb_build_object('blockedReason',
                     case jsonb_typeof(metas -> 'blockedReason')
                         when 'array' then metas -> 'blockedReason'
                         when 'string' then jsonb_build_array(jsonb_build_object('date', shown_instant(blocked_date), 'reason', metas -> 'blockedReason'))
                         else '[]' end
                     || jsonb_build_array(jsonb_build_object('date', shown_instant($6), 'reason', $7::text)))
                 else metas end
         from unnest($1::int[], $2::text[], $3::text[], $4::bool[]) as s (id, was, next, enters)
         where action.id = s.id and action.status = s.was"#,
        &ids,
        &were,
        &nexts,
        &enter,
        event.to_string(),
        now,
        reason.to_string()
    )
    .execute(&mut *connection)
    .await?;
    if Ok(changed.rows_affected()) != u64::try_from(steps.len()) {
        return Err(sqlx::Error::RowNotFound.into());
    }
    let closed = steps
        .iter()
        .filter(|step| !step.next.is_in_outreach())
        .map(|step| step.id);
    case_mails::cancel_reminders(connection, &closed.collect::<Vec<_>>(), now).await?;
    // A reminder after another one carries the dates of those before it, which a list shows as one (decision D55).
    sqlx::query!(
        r#"insert into action_history (action_id, status, at, actor_id, is_automatic, previous_dates)
         select s.id, s.status, $3, $4, $4::int is null,
             case when s.status = 'reminded' and last.status = 'reminded' then last.previous_dates || to_jsonb(shown_instant(last.at))
                 else '[]' end
         from unnest($1::int[], $2::text[], $5::bool[]) with ordinality as s (id, status, enters, n)
             left join lateral (
                 select h.status, h.at, h.previous_dates from action_history h where h.action_id = s.id order by h.at desc, h.id desc limit 1
             ) last on true
         where s.enters order by n"#,
        &ids,
        &nexts,
        now,
        actor,
        &enter
    )
    .execute(connection)
    .await?;
    Ok(())
}
