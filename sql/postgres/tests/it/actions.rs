//! Actions from sightings, and events of actions.

use chrono::{DateTime, TimeDelta, Utc};
use postgres::actions::detection::{Detected, Sighting, detect};
use postgres::actions::events::{self, Applied};
use postgres::actions::list::{self, ActionsQuery, Sort};
use postgres::actions::{Condition, DateField, figures, silence};
use testkit::Postgres;
use vocabulary::ActionEvent::{Accept, CancelIgnore, CancelRequest, Ignore, Refuse, Request, StopSeeing};
use vocabulary::{
    ActionEvent, ActionId, ActionStatus, BrandId, CategoryId, DealerId, Engine, Officials, Scope, SystemScope, TermId,
    UserId,
};

const SYSTEM: SystemScope = SystemScope::new("test");
const GRACE: TimeDelta = TimeDelta::days(7);
/// Everything stored of actions, except when it was written.
const STATE: &str = "select coalesce(string_agg((to_jsonb(a) - 'id')::text, '|' order by brand_id, domain, country, engine), '') from action a";
const HISTORY: &str = "select coalesce(string_agg(concat_ws(' ', status, to_char(at at time zone 'UTC', 'DD')), ', ' order by id), '') from action_history";

fn day(number: i64) -> DateTime<Utc> {
    "2026-01-01T12:00:00Z".parse::<DateTime<Utc>>().unwrap() + TimeDelta::days(number - 1)
}

fn seen(domain: &str, at: DateTime<Utc>) -> Sighting {
    Sighting {
        brand: BrandId(1),
        domain: domain.to_owned(),
        master: domain
            .rsplit_once("www2.")
            .map_or(domain, |(_, master)| master)
            .to_owned(),
        country: "FR".to_owned(),
        engine: Engine::Google,
        languages: vec!["fr".to_owned()],
        terms: vec![TermId(1)],
        first: at,
        text: Some(at),
        shopping: None,
        ads: Vec::new(),
    }
}

/// A validated brand that makes actions of text ads, with a term.
async fn watched() -> Postgres {
    let store = Postgres::new().await;
    store.brand("acme").await;
    store
        .execute("update brand set validated = true, create_notification = true, create_shopping_notification = false")
        .await;
    store
        .execute("insert into term (term, brand_id) values ('shoes', 1)")
        .await;
    store
}

async fn fold(store: &Postgres, sightings: Vec<Sighting>) -> Detected {
    let mut tx = postgres::begin(&store.pool).await.unwrap();
    let detected = detect(&mut tx, &SYSTEM, sightings, GRACE).await.unwrap();
    tx.commit().await.unwrap();
    detected
}

