//! Corrected ads when their rows are stored or read again.

use analytics::ingest::{self, AdRow};
use chrono::DateTime;
use corrections::{Correction, CorrectionLock, Reattributed, Stores};
use postgres::rereading::RereadQuery;
use vocabulary::Job;
use workers::reread;

use crate::stack::Stack;

/// Two captures, of which the last row of the one in the first manifest is corrected and the row before it deleted.
async fn corrected() -> Stack {
    let stack = Stack::new().await;
    stack.term("running shoes").await;
    stack.term("winter boots").await;
    stack.run_until_settled().await;
    let stored = ads(&stack).await;
    let [.., before, last] = stored.as_slice() else {
        panic!("the simulated engine shows ads for these words");
    };
    correct(
        &stack,
        &[
            Correction {
                before: before.clone(),
                after: None,
            },
            Correction {
                before: last.clone(),
                after: Some(AdRow {
                    title: "Corrected".to_owned(),
                    ..last.clone()
                }),
            },
        ],
    )
    .await;
    stack.assert_sound().await;
    assert_eq!(ads(&stack).await.len(), stored.len() - 1);
    stack
}

fn stores(stack: &Stack) -> Stores {
    let stores = stack.stores();
    Stores {
        postgres: stores.postgres,
        analytics: stores.analytics,
    }
}

async fn correct(stack: &Stack, list: &[Correction]) {
    let lock = CorrectionLock::acquire(&stores(stack)).await.unwrap().unwrap();
    let mut tx = postgres::begin(&stack.postgres.pool).await.unwrap();
    lock.note(&mut tx, list).await.unwrap();
    tx.commit().await.unwrap();
    lock.carry_out().await.unwrap();
}

async fn ads(stack: &Stack) -> Vec<AdRow> {
    let ids = "SELECT batch * 8192 + row FROM ad_results ORDER BY 1";
    let ids: Vec<u64> = stack.ads.plain().query(ids).fetch_all().await.unwrap();
    ingest::rows(&stores(stack).analytics, &ids).await.unwrap()
}

