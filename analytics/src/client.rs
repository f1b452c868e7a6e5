//! The handle on the store: how it is reached, and how statements are run.

use std::time::Duration;

use bytes::Bytes;
use clickhouse::query::Query;
use clickhouse::{Compression, RowOwned, RowRead};
use futures::stream::{self, Stream, TryStreamExt};
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio::time::timeout;
use url::{Host, Url};

use crate::Error;
use crate::in_flight::InFlight;
use crate::ingest::CreativeCache;
use crate::layout::Layout;
use crate::pulse::Pulse;
use crate::roll_up::{CalendarCache, VolumeCache};
use crate::statement::Statement;
use crate::tls;

/// A query that takes longer is given up (decision D74). Below the minute that a browser waits.
const LONGEST_QUERY: Duration = Duration::from_secs(50);
/// How long a query of housekeeping may take, where no user waits.
const LONGEST_HOUSEKEEPING: Duration = Duration::from_mins(30);
/// How long a download may take, which is read as fast as the client's connection takes it.
const LONGEST_DOWNLOAD: Duration = Duration::from_mins(10);
/// Below this many results, reading three tables costs more than roll-ups save (measured: 4 ms against 40 ns per result).
const FEWEST_RESULTS: u64 = 150_000;
const TCP_KEEP_ALIVE: Duration = Duration::from_mins(1);
const PING_TIMEOUT: Duration = Duration::from_secs(3);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Servers close idle connections after 3 s by default; ours close first.
const IDLE_CONNECTION: Duration = Duration::from_secs(2);

/// Where the store is and how it is laid out.
#[derive(Clone, Debug)]
pub struct ConnectOptions {
    /// Address of the HTTP interface; credentials in it are not used.
    pub url: Url,
    /// Name of the user.
    pub user: String,
    /// Password of the user.
    pub password: String,
    /// The database, made by [`crate::migrate::run`].
    pub database: String,
    /// Certificates, in PEM, of the authorities that an `https` address is trusted by; `None` trusts the system's.
    pub authorities: Option<Vec<u8>>,
    /// Name of the cluster whose nodes hold the tables; `None` is a single node.
    pub cluster: Option<String>,
}

/// A handle on the store of ad results. Cheap to clone; connections are pooled.
#[derive(Clone)]
pub struct Client {
    inner: clickhouse::Client,
    layout: Layout,
    address: String,
    longest_query: Duration,
    creatives: CreativeCache,
    calendar: CalendarCache,
    volumes: VolumeCache,
    fewest_results: u64,
    in_flight: InFlight,
    pulse: Pulse,
}

impl Client {
    /// A handle whose queries may take `LONGEST_QUERY`; nothing is connected before the first call. Signs in as the user of the options; one in the
    /// address is dropped.
    ///
    /// # Errors
    /// [`Error::Authorities`] when the certificates of the options, or for `https` without them those of the system, cannot be used.
    pub fn new(store: &ConnectOptions) -> Result<Self, Error> {
        let mut connector = HttpConnector::new();
        connector.set_keepalive(Some(TCP_KEEP_ALIVE));
        connector.set_connect_timeout(Some(CONNECT_TIMEOUT));
        // Without it the delayed acknowledgement of small inserts costs 40 ms each.
        connector.set_nodelay(true);
        let http = HttpClient::builder(TokioExecutor::new())
            .pool_idle_timeout(IDLE_CONNECTION)
            .build(tls::encrypting(connector, &store.url, store.authorities.as_deref())?);
        let mut address = store.url.clone();
        // Neither can fail on an http address; credentials go in headers.
        let _ = address.set_username("");
        let _ = address.set_password(None);
        let address = address.to_string();
        // Compression pays over a network, not within a machine: there, a download of a million rows takes a quarter longer with it.
        let compression = if is_this_machine(&store.url) {
            Compression::None
        } else {
            Compression::Lz4
        };
        Ok(Self {
            inner: clickhouse::Client::with_http_client(http)
                .with_compression(compression)
                .with_url(&address)
                .with_user(&store.user)
                .with_password(&store.password)
                .with_database(&store.database),
            layout: Layout::new(store.database.clone(), store.cluster.clone()),
            address,
            longest_query: LONGEST_QUERY,
            creatives: CreativeCache::default(),
            calendar: CalendarCache::default(),
            volumes: VolumeCache::default(),
            fewest_results: FEWEST_RESULTS,
            in_flight: InFlight::default(),
            pulse: Pulse::default(),
        })
    }

