use std::time::{Duration, Instant};

use url::Url;

use super::{Totals, totals};
use crate::bench::BenchError;

const NAME: &str = "the engine";

/// Hand-tuned SQL, sent straight to the engine's HTTP interface.
pub(crate) struct EngineSql {
    client: reqwest::Client,
    address: Url,
    user: String,
    password: String,
    database: String,
}

impl EngineSql {
    /// Creates a client of the engine's HTTP interface; connects on first use.
    pub(crate) fn new(address: Url, user: &str, password: &str, database: &str) -> Result<Self, BenchError> {
        Ok(Self {
            client: reqwest::Client::builder().no_proxy().tcp_nodelay(true).build()?,
            address,
            user: user.to_owned(),
            password: password.to_owned(),
            database: database.to_owned(),
        })
    }

    /// Runs a query and returns the time of the whole response at the client, and the totals in its first row.
    pub(crate) async fn ask(&self, sql: String) -> Result<(Duration, Totals), BenchError> {
        let began = Instant::now();
        let text = self.send(sql).await?.text().await?;
        let took = began.elapsed();
        let found = totals(&text, '\t').ok_or_else(|| BenchError::Answer {
            peer: NAME,
            reply: text.chars().take(300).collect(),
        })?;
        Ok((took, found))
    }

    /// Drops the engine's caches. The system's own page cache stays.
    pub(crate) async fn drop_caches(&self) -> Result<(), BenchError> {
        for cache in ["MARK CACHE", "UNCOMPRESSED CACHE", "QUERY CACHE"] {
            self.send(format!("SYSTEM DROP {cache}")).await?;
        }
        Ok(())
    }

    /// Runs a statement and returns the response, whose body is still to be read. Fails on any status but success.
    pub(crate) async fn send(&self, sql: String) -> Result<reqwest::Response, BenchError> {
        let request = self
            .client
            .post(self.address.clone())
            .query(&[("database", &self.database)])
            .header("x-clickhouse-user", &self.user)
            .header("x-clickhouse-key", &self.password)
            .body(sql);
        let reply = request.send().await?;
        if !reply.status().is_success() {
            return Err(BenchError::Answer {
                peer: NAME,
                reply: reply.text().await?.chars().take(600).collect(),
            });
        }
        Ok(reply)
    }
}
