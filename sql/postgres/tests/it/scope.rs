//! What one company cannot see of another.

use postgres::categories::{self, CategoryKind, NewCategory};
use postgres::{brands, runs, terms};
use testkit::{Postgres, SETUP};
use vocabulary::{Scope, SlotState, TermState, UserId};

#[tokio::test]
async fn brands_terms_and_tags_of_another_company_are_invisible() {
    let store = Postgres::new().await;
    let (own, other) = (store.brand("acme").await, store.brand("bolt").await);
    let own_term = store.term("acme shoes", Some(own), 0).await;
    let other_term = store.term("bolt shoes", Some(other), 0).await;
    let scope = Scope::within(UserId(1), vec![own], vec![]);
    let mut tags = Vec::new();
    for (brand, name) in [(own, "mine"), (other, "theirs")] {
        let new = NewCategory {
            kind: CategoryKind::Dealers,
            name,
            label: name,
            owner: Some(brand),
            for_all: false,
        };
        let tag = categories::create(&store.pool, &SETUP, &new).await.unwrap();
        categories::link_domain(&store.pool, &SETUP, tag, "shop.example")
            .await
            .unwrap();
        tags.push(tag);
    }

    let found = brands::search(&store.pool, &scope, "", 50).await.unwrap();
    assert_eq!(found.iter().map(|brand| brand.id).collect::<Vec<_>>(), [own]);
    let found = terms::search(&store.pool, &scope, "shoes", 50).await.unwrap();
    assert_eq!(found.iter().map(|term| term.id).collect::<Vec<_>>(), [own_term]);
    assert!(
        terms::to_capture(&store.pool, &scope, other_term)
            .await
            .unwrap()
            .is_none()
    );
    assert_eq!(
        terms::set_state(&store.pool, &scope, &[own_term, other_term], TermState::Archived)
            .await
            .unwrap(),
        1
    );

    let shown = categories::tags_of_domains(&store.pool, &scope, &["shop.example".to_owned()])
        .await
        .unwrap();
    assert_eq!(
        shown["shop.example"]
            .iter()
            .map(|standing| standing.put.tag.id)
            .collect::<Vec<_>>(),
        tags[..1]
    );
    assert!(
        categories::domains_of_tags(&store.pool, &scope, &tags[1..])
            .await
            .unwrap()
            .is_empty()
    );
    assert_eq!(
        categories::domains_of_tags(&store.pool, &SETUP, &tags).await.unwrap(),
        ["shop.example"]
    );
}

#[tokio::test]
async fn a_term_given_to_a_company_is_visible_without_its_brand() {
    let store = Postgres::new().await;
    let other = store.brand("bolt").await;
    let term = store.term("bolt shoes", Some(other), 0).await;
    let scope = Scope::within(UserId(1), vec![], vec![term]);
    assert!(terms::to_capture(&store.pool, &scope, term).await.unwrap().is_some());
}

#[tokio::test]
async fn the_last_runs_are_those_of_visible_terms_and_a_failed_one_has_no_count_of_ads() {
    let store = Postgres::new().await;
    let (own, other) = (store.brand("acme").await, store.brand("bolt").await);
    store.term("acme shoes", Some(own), 0).await;
    store.term("bolt shoes", Some(other), 0).await;
    store
        .execute(
            "insert into slot (term_id, device, slot_ts, state, reason, settled_at)
             select id, 'desktop', now(), 'failed', 'captcha', now() from term",
        )
        .await;
    let scope = Scope::within(UserId(1), vec![own], vec![]);
    let found = runs::last(&store.pool, &scope, 20).await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].term.as_str(), found[0].state),
        ("acme shoes", SlotState::Failed)
    );
    assert_eq!((found[0].reason.as_deref(), found[0].ads), (Some("captcha"), None));
    assert_eq!(runs::last(&store.pool, &SETUP, 20).await.unwrap().len(), 2);
}
