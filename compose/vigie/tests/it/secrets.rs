//! What opens an account appears in no log.

use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use reqwest::Client;
use serde_json::{Value, json};

use crate::trial::{Trial, folder, vigie};

const EMAIL: &str = "root@vigie.example";
const PASSWORD: &str = "Kept-from-logs-1";
const CHOSEN: &str = "Kept-from-logs-2";
const PROOF: &str = "proof-kept-from-logs";
const PATIENCE: Duration = Duration::from_secs(30);

/// The address at the end of a line.
fn address(line: &str) -> String {
    let at = line.find("http").unwrap();
    line[at..].trim_end_matches('/').to_owned()
}

/// The token of the link in the first caught mail.
async fn token_of_mail(client: &Client, mails: &str) -> String {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        let caught: Value = client
            .get(format!("{mails}/api/mails"))
            .send()
            .await
            .unwrap()
            .json()
            .await
            .unwrap();
        if let Some(text) = caught[0]["text"].as_str() {
            let link = text.split_whitespace().find(|word| word.contains("/reset#")).unwrap();
            return link.rsplit('#').next().unwrap().to_owned();
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("no mail was caught within {PATIENCE:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_password_token_or_proof_is_written_to_a_log() {
    let data = folder();
    let mut up = Trial::start(&mut vigie(data.path(), "up"));
    let site = address(&up.wait_for("Vigie is ready"));
    let mails = address(&up.wait_for("Mails are caught"));
    let mut create = vigie(data.path(), "create-admin")
        .arg(EMAIL)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    create
        .stdin
        .take()
        .unwrap()
        .write_all(format!("{PASSWORD}\n").as_bytes())
        .unwrap();
    assert!(create.wait().unwrap().success());

    let client = Client::new();
    let post = async |path: &str, token: &str, body: Value| {
        let request = client
            .post(format!("{site}/api/UserAccounts/{path}"))
            .header("authorization", token);
        request.json(&body).send().await.unwrap()
    };
    let login = post("login", "", json!({ "email": EMAIL, "password": PASSWORD })).await;
    let session = login.json::<Value>().await.unwrap()["id"].as_str().unwrap().to_owned();
    for path in [
        format!("/api/UserAccounts/me?access_token={session}"),
        format!("/api/UserAccounts/confirm?uid=1&token={PROOF}&redirect=/login"),
        format!("/api/no-such-thing?token={session}"),
    ] {
        client
            .get(format!("{site}{path}"))
            .header("token", &session)
            .send()
            .await
            .unwrap();
    }
    assert!(post("reset", "", json!({ "email": EMAIL })).await.status().is_success());
    let link = token_of_mail(&client, &mails).await;
    client.get(format!("{site}/reset#{link}")).send().await.unwrap();
    let chosen = post("reset-password", &link, json!({ "newPassword": CHOSEN })).await;
    assert!(chosen.status().is_success());

    let mut read = 0;
    for file in std::fs::read_dir(data.path().join("logs")).unwrap() {
        let file = file.unwrap().path();
        let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        for secret in [PASSWORD, CHOSEN, PROOF, &session, &link] {
            assert!(!text.contains(secret), "{secret} stands in {}", file.display());
        }
        read += usize::from(text.contains("\"answered\"") || text.contains("mail"));
    }
    assert!(read >= 2, "the logs of the API and of the workers were to be looked at");
}
