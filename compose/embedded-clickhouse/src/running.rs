use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::exception::{ServerError, code};

/// The ids of running statements.
#[derive(Clone, Default)]
pub(crate) struct Running(Arc<Mutex<HashSet<String>>>);

/// Reserves a statement's id until it is dropped.
pub(crate) struct Entry {
    running: Running,
    id: String,
}

impl Running {
    /// Reserves a statement's id until the returned entry is dropped; fails while another statement has it.
    pub(crate) fn enter(&self, id: &str) -> Result<Entry, ServerError> {
        if self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(id.to_owned())
        {
            return Ok(Entry {
                running: self.clone(),
                id: id.to_owned(),
            });
        }
        let message = format!("Query with id = {id} is already running");
        let name = "QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING";
        Err(ServerError::new(
            code::QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING,
            name,
            message,
        ))
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.running
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&self.id);
    }
}
