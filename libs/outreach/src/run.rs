//! What Vigie does by itself: the run that reminds and blocks, and the notifications of brands that notify everybody. The preview shows the plan that the
//! run carries out (decision D176).

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Days, NaiveDate, NaiveTime, TimeZone, Utc};
use chrono_tz::Tz;
use postgres::actions::{events, outreach};
use postgres::case_mails::brakes::{self, BrakedMail, Hold, HoldReason, SendingLimits};
use postgres::case_mails::letters::{self, CaseInLetters};
use postgres::case_mails::next_steps::{self, DueCase};
use postgres::case_mails::templates::{self, Template, TemplateQuery};
use postgres::case_mails::{NewCaseMail, Queued, queue};
use vocabulary::{
    ActionId, BrandId, CaseMailKind, Language, MachineStep, NextStep, SystemScope, TemplateId, next_working_time,
    reminder_run_on,
};

use crate::gather::{LetterStores, gather};
use crate::letter::{Letter, fill_in};
use crate::{OutreachError, TemplateError};

const SCOPE: SystemScope = SystemScope::new("writing to advertisers");
/// Active templates that are looked at: more than anybody keeps.
const TEMPLATES: i64 = 5_000;
/// An address that got a mail gets the next of that brand a day later.
const ADDRESS_DAYS: Days = Days::new(1);

/// How runs are made.
#[derive(Clone, Copy, Debug)]
pub struct RunRules {
    /// The time zone of the schedules.
    pub zone: Tz,
    /// What the settings say of limits.
    pub limits: SendingLimits,
    /// Notifications of a brand that Vigie writes by itself on a day at most.
    pub notified_daily_most: u32,
}

/// What a run does, or would do, with a case.
#[derive(Clone, Debug)]
pub struct RunLine {
    /// The case that it is about.
    pub case: CaseInLetters,
    /// What is next.
    pub step: MachineStep,
    /// The letter, unless nothing is written.
    pub letter: Option<PlannedLetter>,
    /// Why nothing happens in this run.
    pub obstacle: Option<Obstacle>,
    /// What will hold the letter for some of its recipients, as far as is known: each reason once, with when it is looked at again.
    pub holds: Vec<Hold>,
}

/// A letter that a run writes.
#[derive(Clone, Debug)]
pub struct PlannedLetter {
    /// The version of the template.
    pub template: TemplateId,
    /// The template's name in lists.
    pub label: String,
    /// Which version it is.
    pub version: i32,
    /// What it is written in.
    pub language: Language,
    /// The filled in template.
    pub letter: Letter,
}

/// Why a run leaves a case as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// Somebody struck it out.
    Struck,
    /// The mail was written before, and is on its way or has failed.
    Written,
    /// There is no template in its language.
    NoTemplate(Language),
    /// The letter has holes.
    Holes,
    /// The template cannot be filled in.
    Unfit(TemplateError),
    /// The brand has its notifications of the day.
    DailyMost,
}

/// What came of a line of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// A mail is on its way.
    Queued,
    /// The case is blocked.
    Blocked,
    /// The case was left as it is: see the line's obstacle, or it changed meanwhile.
    Left,
}

/// The last run at or before `now`.
pub fn last_run(zone: Tz, now: DateTime<Utc>) -> DateTime<Utc> {
    let today = now.with_timezone(&zone).date_naive();
    let run = reminder_run_on(today, &zone);
    if run <= now {
        return run;
    }
    today.pred_opt().map_or(run, |day| reminder_run_on(day, &zone))
}

/// The first run at or after `now`.
pub fn next_run(zone: Tz, now: DateTime<Utc>) -> DateTime<Utc> {
    let today = now.with_timezone(&zone).date_naive();
    let run = reminder_run_on(today, &zone);
    if run >= now {
        return run;
    }
    today.succ_opt().map_or(run, |day| reminder_run_on(day, &zone))
}

/// The lines of a run, or of its preview.
#[derive(Clone, Debug)]
pub struct RunPlan {
    /// The first lines, as many as were asked for.
    pub lines: Vec<RunLine>,
    /// How many there are in all.
    pub total: usize,
}

