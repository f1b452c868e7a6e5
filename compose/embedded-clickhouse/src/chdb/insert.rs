use std::ffi::CStr;
use std::marker::PhantomData;

use super::QueryResult;
use super::functions::{Functions, RawInsert};
use crate::exception::ServerError;

/// A running INSERT. Dropped before [`finish`](Self::finish) it is cancelled: what the engine has not flushed is lost.
pub(crate) struct Insert<'a> {
    functions: &'static Functions,
    raw: RawInsert,
    /// Borrows the connection for as long as the INSERT runs.
    connection: PhantomData<&'a mut ()>,
}

impl Insert<'_> {
    /// Takes ownership of a started INSERT, or returns the error with which it failed at once; it is freed even then.
    pub(super) fn new(functions: &'static Functions, raw: RawInsert) -> Result<Self, ServerError> {
        let insert = Self {
            functions,
            raw,
            connection: PhantomData,
        };
        // SAFETY: the handle is never null (the header says so) and live until `insert` is dropped.
        let error = unsafe { (functions.insert_error)(raw) };
        if error.is_null() {
            return Ok(insert);
        }
        // SAFETY: not null, so a zero-terminated text that lives as long as the handle.
        let text = unsafe { CStr::from_ptr(error) }.to_string_lossy();
        Err(ServerError::of_engine(&text))
    }

    /// Sends data; blocks while the engine is behind. Returns false once the engine has failed: [`finish`](Self::finish) then returns the error.
    pub(crate) fn append(&mut self, data: &[u8]) -> bool {
        // SAFETY: the handle is live; the bytes are copied before the call returns.
        unsafe { (self.functions.insert_append)(self.raw, data.as_ptr().cast(), data.len()) == 0 }
    }

    /// Ends the data and waits until they are stored; the result's totals count them. Fails with the engine's error, also one that came earlier.
    pub(crate) fn finish(self) -> Result<QueryResult, ServerError> {
        // SAFETY: the handle is live; `drop` frees it afterwards.
        let raw = unsafe { (self.functions.insert_done)(self.raw) };
        QueryResult::new(self.functions, raw)
    }
}

impl Drop for Insert<'_> {
    fn drop(&mut self) {
        // SAFETY: freed here once; cancels by itself where the insert was not finished.
        unsafe { (self.functions.insert_destroy)(self.raw) }
    }
}
