//! Coverage against a straight count over the slots.

use chrono::{DateTime, TimeDelta, Utc};
use postgres::captures::{CaptureQuery, FactCondition};
use postgres::coverage::{self, Counts, Coverage};
use postgres::slots;
use sqlx::Row;
use testkit::Postgres;
use vocabulary::{BrandId, Scope, SystemScope, TermId, UserId};

const EVERYTHING: SystemScope = SystemScope::new("test");

/// A slot as it is counted.
struct Slot {
    at: DateTime<Utc>,
    term: i32,
    brand: i32,
    engine: String,
    country: String,
    device: String,
    state: String,
    is_doubtful: bool,
}

/// Eight days of slots of three terms, up to today; how each ended follows from its number.
async fn ledger() -> (Postgres, Vec<Slot>) {
    let store = Postgres::new().await;
    store.brand("acme").await;
    store.brand("bolt").await;
    store
        .execute(
            "insert into localization (locale) values ('fr_FR'), ('nl_BE');
             insert into term (term, brand_id, engine, localization_id, keyword_type)
             values ('shoes', 1, 'GOOGLE', 1, 'GENERIC'), ('red shoes', 1, 'BING', 2, 'BRAND'), ('boots', 2, 'GOOGLE', 2, 'GENERIC');
             with made as (
                 select t.id as term_id, d as device, ts, row_number() over (order by ts, t.id, d) * 7919 % 100 as fate
                 from term t cross join unnest(array['desktop', 'mobile']) as d
                     cross join generate_series(
                         date_trunc('day', now() at time zone 'UTC') at time zone 'UTC' - interval '7 days', now(), interval '3 hours 11 minutes'
                     ) as ts
             )
             insert into slot (term_id, device, slot_ts, state, reason, settled_at)
             select term_id, device, ts,
                 case when fate < 70 then 'verified' when fate < 80 then 'failed' when fate < 90 then 'missed'
                     when ts >= date_trunc('day', now() at time zone 'UTC') at time zone 'UTC' then 'queued' else 'verified' end,
                 case when fate >= 70 and fate < 80 then 'timeout' when fate >= 80 and fate < 90 then 'downtime' end,
                 case when fate < 90 or ts < date_trunc('day', now() at time zone 'UTC') at time zone 'UTC' then now() end
             from made;
             insert into capture (id, slot_id, attempt, term_id, term, keyword_type, engine, device, locale, slot_ts, taken_at,
                 final_url, verdict, page_sha256, view_sha256, reader_version, text_ads, shopping_ads, saves_text_ads,
                 saves_shopping_ads, n_rows)
             select capture_id, id, 1, term_id, 'shoes', 'GENERIC', 'google', device, 'fr_FR', slot_ts, slot_ts, 'http://serp.example',
                 case when id % 6 = 0 then 'doubtful' else 'results' end, sha256('a'), sha256('b'), '1', 0, 0, true, true, 0
             from slot where state = 'verified'",
        )
        .await;
    let slots = read(&store).await;
    (store, slots)
}

async fn read(store: &Postgres) -> Vec<Slot> {
    let rows = sqlx::query(
        "select s.slot_ts, s.term_id, t.brand_id, lower(t.engine) as engine, split_part(l.locale, '_', 2) as country, s.device::text as device,
             s.state, coalesce(c.verdict = 'doubtful', false) as is_doubtful
         from slot s join term t on t.id = s.term_id join localization l on l.id = t.localization_id left join capture c on c.slot_id = s.id",
    )
    .fetch_all(&store.pool)
    .await
    .unwrap();
    rows.iter()
        .map(|row| Slot {
            at: row.get("slot_ts"),
            term: row.get("term_id"),
            brand: row.get("brand_id"),
            engine: row.get("engine"),
            country: row.get("country"),
            device: row.get("device"),
            state: row.get("state"),
            is_doubtful: row.get("is_doubtful"),
        })
        .collect()
}