/// Waits until this many transactions of the test wait for locks.
async fn wait_for_waiting(store: &Postgres, count: i64) {
    let waiting =
        "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    while store.fetch::<i64>(waiting).await < count {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn captures_that_are_detected_at_once_do_not_wait_for_each_other_in_a_circle() {
    let store = watched().await;
    let detecting = |domains: &[&str]| {
        let (pool, sightings) = (
            store.pool.clone(),
            domains.iter().map(|domain| seen(domain, day(1))).collect(),
        );
        tokio::spawn(async move {
            let mut tx = postgres::begin(&pool).await?;
            let detected = detect(&mut tx, &SYSTEM, sightings, GRACE).await?;
            tx.commit().await.map_err(postgres::Error::from)?;
            Ok::<_, postgres::Error>(detected)
        })
    };
    let mut first = postgres::begin(&store.pool).await.unwrap();
    sqlx::raw_sql(
        "insert into action (brand_id, domain, country, engine, status) values (1, 'b.example', 'FR', 'google', 'new')",
    )
    .execute(&mut *first)
    .await
    .unwrap();
    // The second waits for the first, opens another case, and is held before it turns to the one that the first has opened.
    let mut gate = postgres::begin(&store.pool).await.unwrap();
    sqlx::raw_sql("lock table action_history in share row exclusive mode")
        .execute(&mut *gate)
        .await
        .unwrap();
    let second = detecting(&["b.example", "d.example"]);
    wait_for_waiting(&store, 1).await;
    first.commit().await.unwrap();
    while store
        .fetch::<i64>("select count(*) from pg_locks where relation = 'action_history'::regclass and not granted")
        .await
        < 1
    {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let third = detecting(&["b.example", "d.example"]);
    wait_for_waiting(&store, 2).await;
    gate.commit().await.unwrap();
    let (second, third) = (second.await.unwrap().unwrap(), third.await.unwrap().unwrap());
    assert_eq!(
        (second.opened, second.refreshed, third.opened, third.refreshed),
        (1, 1, 0, 2)
    );
}

async fn happen(store: &Postgres, scope: &Scope, event: ActionEvent, ids: &[i32], at: DateTime<Utc>) -> Applied {
    let ids: Vec<ActionId> = ids.iter().copied().map(ActionId).collect();
    let mut tx = postgres::begin(&store.pool).await.unwrap();
    let applied = events::apply(&mut tx, scope, event, &ids, at).await.unwrap();
    if applied == Applied::All {
        tx.commit().await.unwrap();
    }
    applied
}

async fn status(store: &Postgres) -> String {
    store
        .fetch("select string_agg(status, ' ' order by id) from action")
        .await
}

#[tokio::test]
async fn an_action_is_opened_for_each_brand_domain_country_and_engine() {
    let store = watched().await;
    let one = seen("www2.shop.example", day(1));
    let abroad = Sighting {
        country: "BE".to_owned(),
        ..one.clone()
    };
    let elsewhere = Sighting {
        engine: Engine::Bing,
        ..one.clone()
    };
    let detected = fold(&store, vec![one.clone(), abroad, elsewhere]).await;
    assert_eq!((detected.opened, detected.refreshed), (3, 0));
    let found: String = store
        .fetch(
            "select concat_ws(' ', a.status, priority, a.metas ->> 'originalStatus', created_date = last_view, d.domain, languages[1],
                 presence ->> 'daysSeen30', (select string_agg(term_id::text, ',') from action_term where action_id = a.id))
             from action a join dealer d on d.id = advertiser_id where engine = 'bing'",
        )
        .await;
    assert_eq!(found, "new 50 new t shop.example fr 1 1");
    assert_eq!(store.fetch::<String>(HISTORY).await, "new 01, new 01, new 01");
}

#[tokio::test]
async fn only_what_a_validated_brand_asks_for_becomes_an_action() {
    let store = watched().await;
    let shopping = Sighting {
        text: None,
        shopping: Some(day(1)),
        ..seen("shop.example", day(1))
    };
    assert_eq!(fold(&store, vec![shopping.clone()]).await, Detected::default());
    store
        .execute("update brand set create_shopping_notification = true")
        .await;
    assert_eq!(fold(&store, vec![shopping]).await.opened, 1);

    store
        .execute(
            "insert into category (name, label, brand_owner_id) values ('official', 'Official', 1);
             insert into dealer (domain) values ('acme.example');
             insert into category_dealer (category_id, dealer_id) select c.id, d.id from category c, dealer d where d.domain = 'acme.example'",
        )
        .await;
    assert_eq!(
        fold(&store, vec![seen("acme.example", day(1))]).await,
        Detected::default()
    );

    store.execute("update brand set validated = false").await;
    assert_eq!(
        fold(&store, vec![seen("other.example", day(1))]).await,
        Detected::default()
    );
}

#[tokio::test]
async fn folding_again_changes_nothing_and_the_order_does_not_matter_to_what_was_seen() {
    let days = [3, 1, 20, 2];
    let mut states = Vec::new();
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
        let store = watched().await;
        for index in order {
            let sighting = seen("shop.example", day(days[index]));
            fold(&store, vec![sighting.clone()]).await;
            let once: String = store.fetch(STATE).await;
            let again = fold(&store, vec![sighting]).await;
            assert_eq!((again.opened, again.refreshed, again.reappeared), (0, 1, 0));
            assert_eq!(store.fetch::<String>(STATE).await, once);
        }
        let seen = "select concat_ws(' ', created_date, last_view, seen_until, text_days, presence, last_capture_at) from action";
        states.push(store.fetch::<String>(seen).await);
    }
    assert_eq!(states[0], states[1]);
    assert_eq!(states[0], states[2]);
    assert!(states[0].contains("\"daysSeen30\": 4"), "{}", states[0]);
}

