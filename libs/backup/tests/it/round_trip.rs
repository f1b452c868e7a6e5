//! What was stored comes back, and nothing more.

use analytics::ingest::batches;
use backup::{Error, prune};
use sha2::{Digest as _, Sha256};

use crate::world::{World, at, repository};

const PEOPLE: &str =
    "insert into dealer (domain, note) values ('shop.example', 'call jane@shop.example, not xjane@shop.example');
    insert into contact (email, name) values ('Jane@shop.example', 'Jane Doe'), ('joe@shop.example', 'Joe Roe')";

#[tokio::test]
async fn everything_comes_back_as_it_was() {
    let (folder, world, target) = (tempfile::tempdir().unwrap(), World::new().await, World::empty().await);
    world.postgres.execute(PEOPLE).await;
    world.store_ads(1, 300, 0, true).await;
    world.store_ads(2, 200, 1, true).await;
    let page = world.blobs.put(b"<p>Shoes</p>".to_vec()).await.unwrap();
    let repository = repository(folder.path(), None).unwrap();
    let written = world.back_up(&repository, 0).await.unwrap();
    assert_eq!((written.contents.rows() > 500, written.contents.files), (true, 1));

    let restored = target.restore(&repository, written.id).await.unwrap();
    assert_eq!((restored.taken_at, restored.files, restored.late_rows), (at(0), 1, 0));
    assert_eq!(target.ads().await, world.ads().await);
    assert_eq!(target.ads().await.len(), 500);
    // Mails of that time may have left since: nobody is written to twice.
    let stopped = "with lifted as (delete from mail_stop returning scope) select string_agg(scope, ' ') from lifted";
    assert_eq!(target.postgres.fetch::<String>(stopped).await, "all");
    target.postgres.execute("alter sequence mail_stop_id_seq restart").await;
    let (copy, original) = (target.dump().await, world.dump().await);
    let differing = copy
        .lines()
        .zip(original.lines())
        .find(|(copy, original)| copy != original);
    assert_eq!(differing, None);
    assert_eq!(copy.len(), original.len());
    assert_eq!(target.blobs.read(&page).await.unwrap().unwrap(), b"<p>Shoes</p>");
    // The schemas are whole: nothing is left to migrate, and the stores take what comes next.
    assert_eq!(postgres::pending_migrations(&target.postgres.pool).await.unwrap(), 0);
    assert_eq!(analytics::migrate::pending(&target.analytics).await.unwrap(), 0);
    target.store_ads(3, 10, 1, true).await;
    assert_eq!(target.ads().await.len(), 510);
    let next: i64 = target.postgres.fetch("select max(id) from manifest").await;
    assert_eq!(next, 3);
}

#[tokio::test]
async fn the_next_backup_writes_only_what_changed() {
    let (folder, world) = (tempfile::tempdir().unwrap(), World::new().await);
    world.store_ads(1, 4000, 0, true).await;
    let noise: Vec<u8> = (0_u32..200_000)
        .flat_map(|number| Sha256::digest(number.to_le_bytes())[..4].to_vec())
        .collect();
    world.blobs.put(noise).await.unwrap();
    let repository = repository(folder.path(), None).unwrap();
    let first = world.back_up(&repository, 0).await.unwrap();
    let same = world.back_up(&repository, 1).await.unwrap();
    assert!(same.new_pieces <= 2, "{} new pieces", same.new_pieces);
    world.store_ads(2, 10, 1, true).await;
    let more = world.back_up(&repository, 2).await.unwrap();
    assert!(
        more.new_bytes * 4 < first.new_bytes,
        "{} of {}",
        more.new_bytes,
        first.new_bytes
    );
    // An older one still is what it was.
    let target = World::empty().await;
    target.restore(&repository, first.id).await.unwrap();
    assert_eq!(target.ads().await.len(), 4000);
}

