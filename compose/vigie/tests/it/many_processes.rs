//! Two APIs and three workers are one Vigie: whatever one of them learns, the others know.

use std::time::Duration;

use reqwest::{Method, StatusCode};
use runtime::Clock;
use serde_json::json;
use tokio::time::{sleep, timeout};

use crate::campaign::stack::Stack;
use crate::client::Administrator;
use crate::ledger::Ledger;

/// What is not known elsewhere by then is not known.
const PATIENCE: Duration = Duration::from_secs(30);
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);
/// Calls of one key in a minute, as the API promises.
const CALLS_A_MINUTE: usize = 120;
/// Failed sign-ins of one address with one e-mail.
const FAILED_SIGN_INS: usize = 5;
const JOBS: i64 = 14;

const CASE: &str = "insert into brand (id, label, name, validated) values (1, 'Alba', 'alba', true);
    insert into action (id, domain, country, engine, brand_id, status, languages) values (7, 'shop.example', 'FR', 'google', 1, 'requested', '{fr}')";
/// Words for which the simulated engine always shows ads.
const WATCHED: &str =
    "insert into term (term, engine, localization_id, devices, every, state, keyword_type, options, brand_id)
    select 'acheter alba running shoes 1', 'GOOGLE', (select id from localization where locale = 'fr_FR' and city = 'Paris'),
        '{DESKTOP}', 86400000, 'enabled', 'GENERIC', '{\"saveShoppingAds\": true}', 1";
const WATCHED_TOO: &str =
    "insert into term (term, engine, localization_id, devices, every, state, keyword_type, options, brand_id)
    select 'acheter alba running shoes 2', engine, localization_id, devices, every, state, keyword_type, options, brand_id from term";
const CAPTURED: &str = "select c.id::text from capture c join slot s on s.id = c.slot_id where s.state = 'verified' and c.term like '%' || $1";
const COLLEAGUE: &str = "ann@vigie.example";
const MAKE_ADMINISTRATOR: &str = "insert into role_mapping (principal_type, principal_id, role_id)
    select 'USER', u.id::text, r.id from user_account u, role r where u.email = $1 and r.name = 'admin'";

