//! Pages on which nothing is found.

use capture::{Doubt, ReadPage};
use postgres::Pool;
use postgres::captures::Capture;
use postgres::empty_spells;

use crate::Error;

/// The text with which a page says that nothing is found, if the page has no other doubt.
pub fn nothing_found(read: &ReadPage) -> Option<&str> {
    read.nothing_found
        .as_deref()
        .filter(|_| read.doubts == [Doubt::NoResults])
}

/// Confirms that a page has no results, if that was confirmed when it was captured.
pub async fn recall(pool: &Pool, capture: &Capture, read: &mut ReadPage) -> Result<(), Error> {
    let Some(term) = capture.term_id.filter(|_| nothing_found(read).is_some()) else {
        return Ok(());
    };
    if empty_spells::is_confirmed(pool, term, capture.device, capture.taken_at).await? {
        read.confirm_nothing();
    }
    Ok(())
}
