//! What a stack is asked to do while faults strike, and what must have come of it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use analytics::resources::ids_of_batch;
use reqwest::{Client, StatusCode};
use serde_json::json;

use super::stack::{INBOUND_SECRET, Stack};

/// Terms, cases, mails or accounts of one round.
const AT_ONCE: i32 = 3;
/// Time for the API to answer one request while it is harmed.
const ONE_ANSWER: Duration = Duration::from_secs(20);

/// A kind of work that goes through the stores from end to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "title_case")]
pub enum Work {
    /// New terms are planned, captured, read and stored, and their cases detected.
    Captures,
    /// Cases are due, advertisers are reminded, and the mails leave.
    Reminders,
    /// Advertisers answer, and the answers come to their cases.
    Answers,
    /// Accounts are created, and their owners get mails.
    Accounts,
    /// Stored ads are corrected by hand.
    Corrections,
    /// A webhook receives test messages, besides those about cases.
    Messages,
    /// Every scheduled job is due.
    Jobs,
}

/// Work that has begun, with the numbers of its terms, cases, answers, accounts or titles.
#[derive(Clone, Debug)]
pub struct Round {
    pub work: Work,
    first: i32,
    /// The ads that are corrected.
    ads: Vec<i64>,
}

/// A brand that reminds by itself, and a mail of long ago, so that the sender has warmed up.
const BRAND: &str = "
    insert into user_account (id, email) values (901, 'ann@vigie.example');
    insert into brand (id, label, name, validated, reminder, create_notification, create_shopping_notification)
    values (901, 'Alba', 'alba', true, '{\"autoReminder\": true}', true, true);
    insert into email (id, action_id, direction, kind, cycle, status, left_at, sended_date, created_date)
    select 900001, null, 'out', 'answer', 0, 'sent', now() - interval '60 days', now() - interval '60 days', now() - interval '60 days';
    insert into mail_delivery (email_id, address, business_key, reply_token, bounce_token, state, body_at, not_before, created_at, settled_at)
    select 900001, 'old@shop.example', 'old', repeat('a', 26), repeat('a', 26), 'sent', at, at, at, at from (select now() - interval '60 days' as at) old";

/// A brand of its own, so that its advertisers get new cases.
const WATCHED_BRAND: &str =
    "insert into brand (id, label, name, validated, create_notification, create_shopping_notification)
    select 900000 + $1, 'Alba ' || $1, 'alba' || $1, true, true, true where $1 < $2";
const TERMS: &str =
    "insert into term (id, term, engine, localization_id, devices, every, state, keyword_type, options, brand_id)
    select 900000 + n, 'acheter alba running shoes ' || n, 'GOOGLE', (select id from localization where locale = 'fr_FR' and city = 'Paris'),
        '{DESKTOP}', 86400000, 'enabled', 'GENERIC', '{\"saveShoppingAds\": true}', 900000 + $1
    from generate_series($1, $2) n";

