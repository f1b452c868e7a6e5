//! The scheduling pass, over due, changed and paused terms.

use chrono::{DateTime, Utc};
use postgres::terms;
use schedules::{Passed, pass};
use testkit::{Postgres, SETUP};
use vocabulary::{Frequency, TermId, TermState};

/// Long enough that no slot becomes due while a test runs.
const MONTH: i64 = 732 * 3_600_000;
const WEEK: i64 = 168 * 3_600_000;
const DEADLINE: std::time::Duration = std::time::Duration::from_hours(1);

async fn slots(store: &Postgres, state: &str) -> i64 {
    match state {
        "queued" => store.fetch("select count(*) from slot where state = 'queued'").await,
        _ => store.fetch("select count(*) from slot where state = 'missed'").await,
    }
}

async fn assert_sound(store: &Postgres) {
    let since = DateTime::<Utc>::UNIX_EPOCH;
    assert_eq!(
        postgres::invariants::violations(&store.pool, since, DEADLINE)
            .await
            .unwrap(),
        []
    );
    let strays = "select count(*) from slot where state = 'queued' and not exists (
        select from apalis.jobs where idempotency_key = slot.id || '#' || slot.attempt)";
    assert_eq!(store.fetch::<i64>(strays).await, 0, "every queued slot has its job");
}

