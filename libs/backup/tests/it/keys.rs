//! Backups with a key show nothing without it.

use backup::{Error, Repository};

use crate::world::{World, at, repository};

const SECRET: &str = "a name that nobody else has";

fn key(letter: &str) -> String {
    letter.repeat(64)
}

/// The contents of all files of a folder.
fn contents(folder: &std::path::Path) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            found.extend(contents(&entry.path()));
        } else {
            found.push(std::fs::read(entry.path()).unwrap());
        }
    }
    found
}

#[tokio::test]
async fn an_encrypted_backup_shows_nothing_and_comes_back_with_its_key() {
    let (folder, world, target) = (tempfile::tempdir().unwrap(), World::new().await, World::empty().await);
    world.store_ads(1, 30, 0, true).await;
    let page = world.blobs.put(SECRET.as_bytes().to_vec()).await.unwrap();
    let written = {
        let repository = repository(folder.path(), Some(&key("a"))).unwrap();
        world.back_up(&repository, 0).await.unwrap()
    };
    for content in contents(folder.path()) {
        let unpacked = blobs::unpack(&page, &content);
        assert!(unpacked.is_err(), "a piece is stored in the clear");
        assert!(
            !String::from_utf8_lossy(&content).contains("ad_results"),
            "a list is stored in the clear"
        );
    }
    // Not even the name tells that the page is there.
    let path = hex::encode(page);
    assert!(!folder.path().join("pieces").join(&path[..2]).join(&path[2..4]).exists());

    let repository = repository(folder.path(), Some(&key("a"))).unwrap();
    target.restore(&repository, written.id).await.unwrap();
    assert_eq!(target.ads().await, world.ads().await);
    assert_eq!(target.blobs.read(&page).await.unwrap().unwrap(), SECRET.as_bytes());
}

#[tokio::test]
async fn another_key_or_none_is_refused_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    drop(repository(folder.path(), Some(&key("a"))).unwrap());
    for wrong in [None, Some(key("b"))] {
        let refused = repository(folder.path(), wrong.as_deref()).unwrap_err();
        assert!(
            matches!(refused, Error::OtherKey { .. }) && refused.to_string().contains("--key-file"),
            "{refused}"
        );
    }
    let refused = repository(folder.path(), Some("short")).unwrap_err();
    assert!(matches!(refused, Error::BadKey), "{refused}");
    let clear = tempfile::tempdir().unwrap();
    drop(repository(clear.path(), None).unwrap());
    let refused = repository(clear.path(), Some(&key("a"))).unwrap_err();
    assert!(matches!(refused, Error::NotEncrypted(_)), "{refused}");
}

#[tokio::test]
async fn a_missing_key_of_stored_credentials_is_named_before_anything_is_restored() {
    let (folder, world, target) = (tempfile::tempdir().unwrap(), World::new().await, World::empty().await);
    let repository = repository(folder.path(), None).unwrap();
    let written = world.back_up(&repository, 0).await.unwrap();
    let refused = backup::restore(&repository, written.id, &target.stores(), |_| false, at(1)).await;
    let refused = refused.unwrap_err();
    assert!(
        matches!(&refused, Error::MissingSecretsKey { missing } if missing == "cafecafe"),
        "{refused}"
    );
    assert!(postgres::restoring::is_empty(&target.postgres.pool).await.unwrap());
    target.restore(&repository, written.id).await.unwrap();
}

#[test]
fn a_folder_is_used_by_one_process_at_a_time_and_holds_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let first = repository(folder.path(), None).unwrap();
    assert!(matches!(repository(folder.path(), None).unwrap_err(), Error::InUse(_)));
    drop(first);
    assert!(matches!(
        repository(folder.path(), None).unwrap().find(None).unwrap_err(),
        Error::NoBackup(_)
    ));
    let other = tempfile::tempdir().unwrap();
    std::fs::write(other.path().join("holiday.jpg"), "sun").unwrap();
    assert!(matches!(
        repository(other.path(), None).unwrap_err(),
        Error::NotARepository(_)
    ));
    assert!(matches!(
        Repository::open(other.path(), None).unwrap_err(),
        Error::NoBackup(_)
    ));
}
