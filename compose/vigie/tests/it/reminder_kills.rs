//! Workers are killed again and again while Vigie reminds advertisers: none gets a reminder twice, and none is forgotten.

use std::path::Path;
use std::time::{Duration, Instant};

use chrono::DateTime;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::ledger::Ledger;
use crate::mail_server::MailServer;
use crate::processes;
use crate::trial::{Trial, folder, vigie};

const CASES: i64 = 240;
/// At other moments of the run each: while it plans, while mails are claimed, announced, handed over and settled.
const PAUSES: [u64; 10] = [90, 700, 250, 1_100, 400, 1_500, 60, 900, 320, 600];
const WORKERS: &str = "vigie workers";
/// Time for workers to be back, and for the mails that are left.
const BACK_WITHIN: Duration = Duration::from_mins(1);
const DRAINED_WITHIN: Duration = Duration::from_secs(150);
/// Nothing of this test is open for so long.
const DEADLINE: Duration = Duration::from_hours(1);

/// Cases that were notified three weeks ago, each with an advertiser and a contact of its own, and an old mail, so that the sender has warmed up.
const WORLD: &str = "
    insert into user_account (id, email) values (901, 'ann@vigie.example');
    insert into brand (id, label, name, validated, reminder) values (901, 'Acme', 'acme', true, '{\"autoReminder\": true}');
    insert into dealer (id, domain) select 900000 + n, 'shop' || n || '.example' from generate_series(1, 240) n;
    insert into contact (id, email) select 900000 + n, 'ads@shop' || n || '.example' from generate_series(1, 240) n;
    insert into dealer_contact (dealer_id, contact_id) select 900000 + n, 900000 + n from generate_series(1, 240) n;
    insert into action (id, domain, country, engine, advertiser_id, brand_id, status, waiting, created_date, inprogress_date, clock_at, contacted_at,
        last_status_date, updated_date, last_view, languages, notified_manually)
    select 900000 + n, 'shop' || n || '.example', 'FR', 'google', 900000 + n, 901, 'inprogress', true, at - interval '2 days', at, at, at, at, at, now(),
        '{fr}', false
    from generate_series(1, 240) n, (select date_trunc('milliseconds', now() - interval '21 days') as at) began;
    insert into action_history (action_id, status, at, is_automatic) select id, 'inprogress', inprogress_date, true from action where brand_id = 901;
    insert into email (id, action_id, direction, kind, cycle, status, left_at, sended_date, created_date)
    select 900001, null, 'out', 'answer', 0, 'sent', now() - interval '60 days', now() - interval '60 days', now() - interval '60 days';
    insert into mail_delivery (email_id, address, business_key, reply_token, bounce_token, state, body_at, not_before, created_at, settled_at)
    select 900001, 'old@shop.example', 'old', repeat('a', 26), repeat('a', 26), 'sent', at, at, at, at from (select now() - interval '60 days' as at) old";
/// The job is due again, as if it had never run.
const DUE: &str = "delete from job_run where job = 'remind'";
/// Mails of people leave at any hour; what this test is about does not depend on who wrote them.
const AT_ONCE: &str =
    "with mine as (update email set author_id = 901 where kind = 'reminder' and author_id is null returning id)
    update mail_delivery set not_before = now() where state in ('queued', 'held') and not_before > now() and email_id in
        (select id from email where kind = 'reminder')";
/// The leases of the dead run out, and those of the living too.
const END_LEASES: &str = "update mail_delivery set leased_until = now() where state = 'sending'";
const ALL_SETTLED: &str = "select count(*) = 240 and bool_and(d.state in ('sent', 'unknown')) from mail_delivery d join email e on e.id = d.email_id
    where e.kind = 'reminder'";

fn kill_workers(data: &Path) {
    let killed = processes::running(data, WORKERS);
    kill(Pid::from_raw(killed), Signal::SIGKILL).unwrap();
    let deadline = Instant::now() + BACK_WITHIN;
    while processes::find(data, WORKERS).is_none_or(|found| found == killed) {
        assert!(Instant::now() < deadline, "the workers do not come back");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_that_are_killed_during_a_run_of_reminders_send_none_twice() {
    let server = MailServer::default();
    let port = server.start().await.to_string();
    let data = folder();
    let mut up = Trial::start(
        vigie(data.path(), "up")
            .env("VIGIE__SMTP__HOST", "127.0.0.1")
            .env("VIGIE__SMTP__PORT", port)
            .env("VIGIE__SMTP__SECURITY", "none")
            .env("VIGIE__ACTIONS__MAIL_DAILY_MAX", "100000"),
    );
    up.wait_for("Vigie is ready");
    let ledger = Ledger::open(data.path());
    let execute = async |statement: &'static str| {
        sqlx::raw_sql(statement).execute(&ledger.postgres).await.unwrap();
    };
    execute(WORLD).await;
    execute(DUE).await;
    let begun = "select exists (select from email where kind = 'reminder')";
    assert!(ledger.until(begun, BACK_WITHIN).await, "the run begins");
    let kills = testkit::repeats(4, PAUSES.len());
    for pause in PAUSES.into_iter().take(kills) {
        tokio::time::sleep(Duration::from_millis(pause)).await;
        kill_workers(data.path());
        execute(END_LEASES).await;
        execute(DUE).await;
        execute(AT_ONCE).await;
    }
    let drained = Instant::now();
    while !sqlx::query_scalar::<_, bool>(ALL_SETTLED)
        .fetch_one(&ledger.postgres)
        .await
        .unwrap()
    {
        if drained.elapsed() > DRAINED_WITHIN {
            let left: String = sqlx::query_scalar(
                "select string_agg(concat_ws(' ', state, reason, n), ', ') from
                    (select d.state, d.reason, count(*) as n from mail_delivery d group by d.state, d.reason) left_over",
            )
            .fetch_one(&ledger.postgres)
            .await
            .unwrap();
            panic!("not settled: {left}");
        }
        execute(AT_ONCE).await;
        execute(DUE).await;
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let settled: Vec<(String, String)> = sqlx::query_as(
        "select d.address, d.state from mail_delivery d join email e on e.id = d.email_id where e.kind = 'reminder'",
    )
    .fetch_all(&ledger.postgres)
    .await
    .unwrap();
    let taken = server.0.taken();
    let twice: Vec<_> = taken.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "twice: {twice:?}");
    for (address, state) in &settled {
        let times = taken.get(address).copied().unwrap_or_default();
        assert!(
            times == 1 || state == "unknown",
            "{address} is {state}, and was taken {times} times"
        );
    }
    let unknown = settled.iter().filter(|(_, state)| state == "unknown").count();
    println!("{CASES} reminders, {unknown} of them unknown after {kills} kills");
    let violations = postgres::invariants::violations(&ledger.postgres, DateTime::UNIX_EPOCH, DEADLINE).await;
    assert_eq!(violations.unwrap(), []);
}