/// Cases that were notified three weeks ago, each with an advertiser and a contact of its own.
const CASES: [&str; 5] = [
    "insert into dealer (id, domain) select 900000 + n, 'shop' || n || '.example' from generate_series($1, $2) n",
    "insert into contact (id, email) select 900000 + n, 'ads@shop' || n || '.example' from generate_series($1, $2) n",
    "insert into dealer_contact (dealer_id, contact_id) select 900000 + n, 900000 + n from generate_series($1, $2) n",
    "insert into action (id, domain, country, engine, advertiser_id, brand_id, status, waiting, created_date, inprogress_date, clock_at, contacted_at,
        last_status_date, updated_date, last_view, languages, notified_manually)
    select 900000 + n, 'shop' || n || '.example', 'FR', 'google', 900000 + n, 901, 'inprogress', true, at - interval '2 days', at, at, at, at, at, now(),
        '{fr}', false
    from generate_series($1, $2) n, (select date_trunc('milliseconds', now() - interval '21 days') as at) began",
    "insert into action_history (action_id, status, at, is_automatic)
    select id, 'inprogress', inprogress_date, true from action where id between 900000 + $1 and 900000 + $2",
];
/// A mail that was sent in each of these cases, which its advertiser answers.
const SENT: [&str; 3] = [
    "insert into email (id, action_id, direction, kind, cycle, status, left_at, sended_date, created_date, message_id)
    select 900000 + n, 900000 + n, 'out', 'reminder', 0, 'sent', at, at, at, 'sent-' || n || '@vigie.example'
    from generate_series($1, $2) n, (select now() - interval '1 day' as at) yesterday",
    "insert into mail_delivery (email_id, contact_id, address, business_key, reply_token, bounce_token, state, body_at, not_before, created_at, settled_at)
    select 900000 + n, 900000 + n, 'ads@shop' || n || '.example', 'sent:' || n, 'r' || lpad(translate(n::text, '0123456789', 'bcdfghjkmn'), 25, 'a'),
        'b' || lpad(translate(n::text, '0123456789', 'bcdfghjkmn'), 25, 'a'), 'sent', at, at, at, at
    from generate_series($1, $2) n, (select now() - interval '1 day' as at) yesterday",
    "update action set sended_count = 1 where id between 900000 + $1 and 900000 + $2",
];

/// What is not done yet, in words; null when all is.
const MISSING_CAPTURES: &str = "select nullif(concat_ws('; ',
    (select 'not captured: ' || string_agg(term, ', ') from term where id between 900000 + $1 and 900000 + $2
        and not exists (select from slot where term_id = term.id and state = 'verified')),
    (select 'not ended: ' || string_agg(concat_ws(' ', id, state, attempt, leased_by, lease_until - now(), last_failure), ', ')
        from slot where settled_at is null),
    (select 'batches not settled: ' || string_agg(id::text, ', ') from manifest where state = 'storing')), '')";
const MISSING_REMINDERS: &str =
    "select 'not reminded: ' || string_agg(concat_ws(' ', action.domain, d.state, d.reason), ', ') from action
    left join email e on e.action_id = action.id and e.kind = 'reminder' and e.direction = 'out' left join mail_delivery d on d.email_id = e.id
    where action.id between 900000 + $1 and 900000 + $2 and d.state is distinct from 'sent' and d.state is distinct from 'unknown'";
const MISSING_ANSWERS: &str =
    "select 'not in its case: ' || string_agg(action.domain, ', ') from action where id between 900000 + $1 and 900000 + $2
        and not exists (select from email where action_id = action.id and direction = 'in')";
const MISSING_ACCOUNTS: &str =
    "select 'not written to: ' || string_agg(concat_ws(' ', 'holder', n, o.state, o.reason), ', ') from generate_series($1, $2) n
    left join user_account a on a.email = 'holder' || n || '@vigie.example' left join mail_outbox o on o.user_id = a.id
    where o.state is distinct from 'sent'";
const MISSING_CORRECTIONS: &str =
    "select 'not corrected: ' || string_agg(concat_ws(' ', manifest_id, row_number), ', ') from ad_correction
    where applied_at is null and $1 < $2";
const MISSING_MESSAGES: &str =
    "select 'not told: ' || string_agg(concat_ws(' ', id, due_at - now(), leased_until - now(), answer, reason), ', ') from webhook_delivery
    where settled_at is null and $1 < $2";
const MISSING_JOBS: &str =
    "select 'not run: ' || string_agg(concat_ws(' ', job, (select outcome || ' ' || detail from job_run r where r.job = j.job order by id desc limit 1)), ', ')
    from unnest(array['seal-days', 'refresh-totals', 'check-roll-ups', 'reconcile', 'disappear', 'prioritize', 'retention', 'refresh-search-stats',
        'notify', 'remind', 'check-accepted', 'refresh-figures', 'compare-lists', 'link-advertisers']) j (job)
    where not exists (select from job_run r where r.job = j.job and outcome = 'done') and $1 < $2";

/// What was done more than once.
const TWICE_ANSWERED: &str =
    "select 'in its case twice: ' || string_agg(domain, ', ') from action where id between 900000 + $1 and 900000 + $2
        and (select count(*) from email where action_id = action.id and direction = 'in') > 1";