/// The reminders, blocks and first mails of the run at `run`, the longest overdue first; the letters of `most` of them are written. What was overdue in
/// earlier runs is among them once.
pub async fn plan_reminders(
    stores: LetterStores<'_>,
    rules: RunRules,
    (run, now): (DateTime<Utc>, DateTime<Utc>),
    most: usize,
) -> Result<RunPlan, OutreachError> {
    let day = day_of(rules.zone, run);
    // A clock runs by days of the zone, so it may run out up to a day before its hour.
    let before = run.checked_add_days(Days::new(1)).unwrap_or(run);
    let found = next_steps::reminders(stores.postgres, &SCOPE, before, day).await?;
    let steps = steps_of(stores, rules, &found, run).await?;
    plan(stores, rules, &steps, (run, now), most).await
}

/// The notifications that Vigie writes by itself as soon as it may, the longest requested first; `most` of them are written.
pub async fn plan_notifications(
    stores: LetterStores<'_>,
    rules: RunRules,
    now: DateTime<Utc>,
    most: usize,
) -> Result<RunPlan, OutreachError> {
    let day = day_of(rules.zone, now);
    let found = next_steps::notifications(stores.postgres, &SCOPE, day).await?;
    let mut left: BTreeMap<BrandId, i64> = BTreeMap::new();
    let mut allowed = Vec::with_capacity(found.len());
    for case in found {
        if let std::collections::btree_map::Entry::Vacant(brand) = left.entry(case.brand) {
            let mut tx = postgres::begin(stores.postgres).await?;
            let written = next_steps::written_since(&mut tx, &SCOPE, case.brand, day_began(rules.zone, now)).await?;
            brand.insert(i64::from(rules.notified_daily_most) - written);
        }
        let is_over = left.get_mut(&case.brand).is_none_or(|left| {
            *left -= i64::from(!case.is_struck);
            *left < 0
        });
        allowed.push((case, MachineStep::Notify, is_over));
    }
    plan(stores, rules, &allowed, (now, now), most).await
}

/// The cases among those found whose step is due in this run.
async fn steps_of(
    stores: LetterStores<'_>,
    rules: RunRules,
    found: &[DueCase],
    run: DateTime<Utc>,
) -> Result<Vec<(DueCase, MachineStep, bool)>, OutreachError> {
    let ids: Vec<ActionId> = found.iter().map(|case| case.action).collect();
    let states = outreach::of_actions(stores.postgres, &SCOPE, &ids).await?;
    let steps = found.iter().filter_map(|case| {
        let (state, settings) = states.get(&case.action)?;
        match state.next_step(*settings, &rules.zone, run) {
            NextStep::Due(step, at) if at == run => Some((*case, step, false)),
            _ => None,
        }
    });
    Ok(steps.collect())
}

/// The lines of these cases. A case with `true` is over the limit of its brand.
async fn plan(
    stores: LetterStores<'_>,
    rules: RunRules,
    steps: &[(DueCase, MachineStep, bool)],
    (at, now): (DateTime<Utc>, DateTime<Utc>),
    most: usize,
) -> Result<RunPlan, OutreachError> {
    let total = steps.len();
    let steps = &steps[..most.min(total)];
    let ids: Vec<ActionId> = steps.iter().map(|(case, ..)| case.action).collect();
    let cases = letters::cases(stores.postgres, &SCOPE, &ids).await?;
    let mut cases: BTreeMap<ActionId, CaseInLetters> = cases.into_iter().map(|case| (case.action, case)).collect();
    let all = templates::list(stores.postgres, &SCOPE, TemplateQuery::default(), TEMPLATES).await?;
    let mut written_to: BTreeSet<(BrandId, String)> = BTreeSet::new();
    let mut lines = Vec::with_capacity(steps.len());
    for (due, step, is_over) in steps {
        let Some(case) = cases.remove(&due.action) else {
            continue;
        };
        let mut line = RunLine {
            case,
            step: *step,
            letter: None,
            obstacle: None,
            holds: Vec::new(),
        };
        if due.is_struck {
            line.obstacle = Some(Obstacle::Struck);
        } else if let Some(mail) = mail_of(*step) {
            if due.is_written {
                line.obstacle = Some(Obstacle::Written);
            } else if *is_over {
                line.obstacle = Some(Obstacle::DailyMost);
            } else {
                write(stores, &all, &mut line, mail, now).await?;
            }
            if line.obstacle.is_none() {
                line.holds = foresee(stores, rules, &line.case, mail.0, &mut written_to, at).await?;
            }
        }
        lines.push(line);
    }
    Ok(RunPlan { lines, total })
}

