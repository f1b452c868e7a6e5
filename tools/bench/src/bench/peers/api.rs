use std::time::{Duration, Instant};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;

use super::Totals;
use crate::bench::BenchError;

const NAME: &str = "the API";

/// Vigie's own API over HTTP, with a session.
#[derive(Clone)]
pub(crate) struct Api {
    client: reqwest::Client,
    address: Url,
    token: String,
}

impl Api {
    /// Opens a session on connections of its own; `address` ends with a slash.
    pub(crate) async fn sign_in(address: Url, email: &str, password: &str) -> Result<Self, BenchError> {
        let client = reqwest::Client::builder().no_proxy().tcp_nodelay(true).build()?;
        Self::sign_in_with(client, address, email, password).await
    }

    /// Opens another session on the same connections.
    pub(crate) async fn sign_in_again(&self, email: &str, password: &str) -> Result<Self, BenchError> {
        Self::sign_in_with(self.client.clone(), self.address.clone(), email, password).await
    }

    /// Opens a session with this client; fails when the response has no token.
    async fn sign_in_with(
        client: reqwest::Client,
        address: Url,
        email: &str,
        password: &str,
    ) -> Result<Self, BenchError> {
        let login = format!("{address}api/UserAccounts/login");
        let credentials = json!({ "email": email, "password": password });
        let session: Value = client.post(login).json(&credentials).send().await?.json().await?;
        let token = session["id"].as_str().ok_or_else(|| unexpected(&session))?.to_owned();
        Ok(Self { client, address, token })
    }

    /// Sends a question and returns the time until the whole response was parsed, and its totals. Fails when the response has none.
    pub(crate) async fn ask(&self, path: &str) -> Result<(Duration, Totals), BenchError> {
        let (took, reply) = self.get(path).await?;
        let totals = match &reply {
            Value::Array(ads) => {
                let views: Option<u64> = ads.iter().map(|ad| ad["views"].as_u64()).sum();
                views.map(|views| [ads.len() as u64, views, 0])
            }
            list => {
                let meta = &list["meta"];
                let figures = ["total", "totalViews", "totalAds"]
                    .map(|name| &meta["page"][name])
                    .map(Value::as_u64);
                match figures {
                    [Some(rows), Some(views), Some(ads)] => Some([rows, views, ads]),
                    _ => None,
                }
            }
        };
        Ok((took, totals.ok_or_else(|| unexpected(&reply))?))
    }

    /// Sends a GET and returns the time until the whole response was parsed, and its JSON. Fails on any status but success.
    pub(crate) async fn get(&self, path: &str) -> Result<(Duration, Value), BenchError> {
        let began = Instant::now();
        let request = self.client.get(format!("{}{path}", self.address));
        let reply = request
            .header("authorization", &self.token)
            .send()
            .await?
            .error_for_status()?;
        let reply = reply.json().await?;
        Ok((began.elapsed(), reply))
    }

    /// Sends a request with a body of the content type `kind`. Returns the time until the whole response was read, its status, whatever it is, and
    /// its JSON (null where it is none).
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        (kind, body): (&str, Vec<u8>),
    ) -> Result<(Duration, StatusCode, Value), BenchError> {
        let began = Instant::now();
        let request = self.client.request(method, format!("{}{path}", self.address));
        let reply = request
            .header("authorization", &self.token)
            .header("content-type", kind)
            .header("x-operation", Uuid::new_v4().to_string())
            .body(body)
            .send()
            .await?;
        let status = reply.status();
        let bytes = reply.bytes().await?;
        let took = began.elapsed();
        Ok((took, status, serde_json::from_slice(&bytes).unwrap_or_default()))
    }

    /// Sends JSON and returns the time until the whole response was read, and its JSON. Fails on any status but success.
    pub(crate) async fn send_json(
        &self,
        method: Method,
        path: &str,
        body: &Value,
    ) -> Result<(Duration, Value), BenchError> {
        let body = ("application/json", body.to_string().into_bytes());
        let (took, status, reply) = self.send(method, path, body).await?;
        if status.is_success() {
            Ok((took, reply))
        } else {
            Err(unexpected(&reply))
        }
    }

    /// Downloads a file without keeping it; `meanwhile` is called after each piece, and its error ends the download.
    pub(crate) async fn download(
        &self,
        path: &str,
        mut meanwhile: impl FnMut() -> Result<(), BenchError>,
    ) -> Result<Downloaded, BenchError> {
        let began = Instant::now();
        let request = self.client.get(format!("{}{path}", self.address));
        let mut reply = request
            .header("authorization", &self.token)
            .send()
            .await?
            .error_for_status()?;
        let (mut first_byte, mut bytes, mut lines) = (None, 0, 0);
        while let Some(piece) = reply.chunk().await? {
            first_byte.get_or_insert_with(|| began.elapsed());
            bytes += piece.len() as u64;
            lines += piece.split(|byte| *byte == b'\n').skip(1).count() as u64;
            meanwhile()?;
        }
        let whole = began.elapsed();
        Ok(Downloaded {
            first_byte: first_byte.unwrap_or(whole),
            whole,
            bytes,
            lines,
        })
    }
}

/// Measurements of a download.
pub(crate) struct Downloaded {
    pub(crate) first_byte: Duration,
    pub(crate) whole: Duration,
    pub(crate) bytes: u64,
    pub(crate) lines: u64,
}

/// The error of a response that is not the one that was expected.
pub(crate) fn unexpected(reply: &Value) -> BenchError {
    BenchError::Answer {
        peer: NAME,
        reply: reply.to_string().chars().take(300).collect(),
    }
}
