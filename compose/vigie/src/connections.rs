//! Clients of the stores that the settings name.

use std::path::{Path, PathBuf};

use blobs::{Blobs, Bucket};
use coordination::Coordination;
use postgres::DirectPool;
use runtime::Settings;
use thiserror::Error;
use url::Url;

/// A store that no setting names.
#[derive(Debug, Error)]
#[error("no setting says where {store} is. Start `vigie up` on the same data folder (VIGIE__DATA), or set {setting}")]
pub struct UnsetStoreError {
    store: &'static str,
    setting: &'static str,
}

/// Why a store cannot be used.
#[derive(Debug, Error)]
pub enum ConnectError {
    /// No setting names the store.
    #[error(transparent)]
    Unset(#[from] UnsetStoreError),
    /// The address of Postgres is wrong.
    #[error(transparent)]
    Postgres(#[from] postgres::Error),
    /// The address of Redis is wrong.
    #[error("VIGIE__REDIS__URL is no address of a Redis (redis://host:port, or rediss://host:port with TLS): {0}")]
    Redis(String),
    /// The certificate authorities of the stores cannot be read.
    #[error("VIGIE__TLS__AUTHORITIES: {} cannot be read ({reason})", .file.display())]
    Authorities {
        /// Path of the file.
        file: PathBuf,
        /// The system's error.
        reason: std::io::Error,
    },
    /// The settings of ClickHouse are not usable.
    #[error(transparent)]
    ClickHouse(#[from] analytics::Error),
    /// Both a folder and a bucket are set for captured pages.
    #[error("VIGIE__BLOBS__FOLDER and VIGIE__BLOBS__S3__BUCKET are both set: captured pages are in one of them")]
    TwoFileStores,
    /// The folder or bucket of captured pages cannot be used.
    #[error(transparent)]
    Blobs(#[from] blobs::Error),
}

/// Direct connections of a process behind a pooler; those that hold locks of jobs come on top.
const DIRECT_CONNECTIONS: u32 = 4;

/// Creates the pool of Postgres, which connects on first use. `program` is what the server's list of activities shows. Fails when no address is set
/// or it is wrong.
pub fn postgres(settings: &Settings, program: &str) -> Result<postgres::Pool, ConnectError> {
    postgres_pool(settings, program, postgres::connect)
}

/// Creates the pool as [`postgres()`] does, for a process in which no library begins transactions; connections are then checked less often, except
/// through a pooler.
pub fn postgres_without_libraries(settings: &Settings, program: &str) -> Result<postgres::Pool, ConnectError> {
    postgres_pool(settings, program, postgres::connect_without_libraries)
}

/// Creates the pool with `connect`, or through the pooler where one is set.
fn postgres_pool(
    settings: &Settings,
    program: &str,
    connect: fn(&str, u32, &str) -> Result<postgres::Pool, postgres::Error>,
) -> Result<postgres::Pool, ConnectError> {
    let connect = match settings.postgres.direct_url {
        Some(_) => postgres::connect_through_pooler,
        None => connect,
    };
    let url = postgres_address(settings)?;
    Ok(connect(&url, settings.postgres.max_connections, program)?)
}

/// Returns the connections of a process to the server itself: those of its pool or, where that goes through a pooler, others, made on first use.
pub fn postgres_direct(settings: &Settings, pool: &postgres::Pool, program: &str) -> Result<DirectPool, ConnectError> {
    if settings.postgres.direct_url.is_none() {
        return Ok(DirectPool::new(pool.clone()));
    }
    let url = postgres_url(settings)?;
    Ok(DirectPool::new(postgres::connect(&url, DIRECT_CONNECTIONS, program)?))
}

/// Returns the address of the server itself, for its own programs, with the certificate authorities of the settings. Fails when no address is set.
pub fn postgres_url(settings: &Settings) -> Result<String, ConnectError> {
    match &settings.postgres.direct_url {
        Some(url) => Ok(with_authorities(url.expose(), settings.tls.authorities.as_deref())),
        None => postgres_address(settings),
    }
}

/// Returns the address of Postgres, or of the pooler before it, with the certificate authorities of the settings. Fails when no address is set.
fn postgres_address(settings: &Settings) -> Result<String, ConnectError> {
    let unset = UnsetStoreError {
        store: "PostgreSQL",
        setting: "VIGIE__POSTGRES__URL",
    };
    let url = settings.postgres.url.as_ref().ok_or(unset)?;
    Ok(with_authorities(url.expose(), settings.tls.authorities.as_deref()))
}

/// Adds the file of certificate authorities to an address of Postgres, as `sslrootcert`, unless it names its own. Without a file, and for an invalid
/// address, returns the address as it is.
fn with_authorities(address: &str, authorities: Option<&Path>) -> String {
    match (authorities, Url::parse(address)) {
        (Some(file), Ok(mut url)) if !url.query_pairs().any(|(name, _)| name == "sslrootcert") => {
            url.query_pairs_mut()
                .append_pair("sslrootcert", &file.to_string_lossy());
            url.into()
        }
        // An invalid address is refused where it is used.
        _ => address.to_owned(),
    }
}

/// Reads the file of certificate authorities for the stores, in PEM; `None` where none is set, so that the system's hold. Fails when the file cannot
/// be read.
fn authorities(settings: &Settings) -> Result<Option<Vec<u8>>, ConnectError> {
    let read = |file: &PathBuf| {
        std::fs::read(file).map_err(|reason| ConnectError::Authorities {
            file: file.clone(),
            reason,
        })
    };
    settings.tls.authorities.as_ref().map(read).transpose()
}

/// Creates the client of ClickHouse, which connects on first use. Fails when no address is set or the certificate authorities cannot be used.
pub fn analytics(settings: &Settings) -> Result<analytics::Client, ConnectError> {
    let authorities = authorities(settings)?;
    let settings = &settings.clickhouse;
    let url = settings.url.clone().ok_or(UnsetStoreError {
        store: "ClickHouse",
        setting: "VIGIE__CLICKHOUSE__URL",
    })?;
    Ok(analytics::Client::new(&analytics::ConnectOptions {
        url,
        user: settings.user.clone(),
        password: settings.password.expose().to_owned(),
        database: settings.database.clone(),
        authorities,
        cluster: settings.cluster.clone(),
    })?)
}

/// Creates the client of Redis, which connects on first use; call it within a Tokio runtime. Without an address of Redis, limits hold per process.
/// Fails when the address is wrong or the certificate authorities cannot be used.
pub fn coordination(settings: &Settings) -> Result<Coordination, ConnectError> {
    let Some(url) = &settings.redis.url else {
        return Ok(Coordination::alone());
    };
    match authorities(settings)? {
        Some(authorities) => Coordination::redis_trusted_by(url.expose(), authorities),
        None => Coordination::redis(url.expose()),
    }
    .map_err(|error| ConnectError::Redis(error.to_string()))
}

/// Opens the store of captured pages and uploaded files: the bucket or the folder that is set, else `blobs` in the data folder. Creates a missing folder,
/// and refuses a bucket that is not there.
pub async fn blobs(settings: &Settings) -> Result<Blobs, ConnectError> {
    let s3 = &settings.blobs.s3;
    if let Some(name) = &s3.bucket {
        if settings.blobs.folder.is_some() {
            return Err(ConnectError::TwoFileStores);
        }
        let authorities = authorities(settings)?;
        let blobs = Blobs::bucket(&Bucket {
            name,
            endpoint: s3
                .endpoint
                .as_ref()
                .map(|address| address.as_str().trim_end_matches('/')),
            region: &s3.region,
            access_key: &s3.access_key,
            secret_key: s3.secret_key.expose(),
            authorities: authorities.as_deref(),
        })?;
        blobs.check().await?;
        return Ok(blobs);
    }
    let folder = settings
        .blobs
        .folder
        .clone()
        .unwrap_or_else(|| settings.data.join("blobs"));
    Ok(Blobs::folder(&folder)?)
}