/// What a step writes; `None` for one that writes nothing.
const fn mail_of(step: MachineStep) -> Option<(CaseMailKind, Option<u32>)> {
    match step {
        MachineStep::Notify => Some((CaseMailKind::Notification, None)),
        MachineStep::Remind(number) => Some((CaseMailKind::Reminder, Some(number))),
        MachineStep::Block(_) => None,
    }
}

/// Writes the letter of a line, or notes why it cannot be.
async fn write(
    stores: LetterStores<'_>,
    all: &[Template],
    line: &mut RunLine,
    mail: (CaseMailKind, Option<u32>),
    now: DateTime<Utc>,
) -> Result<(), OutreachError> {
    let language = line.case.language();
    let Some(template) = templates::choose(all, mail, language, Some(line.case.brand)) else {
        line.obstacle = Some(Obstacle::NoTemplate(language));
        return Ok(());
    };
    let facts = gather(stores, &SCOPE, &line.case, (language, None), now).await?;
    match fill_in((&template.facts.subject, &template.facts.body), &facts, language) {
        Ok(letter) => {
            line.obstacle = (!letter.holes.is_empty()).then_some(Obstacle::Holes);
            line.letter = Some(PlannedLetter {
                template: template.id,
                label: template.facts.label.clone(),
                version: template.version,
                language,
                letter,
            });
        }
        Err(error) => line.obstacle = Some(Obstacle::Unfit(error)),
    }
    Ok(())
}

/// What will hold a mail of a case at `at`, if the mails to the addresses in `written_to` leave before it; adds its own.
async fn foresee(
    stores: LetterStores<'_>,
    rules: RunRules,
    case: &CaseInLetters,
    kind: CaseMailKind,
    written_to: &mut BTreeSet<(BrandId, String)>,
    at: DateTime<Utc>,
) -> Result<Vec<Hold>, OutreachError> {
    let mut connection = stores.postgres.acquire().await.map_err(postgres::Error::from)?;
    let mut holds: BTreeMap<HoldReason, Hold> = BTreeMap::new();
    for contact in &case.contacts {
        let mail = BrakedMail {
            kind,
            brand: Some(case.brand),
            address: contact.address.clone(),
            country: contact.country.clone(),
            is_automatic: true,
        };
        let mut hold = brakes::hold_of(&mut connection, &SCOPE, &mail, rules.limits, at).await?;
        let is_first = written_to.insert((case.brand, contact.address.clone()));
        if !is_first && hold.is_none_or(|hold| hold.reason == HoldReason::WorkingHours) {
            let free = at.checked_add_days(ADDRESS_DAYS).unwrap_or(at);
            hold = Some(Hold {
                reason: HoldReason::AddressLimit,
                until: next_working_time(&contact.country, free),
            });
        }
        if let Some(hold) = hold {
            let latest = holds.entry(hold.reason).or_insert(hold);
            latest.until = latest.until.max(hold.until);
        }
    }
    Ok(holds.into_values().collect())
}

/// Does what a line of [`plan_reminders`] says, unless the case has changed since. Doing it twice, or in two processes, does it once.
pub async fn carry_out(
    stores: LetterStores<'_>,
    rules: RunRules,
    line: &RunLine,
    (run, now): (DateTime<Utc>, DateTime<Utc>),
) -> Result<LineEnd, OutreachError> {
    if line.obstacle.is_some() {
        return Ok(LineEnd::Left);
    }
    let action = line.case.action;
    let mut tx = postgres::begin(stores.postgres).await?;
    let is_struck = next_steps::lock(&mut tx, &SCOPE, action, day_of(rules.zone, run)).await?;
    let states = outreach::of_actions(&mut *tx, &SCOPE, &[action]).await?;
    let is_due = states
        .get(&action)
        .is_some_and(|(state, settings)| state.next_step(*settings, &rules.zone, run) == NextStep::Due(line.step, run));
    if is_struck || !is_due {
        return Ok(LineEnd::Left);
    }
    let end = if let MachineStep::Block(reason) = line.step {
        match events::block(&mut tx, &SCOPE, reason, &[action], now).await? {
            events::Applied::All => LineEnd::Blocked,
            events::Applied::Unknown(_) | events::Applied::Unfit(_) => LineEnd::Left,
        }
    } else {
        send(&mut tx, line, now).await?
    };
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(end)
}

