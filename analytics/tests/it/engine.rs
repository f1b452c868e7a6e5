//! A database of its own in the engine of the test run.

use analytics::{Client, ConnectOptions};
use testkit::ClickHouse;

/// An engine with a database for one test.
pub struct Engine {
    database: ClickHouse,
    store: ConnectOptions,
}

impl Engine {
    /// An empty database.
    pub async fn start() -> Self {
        Self::with(ClickHouse::empty().await)
    }

    fn with(database: ClickHouse) -> Self {
        Self {
            store: database.options(),
            database,
        }
    }

    /// A database with the schema.
    pub async fn migrated() -> (Self, Client) {
        let engine = Self::with(ClickHouse::new().await);
        let client = Client::connect(&engine.store).await.unwrap();
        (engine, client)
    }

    pub fn store(&self) -> &ConnectOptions {
        &self.store
    }

    /// A plain client, for queries that do not go through the crate.
    pub fn plain(&self) -> clickhouse::Client {
        self.database.plain()
    }
}
