use std::ffi::{CString, c_int};
use std::path::Path;
use std::ptr::NonNull;

use super::Connection;
use super::functions::Functions;

/// The loaded library, for the rest of the process. Copying is free.
#[derive(Clone, Copy)]
pub(crate) struct Library(&'static Functions);

impl Library {
    /// Loads chDB's library for the rest of the process and keeps it from installing signal handlers of its own. Fails when the file or one of the
    /// functions in use cannot be loaded.
    pub(crate) fn load(path: &Path) -> Result<Self, libloading::Error> {
        // SAFETY: loading runs the initialisers of a library that the operator chose; chDB's only set up its allocator.
        let library = unsafe { libloading::Library::new(path)? };
        // SAFETY: it is never unloaded (leaked below), and a library with these symbols is chDB's.
        let functions = unsafe { Functions::find(&library)? };
        std::mem::forget(library);
        let functions: &'static Functions = Box::leak(Box::new(functions));
        // SAFETY: takes a plain integer and is called before the first connection, as its header asks.
        unsafe { (functions.set_signal_handlers_enabled)(0) };
        Ok(Self(functions))
    }

    /// Opens a connection; the first one starts the engine with the options in `arguments` (`--name=value`). `None` when the engine
    /// refuses; it explains why on standard error only.
    pub(crate) fn connect(self, arguments: &[CString]) -> Option<Connection> {
        let mut pointers: Vec<_> = arguments.iter().map(|argument| argument.as_ptr().cast_mut()).collect();
        let count = c_int::try_from(pointers.len()).ok()?;
        // SAFETY: `pointers` are `count` strings that outlive the call; the engine copies and does not write to them.
        let raw = unsafe { (self.0.connect)(count, pointers.as_mut_ptr()) };
        NonNull::new(raw).map(|raw| Connection::new(self.0, raw))
    }

    /// Ends the engine's threads for the rest of the process; no connection may be open. After a MergeTree insert the library leaves some
    /// of them parked and reports it, which is harmless, so its result is ignored.
    pub(crate) fn shutdown(self) {
        // SAFETY: takes nothing, and does nothing where a connection is still open.
        unsafe { (self.0.shutdown)() };
    }
}
