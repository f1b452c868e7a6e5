use crate::server::{self, header};

#[tokio::test]
async fn keeps_temporary_tables_and_settings_of_a_session() {
    let (server, _data) = server::start();
    let ask = |statement: &'static str| {
        server
            .post(&[("session_id", "s"), ("max_threads", "3")], statement)
            .send()
    };
    for statement in [
        "CREATE TEMPORARY TABLE picked (a UInt8)",
        "INSERT INTO picked VALUES (1), (2)",
        "SET max_block_size = 7",
    ] {
        let answer = ask(statement).await.expect("an answer");
        assert_eq!(answer.status(), 200, "{statement}: {:?}", answer.text().await);
    }
    let read = "SELECT sum(a), any(getSetting('max_block_size')), any(getSetting('max_threads')) FROM picked";
    assert_eq!(
        ask(read).await.expect("an answer").text().await.expect("text"),
        "3\t7\t3\n"
    );
    let without = server.post(
        &[("session_id", "s")],
        "SELECT toString(getSetting('max_threads')) != '3'",
    );
    assert_eq!(
        without.send().await.expect("an answer").text().await.expect("text"),
        "1\n"
    );
    let elsewhere = server
        .post(&[("session_id", "other")], "SELECT * FROM picked")
        .send()
        .await
        .expect("an answer");
    assert_eq!(header(&elsewhere, "x-clickhouse-exception-code"), "60");
}

#[tokio::test]
async fn refuses_a_session_that_is_in_use_or_unknown() {
    let (server, _data) = server::start();
    let endless = "SELECT number FROM numbers(1000000000000)";
    let endless = server
        .post(&[("session_id", "s")], endless)
        .send()
        .await
        .expect("an answer");
    let code = |pairs: &'static [(&str, &str)]| async {
        header(
            &server.post(pairs, "SELECT 1").send().await.expect("an answer"),
            "x-clickhouse-exception-code",
        )
        .to_owned()
    };
    assert_eq!(code(&[("session_id", "s")]).await, "373");
    drop(endless);
    server::until("the session is free again", || async {
        code(&[("session_id", "s")]).await.is_empty()
    })
    .await;
    assert_eq!(code(&[("session_id", "unknown"), ("session_check", "1")]).await, "372");
    assert_eq!(code(&[("session_id", "s"), ("session_timeout", "100000")]).await, "374");
}