    /// The same handle with `LONGEST_HOUSEKEEPING` for each query instead of `LONGEST_QUERY`.
    #[must_use]
    pub fn for_housekeeping(&self) -> Self {
        self.with_time_limit(LONGEST_HOUSEKEEPING)
    }

    /// The same handle with another time after which a query is given up with [`Error::TooMany`]. Statements that change something have no limit, and
    /// streams keep theirs of `LONGEST_DOWNLOAD`.
    #[must_use]
    pub fn with_time_limit(&self, longest_query: Duration) -> Self {
        Self {
            longest_query,
            ..self.clone()
        }
    }

    /// The same handle, whose lists read roll-ups however few results there are.
    #[must_use]
    pub fn always_rolled_up(&self) -> Self {
        Self {
            fewest_results: 0,
            ..self.clone()
        }
    }

    /// A handle on a store that was reached and has run a query; an error otherwise.
    pub async fn connect(store: &ConnectOptions) -> Result<Self, Error> {
        let client = Self::new(store)?;
        client.health().await?;
        Ok(client)
    }

    /// Runs `SELECT 1`, for which the database need not exist, and waits up to `PING_TIMEOUT` for the answer: [`Error::Unreachable`] if none comes. Any
    /// other error means that the store answers, but does not run queries.
    pub async fn health(&self) -> Result<(), Error> {
        let server = self.server();
        let one = server
            .query("SELECT 1")
            .with_setting("max_execution_time", "1")
            .fetch_one::<u8>();
        let answered = timeout(PING_TIMEOUT, one).await;
        answered
            .unwrap_or(Err(clickhouse::error::Error::TimedOut))
            .map(|_| ())
            .map_err(|error| self.error(error))
    }

    /// Waits for a response as long as the store lives, however long that is; [`Error::Unreachable`] once two pings in a row fail (see
    /// [`crate::pulse`]).
    pub(crate) async fn while_alive<T>(&self, response: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        self.pulse.while_alive(|| self.health(), response).await
    }

    /// How the tables are laid out.
    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The creatives that this process stored lately.
    pub(crate) fn creatives(&self) -> &CreativeCache {
        &self.creatives
    }

    /// The calendar of roll-ups that this process read last.
    pub(crate) const fn calendar(&self) -> &CalendarCache {
        &self.calendar
    }

    /// The number of results below which lists read no roll-ups.
    pub(crate) const fn fewest_results(&self) -> u64 {
        self.fewest_results
    }

    /// The volumes of brands that this process read last.
    pub(crate) const fn volumes(&self) -> &VolumeCache {
        &self.volumes
    }

    /// The error of the client library as one of this crate, with the address of the store.
    pub(crate) fn error(&self, error: clickhouse::error::Error) -> Error {
        Error::from_client(error, &self.address)
    }

    /// The connection without a database, for creating it and for pings.
    pub(crate) fn server(&self) -> clickhouse::Client {
        self.inner.clone().with_database("")
    }

    /// The connection to the database, for inserts.
    pub(crate) fn database(&self) -> &clickhouse::Client {
        &self.inner
    }

    /// A query that may change nothing, is given up after the time limit, and ends in the engine when its caller goes away.
    fn read(&self, statement: Statement) -> Query {
        self.query(statement)
            .with_setting("readonly", "2")
            .with_setting("cancel_http_readonly_queries_on_client_close", "1")
            .with_setting("max_execution_time", self.longest_query.as_secs_f64().to_string())
    }