#[tokio::test]
async fn two_workers_that_see_the_same_open_one_action() {
    let store = watched().await;
    let all = || {
        (0..20)
            .map(|n| seen(&format!("shop{n}.example"), day(1)))
            .collect::<Vec<_>>()
    };
    let (one, two) = tokio::join!(fold(&store, all()), fold(&store, all()));
    assert_eq!(one.opened + two.opened, 20);
    assert_eq!(one.refreshed + two.refreshed, 20);
    assert_eq!(store.fetch::<i64>("select count(*) from action_history").await, 20);
}

#[tokio::test]
async fn an_accepted_advertiser_begins_again_once_it_had_time_to_stop() {
    let store = watched().await;
    fold(&store, vec![seen("shop.example", day(1))]).await;
    assert_eq!(happen(&store, &SYSTEM, Accept, &[1], day(2)).await, Applied::All);
    assert_eq!(fold(&store, vec![seen("shop.example", day(8))]).await.reappeared, 0);
    assert_eq!(status(&store).await, "accepted");
    assert_eq!(fold(&store, vec![seen("shop.example", day(9))]).await.reappeared, 1);
    let found: String = store
        .fetch("select concat_ws(' ', status, metas ->> 'originalStatus', accepted_date is null, to_char(reappearance_date, 'DD'), cycle) from action")
        .await;
    assert_eq!(found, "reappearance reappearance t 09 1");
    assert_eq!(
        store.fetch::<String>(HISTORY).await,
        "new 01, accepted 02, reappearance 09"
    );
}

#[tokio::test]
async fn what_has_gone_begins_again_and_what_is_ignored_or_refused_stays() {
    let store = watched().await;
    let domains = ["a.example", "b.example", "c.example"];
    fold(&store, domains.map(|domain| seen(domain, day(1))).to_vec()).await;
    happen(&store, &SYSTEM, StopSeeing, &[1], day(40)).await;
    happen(&store, &SYSTEM, Ignore, &[2], day(40)).await;
    happen(&store, &SYSTEM, Refuse, &[3], day(40)).await;
    // No sighting that was folded in before, or is older, begins it again.
    fold(&store, domains.map(|domain| seen(domain, day(1))).to_vec()).await;
    assert_eq!(status(&store).await, "disappeared ignored refused");
    fold(&store, domains.map(|domain| seen(domain, day(41))).to_vec()).await;
    assert_eq!(status(&store).await, "reappearance ignored refused");
}

#[tokio::test]
async fn a_brand_that_asks_for_all_has_its_actions_requested_at_once() {
    let store = watched().await;
    store.execute("update brand set notification_auto = true").await;
    assert_eq!(fold(&store, vec![seen("shop.example", day(1))]).await.requested, 1);
    happen(&store, &SYSTEM, Accept, &[1], day(2)).await;
    let again = fold(&store, vec![seen("shop.example", day(20))]).await;
    assert_eq!((again.reappeared, again.requested), (1, 1));
    assert_eq!(
        store.fetch::<String>(HISTORY).await,
        "new 01, requested 01, accepted 02, reappearance 20, requested 20"
    );
    assert_eq!(status(&store).await, "requested");
}

