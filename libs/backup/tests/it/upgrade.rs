//! Backups that earlier versions made, of a stack with one capture: this version restores them and goes on with them.

use std::path::Path;
use std::time::Duration;

use analytics::reports::totals;
use runtime::Secret;

use crate::world::{World, at};

/// Copies a folder with everything in it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to.join(entry.file_name()));
        } else {
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

#[tokio::test]
async fn a_backup_of_0_1_0_is_restored_and_brought_up_to_date() {
    let made = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let folder = tempfile::tempdir().unwrap();
    copy(&made.join("0.1.0"), folder.path());
    let key = Secret::new(std::fs::read_to_string(made.join("0.1.0.key")).unwrap());
    let repository = backup::Repository::open(folder.path(), Some(&key)).unwrap();
    let (target, id) = (World::empty().await, repository.find(None).unwrap());
    let restored = backup::restore(&repository, id, &target.stores(), |_| true, at(0))
        .await
        .unwrap();
    assert_eq!((restored.rows, restored.files, restored.late_rows), (38, 3, 0));

    postgres::migrate(&target.postgres.direct()).await.unwrap();
    analytics::migrate::run(&target.analytics).await.unwrap();
    let violations = postgres::invariants::violations(&target.postgres.pool, at(0), Duration::from_hours(1))
        .await
        .unwrap();
    assert_eq!(violations, []);
    let report = evidence::verify(&target.postgres.pool, &target.blobs, None)
        .await
        .unwrap();
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    let (ads, manifests) = (
        target.ads().await.len(),
        "select sum(n_rows) from manifest where state = 'verified'",
    );
    assert_eq!(
        target.postgres.fetch::<i64>(manifests).await,
        i64::try_from(ads).unwrap()
    );
    // What lists read is made again from the results.
    let since = "2026-01-01".parse().unwrap();
    let views: u64 = totals::views_by_domain(&target.analytics, since)
        .await
        .unwrap()
        .iter()
        .map(|row| row.2)
        .sum();
    assert_eq!(views, 19);
}
