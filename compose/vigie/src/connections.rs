//! The stores that the settings name.

use blobs::Blobs;
use coordination::Coordination;
use runtime::Settings;
use thiserror::Error;

/// A store that no setting names.
#[derive(Debug, Error)]
#[error("no setting says where {store} is. Start `vigie up` on the same data folder (VIGIE__DATA), or set {setting}")]
pub struct NoStore {
    store: &'static str,
    setting: &'static str,
}

/// Why a store cannot be used.
#[derive(Debug, Error)]
pub enum ConnectError {
    /// No setting names it.
    #[error(transparent)]
    Unset(#[from] NoStore),
    /// The address of Postgres is wrong.
    #[error(transparent)]
    Postgres(#[from] records::Error),
    /// The address of Redis is wrong.
    #[error("VIGIE__REDIS__URL is no address of a Redis (redis://host:port): {0}")]
    Redis(String),
    /// The folder of captured pages.
    #[error(transparent)]
    Blobs(#[from] blobs::Error),
}

/// Postgres. Nothing is connected yet. `program` is what the server's activity list shows.
pub fn records(settings: &Settings, program: &str) -> Result<records::Pool, ConnectError> {
    let (url, connections) = postgres(settings)?;
    Ok(records::connect(url, connections, program)?)
}

/// The same for a process in which no library uses the connections.
pub fn records_without_libraries(settings: &Settings, program: &str) -> Result<records::Pool, ConnectError> {
    let (url, connections) = postgres(settings)?;
    Ok(records::connect_without_libraries(url, connections, program)?)
}

fn postgres(settings: &Settings) -> Result<(&str, u32), ConnectError> {
    let unset = NoStore {
        store: "PostgreSQL",
        setting: "VIGIE__POSTGRES__URL",
    };
    let url = settings.postgres.url.as_ref().ok_or(unset)?;
    Ok((url.expose(), settings.postgres.max_connections))
}

/// ClickHouse. Nothing is connected yet.
pub fn analytics(settings: &Settings) -> Result<analytics::Client, ConnectError> {
    let settings = &settings.clickhouse;
    let url = settings.url.clone().ok_or(NoStore {
        store: "ClickHouse",
        setting: "VIGIE__CLICKHOUSE__URL",
    })?;
    Ok(analytics::Client::new(&analytics::Store {
        url,
        user: settings.user.clone(),
        password: settings.password.expose().to_owned(),
        database: settings.database.clone(),
        cluster: settings.cluster.clone(),
    }))
}

/// Redis. Nothing is connected yet. Without one, limits are this process's own.
pub fn coordination(settings: &Settings) -> Result<Coordination, ConnectError> {
    match &settings.redis.url {
        Some(url) => Coordination::redis(url.expose()).map_err(|error| ConnectError::Redis(error.to_string())),
        None => Ok(Coordination::alone()),
    }
}

/// The captured pages.
pub fn blobs(settings: &Settings) -> Result<Blobs, ConnectError> {
    let folder = settings
        .blobs
        .folder
        .clone()
        .unwrap_or_else(|| settings.data.join("blobs"));
    Ok(Blobs::folder(&folder)?)
}