fn count<'a>(slots: impl Iterator<Item = &'a Slot>) -> Counts {
    slots.fold(Counts::default(), |mut counts, slot| {
        counts.planned += 1;
        match slot.state.as_str() {
            "verified" if slot.is_doubtful => counts.doubtful += 1,
            "verified" => counts.valid += 1,
            "failed" => counts.failed += 1,
            "missed" => counts.missed += 1,
            _ => {}
        }
        counts
    })
}

/// Conditions, and the slots that they leave.
type Narrowed = (Vec<FactCondition>, fn(&Slot) -> bool);
/// A reader, and the slots of its terms.
type Reader = (Scope, fn(&Slot) -> bool);

fn test(field: &str, include: bool, contains: bool, text: &str) -> Vec<FactCondition> {
    vec![FactCondition {
        field: field.to_owned(),
        include,
        contains,
        texts: vec![text.to_owned()],
    }]
}

/// Asks for many periods, scopes and conditions.
async fn agrees(store: &Postgres, slots: &[Slot]) {
    let now = slots::now(&store.pool).await.unwrap();
    let midnight = now.date_naive().and_time(chrono::NaiveTime::MIN).and_utc();
    let days = |days: i64| Some(midnight - TimeDelta::days(days));
    let second = TimeDelta::seconds(1);
    let periods = [
        (None, None),
        (days(7), days(0).map(|at| at - second)),
        (
            days(5).map(|at| at + TimeDelta::hours(2)),
            days(1).map(|at| at + TimeDelta::hours(21)),
        ),
        (days(3), None),
        (None, days(4)),
        (
            days(2).map(|at| at + TimeDelta::hours(3)),
            days(2).map(|at| at + TimeDelta::hours(9)),
        ),
        (days(0), Some(now)),
    ];
    let scopes: [Reader; 3] = [
        (Scope::clone(&EVERYTHING), |_| true),
        (Scope::within(UserId(1), vec![BrandId(1)], vec![]), |slot| {
            slot.brand == 1
        }),
        (Scope::within(UserId(1), vec![], vec![TermId(3)]), |slot| slot.term == 3),
    ];
    let narrowed: [Narrowed; 6] = [
        (vec![], |_| true),
        (test("engine", true, false, "google"), |slot| slot.engine == "google"),
        (test("country", false, false, "BE"), |slot| slot.country != "BE"),
        (test("device", true, false, "mobile"), |slot| slot.device == "mobile"),
        (test("keywordContent", true, true, "SHOES"), |slot| slot.term < 3),
        (test("brandID", true, false, "2"), |slot| slot.brand == 2),
    ];
    for (from, to) in periods {
        for (scope, sees) in &scopes {
            for (tests, holds) in &narrowed {
                let meant = CaptureQuery {
                    from,
                    to,
                    tests: tests.clone(),
                    zone: "UTC".to_owned(),
                };
                let found = coverage::coverage(&store.pool, scope, &meant).await.unwrap();
                let left = || {
                    slots.iter().filter(|slot| {
                        sees(slot)
                            && holds(slot)
                            && from.is_none_or(|from| from <= slot.at)
                            && to.is_none_or(|to| slot.at < to + second)
                    })
                };
                assert_eq!(found.all, count(left()), "{from:?} {to:?} {scope:?} {tests:?}");
                for place in &found.places {
                    let (engine, country) = (place.engine.unwrap().to_string(), place.country.clone().unwrap());
                    let here = left().filter(|slot| slot.engine == engine && slot.country == country);
                    assert_eq!(place.counts, count(here), "{engine} {country}");
                }
                let planned: u64 = found.places.iter().map(|place| place.counts.planned).sum();
                assert_eq!(planned, found.all.planned);
                for term in &found.terms {
                    assert_eq!(term.place.counts, count(left().filter(|slot| slot.term == term.id.0)));
                    assert!(term.place.counts.are_few());
                }
            }
        }
    }
}

#[tokio::test]
async fn planned_and_valid_captures_equal_a_count_over_the_slots() {
    let (store, slots) = ledger().await;
    agrees(&store, &slots).await;
}

