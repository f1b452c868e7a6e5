//! PostgreSQL, Redis and ClickHouse: the programs for private ones, or whether the configured ones respond.

use std::time::Duration;

use analytics::migrate;
use runtime::Settings;

use super::{Finding, route};
use crate::connections;
use crate::programs::{self, POSTGRES_LEAST, PostgresPrograms};

/// Time for a store to respond.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(5);

/// Checks the configured Postgres (doubtful on another machine without a verified certificate) and, if it answers, its schema, one finding each;
/// without an address, that programs for a private one are installed. `running` (a private stack runs) changes the texts only.
pub async fn postgres(settings: &Settings, running: bool) -> Vec<Finding> {
    const PART: &str = "PostgreSQL";
    if settings.postgres.url.is_none() {
        return vec![match postgres_programs(settings) {
            Some(programs) => Finding::good(
                PART,
                format!("{} in {}, not running", programs.major, programs.folder.display()),
            ),
            None => Finding::bad(
                PART,
                format!("no PostgreSQL {POSTGRES_LEAST} or later on this machine"),
                "apt-get install postgresql, or set VIGIE__POSTGRES__URL to a server",
            ),
        }];
    }
    let pool = match connections::postgres(settings, "vigie doctor") {
        Ok(pool) => pool,
        Err(error) => return vec![Finding::bad(PART, error.to_string(), "correct VIGIE__POSTGRES__URL")],
    };
    if let Err(fault) = direct(settings, &pool, running).await {
        return vec![fault];
    }
    match in_time(postgres::pending_migrations(&pool)).await {
        Err(error) => vec![Finding::bad(
            PART,
            error,
            cure_for_silence(running, "VIGIE__POSTGRES__URL"),
        )],
        Ok(0) => vec![
            reached_postgres(settings, running),
            Finding::good("PostgreSQL schema", "up to date"),
        ],
        Ok(pending) => vec![
            reached_postgres(settings, running),
            Finding::bad(
                "PostgreSQL schema",
                format!("{pending} migrations are missing"),
                "vigie migrate",
            ),
        ],
    }
}

/// Checks that the server behind a pooler answers by itself and limits the time of statements; passes where there is no pooler.
async fn direct(settings: &Settings, pool: &postgres::Pool, running: bool) -> Result<(), Finding> {
    const PART: &str = "PostgreSQL";
    const SETTING: &str = "VIGIE__POSTGRES__DIRECT_URL";
    if settings.postgres.direct_url.is_none() {
        return Ok(());
    }
    let direct = connections::postgres_direct(settings, pool, "vigie doctor")
        .map_err(|error| Finding::bad(PART, error.to_string(), format!("correct {SETTING}")))?;
    in_time(postgres::ping(direct.pool()))
        .await
        .map_err(|error| Finding::bad(PART, error, cure_for_silence(running, SETTING)))?;
    match in_time(postgres::limits_statements(pool)).await {
        Ok(false) => Err(Finding::doubtful(
            PART,
            "statements through the pooler may run for ever",
            "vigie migrate, then RECONNECT in the pooler's console",
        )),
        // A pooler that does not answer is found next.
        Ok(true) | Err(_) => Ok(()),
    }
}

/// Builds the finding about a Postgres that answers: doubtful when it is on another machine and its certificate is not verified, else good.
fn reached_postgres(settings: &Settings, running: bool) -> Finding {
    const PART: &str = "PostgreSQL";
    let addresses = settings.postgres.url.iter().chain(&settings.postgres.direct_url);
    let mut urls = addresses.map(runtime::Secret::expose);
    if urls.any(|url| route::leads_out(url, &[]) && !route::is_verified_postgres(url)) {
        in_the_clear(
            PART,
            "add ?sslmode=verify-full to VIGIE__POSTGRES__URL, and to VIGIE__POSTGRES__DIRECT_URL",
        )
    } else {
        Finding::good(PART, answering_text(running))
    }
}

/// Finds usable programs: those of the folder that is set, or, when none is, the newest on this machine; `None` when there are none or they are older
/// than [`POSTGRES_LEAST`].
fn postgres_programs(settings: &Settings) -> Option<PostgresPrograms> {
    let candidates = match &settings.embedded.postgres_programs {
        Some(folder) => PostgresPrograms::at(folder).into_iter().collect(),
        None => PostgresPrograms::all(),
    };
    candidates.into_iter().find(|programs| programs.major >= POSTGRES_LEAST)
}

