//! Matching terms with brands: a match of all terms in the background, and patterns that are refused.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::json;
use vigie::terminal::say;

use super::world::{self, World};
use crate::bench::BenchError;
use crate::bench::peers::{Api, Psql, unexpected};

/// Time between two looks at a run.
const LOOK: Duration = Duration::from_millis(20);
const REFUSALS: usize = 3;

/// The times of a match.
pub(super) struct Match {
    /// Until it was decided for every term.
    pub(super) computing: Duration,
    /// From then until the changes were committed and could be seen.
    pub(super) writing: Duration,
}

/// Matches all terms with a brand whose pattern all of them match, so that the patterns of every brand are compared for each term; it gets those of no
/// other brand. Fails when it gets others, or the audit log has not one entry for each.
pub(super) async fn measure(admin: &Api, psql: &Psql, world: &World) -> Result<Match, BenchError> {
    let audited = "select count(*) from audit_entry where model = 'Term' and event = 'change'";
    let before = psql.number(audited).await?;
    let path = format!("api/Brands/{}/matchRuns", world.wide);
    let began = Instant::now();
    let (_, started) = admin
        .send_json(Method::POST, &path, &json!({"options": {"rematchAll": true}}))
        .await?;
    let run = loop {
        let (_, runs) = admin.get("api/Brands/matchRuns").await?;
        let runs = runs["data"].as_array().cloned().unwrap_or_default();
        let run = runs
            .into_iter()
            .find(|run| run["id"] == started["id"])
            .unwrap_or_default();
        if run["state"] != "running" {
            break run;
        }
        tokio::time::sleep(LOOK).await;
    };
    let whole = began.elapsed();
    let entries = psql.number(audited).await? - before;
    if run["matched"]["linked"] != world::TERMS_OF_NO_BRAND || entries != world::TERMS_OF_NO_BRAND {
        return Err(unexpected(&json!({ "run": run, "entries": entries })));
    }
    // What is written has the time at which writing began.
    let computing = psql
        .number(&format!(
            "select floor(extract(epoch from max(t.updated_date) - max(r.begun_at)) * 1000)
             from term t join match_run r on r.brand_id = t.brand_id where r.id = {}",
            run["id"]
        ))
        .await?;
    let computing = Duration::from_millis(computing).min(whole);
    let writing = whole.saturating_sub(computing);
    say(format!(
        "Match of {} terms with {} brands: {} ms of computing, {entries} changes written in {} ms",
        world::TERMS,
        world.brands.len() + 1,
        computing.as_millis(),
        writing.as_millis()
    ));
    Ok(Match { computing, writing })
}

/// Sends hostile patterns as those of a preview, of a brand and of a filter; returns the longest time until one was refused. Fails when one is taken.
pub(super) async fn refuse(admin: &Api, world: &World) -> Result<Duration, BenchError> {
    let nested = format!("{}a{}", "(".repeat(200), ")".repeat(200));
    let hostile = [
        r"(?i)[\s\S]{0,5000}x",
        r"(((a{100}){100}){100}){100}",
        r"(\w{1,100}\s{0,100}){1,100}$",
        r"(\pL|\pN|\pM){1000}",
        nested.as_str(),
    ];
    let brand = format!("api/Brands/{}", world.brands[0]);
    let mut longest = Duration::ZERO;
    for pattern in hostile {
        for _ in 0..REFUSALS {
            for (method, path, body) in [
                (
                    Method::POST,
                    "api/Brands/matchPreview",
                    json!({ "autoMatchRegExp": pattern }),
                ),
                (
                    Method::POST,
                    "api/Brands/matchPreview",
                    json!({"autoMatchRegExp": "a", "autoMatchExcludeRegExp": pattern}),
                ),
                (Method::PATCH, brand.as_str(), json!({ "autoMatchRegExp": pattern })),
            ] {
                let body = ("application/json", body.to_string().into_bytes());
                let (took, status, reply) = admin.send(method, path, body).await?;
                if !status.is_client_error() {
                    return Err(unexpected(&json!({ "pattern": pattern, "taken": reply })));
                }
                longest = longest.max(took);
            }
            let filter = json!({"where": {"term": {"regexp": format!("/{pattern}/i")}}, "limit": 1});
            let path = format!("api/Terms?{}", super::lists::argument("filter", &filter));
            let (took, status, reply) = admin.send(Method::GET, &path, ("application/json", Vec::new())).await?;
            if !status.is_client_error() {
                return Err(unexpected(&json!({ "filter": pattern, "taken": reply })));
            }
            longest = longest.max(took);
        }
    }
    say(format!(
        "{} hostile patterns in four places: refused after {} ms at most",
        hostile.len(),
        longest.as_millis()
    ));
    Ok(longest)
}