/// Ends the leases of dead processes, makes retries due and lets failed jobs run again, so that no round waits for them.
const SKIP_WAITS: [&str; 11] = [
    "update slot set lease_until = now() - interval '1 second' where leased_by = any($1)",
    "update manifest set lease_until = now() - interval '1 second' where leased_by = any($1)",
    "update slot set run_at = now() - interval '1 second' where lease_until is null and settled_at is null and run_at > now() and $1 is not null",
    "update apalis.jobs set run_at = now() - interval '1 second' where status = 'Pending' and run_at > now() and $1 is not null",
    // Claimed 5 s ago: longer than a dialogue or the reading of a mail takes here.
    "update mail_delivery set leased_until = now() where state = 'sending' and leased_until < now() + interval '40 minutes' - interval '5 seconds'
        and $1 is not null",
    "update mail_outbox set leased_until = now() where leased_until < now() + interval '4 minutes' - interval '5 seconds' and $1 is not null",
    "update inbound_mail set leased_until = now() where leased_until < now() + interval '5 minutes' - interval '5 seconds' and $1 is not null",
    "update webhook_delivery set leased_until = now() where leased_until < now() + interval '55 seconds' and $1 is not null",
    "update webhook_delivery set due_at = now() where due_at > now() and $1 is not null",
    "update mail_outbox set not_before = now() where state = 'queued' and not_before > now() and $1 is not null",
    "update job_run set started_at = started_at - interval '11 minutes' where outcome is distinct from 'done'
        and started_at < now() - interval '5 seconds' and $1 is not null",
];
/// Mails of people leave at any hour; what this is about does not depend on who wrote them.
const LEAVE_AT_ONCE: &str =
    "with mine as (update email set author_id = 901 where kind = 'reminder' and author_id is null and status <> 'sent' returning id)
    update mail_delivery set not_before = now() where state in ('queued', 'held') and not_before > now() and email_id in
        (select id from email where kind = 'reminder')";
const DUE: &str = "delete from job_run where job = 'remind'";
const ALL_DUE: &str = "delete from job_run";

impl Work {
    pub const ALL: [Self; 7] = [
        Self::Captures,
        Self::Reminders,
        Self::Answers,
        Self::Accounts,
        Self::Corrections,
        Self::Messages,
        Self::Jobs,
    ];
}

/// What all rounds need, and their numbers.
pub struct World {
    stack: Stack,
    client: Client,
    next: AtomicI32,
}

impl World {
    pub async fn new(stack: Stack) -> Self {
        sqlx::raw_sql(BRAND).execute(&stack.ledger.postgres).await.unwrap();
        Self {
            stack,
            client: Client::builder()
                .no_proxy()
                // The balancer may lead each request elsewhere.
                .pool_max_idle_per_host(0)
                .timeout(ONE_ANSWER)
                .build().unwrap(),
            next: AtomicI32::new(1),
        }
    }

    pub fn stack(&self) -> &Stack {
        &self.stack
    }

    /// Keeps the logs of the stack, and says where they are.
    pub fn keep_logs(&mut self) -> PathBuf {
        self.stack.keep_logs()
    }

    /// Begins a round.
    pub async fn begin(&self, work: Work) -> Round {
        let first = self.next.fetch_add(AT_ONCE, Ordering::Relaxed);
        let ads = if work == Work::Corrections {
            self.some_ads().await
        } else {
            Vec::new()
        };
        let round = Round { work, first, ads };
        match work {
            Work::Captures => {
                self.write(WATCHED_BRAND, &round).await;
                self.write(TERMS, &round).await;
            }
            Work::Reminders => {
                for statement in CASES {
                    self.write(statement, &round).await;
                }
                self.run(DUE).await;
            }
            Work::Answers => {
                for statement in CASES.iter().chain(&SENT) {
                    self.write(statement, &round).await;
                }
            }
            Work::Jobs => self.run(ALL_DUE).await,
            Work::Accounts | Work::Corrections | Work::Messages => {}
        }
        round
    }

