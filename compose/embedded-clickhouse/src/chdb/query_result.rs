//! The result of a query in the embedded engine, freed when dropped.

use std::ffi::CStr;
use std::ptr::NonNull;

use super::functions::{Functions, RawResult};
use crate::exception::ServerError;

/// What the engine returned: output bytes and statistics. The engine owns the bytes until this is dropped.
pub(crate) struct QueryResult {
    functions: &'static Functions,
    raw: NonNull<std::ffi::c_void>,
}

// SAFETY: a result is plain memory without ties to a thread, and nothing changes it once it is made.
unsafe impl Send for QueryResult {}
// SAFETY: as above: shared use only reads.
unsafe impl Sync for QueryResult {}

/// Totals of one result or of a whole statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    /// Rows read from storage.
    pub(crate) read_rows: u64,
    /// Bytes read from storage, uncompressed.
    pub(crate) read_bytes: u64,
    /// Rows written, including those of materialised views.
    pub(crate) written_rows: u64,
    /// Bytes written, uncompressed.
    pub(crate) written_bytes: u64,
    /// Rows of the result.
    pub(crate) result_rows: u64,
    /// Bytes of the result in the engine's memory.
    pub(crate) result_bytes: u64,
}

impl std::ops::AddAssign for Totals {
    /// Adds each total of `other` to the same one of `self`.
    fn add_assign(&mut self, other: Self) {
        self.read_rows += other.read_rows;
        self.read_bytes += other.read_bytes;
        self.written_rows += other.written_rows;
        self.written_bytes += other.written_bytes;
        self.result_rows += other.result_rows;
        self.result_bytes += other.result_bytes;
    }
}

impl QueryResult {
    /// Takes ownership of a result; fails with the error that the result carries, or with an unknown one when it is null. Even on failure the result
    /// is freed.
    pub(super) fn new(functions: &'static Functions, raw: RawResult) -> Result<Self, ServerError> {
        let Some(raw) = NonNull::new(raw) else {
            return Err(ServerError::unknown("the engine gave no result"));
        };
        let result = Self { functions, raw };
        // SAFETY: the result is live until `result` is dropped.
        let error = unsafe { (functions.error)(raw.as_ptr()) };
        if error.is_null() {
            return Ok(result);
        }
        // SAFETY: not null, so a zero-terminated text that lives as long as the result.
        let text = unsafe { CStr::from_ptr(error) }.to_string_lossy();
        Err(ServerError::of_engine(&text))
    }

    pub(super) fn raw(&self) -> RawResult {
        self.raw.as_ptr()
    }

    /// Returns the rows and bytes that this result read, wrote and returned. For a piece of a stream: only those since the piece before; the caller
    /// adds them up.
    pub(crate) fn totals(&self) -> Totals {
        let raw = self.raw();
        // SAFETY: the result is live; these functions read numbers of it.
        unsafe {
            Totals {
                read_rows: (self.functions.read_rows)(raw),
                read_bytes: (self.functions.read_bytes)(raw),
                written_rows: (self.functions.written_rows)(raw),
                written_bytes: (self.functions.written_bytes)(raw),
                result_rows: (self.functions.result_rows)(raw),
                result_bytes: (self.functions.result_bytes)(raw),
            }
        }
    }
}

impl AsRef<[u8]> for QueryResult {
    /// Returns the output as bytes in its format; empty when there is none.
    fn as_ref(&self) -> &[u8] {
        // SAFETY: the result is live.
        let (buffer, length) = unsafe { ((self.functions.buffer)(self.raw()), (self.functions.length)(self.raw())) };
        if buffer.is_null() || length == 0 {
            return &[];
        }
        // SAFETY: the library guarantees `length` bytes at `buffer` for as long as the result lives.
        unsafe { std::slice::from_raw_parts(buffer.cast(), length) }
    }
}

impl Drop for QueryResult {
    fn drop(&mut self) {
        // SAFETY: owned since `new`, freed here once.
        unsafe { (self.functions.destroy)(self.raw()) }
    }
}
