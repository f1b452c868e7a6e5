//! Limits that two processes share through Redis, and what holds while it is away.

use std::time::Duration;

use coordination::{Breaker, Bucket, Coordination, Limit, Presence, Throttle};

/// Two clients of one Redis, as in two processes.
async fn two() -> (Coordination, Coordination) {
    let address = testkit::redis();
    let one = Coordination::redis(&address).expect("the address is one of Redis");
    assert!(one.is_reachable().await);
    (one, Coordination::redis(&address).expect("the address is one of Redis"))
}

#[tokio::test]
async fn two_processes_share_the_tokens_of_a_bucket() {
    let (one, other) = two().await;
    let name = "two_processes_share_the_tokens_of_a_bucket";
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
    assert_eq!(one.note_refusal().await, None);
    assert_eq!(other.note_refusal().await, None);
    assert_eq!(one.note_refusal().await, Some(Duration::from_mins(15)));
    assert!(
        other
            .pause_left()
            .await
            .is_some_and(|left| left > Duration::from_mins(14))
    );
}

#[tokio::test]
async fn attempts_are_counted_over_all_processes() {
    let (one, other) = two().await;
    let limits = [Limit {
        key: "attempts_are_counted_over_all_processes",
        most: 2,
    }];
    let (one, other) = (
        Throttle::new(&one, Duration::from_mins(1)),
        Throttle::new(&other, Duration::from_mins(1)),
    );
    let _counts = one.reserve(&limits).await.unwrap();
    let mistaken = other.reserve(&limits).await.unwrap();
    assert!(one.reserve(&limits).await.is_err());
    other.give_back(mistaken, &limits).await;
    let _counts = one.reserve(&limits).await.unwrap();
    assert!(other.reserve(&limits).await.is_err());
    other.forget(limits[0].key).await;
    let _counts = one.reserve(&limits).await.unwrap();
}

#[tokio::test]
async fn no_more_concurrent_attempts_go_through_than_consecutive_ones() {
    let (one, other) = two().await;
    let limits = [
        Limit {
            key: "parallel attempts of an address",
            most: 100,
        },
        Limit {
            key: "parallel attempts of an e-mail",
            most: 5,
        },
    ];
    let throttles = [&one, &other].map(|process| Throttle::new(process, Duration::from_mins(1)));
    let attempts = (0..200).map(|number| throttles[number % 2].reserve(&limits));
    let admitted = futures::future::join_all(attempts).await;
    assert_eq!(admitted.iter().filter(|admitted| admitted.is_ok()).count(), 5);
    // The refused ones were not counted.
    let address = [Limit {
        key: "parallel attempts of an address",
        most: 6,
    }];
    let _counts = throttles[0].reserve(&address).await.unwrap();
    assert!(throttles[1].reserve(&address).await.is_err());
}

#[tokio::test]
async fn members_of_a_room_are_seen_from_every_process() {
    let (one, other) = two().await;
    let [one, other] = [&one, &other].map(|process| Presence::new(process, "room of a test", Duration::from_mins(1)));
    let rooms = ["7".to_owned(), "8".to_owned()];
    assert_eq!(one.enter("7", "ann").await, ["ann"]);
    let mut both = other.enter("7", "bob").await;
    both.sort();
    assert_eq!(both, ["ann", "bob"]);
    one.leave("7", "ann").await;
    assert_eq!(one.members(&rooms).await, [vec!["bob".to_owned()], Vec::new()]);
    for number in 0..coordination::MOST_MEMBERS * 2 {
        one.enter("8", &number.to_string()).await;
    }
    assert_eq!(other.members(&rooms).await[1].len(), coordination::MOST_MEMBERS);
    let brief = Presence::new(
        &Coordination::redis(&testkit::redis()).unwrap(),
        "brief",
        Duration::from_millis(1),
    );
    brief.enter("7", "ann").await;
    assert_eq!(brief.enter("8", "bob").await, ["bob"]);
    while !brief.members(&rooms).await[0].is_empty() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_redis_that_hangs_costs_one_caller_its_time_and_not_every_one() {
    // Accepts connections and never responds.
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let hung = Coordination::redis(&format!("redis://{}", silent.local_addr().unwrap())).unwrap();
    let bucket = Bucket::new(&hung, "hung", 6_000, 1_000);
    bucket.acquire().await;
    let began = std::time::Instant::now();
    for _ in 0..100 {
        bucket.acquire().await;
    }
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
}

#[tokio::test]
async fn without_redis_limits_hold_in_the_process() {
    let away = Coordination::redis("redis://127.0.0.1:9").expect("the address is one of Redis");
    assert!(!away.is_reachable().await);
    let bucket = Bucket::new(&away, "away", 60, 1);
    assert_eq!(bucket.try_take().await, Ok(()));
    assert!(bucket.try_take().await.is_err());
}
