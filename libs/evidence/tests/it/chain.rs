//! Sealing, and finding what was changed afterwards.

use evidence::{Fault, Report, StoredFile, seal, verify};
use postgres::captures;

use super::captured::Captured;

async fn check(captured: &Captured) -> Report {
    verify(&captured.store.pool, &captured.blobs, None).await.unwrap()
}

async fn faults(captured: &Captured) -> Vec<Fault> {
    let report = check(captured).await;
    report.findings.into_iter().map(|finding| finding.fault).collect()
}

/// Three sealed captures.
async fn sealed() -> (Captured, Vec<vocabulary::CaptureId>) {
    let captured = Captured::new().await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(captured.capture().await);
    }
    assert_eq!(seal(&captured.store.pool).await.unwrap(), 3);
    (captured, ids)
}

#[tokio::test]
async fn what_is_as_it_was_sealed_has_no_finding() {
    let (captured, _) = sealed().await;
    let report = check(&captured).await;
    assert_eq!((report.entries, report.files), (3, 9));
    assert_eq!(report.heads.len(), 1);
    assert_eq!(report.findings, []);
}

#[tokio::test]
async fn a_capture_is_sealed_once_however_many_seal() {
    let captured = Captured::new().await;
    for _ in 0..5 {
        captured.capture().await;
    }
    let pool = &captured.store.pool;
    let (one, other) = tokio::join!(seal(pool), seal(pool));
    assert_eq!(one.unwrap() + other.unwrap(), 5);
    assert_eq!(seal(pool).await.unwrap(), 0);
    assert_eq!(faults(&captured).await, []);
}

#[tokio::test]
async fn a_changed_or_missing_file_is_named() {
    let (captured, ids) = sealed().await;
    let page = captured.file(captured.stored(ids[0]).await.page);
    let other = captured.file(captured.stored(ids[1]).await.page);
    std::fs::copy(other, page).unwrap();
    std::fs::remove_file(captured.file(captured.stored(ids[2]).await.screenshot.unwrap())).unwrap();
    let findings = check(&captured).await.findings;
    let named: Vec<_> = findings
        .into_iter()
        .map(|finding| (finding.capture, finding.fault))
        .collect();
    assert_eq!(
        named,
        [
            (ids[0], Fault::FileChanged(StoredFile::Page)),
            (ids[2], Fault::FileMissing(StoredFile::Screenshot))
        ]
    );
}

#[tokio::test]
async fn a_changed_or_removed_row_is_named() {
    let (captured, ids) = sealed().await;
    captured
        .store
        .execute(
            "update capture set term = 'boots', text_ads = 2, n_rows = 2 where slot_id = (select min(id) from slot)",
        )
        .await;
    captured
        .store
        .execute("delete from capture where slot_id = (select min(id) + 1 from slot)")
        .await;
    let findings = check(&captured).await.findings;
    assert_eq!(findings[0].capture, ids[0]);
    let Fault::RowChanged(fields) = &findings[0].fault else {
        panic!("{findings:?}")
    };
    assert_eq!(fields, &["term", "textAds"]);
    assert_eq!((findings[1].capture, &findings[1].fault), (ids[1], &Fault::RowRemoved));
    assert_eq!(findings.len(), 2);
}

#[tokio::test]
async fn an_entry_taken_out_of_the_middle_or_the_end_is_missed() {
    let (captured, ids) = sealed().await;
    captured
        .store
        .execute("delete from evidence_entry where position in (1, 3)")
        .await;
    let report = check(&captured).await;
    assert_eq!(report.broken_days, [report.heads[0].0]);
    let named: Vec<_> = report
        .findings
        .into_iter()
        .map(|finding| (finding.capture, finding.fault))
        .collect();
    assert_eq!(
        named,
        [
            (ids[1], Fault::EntriesMissing(1)),
            (ids[0], Fault::EntryRemoved),
            (ids[2], Fault::EntryRemoved)
        ]
    );
}

#[tokio::test]
async fn a_changed_entry_breaks_the_chain() {
    let (captured, _) = sealed().await;
    captured
        .store
        .execute(
            "update evidence_entry set manifest = jsonb_set(manifest, '{taken,term}', '\"boots\"') where position = 2",
        )
        .await;
    let found = faults(&captured).await;
    assert_eq!(found, [Fault::EntryChanged, Fault::RowChanged(vec!["term".to_owned()])]);
}