#[tokio::test]
async fn a_group_changes_as_a_whole_or_not_at_all() {
    let store = watched().await;
    store
        .execute("insert into user_account (email) values ('ann@acme.example')")
        .await;
    fold(
        &store,
        ["a", "b", "c"]
            .map(|name| seen(&format!("{name}.example"), day(1)))
            .to_vec(),
    )
    .await;
    let reader = Scope::within(UserId(1), vec![BrandId(1)], vec![]);
    assert_eq!(happen(&store, &reader, Request, &[1, 2], day(2)).await, Applied::All);
    let before: String = store.fetch(STATE).await;
    assert_eq!(
        happen(&store, &reader, Ignore, &[1, 2, 3], day(3)).await,
        Applied::Unfit(vec![ActionId(1), ActionId(2)])
    );
    assert_eq!(
        happen(&store, &reader, Request, &[3, 2], day(3)).await,
        Applied::Unfit(vec![ActionId(2)])
    );
    let stranger = Scope::within(UserId(1), vec![BrandId(2)], vec![]);
    assert_eq!(
        happen(&store, &stranger, Request, &[3], day(3)).await,
        Applied::Unknown(vec![ActionId(3)])
    );
    assert_eq!(store.fetch::<String>(STATE).await, before);

    assert_eq!(
        happen(&store, &reader, CancelRequest, &[1, 2], day(4)).await,
        Applied::All
    );
    assert_eq!(happen(&store, &reader, Ignore, &[1, 2, 3], day(5)).await, Applied::All);
    assert_eq!(happen(&store, &reader, CancelIgnore, &[3], day(6)).await, Applied::All);
    assert_eq!(status(&store).await, "ignored ignored new");
    let dates: String = store
        .fetch("select concat_ws(' ', requested_date is null, ignored_date is null, to_char(last_status_date, 'DD')) from action where id = 3")
        .await;
    assert_eq!(dates, "t t 06");
    let actor: i64 = store
        .fetch("select count(*) from action_history where actor_id = 1")
        .await;
    assert_eq!(actor, 2 + 2 + 3 + 1);
}

/// Captures of the brand in France on Google, one on each of these days.
async fn captured(store: &Postgres, days: &str) {
    let insert = format!(
        "insert into capture (id, attempt, brand_id, term, keyword_type, engine, device, locale, slot_ts, taken_at, final_url, verdict,
             page_sha256, view_sha256, reader_version, text_ads, shopping_ads, saves_text_ads, saves_shopping_ads, n_rows)
         select gen_random_uuid(), 1, 1, 'shoes', 'GENERIC', 'google', 'desktop', 'fr_FR', at, at, 'http://serp.example', 'results',
             decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex'), '1', 0, 0, true, true, 0
         from (select timestamptz '2026-01-01T12:00:00Z' + (n - 1) * interval '1 day' as at from unnest(array[{days}]) as n) as days"
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(insert))
        .execute(&store.pool)
        .await
        .unwrap();
}

#[tokio::test]
async fn an_advertiser_has_gone_only_where_it_was_looked_for_every_week() {
    let store = watched().await;
    fold(&store, vec![seen("shop.example", day(1)), seen("kept.example", day(1))]).await;
    happen(&store, &SYSTEM, Ignore, &[2], day(2)).await;
    fold(&store, vec![seen("late.example", day(20))]).await;
    let gone = async |at| {
        let mut connection = store.pool.acquire().await.unwrap();
        silence::disappear(&mut connection, &SYSTEM, at, 30, 100).await.unwrap()
    };
    captured(&store, "9, 16, 30").await;
    assert_eq!(gone(day(35)).await, 0, "a week without a capture is an outage");
    captured(&store, "22").await;
    assert_eq!(gone(day(31)).await, 0, "30 days have not passed");
    assert_eq!(gone(day(35)).await, 1);
    assert_eq!(gone(day(35)).await, 0);
    let found: String = store
        .fetch("select string_agg(domain || ' ' || status, ', ' order by domain) from action")
        .await;
    assert_eq!(
        found,
        "kept.example disappeared, late.example new, shop.example ignored"
    );
}

#[tokio::test]
async fn figures_and_days_follow_the_counts_of_the_night() {
    let store = watched().await;
    fold(&store, vec![seen("a.example", day(1)), seen("b.example", day(1))]).await;
    let counted = figures::ActionFigures {
        domain: "a.example".to_owned(),
        country: "FR".to_owned(),
        engine: Engine::Google,
        views: 70,
        ads: 7,
    };
    let mut connection = store.pool.acquire().await.unwrap();
    let brand = figures::brands(&mut *connection, &SYSTEM).await.unwrap();
    assert_eq!(brand, [BrandId(1)]);
    let changed = figures::set(&mut connection, &SYSTEM, brand[0], std::slice::from_ref(&counted)).await;
    assert_eq!(changed.unwrap(), 2);
    let again = figures::set(&mut connection, &SYSTEM, brand[0], &[counted]).await;
    assert_eq!(again.unwrap(), 0);
    let found: String = store
        .fetch("select string_agg(concat_ws(' ', domain, priority, views, ads), ', ' order by domain) from action")
        .await;
    assert_eq!(found, "a.example 70 70 7, b.example 0 0 0");

    let today = day(40).date_naive();
    assert_eq!(
        figures::pass_days(&mut connection, &SYSTEM, today, 100).await.unwrap(),
        2
    );
    assert_eq!(
        figures::pass_days(&mut connection, &SYSTEM, today, 100).await.unwrap(),
        0
    );
    let presence = "select distinct concat_ws(' ', presence ->> 'ads', presence ->> 'daysSeen30') from action";
    assert_eq!(store.fetch::<String>(presence).await, "false 0");
}

