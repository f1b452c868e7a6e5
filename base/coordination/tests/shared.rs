//! Limits that two processes share through Redis, and what holds while it is away.

use std::time::Duration;

use coordination::{Breaker, Bucket, Coordination, Limit, Throttle};

/// Two processes on one Redis.
async fn two() -> (Coordination, Coordination) {
    let address = testkit::redis();
    let one = Coordination::redis(&address).expect("the address is one of Redis");
    assert!(one.is_reachable().await);
    (one, Coordination::redis(&address).expect("the address is one of Redis"))
}

#[tokio::test]
async fn two_processes_share_the_turns_of_a_bucket() {
    let (one, other) = two().await;
    let name = "two_processes_share_the_turns_of_a_bucket";
    let (one, other) = (Bucket::new(&one, name, 60, 2), Bucket::new(&other, name, 60, 2));
    assert_eq!(one.try_take().await, Ok(()));
    assert_eq!(other.try_take().await, Ok(()));
    let wait = one.try_take().await.unwrap_err();
    assert!(wait > Duration::ZERO && wait <= Duration::from_secs(1), "{wait:?}");
}

#[tokio::test]
async fn refusals_seen_by_different_processes_open_the_breaker_for_all() {
    let (one, other) = two().await;
    let name = "refusals_seen_by_different_processes";
    let (one, other) = (Breaker::new(&one, name), Breaker::new(&other, name));
    assert_eq!(one.refused().await, None);
    assert_eq!(other.refused().await, None);
    assert_eq!(one.refused().await, Some(Duration::from_mins(15)));
    assert!(
        other
            .pause_left()
            .await
            .is_some_and(|left| left > Duration::from_mins(14))
    );
}

#[tokio::test]
async fn failures_are_counted_over_all_processes() {
    let (one, other) = two().await;
    let limits = [Limit {
        key: "failures_are_counted_over_all_processes",
        most: 2,
    }];
    let (one, other) = (
        Throttle::new(&one, Duration::from_mins(1)),
        Throttle::new(&other, Duration::from_mins(1)),
    );
    one.failed(&limits).await;
    other.failed(&limits).await;
    assert!(one.refuse_for(&limits).await.is_some());
    other.forget(limits[0].key).await;
    assert_eq!(one.refuse_for(&limits).await, None);
}

#[tokio::test]
async fn without_redis_limits_hold_in_the_process() {
    let away = Coordination::redis("redis://127.0.0.1:9").expect("the address is one of Redis");
    assert!(!away.is_reachable().await);
    let bucket = Bucket::new(&away, "away", 60, 1);
    assert_eq!(bucket.try_take().await, Ok(()));
    assert!(bucket.try_take().await.is_err());
}