#[tokio::test]
async fn a_page_read_again_is_sealed_anew_and_its_old_copy_is_not_missed() {
    let (captured, ids) = sealed().await;
    let old = captured.stored(ids[0]).await;
    let mut reading = old.reading.clone();
    reading.reader_version = "2".to_owned();
    reading.text_ads = 4;
    reading.view = captured.blobs.put(b"another copy".to_vec()).await.unwrap();
    captures::reread(&captured.store.pool, ids[0], &reading).await.unwrap();
    captured.blobs.delete(&old.reading.view).await.unwrap();
    assert_eq!(faults(&captured).await, [], "not sealed yet");
    assert_eq!(seal(&captured.store.pool).await.unwrap(), 1);
    assert_eq!(check(&captured).await.entries, 4);
    assert_eq!(faults(&captured).await, []);
}

#[tokio::test]
async fn files_that_retention_removed_are_not_missed() {
    let (captured, ids) = sealed().await;
    let capture = captured.stored(ids[0]).await;
    captured.blobs.delete(&capture.page).await.unwrap();
    captured
        .store
        .execute("update capture set files_gone_at = now() where slot_id = (select min(id) from slot)")
        .await;
    let report = check(&captured).await;
    assert_eq!((report.files, report.findings), (6, vec![]));
}

#[tokio::test]
async fn one_day_is_checked_alone_and_goes_on_from_the_day_before() {
    let (captured, _) = sealed().await;
    captured
        .store
        .execute("update evidence_entry set day = day - 1; update evidence_day set day = day - 1")
        .await;
    captured
        .store
        .execute("update capture set sealed_at = sealed_at - interval '1 day'")
        .await;
    captured.capture().await;
    assert_eq!(seal(&captured.store.pool).await.unwrap(), 1);
    let today = postgres::evidence::today(&captured.store.pool).await.unwrap();
    let report = verify(&captured.store.pool, &captured.blobs, Some(today))
        .await
        .unwrap();
    assert_eq!((report.entries, report.findings), (1, vec![]));
    assert_eq!(check(&captured).await.heads.len(), 2);
}

#[tokio::test]
async fn days_whose_entries_went_with_their_month_are_reported_by_their_digest_alone() {
    let (captured, _) = sealed().await;
    let pool = &captured.store.pool;
    // Moves the day and its captures into the previous month.
    captured
        .store
        .execute(
            "update evidence_entry set day = day - 62; update evidence_day set day = day - 62;
             select make_months()",
        )
        .await;
    let month: chrono::NaiveDate = captured
        .store
        .fetch("select date_trunc('month', day)::date from evidence_day")
        .await;
    captured.capture().await;
    assert_eq!(seal(pool).await.unwrap(), 1);
    assert!(check(&captured).await.is_sound());

    let next = month.checked_add_months(chrono::Months::new(1)).unwrap();
    let scope = vocabulary::SystemScope::new("test");
    let dropped = postgres::months::drop_before(pool, &scope, postgres::months::MonthlyTables::Ledger, next).await;
    assert!(dropped.unwrap() > 0);
    let report = check(&captured).await;
    assert_eq!(
        (
            report.digest_only.len(),
            report.entries,
            report.heads.len(),
            report.is_sound()
        ),
        (1, 1, 1, true),
        "{report:?}"
    );
    let day = postgres::evidence::today(pool).await.unwrap();
    assert!(verify(pool, &captured.blobs, Some(day)).await.unwrap().is_sound());

    captured
        .store
        .execute("update evidence_day set digest = sha256('other') where day < current_date")
        .await;
    assert_eq!(faults(&captured).await, [Fault::EntryChanged]);
}

#[tokio::test]
async fn a_day_that_was_taken_out_as_a_whole_shows() {
    let (captured, _) = sealed().await;
    captured
        .store
        .execute("delete from evidence_entry; delete from capture")
        .await;
    let report = check(&captured).await;
    assert_eq!((report.broken_days.len(), report.is_sound()), (1, false));
}
