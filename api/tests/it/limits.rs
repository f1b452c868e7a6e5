//! Too many, too slow: what a list does when its question is too big or no longer wanted.

use std::future::IntoFuture;
use std::time::Duration;

use analytics::ingest::{self, AdRow, BatchToken};
use axum::http::StatusCode;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};

use crate::app::TestResponse;
use crate::captured::ad_of;
use crate::monitoring::{LIST, World};

pub const READER: &str = "user@acme.example";
/// Long enough for a busy machine; nothing waits for it when all is well.
const PATIENCE: Duration = Duration::from_secs(30);
/// A question that no roll-up answers.
pub const QUESTION: &str =
    "/api/Sems/findAdvertisers?filters[position][between][start]=0&filters[position][between][end]=99";
/// The results, but every one takes its time: a question to them runs for minutes and uses no processor.
const SLOW: [&str; 2] = [
    "RENAME TABLE ad_results TO quick_results",
    "CREATE VIEW ad_results AS SELECT *, day, rank, ad FROM quick_results WHERE sleepEachRow(0.1) = 0
     SETTINGS max_block_size = 20, max_threads = 1, function_sleep_max_microseconds_per_block = 3600000000",
];

fn is_too_many(answer: &TestResponse) {
    assert_eq!(answer.status, StatusCode::REQUEST_TIMEOUT, "{}", answer.body);
    assert_eq!(answer.body["error"]["code"], "TOO_MANY_RESULTS");
    let text = "We found too many results to display. Refine your search by changing your filters.";
    assert_eq!(answer.body["error"]["message"], text);
}

pub async fn slow_world() -> World {
    let world = World::new().await;
    for statement in SLOW {
        world.app.clickhouse.plain().query(statement).execute().await.unwrap();
    }
    world
}

/// How many questions to the lists the engine works on.
async fn running(world: &World) -> u64 {
    let database = &world.app.clickhouse.database;
    let query = format!(
        "SELECT count() FROM system.processes WHERE current_database = '{database}' AND query LIKE '%total_views%'
         AND query NOT LIKE '%system.processes%'"
    );
    world.app.clickhouse.plain().query(&query).fetch_one().await.unwrap()
}

pub async fn until(world: &World, wanted: u64) {
    let counted = async {
        while running(world).await != wanted {
            tokio::task::yield_now().await;
        }
    };
    let reached = tokio::time::timeout(PATIENCE, counted).await;
    assert!(
        reached.is_ok(),
        "{} questions run instead of {wanted}",
        running(world).await
    );
}

#[tokio::test]
async fn a_question_over_the_time_limit_says_that_it_found_too_many() {
    let mut world = slow_world().await;
    world.app.limit_queries(Duration::from_millis(50));
    is_too_many(&world.ask(READER, QUESTION).await);
}

#[tokio::test]
async fn more_rows_than_can_be_shown_at_once_are_too_many() {
    let world = World::new().await;
    for batch in 1..=2_u64 {
        let rows: Vec<AdRow> = (0..5_001).map(|row| ad_of(world.acme, batch, row)).collect();
        let (store, token) = (&world.app.state.analytics, BatchToken { batch, epoch: 0 });
        ingest::insert(store, token, &rows).await.unwrap();
        assert_eq!(ingest::end_inserts_and_count(store, token, &rows).await.unwrap(), 5_001);
    }
    is_too_many(&world.ask(READER, &format!("{LIST}?page[size]=0")).await);
    let page = world.found(READER, LIST).await;
    assert!(page["meta"]["page"]["total"].as_u64().unwrap() > 10_000);
}

#[tokio::test]
async fn readers_who_see_different_things_never_share_an_answer() {
    let world = slow_world().await;
    let (ours, theirs) = (
        world.app.login(READER).await,
        world.app.login("user@bolt.example").await,
    );
    let ask = async |token: &str| world.app.get(QUESTION, &[("token", token)]).await.status;
    let both = async { tokio::join!(ask(&ours), ask(&theirs)) };
    tokio::select! {
        _ = both => panic!("the question is slow"),
        () = until(&world, 2) => {}
    }
    until(&world, 0).await;
}

#[tokio::test]
async fn a_question_ends_in_the_engine_when_its_client_goes_away() {
    let world = slow_world().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(axum::serve(listener, world.app.service()).into_future());
    let token = world.app.login(READER).await;
    let mut client = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {QUESTION} HTTP/1.1\r\nhost: {address}\r\ntoken: {token}\r\n\r\n");
    client.write_all(request.as_bytes()).await.unwrap();
    until(&world, 1).await;
    drop(client);
    until(&world, 0).await;
    server.abort();
}