#[tokio::test]
async fn a_new_term_is_due_at_once_and_once() {
    let store = Postgres::new().await;
    store.term("shoes", None, MONTH).await;
    assert_eq!(
        pass(&store.pool).await.unwrap(),
        Passed {
            planned: 1,
            queued: 1,
            missed: 0
        }
    );
    assert_eq!(pass(&store.pool).await.unwrap(), Passed::default());
    assert_eq!(
        store
            .fetch::<i64>("select count(*) from apalis.jobs where status = 'Pending'")
            .await,
        1
    );
    let message: String = store.fetch("select convert_from(job, 'UTF8') from apalis.jobs").await;
    let slot: i64 = store.fetch("select id from slot").await;
    assert_eq!(message, format!(r#"{{"slot":{slot},"attempt":0}}"#));
    assert_sound(&store).await;
}

#[tokio::test]
async fn passes_at_the_same_time_claim_every_slot_once() {
    const TERMS: i64 = 3_000;
    let store = Postgres::new().await;
    store
        .execute(
            "insert into term (term, state, every, localization_id, devices)
             select 'shoes ' || n, 'enabled', 2635200000, 1, '{DESKTOP}' from generate_series(1, 3000) n",
        )
        .await;
    let (one, two, three) = tokio::join!(pass(&store.pool), pass(&store.pool), pass(&store.pool));
    let queued = one.unwrap().queued + two.unwrap().queued + three.unwrap().queued;
    let rest = pass(&store.pool).await.unwrap().queued;
    assert_eq!(i64::try_from(queued + rest).unwrap(), TERMS);
    assert_eq!(slots(&store, "queued").await, TERMS);
    assert_eq!(
        store
            .fetch::<i64>("select count(distinct idempotency_key) from apalis.jobs")
            .await,
        TERMS
    );
    assert_eq!(store.fetch::<i64>("select count(*) from apalis.jobs").await, TERMS);
    assert_sound(&store).await;
}

#[tokio::test]
async fn after_downtime_the_newest_slot_runs_and_older_ones_are_missed() {
    let store = Postgres::new().await;
    store.term("shoes", None, MONTH).await;
    pass(&store.pool).await.unwrap();
    store
        .execute(
            "delete from slot;
             update term_due set first_slot = begun, next_slot = begun
             from (select next_slot - (case when next_slot > now() + interval '732 hours' then 7 else 6 end) * interval '732 hours' as begun
                 from term_due) as five_before_the_current",
        )
        .await;
    assert_eq!(
        pass(&store.pool).await.unwrap(),
        Passed {
            planned: 0,
            queued: 1,
            missed: 5
        }
    );
    let newest = "select bool_and(state = case when slot_ts = (select max(slot_ts) from slot) then 'queued' else 'missed' end) from slot";
    assert!(store.fetch::<bool>(newest).await);
    assert!(
        store
            .fetch::<bool>("select bool_and(reason = 'downtime') from slot where state = 'missed'")
            .await
    );
    assert_sound(&store).await;
}

#[tokio::test]
async fn paused_and_archived_terms_are_never_due() {
    let store = Postgres::new().await;
    let terms = [store.term("a", None, MONTH).await, store.term("b", None, MONTH).await];
    terms::set_state(&store.pool, &SETUP, &terms[..1], TermState::Disabled)
        .await
        .unwrap();
    terms::set_state(&store.pool, &SETUP, &terms[1..], TermState::Archived)
        .await
        .unwrap();
    assert_eq!(
        pass(&store.pool).await.unwrap(),
        Passed {
            planned: 2,
            queued: 0,
            missed: 0
        }
    );
}

#[tokio::test]
async fn a_term_paused_after_it_was_planned_is_not_claimed() {
    let store = Postgres::new().await;
    let term = store.term("shoes", None, MONTH).await;
    pass(&store.pool).await.unwrap();
    store.execute("update term_due set next_slot = next_slot - interval '732 hours', first_slot = first_slot - interval '732 hours'").await;
    terms::set_state(&store.pool, &SETUP, &[term], TermState::Disabled)
        .await
        .unwrap();
    assert_eq!(pass(&store.pool).await.unwrap().queued, 0);
    assert_eq!(store.fetch::<i64>("select count(*) from term_due").await, 0);
}

#[tokio::test]
async fn a_changed_frequency_starts_a_new_grid_at_that_moment() {
    let store = Postgres::new().await;
    let term = store.term("shoes", None, MONTH).await;
    pass(&store.pool).await.unwrap();
    terms::set_frequency(&store.pool, &SETUP, &[term], Frequency::from_millis(WEEK).unwrap())
        .await
        .unwrap();
    assert_eq!(
        pass(&store.pool).await.unwrap(),
        Passed {
            planned: 1,
            queued: 0,
            missed: 0
        }
    );
    let next =
        "select next_slot > now() and next_slot <= now() + interval '168 hours' and every_ms = 604800000 from term_due";
    assert!(store.fetch::<bool>(next).await);
    assert_sound(&store).await;
}

/// Disables a term and enables it again, with a pass after each.
async fn enable_again(store: &Postgres, term: TermId) {
    for state in [TermState::Disabled, TermState::Enabled] {
        terms::set_state(&store.pool, &SETUP, &[term], state).await.unwrap();
        pass(&store.pool).await.unwrap();
    }
}

#[tokio::test]
async fn a_new_term_has_a_slot_of_now_and_goes_on_with_its_grid_a_quarter_later_at_the_earliest() {
    let store = Postgres::new().await;
    store.term("shoes", None, MONTH).await;
    pass(&store.pool).await.unwrap();
    let is_now = "select slot_ts between now() - interval '1 minute' and now() from slot";
    assert!(store.fetch::<bool>(is_now).await, "not the start of the running month");
    let next =
        "select next_slot = first_slot and next_slot - slot_ts between interval '183 hours' and interval '915 hours'
        from term_due join slot using (term_id, device)";
    assert!(store.fetch::<bool>(next).await);
    assert_sound(&store).await;
}

#[tokio::test]
async fn a_term_enabled_again_in_a_captured_slot_is_not_captured_twice() {
    let store = Postgres::new().await;
    let term = store.term("shoes", None, MONTH).await;
    pass(&store.pool).await.unwrap();
    store
        .execute("update slot set state = 'verified', settled_at = now()")
        .await;
    let next: DateTime<Utc> = store.fetch("select next_slot from term_due").await;
    enable_again(&store, term).await;
    assert_eq!(slots(&store, "queued").await, 0);
    assert_eq!(
        store.fetch::<DateTime<Utc>>("select next_slot from term_due").await,
        next
    );
}

#[tokio::test]
async fn a_term_disabled_while_queued_loses_that_slot_and_is_due_at_once_when_enabled_again() {
    let store = Postgres::new().await;
    let term = store.term("shoes", None, MONTH).await;
    pass(&store.pool).await.unwrap();
    enable_again(&store, term).await;
    let states = "select string_agg(state || coalesce(' ' || reason, ''), ', ' order by id) from slot";
    assert_eq!(store.fetch::<String>(states).await, "missed disabled, queued");
    assert!(
        store
            .fetch::<bool>("select slot_ts > now() - interval '1 minute' from slot where state = 'queued'")
            .await
    );
    assert_sound(&store).await;
}

#[tokio::test]
async fn a_term_whose_captured_slot_is_over_is_due_at_once_when_enabled_again() {
    let store = Postgres::new().await;
    let term = store.term("shoes", None, MONTH).await;
    pass(&store.pool).await.unwrap();
    store
        .execute(
            "update slot set state = 'verified', settled_at = now(), slot_ts = long_ago,
                 id = slot_id_at(long_ago), capture_id = capture_id_at(long_ago)
             from (select date_trunc('milliseconds', now() - interval '1464 hours') as long_ago) as past",
        )
        .await;
    enable_again(&store, term).await;
    assert_eq!(slots(&store, "queued").await, 1);
}

#[tokio::test]
async fn a_broken_term_does_not_keep_others_from_their_turn() {
    let store = Postgres::new().await;
    store.term("shoes", None, MONTH).await;
    store
        .execute("insert into term (term, state, every) values ('nowhere', 'enabled', 1), (null, 'enabled', null)")
        .await;
    store.execute("insert into localization (locale) values ('xx'); insert into term (term, state, localization_id) select 'odd', 'enabled', max(id) from localization").await;
    assert_eq!(
        pass(&store.pool).await.unwrap(),
        Passed {
            planned: 4,
            queued: 1,
            missed: 0
        }
    );
    assert_eq!(
        TermId(store.fetch::<i32>("select term_id from term_due").await),
        TermId(1)
    );
}