#[tokio::test]
async fn pages_are_ordered_and_counted_by_status() {
    let store = watched().await;
    let sightings = (1..=5).map(|n| seen(&format!("shop{n}.example"), day(n)));
    fold(&store, sightings.collect()).await;
    happen(&store, &SYSTEM, Request, &[1, 2], day(9)).await;
    let query = |descending, offset| ActionsQuery {
        conditions: vec![Condition::Statuses(
            true,
            vec![ActionStatus::New, ActionStatus::Requested],
        )],
        sort: Sort::Date(DateField::RequestedDate),
        descending,
        limit: 3,
        offset,
    };
    for total in [None, Some(5)] {
        let mut found = Vec::new();
        for offset in [0, 3] {
            let page = list::page(&store.pool, &SYSTEM, &query(true, offset), total)
                .await
                .unwrap();
            found.extend(page.into_iter().map(|row| row.id.0));
        }
        assert_eq!(found, [2, 1, 5, 4, 3], "what has no date comes last");
        let mut found = Vec::new();
        for offset in [0, 3] {
            let page = list::page(&store.pool, &SYSTEM, &query(false, offset), total)
                .await
                .unwrap();
            found.extend(page.into_iter().map(|row| row.id.0));
        }
        assert_eq!(found, [2, 1, 5, 4, 3], "{total:?}");
        let beyond = list::page(&store.pool, &SYSTEM, &query(true, 5), total).await.unwrap();
        assert!(beyond.is_empty());
    }
    let first = list::page(&store.pool, &SYSTEM, &query(false, 0), None).await.unwrap();
    assert_eq!(first.iter().map(|row| row.id.0).collect::<Vec<_>>(), [2, 1, 5]);

    let of_new = [Condition::Statuses(true, vec![ActionStatus::New])];
    let counts = list::count(&store.pool, &SYSTEM, &of_new).await.unwrap();
    assert_eq!(counts[&ActionStatus::New], 3);
    assert_eq!(
        counts[&ActionStatus::Requested],
        2,
        "counters do not follow the filter on the status"
    );
    let stranger = Scope::within(UserId(1), vec![BrandId(2)], vec![]);
    assert!(list::count(&store.pool, &stranger, &[]).await.unwrap().is_empty());
    assert!(
        list::page(&store.pool, &stranger, &query(true, 0), None)
            .await
            .unwrap()
            .is_empty()
    );
    assert!(
        list::by_ids(&store.pool, &stranger, &[ActionId(1)])
            .await
            .unwrap()
            .is_empty()
    );
}

/// Hosts beside, below and above one another, on registrable domains, public suffixes and shared platforms.
fn hosts() -> Vec<String> {
    let bases = [
        "brand.com",
        "brand.co.uk",
        "co.uk",
        "brand.myshopify.com",
        "myshopify.com",
        "brand.com.rival.net",
    ];
    let below = ["", "www2.", "a.www2.", "not"];
    let hosts = bases
        .iter()
        .flat_map(|base| below.map(|label| format!("{label}{base}")));
    hosts.collect()
}

