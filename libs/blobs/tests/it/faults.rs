//! A service that is busy, cuts uploads, is silent, or does not know us.

use blobs::Error;

use crate::server::{Fault, Server};

/// A content that does not become small: it takes several packets.
fn large() -> Vec<u8> {
    (0_u32..500_000)
        .flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes())
        .collect()
}

#[tokio::test]
async fn a_busy_service_and_cut_uploads_are_tried_again_and_nothing_is_half_kept() {
    let server = Server::start().await;
    let blobs = server.blobs();
    server.break_next(&[Fault::Busy, Fault::CutAfter(200_000), Fault::Busy]);
    let digest = blobs.put(large()).await.unwrap();
    assert_eq!(server.faults_left(), 0, "all of them happened");
    assert!(
        blobs.read(&digest).await.unwrap().unwrap() == large(),
        "another content"
    );
}

#[tokio::test]
async fn an_upload_that_never_arrives_whole_is_an_error_and_no_file() {
    let server = Server::start().await;
    let blobs = server.blobs();
    server.break_next(&[Fault::CutAfter(100_000); 7]);
    let error = blobs.put(large()).await.unwrap_err();
    assert!(matches!(error, Error::Store(_)), "{error}");
    assert_eq!(server.faults_left(), 0);
    let digest = <sha2::Sha256 as sha2::Digest>::digest(large()).into();
    assert!(!blobs.contains(&digest).await.unwrap());
    assert_eq!(
        blobs.put(large()).await.unwrap(),
        digest,
        "the next try is not hindered by it"
    );
}

#[tokio::test]
async fn a_bucket_that_is_not_there_and_a_wrong_key_are_refused_and_not_taken_for_empty() {
    let server = Server::start().await;
    server.blobs().check().await.unwrap();
    for (bucket, secret) in [("nowhere", "not-a-secret"), ("captures", "wrong")] {
        let error = server.opened(bucket, secret).check().await.unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, Error::Bucket { .. }), "{text}");
        assert!(
            text.contains("VIGIE__BLOBS__S3__BUCKET") && text.contains(bucket),
            "{text}"
        );
        assert!(!text.contains("not-a-secret") && !text.contains("wrong"), "{text}");
    }
    let stored = server.blobs().put(b"one".to_vec()).await.unwrap();
    let refused = server.opened("captures", "wrong").read(&stored).await;
    assert!(matches!(refused, Err(Error::Store(_))), "{refused:?}");
}

#[tokio::test]
async fn a_service_that_does_not_answer_keeps_nobody_from_starting() {
    let server = Server::start().await;
    let blobs = server.blobs();
    server.break_next(&[Fault::Silent; 3]);
    blobs.check().await.unwrap();
}
