//! When pages without any result say that there is nothing to find.

use chrono::{DateTime, TimeDelta, Utc};
use postgres::empty_spells::{self, EmptyCapture, SpellState};
use testkit::Postgres;
use vocabulary::{Device, Engine, TermId};

fn nothing(term: TermId, at: DateTime<Utc>, others_had_results: bool) -> EmptyCapture<'static> {
    EmptyCapture {
        term,
        device: Device::Desktop,
        engine: Engine::Google,
        way: "direct",
        said: "did not match any documents",
        at,
        others_had_results,
    }
}

fn begun() -> DateTime<Utc> {
    DateTime::from_timestamp(1_760_000_000, 0).unwrap()
}

#[tokio::test]
async fn three_days_while_others_had_results_confirm_a_spell_and_results_end_it() {
    let store = Postgres::new().await;
    let term = store.term("xyzzy", None, 3_600_000).await;
    let begun = begun();
    let days = |count: i64| begun + TimeDelta::days(count);
    let note = async |at, others| {
        empty_spells::note(&store.pool, &nothing(term, at, others))
            .await
            .unwrap()
            .is_confirmed
    };
    assert!(!note(begun, true).await);
    assert!(!note(begun + TimeDelta::hours(1), true).await, "the same day");
    assert!(!note(days(1), false).await, "nobody had results");
    assert!(!note(days(2), true).await);
    assert!(note(days(3), true).await);
    assert!(note(days(4), false).await);
    let spell = "select concat_ws(' ', captures, cardinality(days), ended_at is null) from empty_spell";
    assert_eq!(store.fetch::<String>(spell).await, "6 3 t");
    let confirmed = async |at| {
        empty_spells::was_confirmed_at(&store.pool, term, Device::Desktop, at)
            .await
            .unwrap()
    };
    assert!(!confirmed(days(2)).await && confirmed(days(4)).await);

    empty_spells::end(&store.pool, term, Device::Desktop, days(5))
        .await
        .unwrap();
    assert!(confirmed(days(4)).await && !confirmed(days(6)).await);
    assert!(!note(days(6), true).await, "the next spell begins anew");
    assert_eq!(store.fetch::<i64>("select count(*) from empty_spell").await, 2);
}

#[tokio::test]
async fn terms_that_lately_got_the_same_text_are_counted_once_each() {
    let store = Postgres::new().await;
    let at = begun();
    let mut terms = Vec::new();
    for words in ["one", "two", "three"] {
        terms.push(store.term(words, None, 3_600_000).await);
    }
    for term in &terms {
        for _ in 0..2 {
            empty_spells::note(&store.pool, &nothing(*term, at, true))
                .await
                .unwrap();
        }
    }
    let other_words = EmptyCapture {
        said: "nothing here",
        ..nothing(terms[0], at, true)
    };
    let count = async |nothing: &EmptyCapture<'_>, since| {
        empty_spells::count_terms_with_same_text(&store.pool, nothing, since)
            .await
            .unwrap()
    };
    let quarter = at - TimeDelta::minutes(15);
    assert_eq!(count(&nothing(terms[0], at, true), quarter).await, 3);
    assert_eq!(count(&other_words, quarter).await, 0);
    assert_eq!(count(&nothing(terms[0], at, true), at + TimeDelta::minutes(1)).await, 0);
}

#[tokio::test]
async fn a_term_that_was_always_empty_never_had_results() {
    let store = Postgres::new().await;
    let term = store.term("xyzzy", None, 3_600_000).await;
    let first = empty_spells::note(&store.pool, &nothing(term, begun(), true))
        .await
        .unwrap();
    let always_empty = SpellState {
        had_results: false,
        is_confirmed: false,
    };
    assert_eq!(first, always_empty);
}
