use std::ptr::NonNull;

use super::functions::{Functions, RawConnection};
use super::parameters::Parameters;
use super::{Insert, QueryResult, Rows};
use crate::exception::ServerError;

/// A connection to the engine: its own current database, settings and temporary tables.
pub(crate) struct Connection {
    functions: &'static Functions,
    raw: NonNull<RawConnection>,
}

// SAFETY: the library ties nothing of a connection to the thread that opened it; `&mut self` keeps calls one at a time.
unsafe impl Send for Connection {}

impl Connection {
    /// Takes ownership of a connection that `chdb_connect` returned.
    pub(super) fn new(functions: &'static Functions, raw: NonNull<RawConnection>) -> Self {
        Self { functions, raw }
    }

    fn raw(&self) -> RawConnection {
        // SAFETY: `chdb_connect` returned the box, and only `drop` frees it.
        unsafe { *self.raw.as_ptr() }
    }

    /// Runs one or several statements and returns the whole output, in `format` where they name none; `parameters` are the values of `{name:Type}` by
    /// name. Blocks until the end; fails with the engine's error.
    pub(crate) fn query(
        &mut self,
        text: &[u8],
        format: &str,
        parameters: &[(String, String)],
    ) -> Result<QueryResult, ServerError> {
        let parameters = Parameters::new(parameters);
        // SAFETY: every pointer comes with the length of what it points to and outlives the call.
        let raw = unsafe {
            (self.functions.query)(
                self.raw(),
                text.as_ptr().cast(),
                text.len(),
                format.as_ptr().cast(),
                format.len(),
                parameters.names(),
                parameters.name_lengths(),
                parameters.values(),
                parameters.value_lengths(),
                parameters.count(),
            )
        };
        QueryResult::new(self.functions, raw)
    }

    /// Starts a SELECT whose output is fetched piece by piece, in `format` where the statement names none; `parameters` are the values of
    /// `{name:Type}` by name. The engine refuses other statements; see [`ServerError::is_not_streamable`].
    pub(crate) fn stream(
        &mut self,
        text: &[u8],
        format: &str,
        parameters: &[(String, String)],
    ) -> Result<Rows<'_>, ServerError> {
        let parameters = Parameters::new(parameters);
        // SAFETY: as in `query`.
        let raw = unsafe {
            (self.functions.stream)(
                self.raw(),
                text.as_ptr().cast(),
                text.len(),
                format.as_ptr().cast(),
                format.len(),
                parameters.names(),
                parameters.name_lengths(),
                parameters.values(),
                parameters.value_lengths(),
                parameters.count(),
            )
        };
        let handle = QueryResult::new(self.functions, raw)?;
        Ok(Rows::new(self.functions, self.raw(), handle))
    }

    /// Starts an INSERT, passed without its FORMAT or VALUES clause; its data are appended to the returned stream in `format`. `parameters` are the
    /// values of `{name:Type}` by name. Fails when the engine refuses the statement at once.
    pub(crate) fn insert(
        &mut self,
        text: &[u8],
        format: &str,
        parameters: &[(String, String)],
    ) -> Result<Insert<'_>, ServerError> {
        let parameters = Parameters::new(parameters);
        // SAFETY: as in `query`.
        let raw = unsafe {
            (self.functions.insert)(
                self.raw(),
                text.as_ptr().cast(),
                text.len(),
                format.as_ptr().cast(),
                format.len(),
                parameters.names(),
                parameters.name_lengths(),
                parameters.values(),
                parameters.value_lengths(),
                parameters.count(),
            )
        };
        Insert::new(self.functions, raw)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // SAFETY: returned by `chdb_connect`, freed here once; rows and inserts borrow the connection, so none is left.
        unsafe { (self.functions.close)(self.raw.as_ptr()) }
    }
}
