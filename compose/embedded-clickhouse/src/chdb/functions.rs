//! The functions of `libchdb.so` in use, as its header `chdb.h` declares them.

use std::ffi::{c_char, c_int, c_void};

/// `chdb_connection *`: the library's own box that holds a connection.
pub(super) type ConnectionBox = *mut *mut c_void;
/// The header's `chdb_connection`.
pub(super) type RawConnection = *mut c_void;
/// The header's `chdb_result *`.
pub(super) type RawResult = *mut c_void;
/// The header's `chdb_insert_stream`.
pub(super) type RawInsert = *mut c_void;
/// Pointer to a text; its length is the next argument.
type Text = *const c_char;

macro_rules! functions {
    ($($field:ident = $symbol:literal fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// Addresses of the library's functions; valid for as long as the process lives.
        pub(super) struct Functions {
            $(pub(super) $field: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Functions {
            /// Looks up every function.
            ///
            /// # Safety
            /// `library` must be chDB's, of a version whose functions have these signatures, and stay loaded.
            pub(super) unsafe fn find(library: &libloading::Library) -> Result<Self, libloading::Error> {
                Ok(Self {
                    // SAFETY: the caller vouches for the library; the signatures are those of its header.
                    $($field: unsafe { *library.get(concat!($symbol, "\0").as_bytes())? },)*
                })
            }
        }
    };
}

functions! {
    set_signal_handlers_enabled = "chdb_set_signal_handlers_enabled" fn(c_int);
    connect = "chdb_connect" fn(c_int, *mut *mut c_char) -> ConnectionBox;
    close = "chdb_close_conn" fn(ConnectionBox);
    shutdown = "chdb_shutdown" fn() -> c_int;
    query = "chdb_query_with_params_n"
        fn(RawConnection, Text, usize, Text, usize, *const Text, *const usize, *const Text, *const usize, usize) -> RawResult;
    stream = "chdb_stream_query_with_params_n"
        fn(RawConnection, Text, usize, Text, usize, *const Text, *const usize, *const Text, *const usize, usize) -> RawResult;
    fetch = "chdb_stream_fetch_result" fn(RawConnection, RawResult) -> RawResult;
    cancel = "chdb_stream_cancel_query" fn(RawConnection, RawResult);
    destroy = "chdb_destroy_query_result" fn(RawResult);
    insert = "chdb_stream_insert_with_params_n"
        fn(RawConnection, Text, usize, Text, usize, *const Text, *const usize, *const Text, *const usize, usize) -> RawInsert;
    insert_append = "chdb_stream_append" fn(RawInsert, *const c_void, usize) -> c_int;
    insert_done = "chdb_stream_done" fn(RawInsert) -> RawResult;
    insert_error = "chdb_stream_insert_error" fn(RawInsert) -> Text;
    insert_destroy = "chdb_destroy_insert_stream" fn(RawInsert);
    buffer = "chdb_result_buffer" fn(RawResult) -> *mut c_char;
    length = "chdb_result_length" fn(RawResult) -> usize;
    error = "chdb_result_error" fn(RawResult) -> Text;
    result_rows = "chdb_result_rows_read" fn(RawResult) -> u64;
    result_bytes = "chdb_result_bytes_read" fn(RawResult) -> u64;
    read_rows = "chdb_result_storage_rows_read" fn(RawResult) -> u64;
    read_bytes = "chdb_result_storage_bytes_read" fn(RawResult) -> u64;
    written_rows = "chdb_result_rows_written" fn(RawResult) -> u64;
    written_bytes = "chdb_result_bytes_written" fn(RawResult) -> u64;
}
