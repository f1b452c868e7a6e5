//! Pages fail in the requested ways, and only then.

use std::time::Duration;

use crate::support::{DESKTOP, Stand};
use futures::StreamExt as _;
use reqwest::header::{COOKIE, HOST, LOCATION, SET_COOKIE};
use serde_json::json;

#[tokio::test]
async fn each_fault_has_its_status_its_mark_and_its_outcome() {
    let stand = Stand::of_seed(3).await;
    for (engine, fault, status, mark, outcome) in [
        ("google", "unusual-traffic", 503, "automated queries", "blocked"),
        ("google", "soft-block", 200, "id=\"res\"", "blocked"),
        ("google", "shell", 200, "enablejs", "shell"),
        ("google", "403", 403, "403.", "http-error"),
        ("google", "502", 502, "502.", "http-error"),
        ("google", "dialogs", 200, "alert('alert')", "results"),
        ("google", "loop", 200, "for(;;)", "timeout"),
        ("google", "slow-10", 200, "id=\"rso\"", "results"),
        ("google", "no-results", 200, "did not match any documents", "doubtful"),
        ("bing", "captcha", 200, "cf-turnstile", "captcha"),
        ("bing", "consent", 200, "bnp_btn_accept", "consent"),
        ("bing", "soft-block", 200, "<ol id=\"b_results\"></ol>", "blocked"),
        ("bing", "unusual-traffic", 200, "Unusual traffic", "blocked"),
        ("bing", "no-results", 200, "class=\"b_no\"", "doubtful"),
        ("bing", "shell", 200, "<div id=\"b_content\"></div>", "shell"),
    ] {
        let response = stand
            .get(&format!("/{engine}/search?q=buy+shoes&fault={fault}"), DESKTOP)
            .await;
        assert_eq!(response.status(), status, "{engine} {fault}");
        let html = response.text().await.unwrap();
        assert!(html.contains(mark), "{engine} {fault} lacks '{mark}'");
        let truth = stand.truth_of_last().await;
        assert_eq!(truth["outcome"], outcome, "{engine} {fault}");
        let shows = outcome == "results";
        assert_eq!(!truth["ads"].as_array().unwrap().is_empty(), shows, "{engine} {fault}");
    }
}

#[tokio::test]
async fn a_word_of_the_query_asks_for_a_fault_and_an_unknown_fault_is_refused() {
    let stand = Stand::of_seed(3).await;
    assert_eq!(
        stand.get("/google/search?q=shoes+fault-502", DESKTOP).await.status(),
        502
    );
    let refused = stand.get("/google/search?q=shoes&fault=earthquake", DESKTOP).await;
    assert_eq!(refused.status(), 400);
    assert!(refused.text().await.unwrap().contains("known are consent"));
}

#[tokio::test]
async fn an_order_makes_so_many_searches_fail_and_can_be_taken_back() {
    let stand = Stand::of_seed(3).await;
    let order = json!({"fault": "403", "engine": "bing", "times": 1});
    assert_eq!(stand.order_fault(order.clone()).await, 201);
    assert_eq!(stand.get("/google/search?q=x", DESKTOP).await.status(), 200);
    assert_eq!(stand.get("/bing/search?q=x", DESKTOP).await.status(), 403);
    assert_eq!(stand.get("/bing/search?q=x", DESKTOP).await.status(), 200);
    stand.order_fault(order).await;
    stand
        .client
        .delete(format!("http://{}/control/fault", stand.address))
        .send()
        .await
        .unwrap();
    assert_eq!(stand.get("/bing/search?q=x", DESKTOP).await.status(), 200);
    assert_eq!(stand.order_fault(json!({"fault": "earthquake"})).await, 422);
}

