//! The process's only engine: started on a data folder, connected to once per request, stopped at the end.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::sync::{Mutex, PoisonError};

use crate::chdb::{Connection, Library};
use crate::exception::ServerError;
use crate::settings::Settings;
use crate::{Error, sql};

/// The running engine with its facts.
pub(crate) struct Engine {
    library: Library,
    /// Passed to every connection: settings in it hold per connection.
    arguments: Vec<CString>,
    /// Keeps the engine open between requests; it stops when its last connection closes.
    keeper: Mutex<Option<Connection>>,
    /// The database of requests that name none.
    pub(crate) database: String,
    /// ClickHouse's version, as in `26.7.1.1`.
    pub(crate) version: String,
    /// The engine's time zone, by its IANA name.
    pub(crate) timezone: String,
}

impl Engine {
    /// Loads the library, opens the data folder, which becomes the process's working directory, and creates the database; folder and database may
    /// exist. Only one engine can start in a process, once.
    pub(crate) fn start(settings: &Settings) -> Result<Self, Error> {
        let library = Library::load(&settings.library).map_err(|source| Error::Library {
            path: settings.library.clone(),
            source,
        })?;
        let folder_error = |source| Error::Data {
            path: settings.data.clone(),
            source,
        };
        std::fs::create_dir_all(&settings.data).map_err(folder_error)?;
        let data = settings.data.canonicalize().map_err(folder_error)?;
        std::env::set_current_dir(&data).map_err(folder_error)?;

        let mut path = b"--path=".to_vec();
        path.extend_from_slice(data.as_os_str().as_bytes());
        let arguments = [
            b"embedded-clickhouse".to_vec(),
            path,
            format!("--max_server_memory_usage={}", settings.max_memory).into_bytes(),
            format!("--max_memory_usage={}", settings.max_query_memory).into_bytes(),
        ]
        .into_iter()
        .map(CString::new)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|_| Error::Setting {
            name: "data",
            reason: "must be a path without a zero byte",
        })?;

        let refused = || Error::Refused { path: data.clone() };
        let mut keeper = library.connect(&arguments).ok_or_else(refused)?;
        let facts =
            prepare_database(&mut keeper, &settings.database).map_err(|error| Error::Prepare(error.to_string()))?;
        let (version, timezone) = facts.split_once('\t').unwrap_or((&facts, "UTC"));
        Ok(Self {
            library,
            arguments,
            database: settings.database.clone(),
            version: version.to_owned(),
            timezone: timezone.to_owned(),
            keeper: Mutex::new(Some(keeper)),
        })
    }

    /// Opens a connection with the server's database as its current one; takes about 1 ms. Fails once the engine has stopped.
    pub(crate) fn connect(&self) -> Result<Connection, ServerError> {
        let mut connection = self
            .library
            .connect(&self.arguments)
            .ok_or_else(|| ServerError::unknown("The engine has stopped"))?;
        connection.query(format!("USE {}", sql::name(&self.database)).as_bytes(), "Null", &[])?;
        Ok(connection)
    }

    /// Orders the engine to cancel the statement with this query id; does not wait for its end, and does nothing when it has ended.
    pub(crate) fn cancel(&self, query_id: &str) -> Result<(), ServerError> {
        let statement = format!(
            "KILL QUERY WHERE Settings['log_comment'] = {} ASYNC",
            sql::text(query_id)
        );
        self.connect()?.query(statement.as_bytes(), "Null", &[])?;
        Ok(())
    }

    /// Orders the engine to cancel every statement; does not wait for their end.
    pub(crate) fn cancel_all(&self) -> Result<(), ServerError> {
        let statement = b"KILL QUERY WHERE query NOT ILIKE 'KILL QUERY%' ASYNC";
        self.connect()?.query(statement, "Null", &[])?;
        Ok(())
    }

    /// Closes the engine for the rest of the process: closing its last connection flushes and unlocks the data. Close all other connections first.
    pub(crate) fn stop(&self) {
        drop(self.keeper.lock().unwrap_or_else(PoisonError::into_inner).take());
        self.library.shutdown();
    }
}

/// Creates the database if it is missing; returns the engine's version and time zone, separated by a tab.
fn prepare_database(keeper: &mut Connection, database: &str) -> Result<String, ServerError> {
    keeper.query(
        format!("CREATE DATABASE IF NOT EXISTS {}", sql::name(database)).as_bytes(),
        "Null",
        &[],
    )?;
    let facts = keeper.query(b"SELECT version(), timezone()", "TabSeparatedRaw", &[])?;
    Ok(String::from_utf8_lossy(facts.as_ref()).trim_end().to_owned())
}
