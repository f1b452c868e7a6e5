//! Working with one grant.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use http::Method;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::client::{Call, Reply};
use crate::grant_key::GrantKey;
use crate::{Client, GoogleError};

/// What a grant is worked with. Counts the operations of Google Ads that it asks for.
#[derive(Clone, Debug)]
pub struct Account {
    client: Client,
    grant: GrantKey,
    login_customer: Option<String>,
    operations: Arc<AtomicU32>,
    last_request: Arc<Mutex<Option<String>>>,
}

impl Client {
    /// Works with a grant, for the customers below `login_customer`, if there is one.
    pub fn account(&self, grant: GrantKey, login_customer: Option<String>) -> Account {
        Account {
            client: self.clone(),
            grant,
            login_customer,
            operations: Arc::default(),
            last_request: Arc::default(),
        }
    }
}

impl Account {
    /// The operations of Google Ads that were asked for so far; a query is one, each changed item is one.
    pub fn operations(&self) -> u32 {
        self.operations.load(Ordering::Relaxed)
    }

    /// Google's id of the last request.
    pub fn last_request(&self) -> Option<String> {
        self.last_request.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether changes are sent to Google, or only checked there.
    pub(crate) fn mutates(&self) -> bool {
        self.client.settings.mutations
    }

    /// Gets `path` of Google Ads.
    pub(crate) async fn get_ads<T: DeserializeOwned>(&self, path: &str) -> Result<T, GoogleError> {
        let url = self.client.ads_address(path);
        let answer = self.call(Method::GET, url, None, (true, false), 1).await?;
        decode(&answer.body)
    }

    /// Posts a query that changes nothing to `path` of Google Ads.
    pub(crate) async fn query_ads(&self, customer: &str, method: &str, query: &str) -> Result<Vec<u8>, GoogleError> {
        let url = self
            .client
            .ads_address(&format!("customers/{customer}/googleAds:{method}"));
        let body = json!({ "query": query });
        let answer = self.call(Method::POST, url, Some(&body), (true, false), 1).await?;
        Ok(answer.body)
    }

    /// Posts changes to `path` of Google Ads; `count` of them.
    pub(crate) async fn mutate_ads(&self, path: &str, body: &Value, count: u32) -> Result<Reply, GoogleError> {
        let url = self.client.ads_address(path);
        self.call(Method::POST, url, Some(body), (true, true), count).await
    }

    /// Calls Search Console, which has no operations.
    pub(crate) async fn console<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<T, GoogleError> {
        let url = self.client.console_address(path);
        let answer = self.call(method, url, body, (false, false), 0).await?;
        decode(&answer.body)
    }

    async fn call(
        &self,
        method: Method,
        url: String,
        body: Option<&Value>,
        (ads, mutates): (bool, bool),
        operations: u32,
    ) -> Result<Reply, GoogleError> {
        let token = self.client.access_token(&self.grant).await?;
        // Google counts refused calls too.
        self.operations.fetch_add(operations, Ordering::Relaxed);
        let sent = self
            .client
            .send(Call {
                method,
                url,
                token: &token,
                login: self.login_customer.as_deref(),
                body,
                mutates,
                ads,
            })
            .await;
        let id = match &sent {
            Ok(answer) => answer.request_id.clone(),
            Err(error) => error.request_id().map(str::to_owned),
        };
        if id.is_some() {
            *self.last_request.lock().unwrap_or_else(PoisonError::into_inner) = id;
        }
        if matches!(sent, Err(GoogleError::GrantFailing(_))) {
            // The token may have been revoked: the next call refreshes, and learns that.
            self.client.forget(self.grant.id);
        }
        sent
    }
}

/// A body as what is expected of it.
pub fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<T, GoogleError> {
    serde_json::from_slice(body).map_err(|error| GoogleError::Unreadable(error.to_string()))
}