/// Checks that the configured Redis answers, doubtful when it is on another machine without TLS; without an address, that the program for a private
/// one is installed.
pub async fn redis(settings: &Settings, running: bool) -> Finding {
    const PART: &str = "Redis";
    let Some(url) = &settings.redis.url else {
        return match programs::find("redis-server") {
            Some(file) => Finding::good(PART, format!("{}, not running", file.display())),
            None => Finding::bad(
                PART,
                "no redis-server on this machine",
                "apt-get install redis-server, or set VIGIE__REDIS__URL to a server",
            ),
        };
    };
    match connections::coordination(settings) {
        Err(error) => Finding::bad(PART, error.to_string(), "correct VIGIE__REDIS__URL"),
        Ok(redis) if !redis.is_reachable().await => {
            Finding::bad(PART, "does not answer", cure_for_silence(running, "VIGIE__REDIS__URL"))
        }
        Ok(_) if route::leads_out(url.expose(), &["rediss"]) => {
            in_the_clear(PART, "set VIGIE__REDIS__URL to a rediss:// address")
        }
        Ok(_) => Finding::good(PART, answering_text(running)),
    }
}

/// Checks the configured ClickHouse (doubtful on another machine without TLS) and, if it answers, its schema, one finding each; without an address,
/// that the library of the embedded one is installed.
pub async fn clickhouse(settings: &Settings, running: bool) -> Vec<Finding> {
    const PART: &str = "ClickHouse";
    const SCHEMA: &str = "ClickHouse schema";
    if settings.clickhouse.url.is_none() {
        return vec![
            match programs::clickhouse_library(settings.embedded.clickhouse_library.as_deref()) {
                Ok(file) => Finding::good(PART, format!("embedded, {}, not running", file.display())),
                Err(error) => Finding::bad(PART, error.to_string(), "make install"),
            },
        ];
    }
    let client = match connections::analytics(settings) {
        Ok(client) => client,
        Err(error) => return vec![Finding::bad(PART, error.to_string(), "correct VIGIE__CLICKHOUSE__URL")],
    };
    if let Err(error) = in_time(client.health()).await {
        return vec![Finding::bad(
            PART,
            error,
            cure_for_silence(running, "VIGIE__CLICKHOUSE__URL"),
        )];
    }
    let schema = match in_time(migrate::pending(&client)).await {
        Ok(0) => Finding::good(SCHEMA, "up to date"),
        Ok(pending) => Finding::bad(SCHEMA, format!("{pending} migrations are missing"), "vigie migrate"),
        Err(error) => Finding::bad(SCHEMA, error, "vigie migrate"),
    };
    let leads_out = settings
        .clickhouse
        .url
        .as_ref()
        .is_some_and(|url| route::leads_out(url.as_str(), &["https"]));
    let reached = if leads_out {
        in_the_clear(PART, "set VIGIE__CLICKHOUSE__URL to an https:// address")
    } else {
        Finding::good(PART, answering_text(running))
    };
    vec![reached, schema]
}

/// Builds a doubtful finding: the store answers from another machine over a connection without verified TLS, so that its password can be
/// read on the way. `cure` says how to secure it.
fn in_the_clear(part: &'static str, cure: &str) -> Finding {
    Finding::doubtful(
        part,
        "answers, on another machine over a connection that nobody vouches for: its password can be read on the way",
        format!(
            "{cure}, unless the network between is yours alone (VIGIE__TLS__AUTHORITIES names a private authority)"
        ),
    )
}

/// Returns the observation about a store that answers.
fn answering_text(running: bool) -> &'static str {
    if running {
        "runs under `vigie up` and answers"
    } else {
        "answers"
    }
}

/// Returns how to fix a store that does not answer.
fn cure_for_silence(running: bool, setting: &str) -> String {
    if running {
        "`vigie up` starts it again by itself; see its log in the data folder".to_owned()
    } else {
        format!("start it, or correct {setting}")
    }
}

/// Waits for a response at most [`RESPONSE_TIMEOUT`]; a late response is an error, and every error becomes its text.
async fn in_time<T, E: std::fmt::Display>(response: impl Future<Output = Result<T, E>>) -> Result<T, String> {
    match tokio::time::timeout(RESPONSE_TIMEOUT, response).await {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(_) => Err(format!("no answer within {} s", RESPONSE_TIMEOUT.as_secs())),
    }
}