#[tokio::test(flavor = "multi_thread")]
async fn two_apis_and_three_workers_are_one_vigie() {
    are_one_vigie(&Stack::start().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_apis_and_three_workers_are_one_vigie_behind_a_pooler() {
    are_one_vigie(&Stack::start_behind_pooler().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn machines_that_share_nothing_are_one_vigie() {
    let stack = Stack::start_apart().await;
    are_one_vigie(&stack).await;

    let [first, second] = [0, 1].map(|number| stack.administrator.at(&stack.sites[number]));
    let ledger = &stack.ledger;
    sqlx::raw_sql(WATCHED).execute(&ledger.postgres).await.unwrap();
    pages_are_shown_by_both(&[&first, &second], ledger, "1").await;
    reports_are_given_by_the_other(&first, &second).await;
    let apart = stack.apart().unwrap();
    assert!(!apart.bucket.is_empty());
    for folder in &apart.folders {
        assert!(
            !folder.path().join("blobs").exists(),
            "no page stays where it was captured"
        );
    }

    losing_machines_stops_nothing(&stack, &second).await;
}

async fn are_one_vigie(stack: &Stack) {
    let [first, second] = [0, 1].map(|number| stack.administrator.at(&stack.sites[number]));
    sqlx::raw_sql(CASE).execute(&stack.ledger.postgres).await.unwrap();

    a_session_is_of_both_and_ends_at_both(&first, &second).await;
    failed_sign_ins_count_together(&first, &second).await;
    calls_of_a_key_count_together(&first, &second).await;
    of_two_at_once_one_makes_the_account(&first, &second).await;
    changes_are_told_by_the_other(&first, &second).await;
    colleagues_are_seen_from_the_other(&first, &second, &stack.ledger).await;
    each_job_ran_once(&stack.ledger).await;
}

async fn a_session_is_of_both_and_ends_at_both(first: &Administrator, second: &Administrator) {
    first.make_account(COLLEAGUE).await.unwrap();
    let session = first.session_of(COLLEAGUE).await;
    let me = "/UserAccounts/me";
    assert_eq!(second.with(&session).get(me).await.unwrap().0, StatusCode::OK);
    let left = first.with(&session).post("/UserAccounts/logout", &json!({})).await;
    assert_eq!(left.unwrap(), StatusCode::NO_CONTENT);
    assert_eq!(second.with(&session).get(me).await.unwrap().0, StatusCode::UNAUTHORIZED);
}

async fn failed_sign_ins_count_together(first: &Administrator, second: &Administrator) {
    let wrong = json!({ "email": "nobody@vigie.example", "password": "Wr0ng!Passw0rd" });
    let mut answers = Vec::new();
    for api in [first, second].into_iter().cycle().take(2 * FAILED_SIGN_INS) {
        answers.push(api.with("").post("/UserAccounts/login", &wrong).await.unwrap());
    }
    let refused = vec![StatusCode::UNAUTHORIZED; FAILED_SIGN_INS];
    assert_eq!(answers[..FAILED_SIGN_INS], refused);
    let waits = vec![StatusCode::TOO_MANY_REQUESTS; FAILED_SIGN_INS];
    assert_eq!(answers[FAILED_SIGN_INS..], waits);
}

async fn calls_of_a_key_count_together(first: &Administrator, second: &Administrator) {
    let new = json!({ "name": "nightly report", "scopes": ["read:lists"] });
    let (_, made) = first.call(Method::POST, "/keys", &new).await.unwrap();
    let key = made["key"].as_str().unwrap();
    let (first, second) = (first.with(key), second.with(key));
    let mut answered = 0;
    for _ in 0..CALLS_A_MINUTE {
        let (one, other) = tokio::join!(first.get("/brand"), second.get("/brand"));
        answered += [one, other]
            .iter()
            .filter(|answer| answer.as_ref().unwrap().0 == StatusCode::OK)
            .count();
    }
    assert_eq!(answered, CALLS_A_MINUTE);
}

async fn of_two_at_once_one_makes_the_account(first: &Administrator, second: &Administrator) {
    for number in 0..10 {
        let email = format!("twice-{number}@vigie.example");
        let (one, other) = tokio::join!(first.make_account(&email), second.make_account(&email));
        let mut answers = [one.unwrap(), other.unwrap()];
        answers.sort_unstable();
        assert_eq!(answers, [StatusCode::OK, StatusCode::UNPROCESSABLE_ENTITY], "{email}");
    }
}

async fn changes_are_told_by_the_other(first: &Administrator, second: &Administrator) {
    let mut changes = second.listen("/Brands/change-stream").await;
    let renamed = first.patch("/Brands/1", &json!({ "label": "Alba Shoes" })).await;
    assert_eq!(renamed.unwrap(), StatusCode::OK);
    let told = timeout(PATIENCE, async {
        let mut text = String::new();
        while !text.contains("Alba Shoes") {
            let piece = changes.chunk().await.unwrap().expect("the stream goes on");
            text.push_str(&String::from_utf8_lossy(&piece));
        }
    });
    told.await.expect("the change is told");
}

async fn colleagues_are_seen_from_the_other(first: &Administrator, second: &Administrator, ledger: &Ledger) {
    let made = sqlx::query(MAKE_ADMINISTRATOR)
        .bind(COLLEAGUE)
        .execute(&ledger.postgres)
        .await;
    assert_eq!(made.unwrap().rows_affected(), 1);
    let colleague = second.with(&second.session_of(COLLEAGUE).await);
    let path = "/actions/presence?actionID=7";
    let here = json!({ "page": "one", "doing": "writes" });
    first.call(Method::POST, path, &here).await.unwrap();
    let people = async |reader: &Administrator| {
        let (status, seen) = reader.get(path).await.unwrap();
        assert_eq!(status, StatusCode::OK, "{seen}");
        seen["data"][0]["people"].as_array().map_or(0, Vec::len)
    };
    assert_eq!(people(&colleague).await, 1, "the writer is seen at the other API");
    assert_eq!(people(second).await, 0, "nobody is another to himself");
    let left = json!({ "page": "one", "doing": "leaves" });
    first.call(Method::POST, path, &left).await.unwrap();
    assert_eq!(people(&colleague).await, 0);
}

/// Of the workers, which all look at the calendar when they start, one runs each job.
async fn each_job_ran_once(ledger: &Ledger) {
    let query = "select count(distinct job), count(*) from job_run where outcome = 'done'";
    let done = timeout(PATIENCE, async {
        loop {
            let (jobs, runs): (i64, i64) = sqlx::query_as(query).fetch_one(&ledger.postgres).await.unwrap();
            if jobs == JOBS {
                return runs;
            }
            sleep(BETWEEN_LOOKS).await;
        }
    });
    assert_eq!(done.await.expect("all jobs ran"), JOBS);
}

/// Whatever machine captured the page of the term that ends with this word.
async fn pages_are_shown_by_both(apis: &[&Administrator], ledger: &Ledger, word: &str) {
    let captured = timeout(PATIENCE, async {
        loop {
            let query = sqlx::query_scalar::<_, String>(CAPTURED).bind(word);
            if let Some(id) = query.fetch_optional(&ledger.postgres).await.unwrap() {
                return id;
            }
            sleep(BETWEEN_LOOKS).await;
        }
    });
    let id = captured.await.expect("the term is captured");
    for api in apis {
        for path in [
            format!("/captures/{id}/evidence"),
            format!("/capture-iframe/{id}/htmlContent"),
            format!("/capture-iframe/{id}/screenshot"),
        ] {
            assert_eq!(api.get(&path).await.unwrap().0, StatusCode::OK, "{path}");
        }
    }
}

async fn reports_are_given_by_the_other(first: &Administrator, second: &Administrator) {
    let month = Clock::system().now().format("%Y-%m").to_string();
    let (status, report) = first
        .call(Method::POST, "/reports", &json!({ "brandId": 1, "month": month }))
        .await
        .unwrap();
    assert_eq!(status, StatusCode::ACCEPTED, "{report}");
    let path = format!("/reports/{}", report["id"]);
    let printed = timeout(PATIENCE, async {
        loop {
            let (_, report) = second.get(&path).await.unwrap();
            if report["state"] != "waiting" {
                return report;
            }
            sleep(BETWEEN_LOOKS).await;
        }
    });
    assert_eq!(printed.await.expect("the report is printed")["state"], "ready");
    assert_eq!(second.get(&format!("{path}/file")).await.unwrap().0, StatusCode::OK);
}

/// One API and two workers are cut off, or killed where they have no machines of their own: the others go on.
async fn losing_machines_stops_nothing(stack: &Stack, left: &Administrator) {
    let machines = stack.apart().unwrap().machines.as_ref();
    let lost = [0, 2, 3];
    for (number, part) in stack.parts().enumerate().filter(|(number, _)| lost.contains(number)) {
        match machines {
            Some(machines) => machines.unplug(number),
            None => part.end(),
        }
    }
    sqlx::raw_sql(WATCHED_TOO)
        .execute(&stack.ledger.postgres)
        .await
        .unwrap();
    pages_are_shown_by_both(&[left], &stack.ledger, "2").await;
}
