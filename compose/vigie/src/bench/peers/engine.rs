use std::time::{Duration, Instant};

use url::Url;

use super::Totals;
use crate::bench::BenchError;
use crate::bench::questions::Question;

const NAME: &str = "the engine";

/// SQL tuned by hand for one question, straight at the engine's HTTP interface.
pub(crate) struct EngineSql {
    client: reqwest::Client,
    address: Url,
    user: String,
    password: String,
    database: String,
}

impl EngineSql {
    pub(crate) fn new(address: Url, user: &str, password: &str, database: &str) -> Result<Self, BenchError> {
        Ok(Self {
            client: reqwest::Client::builder().no_proxy().tcp_nodelay(true).build()?,
            address,
            user: user.to_owned(),
            password: password.to_owned(),
            database: database.to_owned(),
        })
    }

    /// The page with its totals from the results alone, without a roll-up.
    pub(crate) async fn ask(&self, question: &Question) -> Result<(Duration, Totals), BenchError> {
        let condition = question.condition("slot_time");
        let (first, last) = (question.from.date_naive(), question.to.date_naive());
        let sql = format!(
            "select domain, groupUniqArray(country), count() as views, uniqExact(ad) as ads, avg(rank), \
             count() over (), sum(views) over (), sum(ads) over () \
             from ad_results where day between '{first}' and '{last}' and {condition} and domain != '' \
             group by domain order by views desc, domain limit 30 format TSV"
        );
        let began = Instant::now();
        let text = self.send(sql).await?.text().await?;
        let took = began.elapsed();
        let fields: Vec<u64> = text
            .lines()
            .next()
            .unwrap_or_default()
            .split('\t')
            .skip(5)
            .filter_map(|field| field.parse().ok())
            .collect();
        match fields[..] {
            [domains, views, ads] => Ok((took, [domains, views, ads])),
            _ => Err(BenchError::Answer {
                peer: NAME,
                answer: text.chars().take(300).collect(),
            }),
        }
    }

    /// Runs a query and gives its answer to read.
    pub(crate) async fn send(&self, sql: String) -> Result<reqwest::Response, BenchError> {
        let request = self
            .client
            .post(self.address.clone())
            .query(&[("database", &self.database)])
            .header("x-clickhouse-user", &self.user)
            .header("x-clickhouse-key", &self.password)
            .body(sql);
        Ok(request.send().await?.error_for_status()?)
    }
}
