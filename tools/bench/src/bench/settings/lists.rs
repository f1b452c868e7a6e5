//! The list of terms, filtered and sorted as its screen does it.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use url::form_urlencoded;
use vigie::terminal::say;

use super::world::World;
use crate::bench::BenchError;
use crate::bench::figures::percentile;
use crate::bench::peers::Api;

/// Each question is asked so many times by each user.
const ROUNDS: usize = 4;
/// Questions that are printed.
const SLOWEST: usize = 6;
const SHARE: f64 = 0.95;
const SORTS: [&str; 8] = [
    "id DESC",
    "term ASC",
    "region ASC",
    "engine DESC",
    "keywordType ASC",
    "every ASC",
    "state DESC",
    "term DESC",
];
const PAGE_SIZES: [u32; 3] = [25, 25, 100];
const INCLUDE: [&str; 4] = ["brand", "localization", "categories", "canBeAccessBy"];

/// A page of the list.
struct Question {
    condition: Option<Value>,
    order: &'static str,
    limit: u32,
    skip: u32,
}

impl Question {
    /// The paths of the page and of its count, which the screen asks for at once.
    fn paths(&self) -> (String, String) {
        let mut filter = json!({
            "order": format!("{} NULLS LAST", self.order), "limit": self.limit, "skip": self.skip, "include": INCLUDE
        });
        let mut count = String::from("api/Terms/count");
        if let Some(condition) = &self.condition {
            let condition = json!({ "and": [condition] });
            count = format!("{count}?{}", argument("where", &condition));
            filter["where"] = condition;
        }
        (format!("api/Terms?{}", argument("filter", &filter)), count)
    }
}

/// Asks an administrator's and a company user's questions, one after the other; prints the slowest and returns the 95th percentile of all, from the
/// request until the page and its count were read.
pub(super) async fn measure(admin: &Api, member: &Api, world: &World) -> Result<Duration, BenchError> {
    let questions = questions(world);
    let mut all = Vec::new();
    for (who, api) in [("an administrator", admin), ("a company user", member)] {
        let mut of_user = Vec::new();
        let mut slowest = Vec::new();
        for question in &questions {
            let mut worst = Duration::ZERO;
            for _ in 0..ROUNDS {
                let (page, count) = question.paths();
                let began = Instant::now();
                tokio::try_join!(api.get(&page), api.get(&count))?;
                let took = began.elapsed();
                worst = worst.max(took);
                of_user.push(took);
            }
            slowest.push((worst, question));
        }
        of_user.sort_unstable();
        say(format!(
            "Lists of {who}: median {:.0} ms, p95 {:.0} ms, slowest {:.0} ms of {}",
            percentile(&of_user, 0.5),
            percentile(&of_user, SHARE),
            percentile(&of_user, 1.0),
            of_user.len()
        ));
        slowest.sort_by_key(|(worst, _)| std::cmp::Reverse(*worst));
        for (worst, question) in slowest.iter().take(SLOWEST) {
            let condition = question.condition.as_ref().map(ToString::to_string).unwrap_or_default();
            let Question { order, limit, skip, .. } = question;
            say(format!(
                "  {} ms: {order}, {limit} from {skip}, {condition}",
                worst.as_millis()
            ));
        }
        all.extend(of_user);
    }
    all.sort_unstable();
    Ok(Duration::from_secs_f64(percentile(&all, SHARE) / 1e3))
}

/// The pages of the list of terms to measure: without a filter, with each filter that its screen offers, and with some together, each as three pages
/// of different order, size and offset.
fn questions(world: &World) -> Vec<Question> {
    let one_of = |name: &str, values: Value| json!({ name: { "inq": values } });
    let filters = [
        None,
        Some(one_of("brandId", json!([world.brands[0]]))),
        Some(one_of("brandId", json!(world.brands[..8]))),
        Some(json!({"brandId": {"nin": [world.brands[0]]}})),
        Some(json!({"term": {"regexp": "/boots/i"}})),
        Some(json!({"term": {"regexp": "/balado/i"}})),
        Some(json!({"term": {"nilike": "%shoes%"}})),
        Some(one_of("canBeAccessBy", json!([world.companies[0]]))),
        Some(one_of("engine", json!(["BING"]))),
        Some(one_of("localizationId", json!([world.localizations[3]]))),
        Some(json!({"localizationId": {"nin": [world.localizations[3]]}})),
        Some(one_of("state", json!(["enabled"]))),
        Some(one_of("categories", json!([world.tags[10]]))),
        Some(one_of("categories", json!(world.tags[..3]))),
        Some(one_of("keywordType", json!(["BRAND", "MULTIBRAND"]))),
        Some(json!({"options.saveShoppingAds": true})),
        Some(json!({"or": [{"options.saveShoppingAds": null}, {"options.saveShoppingAds": false}]})),
        Some(
            json!({"and": [one_of("state", json!(["disabled"])), one_of("engine", json!(["GOOGLE"])), {"term": {"regexp": "/coat/i"}}]}),
        ),
        Some(json!({"and": [one_of("brandId", json!(world.brands[..3])), one_of("state", json!(["enabled"]))]})),
    ];
    let mut questions = Vec::new();
    for (place, condition) in filters.iter().enumerate() {
        for (page, limit) in PAGE_SIZES.into_iter().enumerate() {
            questions.push(Question {
                condition: condition.clone(),
                order: if page == 0 {
                    SORTS[0]
                } else {
                    SORTS[(place * 2 + page) % SORTS.len()]
                },
                limit,
                skip: if page == 2 { limit * 3 } else { 0 },
            });
        }
    }
    questions
}

/// A query argument as JSON.
pub(super) fn argument(name: &str, json: &Value) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair(name, &json.to_string());
    query.finish()
}