#[tokio::test]
async fn results_that_the_ledger_does_not_know_are_not_restored() {
    let (folder, world, target) = (tempfile::tempdir().unwrap(), World::new().await, World::empty().await);
    world.store_ads(1, 30, 0, true).await;
    // As if it was stored after Postgres had been copied.
    world.store_ads(2, 20, 0, false).await;
    let repository = repository(folder.path(), None).unwrap();
    let written = world.back_up(&repository, 0).await.unwrap();
    let restored = target.restore(&repository, written.id).await.unwrap();
    assert_eq!(restored.late_rows, 20);
    assert_eq!(batches(&target.analytics, 0..=1 << 36).await.unwrap(), [(1, 30)]);
    // The number is given away again, and its rows land.
    target.store_ads(2, 20, 0, true).await;
    assert_eq!(
        batches(&target.analytics, 0..=1 << 36).await.unwrap(),
        [(1, 30), (2, 20)]
    );
}

#[tokio::test]
async fn people_who_were_erased_since_are_erased_again() {
    let (folder, world, target) = (tempfile::tempdir().unwrap(), World::new().await, World::empty().await);
    world.postgres.execute(PEOPLE).await;
    let repository = repository(folder.path(), None).unwrap();
    let before = world.back_up(&repository, 0).await.unwrap();
    let mut connection = world.postgres.pool.acquire().await.unwrap();
    let erased = postgres::privacy::erase(&mut connection, &testkit::SETUP, "jane@shop.example", at(1)).await;
    assert_eq!(erased.unwrap().unwrap().contacts, 1);
    world.back_up(&repository, 2).await.unwrap();

    let restored = target.restore(&repository, before.id).await.unwrap();
    assert_eq!(restored.erased, 1);
    let contacts: String = target
        .postgres
        .fetch("select string_agg(email, ' ') from contact")
        .await;
    assert_eq!(contacts, "joe@shop.example");
    let note: String = target.postgres.fetch("select note from dealer").await;
    assert_eq!(note, "call …, not xjane@shop.example");
    let kept = "select count(*) from suppression where digest = sha256('jane@shop.example') and address is null";
    assert_eq!(target.postgres.fetch::<i64>(kept).await, 1);
}

#[tokio::test]
async fn stores_with_contents_are_left_alone() {
    let (folder, world) = (tempfile::tempdir().unwrap(), World::new().await);
    world.store_ads(1, 3, 0, true).await;
    let repository = repository(folder.path(), None).unwrap();
    let written = world.back_up(&repository, 0).await.unwrap();
    let refused = world.restore(&repository, written.id).await.unwrap_err();
    assert!(matches!(refused, Error::NotEmpty("PostgreSQL")), "{refused}");
    let half = World::empty().await;
    analytics::migrate::run(&half.analytics).await.unwrap();
    let refused = half.restore(&repository, written.id).await.unwrap_err();
    assert!(matches!(refused, Error::NotEmpty("ClickHouse")), "{refused}");
    assert!(postgres::restoring::is_empty(&half.postgres.pool).await.unwrap());
}

#[tokio::test]
async fn old_backups_go_with_the_pieces_that_only_they_have() {
    let (folder, world, target) = (tempfile::tempdir().unwrap(), World::new().await, World::empty().await);
    let old = world.blobs.put(b"old".to_vec()).await.unwrap();
    let kept = world.blobs.put(b"kept".to_vec()).await.unwrap();
    let repository = repository(folder.path(), None).unwrap();
    world.back_up(&repository, 0).await.unwrap();
    world.blobs.delete(&old).await.unwrap();
    let last = world.back_up(&repository, 1).await.unwrap();
    let pruned = prune(&repository, 1).await.unwrap();
    assert_eq!(pruned.backups, 1);
    assert!(pruned.pieces >= 1);
    assert_eq!(repository.backups().unwrap(), [last.id]);
    target.restore(&repository, last.id).await.unwrap();
    assert!(target.blobs.contains(&kept).await.unwrap());
    assert!(!target.blobs.contains(&old).await.unwrap());
    // Nothing is left to delete, and the last backup is never deleted.
    assert_eq!(prune(&repository, 0).await.unwrap(), backup::Pruned::default());
}