#[tokio::test]
async fn what_an_official_domain_covers_is_put_aside_and_opens_nothing_from_then_on() {
    let store = watched().await;
    store
        .execute(
            "insert into category (name, label, scope, brand_owner_id) values ('official', 'Official', 'tag', 1);
             insert into dealer (domain) values ('nobody.example');
             insert into category_dealer (category_id, dealer_id) select max(c.id), max(d.id) from category c, dealer d",
        )
        .await;
    let tag: i32 = store.fetch("select category_id from category_dealer").await;
    let call_own = async |domain: &str| -> i32 {
        let link = "with own as (
                insert into dealer (domain) values ($1) on conflict (domain) do update set domain = excluded.domain returning id
            ) update category_dealer set dealer_id = own.id from own returning dealer_id";
        sqlx::query_scalar(link)
            .bind(domain)
            .fetch_one(&store.pool)
            .await
            .unwrap()
    };
    let with = async |status: &str| -> String {
        let domains =
            "select coalesce(string_agg(domain, ' ' order by domain collate \"C\"), '') from action where status = $1";
        sqlx::query_scalar(domains)
            .bind(status)
            .fetch_one(&store.pool)
            .await
            .unwrap()
    };
    let hosts = hosts();
    for official in &hosts {
        let covered = Officials::from_iter([official.as_str()]);
        let others = |status: &str| {
            let mut expected: Vec<&str> = hosts.iter().map(String::as_str).collect();
            expected.retain(|host| covered.cover(host) == (status == "ignored"));
            expected.sort_unstable();
            expected.join(" ")
        };
        let seen_all = || hosts.iter().map(|host| seen(host, day(1))).collect();
        store.execute("delete from action").await;
        call_own("nobody.example").await;
        fold(&store, seen_all()).await;
        let dealer = call_own(official).await;
        let mut tx = postgres::begin(&store.pool).await.unwrap();
        let aside = events::put_official_aside(&mut tx, &SYSTEM, CategoryId(tag), &[DealerId(dealer)], day(2))
            .await
            .unwrap();
        tx.commit().await.unwrap();
        assert_eq!(with("ignored").await, others("ignored"), "{official}");
        assert_eq!(with("new").await, others("new"), "{official}");
        assert_eq!(aside.len(), hosts.iter().filter(|host| covered.cover(host)).count());

        store.execute("delete from action").await;
        fold(&store, seen_all()).await;
        assert_eq!(with("new").await, others("new"), "{official}");
    }
}

#[tokio::test]
async fn the_cases_of_a_deleted_brand_are_archived_with_what_was_done() {
    let store = Postgres::new().await;
    store.brand("acme").await;
    store
        .execute(
            "insert into action (brand_id, domain, status) values (1, 'shop.example', 'requested'), (1, 'other.example', 'new');
             insert into action (domain) values ('of.no.brand');
             insert into action_history (action_id, status, at) values (1, 'new', now()), (1, 'requested', now());
             insert into note (scope, action_id, message, created_date, updated_date) values ('action', 1, 'called them', now(), now());
             insert into email (action_id, subject) values (1, 'Hello');
             delete from brand where id = 1",
        )
        .await;
    let left = "select string_agg(domain, ' ') from action";
    assert_eq!(store.fetch::<String>(left).await, "of.no.brand");
    let kept = "select concat_ws(' ', brand, action ->> 'domain', action ->> 'status', jsonb_array_length(history),
        notes -> 0 ->> 'message', (select subject from email where id = any(email_ids))) from action_archive where id = 1";
    assert_eq!(
        store.fetch::<String>(kept).await,
        "acme shop.example requested 2 called them Hello"
    );
    assert_eq!(store.fetch::<i64>("select count(*) from action_archive").await, 2);
}

#[tokio::test]
async fn a_kind_of_ad_that_was_never_seen_has_no_time() {
    let store = watched().await;
    fold(&store, vec![seen("shop.example", day(5))]).await;
    store
        .execute("update action set last_text = null, last_shopping = null")
        .await;
    let last = |text, shopping| figures::LastSeen {
        domain: "shop.example".to_owned(),
        country: "FR".to_owned(),
        engine: "google".to_owned(),
        text,
        shopping,
    };
    let set = async |seen| {
        let mut tx = postgres::begin(&store.pool).await.unwrap();
        let changed = figures::set_kinds(&mut tx, &SYSTEM, BrandId(1), &[seen]).await.unwrap();
        tx.commit().await.unwrap();
        changed
    };
    assert_eq!(set(last(None, None)).await, 0);
    assert_eq!(set(last(None, Some(day(9)))).await, 1);
    let times = "select concat_ws(' ', last_text, last_shopping = last_view) from action";
    assert_eq!(store.fetch::<String>(times).await, "t", "no later than the last view");
}
