use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use super::{EngineSql, Totals};
use crate::bench::BenchError;
use crate::bench::questions::Question;

const NAME: &str = "PostgreSQL";
/// Sessions may use both cores and sort in memory.
const SESSION: &str =
    "set work_mem = '512MB'; set max_parallel_workers_per_gather = 2; set jit = off; set time zone 'UTC';";

/// PostgreSQL over the same rows, with the indexes that serve the questions best: each covers every column that is read.
pub(crate) struct Postgres {
    address: String,
}

impl Postgres {
    /// Copies the rows of the engine and indexes them.
    pub(crate) async fn fill(address: &str, engine: &EngineSql) -> Result<Self, BenchError> {
        let peer = Self {
            address: address.to_owned(),
        };
        peer.run(
            "create schema if not exists bench; drop table if exists bench.ad_results;
             create unlogged table bench.ad_results (slot_time timestamp, brand_id int, domain text collate \"C\", country text collate \"C\",
                 ad bigint, rank smallint);",
        )
        .await?;
        let rows =
            "select slot_time, brand_id, domain, country, reinterpretAsInt64(ad), rank from ad_results format TSV";
        let mut rows = engine.send(rows.to_owned()).await?;
        let mut copy = peer
            .psql(&["-c", "copy bench.ad_results from stdin"])
            .stdin(Stdio::piped())
            .spawn()
            .map_err(BenchError::Psql)?;
        if let Some(mut stdin) = copy.stdin.take() {
            while let Some(piece) = rows.chunk().await? {
                stdin.write_all(&piece).await?;
            }
            stdin.shutdown().await?;
        }
        copy.wait().await?;
        peer.run(
            "set maintenance_work_mem = '1GB';
             create index on bench.ad_results (brand_id, slot_time) include (domain, country, ad, rank);
             create index on bench.ad_results (slot_time) include (domain, country, ad, rank);
             vacuum analyze bench.ad_results;",
        )
        .await?;
        Ok(peer)
    }

    /// The time is the server's own, without the client.
    pub(crate) async fn ask(&self, question: &Question) -> Result<(Duration, Totals), BenchError> {
        let sql = page(question);
        let answer = self.run(&sql).await?;
        let fields: Vec<u64> = answer
            .lines()
            .next()
            .unwrap_or_default()
            .split('|')
            .skip(5)
            .filter_map(|field| field.parse().ok())
            .collect();
        let [domains, views, ads] = fields[..] else {
            return Err(unexpected(&answer));
        };
        let plan = self
            .run(&format!("explain (analyze, timing off, summary on, format text) {sql}"))
            .await?;
        let time = plan
            .lines()
            .find_map(|line| line.trim().strip_prefix("Execution Time: ")?.strip_suffix(" ms"));
        let millis: f64 = time
            .and_then(|time| time.parse().ok())
            .ok_or_else(|| unexpected(&plan))?;
        Ok((Duration::from_secs_f64(millis / 1e3), [domains, views, ads]))
    }

    async fn run(&self, sql: &str) -> Result<String, BenchError> {
        let output = self
            .psql(&["-c", SESSION])
            .args(statements(sql))
            .output()
            .await
            .map_err(BenchError::Psql)?;
        if !output.status.success() {
            return Err(unexpected(&String::from_utf8_lossy(&output.stderr)));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn psql(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("psql");
        command
            .arg(&self.address)
            .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"])
            .args(arguments);
        command
    }
}

/// Two steps instead of `count(distinct)`: PostgreSQL hashes them on all cores.
fn page(question: &Question) -> String {
    let condition = question.condition("slot_time");
    format!(
        "select domain, array_agg(distinct country), sum(views), count(*), sum(ranks) / sum(views), \
         count(*) over (), sum(sum(views)) over (), sum(count(*)) over () \
         from (select domain, country, ad, count(*) as views, sum(rank) as ranks from bench.ad_results \
               where {condition} group by domain, country, ad) as ads \
         group by domain order by 3 desc, 1 limit 30"
    )
}

/// One `-c` a statement, so that each is a transaction of its own, as `vacuum` must be.
fn statements(sql: &str) -> Vec<String> {
    let texts = sql.split(';').map(str::trim).filter(|text| !text.is_empty());
    texts.flat_map(|text| ["-c".to_owned(), text.to_owned()]).collect()
}

fn unexpected(answer: &str) -> BenchError {
    BenchError::Answer {
        peer: NAME,
        answer: answer.chars().take(300).collect(),
    }
}