    /// All rows of a query. While an equal query of this process runs (the same text and parameters), its rows are shared instead of sending another
    /// one: the time limit is that of the query that was sent. It ends when its last caller goes away.
    pub(crate) async fn fetch_shared<T>(&self, statement: Statement) -> Result<Vec<T>, Error>
    where
        T: RowOwned + RowRead + Clone + Send + Sync,
    {
        let query_text = statement.to_string();
        let client = self.clone();
        self.in_flight
            .join(query_text, async move { client.fetch_all(statement).await })
            .await
    }

    /// The rows one by one as the engine finds them, however many there are, for up to [`LONGEST_DOWNLOAD`]. The query is sent when the stream is first
    /// polled; the first error ends the stream.
    pub(crate) fn stream<T: RowOwned + RowRead>(
        &self,
        statement: Statement,
    ) -> impl Stream<Item = Result<T, Error>> + Send + use<T> {
        let client = self.with_time_limit(LONGEST_DOWNLOAD);
        let opened = stream::once(async move {
            let cursor = client.read(statement).fetch::<T>();
            cursor
                .map(|cursor| (client.clone(), cursor))
                .map_err(|error| client.error(error))
        });
        opened
            .map_ok(|opened| {
                stream::try_unfold(opened, |(client, mut cursor)| async move {
                    let next = async { cursor.next().await.map_err(|error| client.error(error)) };
                    let row = client.while_alive(next).await?;
                    Ok(row.map(|row| (row, (client, cursor))))
                })
            })
            .try_flatten()
    }

    /// The rows of a query in a format of the engine, as the bytes arrive, within the time limit. The query is sent when the stream is first polled; the
    /// first error ends the stream.
    pub(crate) fn bytes(
        &self,
        statement: Statement,
        format: &'static str,
    ) -> impl Stream<Item = Result<Bytes, Error>> + Send + use<> {
        let client = self.clone();
        let opened = stream::once(async move {
            let cursor = client.read(statement).fetch_bytes(format);
            cursor
                .map(|cursor| (client.clone(), cursor))
                .map_err(|error| client.error(error))
        });
        opened
            .map_ok(|opened| {
                stream::try_unfold(opened, |(client, mut cursor)| async move {
                    let next = async { cursor.next().await.map_err(|error| client.error(error)) };
                    let bytes = client.while_alive(next).await?;
                    Ok(bytes.map(|bytes| (bytes, (client, cursor))))
                })
            })
            .try_flatten()
    }

    /// All rows of a query that may run before the database exists, within the time limit.
    pub(crate) async fn fetch_all_without_database<T: RowOwned + RowRead>(
        &self,
        statement: Statement,
    ) -> Result<Vec<T>, Error> {
        let client = Self {
            inner: self.server(),
            ..self.clone()
        };
        client.fetch_all(statement).await
    }

    /// All rows of a query, within the time limit.
    pub(crate) async fn fetch_all<T: RowOwned + RowRead>(&self, statement: Statement) -> Result<Vec<T>, Error> {
        let rows = self.read(statement).fetch_all();
        self.while_alive(async { rows.await.map_err(|error| self.error(error)) })
            .await
    }

    /// The one row of a query, within the time limit; no row is an error.
    pub(crate) async fn fetch_one<T: RowOwned + RowRead>(&self, statement: Statement) -> Result<T, Error> {
        let row = self.read(statement).fetch_one();
        self.while_alive(async { row.await.map_err(|error| self.error(error)) })
            .await
    }

    /// Runs a statement that changes something and waits for its end, without a time limit.
    pub(crate) async fn change(&self, statement: Statement) -> Result<(), Error> {
        let done = self.query(statement).execute();
        self.while_alive(async { done.await.map_err(|error| self.error(error)) })
            .await
    }

    /// The query of a statement, with the placeholders of the layout filled and its parameters set.
    fn query(&self, statement: Statement) -> Query {
        let statement = self.layout.fill(statement);
        let query = self.inner.query_raw(&statement.sql);
        let parameters = statement.parameters.into_iter();
        parameters.fold(query, |query, (name, value)| query.param(&name, value))
    }
}

/// Whether an address is `localhost` or a loopback address; names are not resolved.
fn is_this_machine(address: &Url) -> bool {
    match address.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
