use std::marker::PhantomData;

use super::QueryResult;
use super::functions::{Functions, RawConnection};
use crate::exception::ServerError;

/// The output of a running SELECT; dropping it before the end cancels the query.
pub(crate) struct Rows<'a> {
    functions: &'static Functions,
    raw: RawConnection,
    handle: QueryResult,
    ended: bool,
    /// Borrows the connection for as long as the query runs.
    connection: PhantomData<&'a mut ()>,
}

impl Rows<'_> {
    /// Takes ownership of a query that was started on `connection`; `handle` is what starting it returned.
    pub(super) fn new(functions: &'static Functions, connection: RawConnection, handle: QueryResult) -> Self {
        Self {
            functions,
            raw: connection,
            handle,
            ended: false,
            connection: PhantomData,
        }
    }

    /// Waits for the next piece of output; `None` at the end, and on every call after an error. Each piece repeats the header of its format.
    pub(crate) fn next(&mut self) -> Result<Option<QueryResult>, ServerError> {
        if self.ended {
            return Ok(None);
        }
        // SAFETY: the connection is borrowed and so open, and the handle is live.
        let raw = unsafe { (self.functions.fetch)(self.raw, self.handle.raw()) };
        match QueryResult::new(self.functions, raw) {
            Ok(piece) if piece.as_ref().is_empty() => {
                self.ended = true;
                Ok(None)
            }
            Ok(piece) => Ok(Some(piece)),
            Err(exception) => {
                self.ended = true;
                Err(exception)
            }
        }
    }
}

impl Drop for Rows<'_> {
    fn drop(&mut self) {
        if !self.ended {
            // SAFETY: as in `next`; the handle itself is freed by its own drop.
            unsafe { (self.functions.cancel)(self.raw, self.handle.raw()) }
        }
    }
}
