use std::time::{Duration, Instant};

use serde_json::{Value, json};
use url::Url;

use super::Totals;
use crate::bench::BenchError;
use crate::bench::questions::Question;

const NAME: &str = "the API";

/// Vigie's own API over HTTP, with a session.
pub(crate) struct Api {
    client: reqwest::Client,
    address: Url,
    token: String,
}

impl Api {
    pub(crate) async fn sign_in(address: Url, email: &str, password: &str) -> Result<Self, BenchError> {
        let client = reqwest::Client::builder().no_proxy().build()?;
        let login = format!("{address}api/UserAccounts/login");
        let credentials = json!({ "email": email, "password": password });
        let session: Value = client.post(login).json(&credentials).send().await?.json().await?;
        let token = session["id"].as_str().ok_or_else(|| unexpected(&session))?.to_owned();
        Ok(Self { client, address, token })
    }

    pub(crate) async fn ask(&self, question: &Question) -> Result<(Duration, Totals), BenchError> {
        let began = Instant::now();
        let request = self.client.get(format!("{}{}", self.address, question.path()));
        let answer: Value = request
            .header("authorization", &self.token)
            .send()
            .await?
            .json()
            .await?;
        let took = began.elapsed();
        let meta = &answer["meta"];
        let figures = [&meta["page"]["total"], &meta["totalViews"], &meta["totalAds"]];
        let figures = figures.map(Value::as_u64);
        let [Some(domains), Some(views), Some(ads)] = figures else {
            return Err(unexpected(&answer));
        };
        Ok((took, [domains, views, ads]))
    }
}

fn unexpected(answer: &Value) -> BenchError {
    BenchError::Answer {
        peer: NAME,
        answer: answer.to_string().chars().take(300).collect(),
    }
}
