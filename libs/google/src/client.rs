//! How Google is spoken to: one HTTP client, its limits, and the tokens of grants.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use chrono::NaiveDate;
use http::{Method, Request, header};
use runtime::settings::Google;
use serde_json::Value;

use crate::grant_key::GrantKey;
use crate::transport::{Transport, TransportError};
use crate::{GoogleError, failure};

/// Bytes of an answer at most: a month of an account with very many search terms has less.
const MOST_BYTES: usize = 64 << 20;
/// A token is renewed so long before it ends.
const RENEWED_BEFORE: Duration = Duration::from_mins(5);

/// A client of Google. Clones share connections and access tokens.
#[derive(Clone, Debug)]
pub struct Client {
    pub(crate) transport: Transport,
    pub(crate) settings: Arc<Google>,
    tokens: Arc<Mutex<HashMap<i64, Arc<TokenSlot>>>>,
}

/// The access token of one grant; whoever holds the lock renews it for all.
pub(crate) type TokenSlot = tokio::sync::Mutex<Option<AccessToken>>;

/// A token of a grant, in memory alone.
#[derive(Clone)]
pub(crate) struct AccessToken {
    secret: String,
    /// The refresh token that it was got with.
    made_with: String,
    renew_at: Instant,
}

impl std::fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AccessToken")
    }
}

/// A request to Google.
pub(crate) struct Call<'a> {
    pub method: Method,
    pub url: String,
    pub token: &'a str,
    /// The header `login-customer-id`.
    pub login: Option<&'a str>,
    pub body: Option<&'a Value>,
    /// Whether it changes something, so that a lost answer leaves that unknown.
    pub mutates: bool,
    /// Whether it goes to Google Ads.
    pub ads: bool,
}

/// A body with Google's id of the request.
#[derive(Debug)]
pub(crate) struct Reply {
    pub body: Vec<u8>,
    pub request_id: Option<String>,
}

impl Client {
    /// A client for the addresses and version of the settings; connects to nothing yet.
    ///
    /// # Errors
    /// When the certificates of the system cannot be read.
    pub fn new(settings: &Google) -> Result<Self, GoogleError> {
        Ok(Self {
            transport: Transport::new()?,
            settings: Arc::new(settings.clone()),
            tokens: Arc::default(),
        })
    }

    /// Whether the settings name a client, so that people can consent.
    pub fn is_set_up(&self) -> bool {
        self.settings.client_id.as_deref().is_some_and(|id| !id.is_empty())
    }

    /// The version of the Google Ads API, and the last day on which Google answers it.
    pub fn version(&self) -> (&str, NaiveDate) {
        (&self.settings.version, self.settings.version_ends)
    }

    /// Forgets the access token of a grant, because the grant was revoked or replaced.
    pub fn forget(&self, grant: i64) {
        self.tokens
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&grant);
    }

    /// An access token of a grant, renewed by one caller at a time.
    pub(crate) async fn access_token(&self, grant: &GrantKey) -> Result<String, GoogleError> {
        let slot = {
            let mut slots = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(slots.entry(grant.id).or_default())
        };
        let mut held = slot.lock().await;
        if let Some(token) = &*held
            && token.renew_at > Instant::now()
            && token.made_with == grant.refresh_token
        {
            return Ok(token.secret.clone());
        }
        let (secret, lives) = self.refresh(&grant.refresh_token).await?;
        *held = Some(AccessToken {
            secret: secret.clone(),
            made_with: grant.refresh_token.clone(),
            renew_at: Instant::now() + lives.saturating_sub(RENEWED_BEFORE),
        });
        Ok(secret)
    }

    /// The address of a call of Google Ads: the one place that knows the version.
    pub(crate) fn ads_address(&self, path: &str) -> String {
        let base = self.settings.ads_url.as_str().trim_end_matches('/');
        format!("{base}/{}/{path}", self.settings.version)
    }

    /// The address of a call of Search Console.
    pub(crate) fn console_address(&self, path: &str) -> String {
        let base = self.settings.search_console_url.as_str().trim_end_matches('/');
        format!("{base}/webmasters/v3/{path}")
    }

    /// Sends a call and reads its answer whole; a refusal is an error.
    pub(crate) async fn send(&self, call: Call<'_>) -> Result<Reply, GoogleError> {
        let mut request = Request::builder()
            .method(call.method)
            .uri(call.url)
            .header(header::AUTHORIZATION, format!("Bearer {}", call.token));
        if call.ads {
            if let Some(login) = call.login {
                request = request.header("login-customer-id", login);
            }
            if let Some(token) = &self.settings.developer_token {
                request = request.header("developer-token", token.expose());
            }
        }
        let body = match call.body {
            Some(body) => {
                request = request.header(header::CONTENT_TYPE, "application/json");
                serde_json::to_vec(body).map_err(|error| GoogleError::Unreadable(error.to_string()))?
            }
            None => Vec::new(),
        };
        let request = request
            .body(body)
            .map_err(|error| GoogleError::Unreachable(error.to_string()))?;
        let received = self
            .transport
            .send(request, MOST_BYTES)
            .await
            .map_err(|error| match error {
                TransportError::Lost(text) if call.mutates => GoogleError::Unknown(text),
                TransportError::TooLong if call.mutates => GoogleError::Unknown("its answer is too long".to_owned()),
                TransportError::NotSent(text) | TransportError::Lost(text) => GoogleError::Unreachable(text),
                TransportError::TooLong => GoogleError::Unreadable(format!("it is longer than {MOST_BYTES} bytes")),
            })?;
        let request_id = received.headers.get("request-id");
        let request_id = request_id.and_then(|value| value.to_str().ok()).map(str::to_owned);
        let (status, body) = (received.status, received.body);
        if (200..300).contains(&status) {
            Ok(Reply { body, request_id })
        } else if call.mutates && status >= 500 {
            Err(GoogleError::Unknown(format!("status {status}")))
        } else {
            Err(failure::read(status, &body, request_id))
        }
    }
}