    /// Sends the requests of this work, as people and mail servers do: each again until it succeeds.
    pub async fn request(&self, round: &Round) {
        let all = round.first..round.first + AT_ONCE;
        match round.work {
            Work::Answers => {
                for number in all {
                    self.until_answered(|| self.answer(number)).await;
                }
            }
            Work::Accounts => {
                for number in all {
                    let email = format!("holder{number}@vigie.example");
                    self.until_answered(|| self.stack.administrator.make_account(&email))
                        .await;
                }
            }
            Work::Corrections => {
                for (number, ad) in all.zip(&round.ads) {
                    let title = json!({ "title": title(number) });
                    let path = format!("/Sems/{ad}");
                    self.until_answered(|| self.stack.administrator.patch(&path, &title))
                        .await;
                }
            }
            Work::Messages => {
                for _ in all {
                    let test = json!({});
                    self.until_answered(|| self.stack.administrator.post("/webhooks/1/test", &test))
                        .await;
                }
            }
            Work::Captures | Work::Reminders | Work::Jobs => {}
        }
    }

    /// Numbers of stored ads.
    async fn some_ads(&self) -> Vec<i64> {
        let query =
            "select id, n_rows from manifest where state = 'verified' and n_rows >= $1 order by random() limit 1";
        let (batch, rows): (i64, i32) = sqlx::query_as(query)
            .bind(AT_ONCE)
            .fetch_one(&self.stack.ledger.postgres)
            .await
            .unwrap();
        let ids = ids_of_batch(batch.cast_unsigned(), rows.cast_unsigned());
        ids.into_iter().take(usize::try_from(AT_ONCE).unwrap()).collect()
    }

    /// What is not done yet, in words.
    pub async fn missing(&self, round: &Round) -> Option<String> {
        let query = match round.work {
            Work::Captures => MISSING_CAPTURES,
            Work::Reminders => MISSING_REMINDERS,
            Work::Answers => MISSING_ANSWERS,
            Work::Accounts => MISSING_ACCOUNTS,
            Work::Corrections => MISSING_CORRECTIONS,
            Work::Messages => MISSING_MESSAGES,
            Work::Jobs => MISSING_JOBS,
        };
        self.said(query, round).await
    }

    /// Skips waits: the leases of dead processes end, and whatever waits for a later time is due now.
    pub async fn skip_waits(&self, round: &Round, dead: &[String]) {
        for statement in SKIP_WAITS {
            sqlx::query(statement)
                .bind(dead)
                .execute(&self.stack.ledger.postgres)
                .await
                .unwrap();
        }
        if round.work == Work::Reminders {
            self.run(LEAVE_AT_ONCE).await;
        }
    }

    /// What is wrong after a round that has ended: done twice, or said to be done and not done.
    pub async fn wrong(&self, round: &Round) -> Vec<String> {
        let mut wrong = Vec::new();
        match round.work {
            Work::Answers => wrong.extend(self.said(TWICE_ANSWERED, round).await),
            Work::Reminders => wrong.extend(self.wrong_mails(round).await),
            Work::Accounts => {
                let taken = self.stack.mails.0.taken();
                let all = (round.first..round.first + AT_ONCE).map(|number| format!("holder{number}@vigie.example"));
                wrong.extend(
                    all.filter(|holder| !taken.contains_key(holder))
                        .map(|holder| format!("nobody wrote to {holder}")),
                );
            }
            Work::Corrections => {
                for (number, ad) in (round.first..).zip(&round.ads) {
                    let answer = self.stack.administrator.get(&format!("/Sems/{ad}")).await;
                    if !answer.as_ref().is_ok_and(|(_, sem)| sem["title"] == title(number)) {
                        wrong.push(format!("ad {ad} does not say '{}': {answer:?}", title(number)));
                    }
                }
            }
            Work::Messages => wrong.extend(self.wrong_messages().await),
            // The invariants say whether a capture was stored twice.
            Work::Captures | Work::Jobs => {}
        }
        wrong
    }