#[tokio::test]
async fn they_stay_equal_when_days_are_added_up() {
    let (store, slots) = ledger().await;
    assert_eq!(coverage::seal_closed_days(&store.pool).await.unwrap(), 7);
    assert_eq!(coverage::seal_closed_days(&store.pool).await.unwrap(), 0);
    agrees(&store, &slots).await;
    // A whole period is read from its days alone.
    let whole = CaptureQuery {
        to: Some(
            slots::now(&store.pool)
                .await
                .unwrap()
                .date_naive()
                .and_time(chrono::NaiveTime::MIN)
                .and_utc()
                - TimeDelta::seconds(1),
        ),
        ..CaptureQuery::default()
    };
    store
        .execute("delete from slot where slot_ts < date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'")
        .await;
    let found = coverage::coverage(&store.pool, &EVERYTHING, &whole).await.unwrap();
    let midnight = whole.to.unwrap() + TimeDelta::seconds(1);
    assert_eq!(found.all, count(slots.iter().filter(|slot| slot.at < midnight)));
}

#[tokio::test]
async fn another_verdict_opens_its_day() {
    let (store, _) = ledger().await;
    coverage::seal_closed_days(&store.pool).await.unwrap();
    store
        .execute("update capture set verdict = 'results' where verdict = 'doubtful'")
        .await;
    let changed = read(&store).await;
    agrees(&store, &changed).await;
    assert!(coverage::seal_closed_days(&store.pool).await.unwrap() > 0);
    agrees(&store, &changed).await;
}

#[tokio::test]
async fn a_day_is_not_added_up_while_a_slot_of_it_may_change_or_be_added() {
    let (store, _) = ledger().await;
    store
        .execute(
            "update slot set state = 'queued', settled_at = null, reason = null
             where id = (select id from slot where state = 'missed' order by slot_ts limit 1)",
        )
        .await;
    let open: i64 = store
        .fetch("select count(distinct (slot_ts at time zone 'UTC')::date) from slot where settled_at is null and slot_ts < date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'")
        .await;
    assert_eq!(open, 1);
    assert_eq!(coverage::seal_closed_days(&store.pool).await.unwrap(), 6);
    store
        .execute(
            "delete from ledger_day_seal;
             insert into term_due (term_id, device, every_ms, first_slot, next_slot)
             values (1, 'desktop', 3600000, now() - interval '9 days', now() - interval '9 days')",
        )
        .await;
    assert_eq!(
        coverage::seal_closed_days(&store.pool).await.unwrap(),
        0,
        "downtime may still be recorded"
    );
}

#[tokio::test]
async fn coverage_shows_nothing_of_another_company() {
    let (store, _) = ledger().await;
    let stranger = Scope::within(UserId(1), vec![BrandId(9)], vec![]);
    let found = coverage::coverage(&store.pool, &stranger, &CaptureQuery::default())
        .await
        .unwrap();
    assert_eq!(found, Coverage::default());
}

#[tokio::test]
async fn the_running_day_is_added_up_to_its_last_settled_hour() {
    let (store, _) = ledger().await;
    store
        .execute("update slot set state = 'missed', reason = 'downtime', settled_at = now() where settled_at is null")
        .await;
    let slots = read(&store).await;
    assert_eq!(coverage::seal_closed_days(&store.pool).await.unwrap(), 7);
    let settled: bool = store
        .fetch(
            "select max(until) is not distinct from nullif(greatest(
                 date_trunc('day', now(), 'UTC'), date_trunc('hour', now() - interval '5 minutes', 'UTC')
             ), date_trunc('day', now(), 'UTC')) from ledger_day_seal",
        )
        .await;
    assert!(settled, "as far as it may not change");
    agrees(&store, &slots).await;
    // What was added up is read from the sums alone.
    store
        .execute("delete from slot where slot_ts < (select max(coalesce(until, (day + 1)::timestamp at time zone 'UTC')) from ledger_day_seal)")
        .await;
    let whole = coverage::coverage(&store.pool, &EVERYTHING, &CaptureQuery::default())
        .await
        .unwrap();
    assert_eq!(whole.all, count(slots.iter()));
}

