//! The files kept of good and failed captures.

use vocabulary::SystemScope;

use crate::stack::Stack;

#[tokio::test(flavor = "multi_thread")]
async fn a_capture_is_kept_with_its_headers_and_picture_and_goes_into_the_chain() {
    let stack = Stack::new().await;
    stack.term("running shoes").await;
    stack.run_until_settled().await;
    let row = "select concat_ws(' ', jsonb_array_length(headers) > 0, screenshot_sha256 is not null, generation <> 'none', page_bytes > 0,
        view_bytes > 0, doubt is null) from capture";
    assert_eq!(stack.postgres.fetch::<String>(row).await, "t t t t t t");
    let cookies =
        "select exists (select from capture, jsonb_array_elements(headers) header where header ->> 0 = 'set-cookie')";
    assert!(!stack.postgres.fetch::<bool>(cookies).await);

    evidence::seal(&stack.postgres.pool).await.unwrap();
    let report = evidence::verify(&stack.postgres.pool, &stack.blobs, None)
        .await
        .unwrap();
    assert_eq!((report.entries, report.files, report.findings), (1, 3, vec![]));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_of_a_failed_attempt_is_kept_with_its_picture() {
    let stack = Stack::new().await;
    stack.term("shoes fault-captcha").await;
    stack.run_until("select exists (select from failed_page)").await;
    let slot = vocabulary::SlotId(stack.postgres.fetch::<i64>("select id from slot").await);
    let failed = postgres::failed_pages::of_slot(&stack.postgres.pool, &SystemScope::new("test"), slot)
        .await
        .unwrap();
    assert_eq!(
        (failed[0].failure, failed[0].attempt),
        (vocabulary::CaptureFailure::Captcha, 1)
    );
    for file in [failed[0].page, failed[0].view, failed[0].screenshot.unwrap()] {
        assert!(stack.blobs.contains(&file).await.unwrap());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn merchants_are_learnt_from_ads_that_show_their_domain() {
    let stack = Stack::new().await;
    stack.term("running shoes").await;
    stack.term("winter boots").await;
    stack.run_until_settled().await;
    let learnt: i64 = stack.postgres.fetch("select count(*) from merchant_domain").await;
    let shopping: i64 = stack.postgres.fetch("select sum(shopping_ads) from capture").await;
    assert!(
        shopping == 0 || learnt > 0,
        "{shopping} shopping ads, {learnt} merchants"
    );
}