    /// Messages that count as taken and were not, or that were given up. A test is sent once, however it goes.
    async fn wrong_messages(&self) -> Vec<String> {
        let query = "select 'msg_' || replace(message::text, '-', ''), coalesce(answer, 0) from webhook_delivery
            where settled_at is not null and (event <> 'webhook.test' or answer = 204)";
        let settled: Vec<(String, i32)> = sqlx::query_as(query)
            .fetch_all(&self.stack.ledger.postgres)
            .await
            .unwrap();
        let taken = self.stack.messages.taken();
        let wrong = settled.into_iter().filter_map(|(message, answer)| {
            let is_right = taken.contains_key(&message) && answer == i32::from(StatusCode::NO_CONTENT.as_u16());
            (!is_right).then(|| {
                format!(
                    "{message} was answered {answer}, and taken {:?} times",
                    taken.get(&message)
                )
            })
        });
        wrong.collect()
    }

    /// Reminders that were taken twice, or not at all although they count as sent.
    async fn wrong_mails(&self, round: &Round) -> Vec<String> {
        let query = "select d.address, d.state from mail_delivery d join email e on e.id = d.email_id
            where e.kind = 'reminder' and e.action_id between 900000 + $1 and 900000 + $2";
        let settled: Vec<(String, String)> = sqlx::query_as(query)
            .bind(round.first)
            .bind(round.last())
            .fetch_all(&self.stack.ledger.postgres)
            .await
            .unwrap();
        let taken = self.stack.mails.0.taken();
        let wrong = settled.into_iter().filter_map(|(address, state)| {
            let times = taken.get(&address).copied().unwrap_or_default();
            let is_right = times == 1 || (times == 0 && state == "unknown");
            (!is_right).then(|| format!("{address} is {state}, and was taken {times} times"))
        });
        wrong.collect()
    }

    async fn until_answered<Answer>(&self, ask: impl Fn() -> Answer)
    where
        Answer: Future<Output = Result<StatusCode, reqwest::Error>>,
    {
        // 422: an earlier request was carried out and its answer was lost, so the account exists.
        let is_done = |status: StatusCode| status.is_success() || status == StatusCode::UNPROCESSABLE_ENTITY;
        while !ask().await.is_ok_and(is_done) {
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    /// Posts the answer of an advertiser, as a mail server does.
    async fn answer(&self, number: i32) -> Result<StatusCode, reqwest::Error> {
        let letters: String = number
            .to_string()
            .chars()
            .map(|digit| "bcdfghjkmn".chars().nth(digit.to_digit(10).unwrap() as usize).unwrap())
            .collect();
        let to = format!("reply+r{letters:a>25}@mail.example");
        let mail = format!(
            "From: Ads <ads@shop{number}.example>\r\nTo: {to}\r\nSubject: Re: Your ads\r\nMessage-ID: <answer-{number}@shop.example>\r\n\r\n\
             We have stopped them.\r\n"
        );
        let request = self.client.post(format!("{}api/Emails/inbound", self.stack.site));
        let request = request.bearer_auth(INBOUND_SECRET).header("x-envelope-to", to);
        Ok(request
            .header("content-type", "message/rfc822")
            .body(mail)
            .send()
            .await?
            .status())
    }

    async fn write(&self, statement: &'static str, round: &Round) {
        sqlx::query(statement)
            .bind(round.first)
            .bind(round.last())
            .execute(&self.stack.ledger.postgres)
            .await
            .unwrap();
    }

    async fn run(&self, statement: &'static str) {
        sqlx::raw_sql(statement)
            .execute(&self.stack.ledger.postgres)
            .await
            .unwrap();
    }

    async fn said(&self, query: &'static str, round: &Round) -> Option<String> {
        sqlx::query_scalar(query)
            .bind(round.first)
            .bind(round.last())
            .fetch_one(&self.stack.ledger.postgres)
            .await
            .unwrap()
    }
}

/// What an ad is called after its correction.
fn title(number: i32) -> String {
    format!("Corrected for the {number}th time")
}

impl Round {
    fn last(&self) -> i32 {
        self.first + AT_ONCE - 1
    }
}
