//! Bulk changes of terms, and how soon they are planned.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};
use vigie::terminal::say;

use super::lists::argument;
use crate::bench::BenchError;
use crate::bench::peers::{Api, Psql, unexpected};

/// Terms of each change.
pub(super) const ROWS: u64 = 10_000;
/// Ends when no term waits to be planned.
const ALL_PLANNED: &str = "do $$ begin
    while exists (select from term where schedule_stale) loop
        perform pg_sleep(0.005);
    end loop;
end $$";

/// The longest times of the changes.
#[derive(Default)]
pub(super) struct Changes {
    /// From the request until the response.
    pub(super) bulk: Duration,
    /// From the response until every changed term was planned.
    pub(super) plan: Duration,
}

/// Changes [`ROWS`] terms again and again, by the filters of the list, so that they can be undone. Fails when other terms change, or the audit log has not
/// one entry for each. The engines are paused, so that no browser disturbs.
pub(super) async fn measure(admin: &Api, psql: &Psql) -> Result<Changes, BenchError> {
    psql.run(&["insert into engine_pause (engine, user_name) values ('google', 'bench'), ('bing', 'bench')"])
        .await?;
    let of_region = json!({"and": [{"region": {"inq": ["North"]}}, {"state": {"inq": ["enabled"]}}]});
    let disabled = json!({"and": [{"keywordType": {"inq": ["MULTIBRAND"]}}, {"state": {"inq": ["disabled"]}}]});
    let all_again = json!({"and": [{"keywordType": {"inq": ["MULTIBRAND"]}}]});
    let steps = [
        ("frequency", &of_region, json!({"every": 604_800_000})),
        (
            "options",
            &of_region,
            json!({"options": {"saveShoppingAds": true, "saveOrganicResults": true}}),
        ),
        (
            "automatic frequency",
            &of_region,
            json!({"every": 0, "searchConvertRate": 0.2}),
        ),
        ("activation", &disabled, json!({"state": "enabled"})),
        ("deactivation", &all_again, json!({"state": "disabled"})),
    ];
    let mut worst = Changes::default();
    for (name, condition, fields) in steps {
        let bulk = change(admin, psql, condition, &fields).await?;
        let began = Instant::now();
        psql.run(&[ALL_PLANNED]).await?;
        let plan = began.elapsed();
        say(format!(
            "{name} of {ROWS} terms: changed in {} ms, planned {} ms later",
            bulk.as_millis(),
            plan.as_millis()
        ));
        worst.bulk = worst.bulk.max(bulk);
        worst.plan = worst.plan.max(plan);
    }
    Ok(worst)
}

/// Changes the terms under a condition and returns the time until the response. Fails unless those are [`ROWS`], with an entry in the audit log for each.
async fn change(admin: &Api, psql: &Psql, condition: &Value, fields: &Value) -> Result<Duration, BenchError> {
    let audited = "select count(*) from audit_entry where model = 'Term' and event = 'change'";
    let before = psql.number(audited).await?;
    let path = format!("api/Terms?{}&confirm=all", argument("where", condition));
    let (took, reply) = admin.send_json(Method::PATCH, &path, fields).await?;
    let entries = psql.number(audited).await? - before;
    if reply["count"] != ROWS || entries != ROWS {
        return Err(unexpected(&json!({ "answer": reply, "entries": entries })));
    }
    Ok(took)
}