#[tokio::test]
async fn long_periods_are_the_difference_of_two_running_totals() {
    let (store, slots) = ledger().await;
    coverage::seal_closed_days(&store.pool).await.unwrap();
    // But for the first day the sums of single days are not looked at.
    store
        .execute(
            "alter table ledger_day disable trigger user;
             delete from ledger_day where day > (select min(day) from ledger_total_day) and day <= (select max(day) from ledger_total_day)",
        )
        .await;
    agrees(&store, &slots).await;
}

/// The totals are what `ledger_day` adds up to, whatever happened to it.
async fn totals_add_up(store: &Postgres) {
    let wrong: i64 = store
        .fetch(
            "select count(*) from ledger_total_day d cross join (select distinct term_id, device from ledger_day) of_term
                 cross join lateral (
                     select coalesce(sum(planned), 0), coalesce(sum(valid), 0), coalesce(sum(doubtful), 0), coalesce(sum(failed), 0),
                         coalesce(sum(missed), 0)
                     from ledger_day l
                     where l.term_id = of_term.term_id and l.device = of_term.device and l.day <= d.day
                         and l.day >= (select min(day) from ledger_total_day)
                 ) as added (planned, valid, doubtful, failed, missed)
                 left join ledger_total t on t.day = d.day and t.term_id = of_term.term_id and t.device = of_term.device
             where (added.planned, added.valid, added.doubtful, added.failed, added.missed) is distinct from
                 (coalesce(t.planned, 0), coalesce(t.valid, 0), coalesce(t.doubtful, 0), coalesce(t.failed, 0), coalesce(t.missed, 0))",
        )
        .await;
    assert_eq!(wrong, 0);
}

#[tokio::test]
async fn totals_follow_statements_that_change_many_days_of_a_term() {
    let (store, _) = ledger().await;
    coverage::seal_closed_days(&store.pool).await.unwrap();
    let days: i64 = store.fetch("select count(*) from ledger_total_day").await;
    assert!(days > 2, "{days} days have totals");
    for change in [
        "update ledger_day set planned = planned + 3, missed = missed + 3 where day < (select max(day) from ledger_day)",
        "delete from ledger_day where term_id = (select min(term_id) from ledger_day)",
        "insert into ledger_day (day, term_id, device, planned, valid, doubtful, failed, missed)
         select day, (select min(id) from term), 'desktop', 5, 4, 1, 0, 0 from ledger_total_day
         on conflict (day, term_id, device) do nothing",
    ] {
        store.execute(change).await;
        totals_add_up(&store).await;
    }
}

#[tokio::test]
async fn figures_stay_those_of_the_slots_whatever_happens_to_the_ledger() {
    const DOUBT: &str = "update capture set verdict = 'doubtful' where slot_id % 13 = $1";
    const BELIEVE: &str = "update capture set verdict = 'results' where slot_id % 11 = $1";
    const SETTLE: &str = "update slot set state = 'missed', reason = 'downtime', settled_at = now() where settled_at is null and id % 3 = $1 % 3";
    const ADD: &str = "insert into slot (term_id, device, slot_ts, state, reason, settled_at)
        select id, 'tablet', now() - interval '1 second' * $1, 'failed', 'timeout', now() from term on conflict do nothing";
    const FORGET: &str = "delete from term where id = 2 and $1 >= 0";
    let (store, _) = ledger().await;
    // A fixed walk: each step is another number below 11, and every kind of step comes in many places.
    let mut at = 1_i64;
    for step in [
        "seal", DOUBT, "seal", SETTLE, BELIEVE, ADD, "seal", SETTLE, DOUBT, "seal", FORGET, BELIEVE, "seal",
    ] {
        at = at * 7 % 11;
        if step == "seal" {
            coverage::seal_closed_days(&store.pool).await.unwrap();
            totals_add_up(&store).await;
        } else {
            sqlx::query(step).bind(at).execute(&store.pool).await.unwrap();
        }
        if step == "seal" || step == BELIEVE {
            agrees(&store, &read(&store).await).await;
        }
    }
}
