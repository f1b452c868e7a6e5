//! Pages on which an engine finds nothing at all.

use chrono::DateTime;
use postgres::rereading::RereadQuery;
use workers::reread;

use crate::stack::Stack;

/// A term for which the simulated engine finds nothing.
const NOTHING: &str = "noresults hats";
/// The readings of the captures of that term, oldest first.
const CAPTURES: &str = "select coalesce(string_agg(concat_ws(' ', verdict, doubt, n_rows), ', ' order by taken_at), '') from capture where term like 'noresults%'";
const ANOTHER_RUN: &str = "delete from apalis.jobs;
    update term_due set first_slot = now(), next_slot = now();
    update capture set taken_at = taken_at - interval '732 hours'";

#[tokio::test(flavor = "multi_thread")]
async fn nothing_found_is_doubtful_until_it_is_confirmed_and_stays_so_when_it_is_read_again() {
    let stack = Stack::new().await;
    stack.term(NOTHING).await;
    stack.run_until_settled().await;
    assert_eq!(stack.postgres.fetch::<String>(CAPTURES).await, "doubtful no-results 0");
    let spell = "select concat_ws(' ', captures, had_results, confirmed_at is null) from empty_spell";
    assert_eq!(stack.postgres.fetch::<String>(spell).await, "1 f t");

    stack.postgres.execute(ANOTHER_RUN).await;
    stack
        .postgres
        .execute("update empty_spell set confirmed_at = now() - interval '1 minute'")
        .await;
    stack
        .run_until("select count(*) = 2 from slot where state = 'verified'")
        .await;
    let confirmed = "doubtful no-results 0, results 0";
    assert_eq!(stack.postgres.fetch::<String>(CAPTURES).await, confirmed);
    let query = RereadQuery {
        since: DateTime::UNIX_EPOCH,
        term: None,
        engine: None,
    };
    stack.postgres.execute("update capture set reader_version = '0'").await;
    reread::run(&stack.stores(), &query, true, |_| {}).await.unwrap();
    assert_eq!(stack.postgres.fetch::<String>(CAPTURES).await, confirmed);
    stack.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_term_without_results_pauses_nothing_and_others_are_captured() {
    let stack = Stack::new().await;
    stack.term(NOTHING).await;
    stack.term("running shoes").await;
    stack.run_until_settled().await;
    let states = "select string_agg(state, ', ') from slot";
    assert_eq!(stack.postgres.fetch::<String>(states).await, "verified, verified");
}
