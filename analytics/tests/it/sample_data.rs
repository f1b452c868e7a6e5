use analytics::roll_up::check;
use analytics::sample::{Sample, SampleTerm, count, delete, fill};
use vocabulary::{BrandId, Engine, KeywordType, LocalizationId, TermId};

use crate::engine::Engine as Store;
use crate::sample::{DAY, START};

fn sample(seed: u64, all_different: bool) -> Sample {
    let term = |id: i32| SampleTerm {
        id: TermId(id),
        words: format!("red shoes {id}"),
        keyword_type: KeywordType::Generic,
        engine: Engine::Google,
        localization: LocalizationId(1),
        locale: "fr_FR".parse().unwrap(),
        city: "Paris".to_owned(),
        region: String::new(),
        brand: Some(BrandId(id % 2 + 1)),
        official: "own.example".to_owned(),
        advertisers: Vec::new(),
    };
    Sample {
        terms: (1..=10).map(term).collect(),
        rows: 20_000,
        days: 20,
        end: START + 40 * DAY,
        seed,
        all_different,
    }
}

async fn fingerprint(store: &Store) -> (u64, u64, u64, u64) {
    let query = "SELECT count(), uniqExact(ad), groupBitXor(sipHash64(capture_id, slot_time, ad, position)), uniqExact(batch, row) FROM ad_results";
    store.plain().query(query).fetch_one().await.unwrap()
}

#[tokio::test]
async fn the_same_seed_makes_the_same_results_and_another_makes_others() {
    let (store, client) = Store::migrated().await;
    let mut seen = Vec::new();
    for seed in [1, 1, 2] {
        fill(&client, &sample(seed, false)).await.unwrap();
        seen.push(fingerprint(&store).await);
        assert_eq!(count(&client).await.unwrap(), 20_000);
        assert_eq!(check(&client).await.unwrap(), []);
        delete(&client).await.unwrap();
        assert_eq!(count(&client).await.unwrap(), 0);
    }
    assert_eq!(seen[0], seen[1]);
    assert_ne!(seen[0].2, seen[2].2);
    assert_eq!((seen[0].0, seen[0].3), (20_000, 20_000));
}

#[tokio::test]
async fn ads_repeat_unless_all_are_to_be_different() {
    let (store, client) = Store::migrated().await;
    fill(&client, &sample(1, false)).await.unwrap();
    let repeating = fingerprint(&store).await.1;
    assert!(repeating < 10_000, "{repeating}");
    delete(&client).await.unwrap();
    fill(&client, &sample(1, true)).await.unwrap();
    assert_eq!(fingerprint(&store).await.1, 20_000);
}

async fn results_on(store: &Store, days: &str) -> f64 {
    let query = format!("SELECT count() / uniqExact(day) FROM ad_results WHERE {days}");
    store.plain().query(&query).fetch_one().await.unwrap()
}

#[tokio::test]
async fn weeks_have_quiet_ends_and_years_a_busy_end() {
    let (store, client) = Store::migrated().await;
    let year = Sample {
        rows: 100_000,
        days: 364,
        ..sample(1, false)
    };
    fill(&client, &year).await.unwrap();
    let span = "SELECT (min(seen_at) >= ?) AND (max(seen_at) < ?) AND uniqExact(day) >= 364 FROM ad_results";
    let bounds = store.plain().query(span).bind(year.end - 364 * DAY).bind(year.end);
    assert!(
        bounds.fetch_one::<bool>().await.unwrap(),
        "all days of the year, and no other"
    );

    let wednesdays = results_on(&store, "toDayOfWeek(day) = 3").await;
    let weekends = results_on(&store, "toDayOfWeek(day) >= 6").await;
    assert!(
        wednesdays > 1.3 * weekends,
        "{wednesdays} on Wednesdays, {weekends} on days of weekends"
    );
    let december = results_on(&store, "toMonth(day) = 12").await;
    let june = results_on(&store, "toMonth(day) = 6").await;
    assert!(december > 1.4 * june, "{december} a day in December, {june} in June");
}

#[tokio::test]
async fn a_terms_advertisers_have_most_of_its_ads() {
    let (store, client) = Store::migrated().await;
    let mut known = sample(1, false);
    for term in &mut known.terms {
        term.advertisers = vec!["shop.tradavia.example".to_owned(), "zamboli.example".to_owned()];
    }
    fill(&client, &known).await.unwrap();
    let share = "SELECT countIf(domain IN ('shop.tradavia.example', 'zamboli.example')) / countIf(domain != 'own.example') FROM ad_results";
    let share: f64 = store.plain().query(share).fetch_one().await.unwrap();
    assert!((0.5..0.75).contains(&share), "{share}");
    let masters = "SELECT DISTINCT master FROM ad_results WHERE domain = 'shop.tradavia.example'";
    let masters: Vec<String> = store.plain().query(masters).fetch_all().await.unwrap();
    assert_eq!(masters, ["tradavia.example"]);
}
