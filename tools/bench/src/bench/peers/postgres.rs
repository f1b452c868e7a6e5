use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncWriteExt;

use super::psql::{Psql, unexpected};
use super::{EngineSql, Totals, totals};
use crate::bench::BenchError;

/// Sessions may use both cores and sort in memory.
const SESSION: &str =
    "set work_mem = '512MB'; set max_parallel_workers_per_gather = 2; set jit = off; set time zone 'UTC';";
/// Texts are stored once, in separate tables.
const TABLES: &str = "
    drop schema if exists bench cascade;
    create schema bench;
    create unlogged table bench.domain (id int, domain text collate \"C\");
    create unlogged table bench.term (id int, engine text, country text, region text, keyword text);
    create unlogged table bench.ad (ad bigint, title text);
    create unlogged table bench.ad_results (seen_at timestamp, ad bigint, term_id int, domain_id int, brand_id smallint, rank smallint,
        kind text collate \"C\", device text collate \"C\");";
/// Each index covers all columns that are read.
const INDEXES: &str = "
    set maintenance_work_mem = '1GB';
    create index on bench.ad_results (brand_id, seen_at) include (domain_id, term_id, ad, rank, kind, device);
    create index on bench.ad_results (seen_at) include (domain_id, term_id, ad, rank, kind, device);
    create index on bench.ad_results (domain_id, seen_at) include (ad, rank, term_id, kind, device);
    create unique index on bench.domain (domain);
    create unique index on bench.ad (ad);
    vacuum analyze bench.ad_results;
    vacuum analyze bench.ad;
    vacuum analyze bench.term;
    vacuum analyze bench.domain;";
/// Gives a domain the same number in both selects.
const DOMAINS: &str = "select row_number() over (order by domain) as id, domain from (select distinct toString(domain) as domain from ad_results)";

/// PostgreSQL with the same rows, and the indexes that suit the questions best.
pub(crate) struct Postgres {
    psql: Psql,
}

impl Postgres {
    /// Copies the rows of the engine into the schema `bench`, which is dropped first, and indexes them.
    pub(crate) async fn fill(address: &str, engine: &EngineSql) -> Result<Self, BenchError> {
        let peer = Self {
            psql: Psql::new(address),
        };
        peer.run(TABLES).await?;
        for (table, select) in [
            ("domain", format!("{DOMAINS} format TSV")),
            (
                "term",
                "select term_id, any(engine), any(country), any(region), any(keyword) from ad_results group by term_id format TSV".to_owned(),
            ),
            (
                "ad",
                "select reinterpretAsInt64(ad), any(title) from creatives group by ad format TSV".to_owned(),
            ),
            (
                "ad_results",
                format!(
                    "select seen_at, reinterpretAsInt64(ad), term_id, known.id, brand_id, rank, kind, device from ad_results \
                     inner join ({DOMAINS}) as known on toString(ad_results.domain) = known.domain where ad_results.domain != '' format TSV"
                ),
            ),
        ] {
            peer.copy(table, engine.send(select).await?).await?;
        }
        peer.run(INDEXES).await?;
        Ok(peer)
    }

    /// Streams rows in tab-separated form into a table of the schema `bench`.
    async fn copy(&self, table: &str, mut rows: reqwest::Response) -> Result<(), BenchError> {
        let mut copy = self
            .psql
            .command()
            .args(["-c", &format!("copy bench.{table} from stdin")])
            .stdin(Stdio::piped())
            .spawn()
            .map_err(BenchError::Psql)?;
        if let Some(mut stdin) = copy.stdin.take() {
            while let Some(piece) = rows.chunk().await? {
                stdin.write_all(&piece).await?;
            }
            stdin.shutdown().await?;
        }
        let end = copy.wait().await?;
        if !end.success() {
            return Err(unexpected(&format!("copying {table}: {end}")));
        }
        Ok(())
    }

    /// Runs a query twice: for its totals, then explained for its time, which is the server's own, without the client.
    pub(crate) async fn ask(&self, sql: &str) -> Result<(Duration, Totals), BenchError> {
        let reply = self.run(sql).await?;
        let found = totals(&reply, '|').ok_or_else(|| unexpected(&reply))?;
        let plan = self
            .run(&format!("explain (analyze, timing off, summary on, format text) {sql}"))
            .await?;
        let time = plan
            .lines()
            .find_map(|line| line.trim().strip_prefix("Execution Time: ")?.strip_suffix(" ms"));
        let millis: f64 = time
            .and_then(|time| time.parse().ok())
            .ok_or_else(|| unexpected(&plan))?;
        Ok((Duration::from_secs_f64(millis / 1e3), found))
    }

    /// Runs statements, separated by `;`, in one session and returns what they print, columns separated by `|`.
    async fn run(&self, sql: &str) -> Result<String, BenchError> {
        let mut all = statements(SESSION);
        all.extend(statements(sql));
        self.psql.run(&all).await
    }
}

/// Splits a text into statements, so that each is its own transaction, as `vacuum` must be. No statement may contain a `;`.
fn statements(sql: &str) -> Vec<&str> {
    let texts = sql.split(';').map(str::trim);
    texts.filter(|text| !text.is_empty()).collect()
}
