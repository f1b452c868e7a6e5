//! The service that counts how often words are searched in a month.

use std::time::Duration;

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde::{Deserialize, Serialize};
use tokio::time::timeout;
use url::Url;
use vocabulary::{Engine, Locale};

/// How long the service may take for an answer.
const ANSWER_TIME: Duration = Duration::from_secs(10);
/// Bytes of an answer at most: some hundreds for each term.
const ANSWER_BYTES: usize = 1 << 20;

/// A client of the service. Clones share its connections.
#[derive(Clone)]
pub struct VolumeService {
    address: Url,
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
}

/// Why the service cannot be used at all.
#[derive(Debug, thiserror::Error)]
#[error("the certificates of the system cannot be read: {0}; install ca-certificates")]
pub struct VolumeServiceError(#[from] std::io::Error);

/// Why the service did not answer a question.
#[derive(Debug, thiserror::Error)]
pub(super) enum VolumeError {
    #[error("the question cannot be written: {0}")]
    Question(String),
    #[error("the service of search volumes cannot be reached: {0}")]
    Connect(#[from] hyper_util::client::legacy::Error),
    #[error("the service of search volumes did not answer within {} s", ANSWER_TIME.as_secs())]
    Slow,
    #[error("the service of search volumes answers with status {0}")]
    Status(u16),
    #[error("the service of search volumes gives an answer that cannot be read: {0}")]
    Answer(String),
}

/// The words of terms of one engine and locale.
#[derive(Serialize)]
struct Question<'a> {
    engine: Engine,
    locale: String,
    terms: &'a [&'a str],
}

#[derive(Deserialize)]
struct CountedTerms {
    volumes: Vec<Volume>,
}

/// How often the words of one term are searched.
#[derive(Deserialize)]
struct Volume {
    term: String,
    monthly: Option<f64>,
}

impl VolumeService {
    /// A client of the service at an address, by TLS if it is `https`; connects to nothing yet. Fails when the system's certificates cannot be read.
    pub fn new(address: Url) -> Result<Self, VolumeServiceError> {
        let mut connector = HttpConnector::new();
        connector.enforce_http(false);
        let connector = HttpsConnectorBuilder::new()
            .with_native_roots()?
            .https_or_http()
            .enable_http1()
            .wrap_connector(connector);
        Ok(Self {
            address,
            client: Client::builder(TokioExecutor::new()).build(connector),
        })
    }

    /// Asks how often each of `words` is searched in a month; in their order, `None` where the service knows nothing.
    pub(super) async fn monthly(
        &self,
        engine: Engine,
        locale: &Locale,
        words: &[&str],
    ) -> Result<Vec<Option<f64>>, VolumeError> {
        let question = Question {
            engine,
            locale: locale.to_string(),
            terms: words,
        };
        let body = serde_json::to_vec(&question).map_err(|error| VolumeError::Question(error.to_string()))?;
        let bytes = timeout(ANSWER_TIME, self.send(body))
            .await
            .map_err(|_| VolumeError::Slow)??;
        let answer: CountedTerms =
            serde_json::from_slice(&bytes).map_err(|error| VolumeError::Answer(error.to_string()))?;
        counts(words, answer)
    }

    /// Sends a question and returns the body of the answer, which must have the status 200.
    async fn send(&self, question: Vec<u8>) -> Result<Vec<u8>, VolumeError> {
        let request = hyper::Request::post(self.address.as_str())
            .header(hyper::header::CONTENT_TYPE, "application/json")
            .body(Full::new(Bytes::from(question)))
            .map_err(|error| VolumeError::Question(error.to_string()))?;
        let response = self.client.request(request).await?;
        if response.status() != hyper::StatusCode::OK {
            return Err(VolumeError::Status(response.status().as_u16()));
        }
        let body = Limited::new(response.into_body(), ANSWER_BYTES).collect().await;
        Ok(body
            .map_err(|error| VolumeError::Answer(error.to_string()))?
            .to_bytes()
            .into())
    }
}

/// The counts of an answer in the order of the words. It must name exactly these, in this order, with counts of 0 or more.
fn counts(words: &[&str], answer: CountedTerms) -> Result<Vec<Option<f64>>, VolumeError> {
    if !answer
        .volumes
        .iter()
        .map(|volume| volume.term.as_str())
        .eq(words.iter().copied())
    {
        return Err(VolumeError::Answer("it is about other terms".to_owned()));
    }
    let counts: Vec<Option<f64>> = answer.volumes.into_iter().map(|volume| volume.monthly).collect();
    match counts.iter().flatten().find(|count| **count < 0.0) {
        Some(count) => Err(VolumeError::Answer(format!("{count} searches a month"))),
        None => Ok(counts),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_about_the_words_that_were_asked_for() {
        let read = |body: &str| counts(&["shoes", "boots"], serde_json::from_str(body).unwrap());
        let known = r#"{"volumes": [{"term": "shoes", "monthly": 1300}, {"term": "boots", "monthly": null}]}"#;
        assert_eq!(read(known).unwrap(), [Some(1300.0), None]);
        for wrong in [
            r#"{"volumes": []}"#,
            r#"{"volumes": [{"term": "boots", "monthly": 1}, {"term": "shoes", "monthly": 1}]}"#,
            r#"{"volumes": [{"term": "shoes", "monthly": -1}, {"term": "boots", "monthly": 1}]}"#,
        ] {
            assert!(matches!(read(wrong), Err(VolumeError::Answer(_))), "{wrong}");
        }
    }
}
