//! Backups that were cut off, changed or never finished.

use std::path::{Path, PathBuf};

use backup::{Error, check};

use crate::world::{World, repository};

/// The files in a folder and below.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.push(entry.path());
        }
    }
    found.sort_unstable();
    found
}

#[tokio::test]
async fn whatever_piece_is_missing_cut_off_or_changed_nothing_is_restored() {
    let (folder, world, target) = (tempfile::tempdir().unwrap(), World::new().await, World::empty().await);
    world.store_ads(1, 30, 0, true).await;
    world.blobs.put(b"a page".to_vec()).await.unwrap();
    let repository = repository(folder.path(), None).unwrap();
    let written = world.back_up(&repository, 0).await.unwrap();
    check(&repository, &written.contents).await.unwrap();
    let pieces = files(&folder.path().join("pieces"));
    assert!(pieces.len() >= 4, "{}", pieces.len());
    for path in &pieces {
        let whole = std::fs::read(path).unwrap();
        let mut changed = whole.clone();
        let middle = changed.len() / 2;
        changed[middle] ^= 1;
        for damaged in [None, Some(&whole[..whole.len() / 2]), Some(&[][..]), Some(&changed[..])] {
            match damaged {
                None => std::fs::remove_file(path).unwrap(),
                Some(content) => std::fs::write(path, content).unwrap(),
            }
            let found = check(&repository, &written.contents).await.unwrap_err();
            assert!(matches!(found, Error::Damaged(_)), "{}: {found}", path.display());
        }
        let refused = target.restore(&repository, written.id).await.unwrap_err();
        assert!(matches!(refused, Error::Damaged(_)), "{refused}");
        std::fs::write(path, whole).unwrap();
    }
    assert!(postgres::restoring::is_empty(&target.postgres.pool).await.unwrap());
    target.restore(&repository, written.id).await.unwrap();
}

#[tokio::test]
async fn a_damaged_piece_is_written_again_by_the_next_backup_once_it_was_deleted() {
    let (folder, world) = (tempfile::tempdir().unwrap(), World::new().await);
    world.store_ads(1, 30, 0, true).await;
    let repository = repository(folder.path(), None).unwrap();
    world.back_up(&repository, 0).await.unwrap();
    for path in files(&folder.path().join("pieces")) {
        std::fs::remove_file(path).unwrap();
    }
    let again = world.back_up(&repository, 1).await.unwrap();
    check(&repository, &again.contents).await.unwrap();
}

#[tokio::test]
async fn a_list_that_was_cut_off_or_changed_is_no_backup() {
    let (folder, world, target) = (tempfile::tempdir().unwrap(), World::new().await, World::empty().await);
    let repository = repository(folder.path(), None).unwrap();
    let written = world.back_up(&repository, 0).await.unwrap();
    let path = folder.path().join("backups").join(format!("{}.backup", written.id));
    let whole = std::fs::read_to_string(&path).unwrap();
    let newer = whole.replacen("\"format\":1", "\"format\":2", 1);
    for damaged in ["", &whole[..whole.len() - 1]] {
        std::fs::write(&path, damaged).unwrap();
        let refused = target.restore(&repository, written.id).await.unwrap_err();
        assert!(matches!(refused, Error::Damaged(_)), "{refused}");
    }
    // It keeps nobody from making the next one.
    let next = world.back_up(&repository, 1).await.unwrap();
    check(&repository, &next.contents).await.unwrap();
    std::fs::write(&path, newer).unwrap();
    let refused = target.restore(&repository, written.id).await.unwrap_err();
    assert!(matches!(refused, Error::Newer { .. }), "{refused}");
    // Where a list cannot be read, nobody knows which pieces it needs.
    let pieces = files(&folder.path().join("pieces")).len();
    assert!(backup::prune(&repository, 2).await.is_err());
    assert_eq!(files(&folder.path().join("pieces")).len(), pieces);
}

#[tokio::test]
async fn a_backup_that_fails_midway_does_not_exist() {
    let (folder, world) = (tempfile::tempdir().unwrap(), World::new().await);
    world.store_ads(1, 30, 0, true).await;
    let repository = repository(folder.path(), None).unwrap();
    let missing = backup::Stores {
        postgres_programs: Path::new("/nowhere"),
        ..world.stores()
    };
    let failed = backup::back_up(&repository, &missing, None, true, crate::world::at(0)).await;
    assert!(matches!(failed.unwrap_err(), Error::Program { .. }));
    assert!(repository.backups().unwrap().is_empty());
    world.back_up(&repository, 2).await.unwrap();
}

#[tokio::test]
async fn a_page_that_is_damaged_in_its_own_store_is_named_and_left_out() {
    let (folder, world, target) = (tempfile::tempdir().unwrap(), World::new().await, World::empty().await);
    let page = world.blobs.put(b"a page".to_vec()).await.unwrap();
    let other = world.blobs.put(b"other".to_vec()).await.unwrap();
    world
        .blobs
        .put_packed(&page, blobs::pack(b"another").unwrap().into())
        .await
        .unwrap();
    let repository = repository(folder.path(), None).unwrap();
    let written = world.back_up(&repository, 0).await.unwrap();
    assert_eq!((written.damaged, written.contents.files), (vec![page], 1));
    target.restore(&repository, written.id).await.unwrap();
    assert!(target.blobs.contains(&other).await.unwrap() && !target.blobs.contains(&page).await.unwrap());
}