#[tokio::test]
async fn the_consent_wall_is_passed_by_its_form_and_not_met_again() {
    let stand = Stand::of_seed(3).await;
    let search = "/google/search?q=acheter+chaussures&hl=fr&fault=consent";
    let sent = stand.get(search, DESKTOP).await;
    assert_eq!(sent.status(), 302);
    let wall = sent.headers()[LOCATION]
        .to_str()
        .unwrap()
        .strip_prefix("http://serp.test")
        .unwrap()
        .to_owned();
    let html = stand.page(&wall, DESKTOP).await;
    assert!(html.contains("Tout refuser") && html.contains("Tout accepter"));
    let back = {
        let page = scraper::Html::parse_document(&html);
        let field = scraper::Selector::parse("form input[name=continue]").unwrap();
        page.select(&field).next().unwrap().attr("value").unwrap().to_owned()
    };
    let save = stand
        .client
        .post(format!("http://{}/google/consent/save", stand.address))
        .header(HOST, "serp.test");
    let saved = save
        .form(&[("continue", back.as_str()), ("set_eom", "true")])
        .send()
        .await
        .unwrap();
    assert_eq!(saved.status(), 303);
    assert_eq!(saved.headers()[LOCATION], format!("http://serp.test{search}"));
    let cookie = saved.headers()[SET_COOKIE]
        .to_str()
        .unwrap()
        .split(';')
        .next()
        .unwrap()
        .to_owned();
    let again = stand
        .client
        .get(format!("http://{}{search}", stand.address))
        .header(COOKIE, cookie);
    assert_eq!(again.send().await.unwrap().status(), 200);
    assert_eq!(stand.truth_of_last().await["outcome"], "results");
}

#[tokio::test]
async fn consent_never_leads_to_another_host() {
    let stand = Stand::of_seed(3).await;
    let save = stand
        .client
        .post(format!("http://{}/google/consent/save", stand.address))
        .header(HOST, "serp.test");
    let saved = save
        .form(&[("continue", "http://elsewhere.example/")])
        .send()
        .await
        .unwrap();
    assert_eq!(saved.headers()[LOCATION], "http://serp.test/google");
}

#[tokio::test]
async fn the_captcha_of_google_is_a_page_of_its_own() {
    let stand = Stand::of_seed(3).await;
    let sent = stand.get("/google/search?q=x&fault=captcha", DESKTOP).await;
    let sorry = sent.headers()[LOCATION]
        .to_str()
        .unwrap()
        .strip_prefix("http://serp.test")
        .unwrap()
        .to_owned();
    let page = stand.get(&sorry, DESKTOP).await;
    assert_eq!(page.status(), 429);
    assert!(page.text().await.unwrap().contains("id=\"captcha-form\""));
}

#[tokio::test]
async fn redirects_never_end() {
    let stand = Stand::of_seed(3).await;
    let mut path = "/google/search?q=x&fault=redirects".to_owned();
    for hop in 1..=25 {
        let sent = stand.get(&path, DESKTOP).await;
        assert_eq!(sent.status(), 302);
        path = sent.headers()[LOCATION]
            .to_str()
            .unwrap()
            .strip_prefix("http://serp.test")
            .unwrap()
            .to_owned();
        assert!(path.ends_with(&format!("hop={hop}")), "{path}");
        assert!(path.len() < 60, "the address grows: {path}");
    }
    assert_eq!(stand.json("/served").await.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn the_large_page_is_over_30_mb() {
    let stand = Stand::of_seed(3).await;
    let body = stand
        .get("/bing/search?q=x&fault=huge", DESKTOP)
        .await
        .bytes()
        .await
        .unwrap();
    assert!(body.len() > 30_000_000, "{} bytes", body.len());
}

#[tokio::test]
async fn a_page_that_never_finishes_does_not_keep_the_server_from_ending() {
    let stand = Stand::of_seed(3).await;
    let mut body = stand
        .get("/google/search?q=buy+shoes&fault=hang", DESKTOP)
        .await
        .bytes_stream();
    let first = body.next().await.unwrap().unwrap();
    assert!(first.starts_with(b"<!doctype html>") && !first.windows(7).any(|part| part == b"</html>"));
    let silence = tokio::time::timeout(Duration::from_millis(200), async {
        while body.next().await.is_some() {}
    })
    .await;
    assert!(silence.is_err(), "the page came to an end");
    stand.stop();
    tokio::time::timeout(Duration::from_secs(5), stand.served)
        .await
        .unwrap()
        .unwrap()
        .unwrap();
}
