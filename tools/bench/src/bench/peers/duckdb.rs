use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::{EngineSql, Totals, totals};
use crate::bench::BenchError;

const NAME: &str = "DuckDB";
/// The variable in which `make bench-monitoring` names a Python with the package `duckdb`.
const PYTHON: &str = "VIGIE_BENCH_PYTHON";

/// DuckDB with the same rows, sorted as the engine's table is, in a separate process.
pub(crate) struct DuckDb {
    // Ends when its input closes.
    _child: Child,
    questions: ChildStdin,
    replies: Lines<BufReader<ChildStdout>>,
}

/// The process's reply to one statement, one line of JSON.
#[derive(Deserialize)]
struct Reply {
    seconds: f64,
    row: String,
    error: Option<String>,
}

impl DuckDb {
    /// Copies the rows of the engine into a new database in `folder`, and starts the Python process that answers.
    pub(crate) async fn fill(folder: &Path, engine: &EngineSql) -> Result<Self, BenchError> {
        let python = std::env::var_os(PYTHON).map_or_else(|| PathBuf::from("python3"), PathBuf::from);
        let rows = folder.join("rows.parquet");
        let mut file = tokio::fs::File::create(&rows).await?;
        let select = "select toUnixTimestamp(seen_at) as second, day, brand_id, term_id, toString(domain) as domain, toString(country) as country, \
                      toString(region) as region, toString(engine) as engine, toString(device) as device, toString(kind) as kind, \
                      toString(keyword) as keyword, title, ad, rank from ad_results where domain != '' format Parquet";
        let mut reply = engine.send(select.to_owned()).await?;
        while let Some(piece) = reply.chunk().await? {
            file.write_all(&piece).await?;
        }
        file.sync_all().await?;
        let mut child = Command::new(python)
            .args(["-u", "-c", include_str!("duckdb.py")])
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let (Some(questions), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(unexpected("no pipe"));
        };
        let mut peer = Self {
            _child: child,
            questions,
            replies: BufReader::new(output).lines(),
        };
        peer.run(
            "create table ad_results as select make_timestamp(second::bigint * 1000000) as seen_at, * exclude (second) \
             from read_parquet('rows.parquet') order by brand_id, day, domain, ad",
        )
        .await?;
        tokio::fs::remove_file(rows).await?;
        Ok(peer)
    }

    /// Runs a query and returns its time, measured inside the process with fetching its rows, and the totals in its first row.
    pub(crate) async fn ask(&mut self, sql: &str) -> Result<(Duration, Totals), BenchError> {
        let reply = self.run(sql).await?;
        let found = totals(&reply.row, '\t').ok_or_else(|| unexpected(&reply.row))?;
        Ok((Duration::from_secs_f64(reply.seconds), found))
    }

    /// Sends a statement to the process and waits for its reply; an error of DuckDB is an error here.
    async fn run(&mut self, sql: &str) -> Result<Reply, BenchError> {
        let question = format!("{}\n", json!({ "sql": sql }));
        self.questions.write_all(question.as_bytes()).await?;
        self.questions.flush().await?;
        let line = self.replies.next_line().await?.ok_or_else(|| {
            unexpected("it ended; `make bench-monitoring` installs the package duckdb and names its Python in VIGIE_BENCH_PYTHON")
        })?;
        let reply: Reply = serde_json::from_str(&line).map_err(|_| unexpected(&line))?;
        match reply.error {
            Some(error) => Err(unexpected(&error)),
            None => Ok(reply),
        }
    }
}

fn unexpected(reply: &str) -> BenchError {
    BenchError::Answer {
        peer: NAME,
        reply: reply.chars().take(600).collect(),
    }
}
