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