async fn change_ads(stack: &Stack, statement: &str) {
    stack.ads.plain().query(statement).execute().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_that_are_stored_again_are_those_that_were_corrected_under_the_numbers_they_had() {
    let stack = corrected().await;
    let right = ads(&stack).await;
    for loss in [
        "ALTER TABLE ad_results DELETE WHERE row % 2 = 0 SETTINGS mutations_sync = 2",
        "ALTER TABLE ad_results DELETE WHERE title = 'Corrected' SETTINGS mutations_sync = 2",
        "TRUNCATE TABLE ad_results",
    ] {
        change_ads(&stack, loss).await;
        assert_ne!(ads(&stack).await, right, "{loss}");
        stack.job(Job::Reconcile).await;
        assert_eq!(ads(&stack).await, right, "{loss}");
        stack.assert_sound().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_manifest_of_which_every_ad_was_taken_away_is_not_missed() {
    let stack = corrected().await;
    let list: Vec<Correction> = ads(&stack)
        .await
        .into_iter()
        .map(|before| Correction { before, after: None })
        .collect();
    correct(&stack, &list).await;
    stack.assert_sound().await;
    let detail = stack.job(Job::Reconcile).await;
    assert!(
        detail.contains(" 0 stored again, 0 beyond repair") && detail.contains(" 0 other violations"),
        "{detail}"
    );
    // As in an older backup of ClickHouse.
    let first = list.first().unwrap().before.clone();
    let late = ingest::BatchToken {
        batch: first.batch,
        epoch: 1_000,
    };
    ingest::insert(&stores(&stack).analytics, late, &[first]).await.unwrap();
    stack.job(Job::Reconcile).await;
    assert_eq!(ads(&stack).await, []);
    stack.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_capture_of_which_an_ad_was_corrected_is_not_read_again() {
    let stack = corrected().await;
    let right = ads(&stack).await;
    stack.postgres.execute("update capture set reader_version = '0'").await;
    change_ads(
        &stack,
        "ALTER TABLE ad_results UPDATE target_url = 'https://misread.example/' WHERE 1 SETTINGS mutations_sync = 2",
    )
    .await;
    let query = RereadQuery {
        since: DateTime::UNIX_EPOCH,
        term: None,
        engine: None,
    };
    let summary = reread::run(&stack.stores(), &query, true, |_| {}).await.unwrap();
    assert_eq!((summary.captures, summary.applied), (1, 1));
    let corrected = right.iter().find(|ad| ad.title == "Corrected").unwrap();
    let after = ads(&stack).await;
    assert!(
        after
            .iter()
            .any(|ad| ad.title == "Corrected" && ad.batch == corrected.batch)
    );
    assert_eq!(after.len(), right.len());
    stack.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_correction_that_was_interrupted_is_ended_by_the_next_worker() {
    let stack = corrected().await;
    let before = ads(&stack).await.remove(0);
    let removal = Correction {
        before: before.clone(),
        after: None,
    };
    let lock = CorrectionLock::acquire(&stores(&stack)).await.unwrap().unwrap();
    let mut tx = postgres::begin(&stack.postgres.pool).await.unwrap();
    lock.note(&mut tx, &[removal]).await.unwrap();
    tx.commit().await.unwrap();
    drop(lock);
    stack
        .run_until("select count(*) = 0 from ad_correction where applied_at is null")
        .await;
    assert!(!ads(&stack).await.contains(&before));
    stack.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_history_of_a_term_moves_to_its_present_brand() {
    let stack = corrected().await;
    let brand = stack.postgres.brand("acme").await;
    stack
        .postgres
        .execute(
            "insert into user_account (email) values ('admin@vigie.example'), ('user@vigie.example');
             insert into role_mapping (role_id, principal_id) select r.id, u.id::text from role r, user_account u
                 where r.name = 'admin' and u.email = 'admin@vigie.example';
             update term set brand_id = 1, keyword_type = 'BRAND' where term = 'winter boots'",
        )
        .await;
    let boots = vocabulary::TermId(
        stack
            .postgres
            .fetch("select id from term where term = 'winter boots'")
            .await,
    );
    let stores = stores(&stack);
    let by = async |address| corrections::reattribute(&stores, boots, address).await.unwrap();
    assert_eq!(by("user@vigie.example").await, Reattributed::NoAdministrator);
    let before = ads(&stack).await;
    // As a crash leaves it: in the journal, but not in ClickHouse.
    let mut tx = postgres::begin(&stack.postgres.pool).await.unwrap();
    let scope = vocabulary::SystemScope::new("test");
    postgres::reattributions::begin(&mut tx, &scope, boots, "admin@vigie.example")
        .await
        .unwrap();
    tx.commit().await.unwrap();
    assert_eq!(ads(&stack).await, before);
    assert_eq!(corrections::recover_reattributions(&stores).await.unwrap(), 1);
    assert_eq!(corrections::recover_reattributions(&stores).await.unwrap(), 0);

    let moved: Vec<AdRow> = before
        .into_iter()
        .map(|ad| {
            if ad.keyword == "winter boots" {
                AdRow {
                    brand_id: brand.0.unsigned_abs(),
                    keyword_type: "BRAND".to_owned(),
                    ..ad
                }
            } else {
                ad
            }
        })
        .collect();
    assert!(moved.iter().any(|ad| ad.brand_id != 0) && moved.iter().any(|ad| ad.brand_id == 0));
    assert_eq!(ads(&stack).await, moved);
    stack.assert_sound().await;
    let captures = "select bool_and((brand_id is not distinct from 1) = (term = 'winter boots')) from capture";
    assert!(stack.postgres.fetch::<bool>(captures).await);
    assert!(
        evidence::verify(&stack.postgres.pool, &stack.blobs, None)
            .await
            .unwrap()
            .is_sound()
    );
    assert_eq!(
        by("ADMIN@vigie.example").await,
        Reattributed::Moved { captures: 0, months: 0 }
    );
    let journal = "select count(*) from audit_entry where model = 'Term' and details ? 'reattributed'";
    assert_eq!(stack.postgres.fetch::<i64>(journal).await, 2);

    // Rows that are stored again from their pages have the new brand, too.
    stack
        .ads
        .plain()
        .query("TRUNCATE TABLE ad_results")
        .execute()
        .await
        .unwrap();
    stack.job(Job::Reconcile).await;
    stack.run_until_settled().await;
    assert_eq!(ads(&stack).await, moved);
}
