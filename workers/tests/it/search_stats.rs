//! Reading monthly searches from the simulated service, and the frequencies that follow from them.

use postgres::search_stats;
use testkit::SETUP;
use vocabulary::{Frequency, Job, TermId};
use workers::volumes::Volumes;

use crate::stack::Stack;

const NONE_WAITS: &str = "select not exists (select from search_stats_request)";

impl Stack {
    /// A term with the automatic frequency.
    async fn automatic(&self, words: &str) -> TermId {
        self.postgres.term(words, None, 0).await
    }

    async fn request(&self, terms: &[TermId]) -> u64 {
        search_stats::request(&self.postgres.pool, &SETUP, terms).await.unwrap()
    }

    /// The monthly searches of all terms as they are stored, by id.
    async fn searches(&self) -> Vec<Option<f64>> {
        let query = "select array_agg((search_stats ->> 'monthly')::double precision order by id) from term";
        self.postgres.fetch(query).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requested_searches_are_stored_and_the_interval_of_automatic_terms_follows_from_them() {
    let stack = Stack::new().await;
    let mut terms = Vec::new();
    for words in ["running shoes", "winter boots", "sandals", "felt slippers"] {
        terms.push(stack.automatic(words).await);
    }
    let hourly = stack.postgres.term("clogs", None, 3_600_000).await;
    terms.push(hourly);
    schedules::pass(&stack.postgres.pool).await.unwrap();
    assert_eq!(stack.request(&terms).await, 5);
    stack.run_until(NONE_WAITS).await;
    schedules::pass(&stack.postgres.pool).await.unwrap();
    let read = "select bool_and(search_stats ? 'monthly' and search_stats ? 'fetchedAt') from term";
    assert!(stack.postgres.fetch::<bool>(read).await);
    let planned = "select array_agg(every_ms order by term_id) from term_due";
    let planned: Vec<i64> = stack.postgres.fetch(planned).await;
    let mut expected: Vec<i64> = stack.searches().await[..4]
        .iter()
        .map(|searches| Frequency::AUTO.interval_millis(*searches, 0.05))
        .collect();
    expected.push(3_600_000);
    assert_eq!(planned, expected);
    assert!(expected.windows(2).any(|pair| pair[0] != pair[1]), "they differ");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_service_does_not_answer_is_tried_again_and_given_up_in_the_end() {
    let stack = Stack::new().await;
    let term = stack.automatic("shoes fault-volumes").await;
    stack.request(&[term]).await;
    let again = "select tries = 1 and coalesce(problem, '') like '%503%' and run_at > now() from search_stats_request";
    stack.run_until(again).await;
    stack
        .postgres
        .execute("update search_stats_request set run_at = now(), tries = 4")
        .await;
    stack
        .run_until("select tries = 5 and run_at = 'infinity' from search_stats_request")
        .await;
    let progress = search_stats::progress(&stack.postgres.pool, &SETUP, &[term])
        .await
        .unwrap();
    assert_eq!((progress.waiting, progress.failed), (0, 1));
    assert_eq!(stack.request(&[term]).await, 1, "a new request begins from the start");
    let anew = "select tries = 0 and problem is null and run_at <= now() from search_stats_request";
    assert!(stack.postgres.fetch::<bool>(anew).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_more_questions_are_asked_in_an_hour_than_the_settings_say() {
    let stack = Stack::new().await;
    let [one, other] = [stack.automatic("shoes").await, stack.automatic("boots").await];
    stack
        .postgres
        .execute("update term set engine = 'BING' where term = 'boots'")
        .await;
    stack.request(&[one, other]).await;
    let waits = "select count(*) = 1 and bool_and(tries = 0 and run_at > now() + interval '50 minutes') from search_stats_request";
    stack
        .run_asking_until(
            |volumes| Volumes {
                questions_per_hour: 1,
                ..volumes
            },
            waits,
        )
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn automatic_terms_are_read_again_once_a_month() {
    let stack = Stack::new().await;
    stack.automatic("shoes").await;
    stack.term("boots").await;
    let job = Job::RefreshSearchStats;
    assert_eq!(stack.job(job).await, "search volumes of 1 terms requested");
    assert_eq!(
        stack.job(job).await,
        "search volumes of 0 terms requested",
        "it waits already"
    );
    stack.run_until(NONE_WAITS).await;
    assert_eq!(
        stack.job(job).await,
        "search volumes of 0 terms requested",
        "it is fresh"
    );
    assert_eq!(stack.in_years(1).job(job).await, "search volumes of 1 terms requested");
    stack
        .postgres
        .execute("delete from search_stats_request; update term set state = 'archived'")
        .await;
    assert_eq!(stack.in_years(1).job(job).await, "search volumes of 0 terms requested");
}
