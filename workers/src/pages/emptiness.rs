//! Pages on which nothing is found.

use capture::{Doubt, ReadPage};
use postgres::Pool;
use postgres::captures::Capture;
use postgres::empty_spells;

use crate::Error;

/// The text with which a page says that nothing is found. `None` if it says no such thing, or if there is another doubt about the page.
pub fn nothing_found(read: &ReadPage) -> Option<&str> {
    read.nothing_found
        .as_deref()
        .filter(|_| read.doubts == [Doubt::NoResults])
}

/// Marks a page that is read again as having no results (`read` is changed), if it says so and its term's empty spell was confirmed at the time of
/// the capture.
pub async fn confirm_as_before(pool: &Pool, capture: &Capture, read: &mut ReadPage) -> Result<(), Error> {
    let Some(term) = capture.term_id.filter(|_| nothing_found(read).is_some()) else {
        return Ok(());
    };
    if empty_spells::was_confirmed_at(pool, term, capture.device, capture.taken_at).await? {
        read.confirm_nothing();
    }
    Ok(())
}