/// Writes a notification of [`plan_notifications`], unless the case has changed since or the brand has its notifications of the day.
pub async fn notify(
    stores: LetterStores<'_>,
    rules: RunRules,
    line: &RunLine,
    now: DateTime<Utc>,
) -> Result<LineEnd, OutreachError> {
    if line.obstacle.is_some() {
        return Ok(LineEnd::Left);
    }
    let action = line.case.action;
    let mut tx = postgres::begin(stores.postgres).await?;
    let written = next_steps::written_since(&mut tx, &SCOPE, line.case.brand, day_began(rules.zone, now)).await?;
    let is_struck = next_steps::lock(&mut tx, &SCOPE, action, day_of(rules.zone, now)).await?;
    let states = outreach::of_actions(&mut *tx, &SCOPE, &[action]).await?;
    let is_due = states
        .get(&action)
        .is_some_and(|(state, settings)| state.next_step(*settings, &rules.zone, now) == NextStep::Soon);
    if is_struck || !is_due || written >= i64::from(rules.notified_daily_most) {
        return Ok(LineEnd::Left);
    }
    let end = send(&mut tx, line, now).await?;
    tx.commit().await.map_err(postgres::Error::from)?;
    Ok(end)
}

/// Queues the letter of a line to everybody who can be written to, for the next hour at which they are at work.
async fn send(
    connection: &mut postgres::Connection,
    line: &RunLine,
    now: DateTime<Utc>,
) -> Result<LineEnd, OutreachError> {
    let (Some((kind, reminder)), Some(planned)) = (mail_of(line.step), &line.letter) else {
        return Ok(LineEnd::Left);
    };
    let begins = line
        .case
        .contacts
        .iter()
        .map(|contact| next_working_time(&contact.country, now))
        .min();
    let recipients: Vec<_> = line.case.contacts.iter().map(|contact| contact.id).collect();
    let mail = NewCaseMail {
        action: line.case.action,
        kind,
        reminder,
        template: Some(planned.template),
        language: planned.language,
        subject: &planned.letter.subject,
        body: &planned.letter.body,
        recipients: &recipients,
        author: None,
        not_before: begins.unwrap_or(now),
        then: None,
    };
    Ok(match queue(connection, &SCOPE, &mail, now).await? {
        Queued::New(_) => LineEnd::Queued,
        Queued::Already | Queued::Nobody => LineEnd::Left,
    })
}

/// The day of a moment on the calendar of a zone.
pub fn day_of(zone: Tz, at: DateTime<Utc>) -> NaiveDate {
    at.with_timezone(&zone).date_naive()
}

/// When the day of a moment began in a zone.
fn day_began(zone: Tz, at: DateTime<Utc>) -> DateTime<Utc> {
    let midnight = day_of(zone, at).and_time(NaiveTime::MIN);
    zone.from_local_datetime(&midnight)
        .earliest()
        .map_or(at, |began| began.to_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_at_seven_on_the_clock_of_the_settings() {
        let zone = chrono_tz::Europe::Paris;
        let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        assert_eq!(last_run(zone, at("2026-11-24T06:00:00Z")), at("2026-11-24T06:00:00Z"));
        assert_eq!(last_run(zone, at("2026-11-24T05:59:59Z")), at("2026-11-23T06:00:00Z"));
        assert_eq!(next_run(zone, at("2026-11-24T06:00:00Z")), at("2026-11-24T06:00:00Z"));
        assert_eq!(next_run(zone, at("2026-11-24T06:00:01Z")), at("2026-11-25T06:00:00Z"));
        // Summer time ended on the 25th.
        assert_eq!(next_run(zone, at("2026-10-24T12:00:00Z")), at("2026-10-25T06:00:00Z"));
        assert_eq!(last_run(zone, at("2026-10-24T12:00:00Z")), at("2026-10-24T05:00:00Z"));
    }
}
