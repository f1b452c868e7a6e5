//! How a store is reached.

use std::time::Duration;

use tokio::sync::watch;

/// What a relay does between a process and its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// Passes everything on.
    Up,
    /// Cuts every connection and takes none.
    Down,
    /// Takes connections and passes nothing on.
    Hangs,
    /// Passes each request on this much later.
    Slow(Duration),
}

/// Changes a link.
pub type LinkSwitch = watch::Sender<Link>;

/// A link as a relay sees it.
pub type LinkState = watch::Receiver<Link>;

/// A link that passes everything on until it is changed.
pub fn up() -> LinkSwitch {
    watch::Sender::new(Link::Up)
}

/// Waits until a request may be passed on. `false` once the connection is to be cut.
pub async fn lets_through(link_state: &mut LinkState) -> bool {
    loop {
        let now = *link_state.borrow_and_update();
        match now {
            Link::Up => return true,
            Link::Down => return false,
            Link::Slow(delay) => {
                tokio::time::sleep(delay).await;
                return true;
            }
            Link::Hangs => {
                if link_state.changed().await.is_err() {
                    return false;
                }
            }
        }
    }
}

/// Returns once every connection is to be cut.
pub async fn breaks(mut link_state: LinkState) {
    // An error says that the campaign is over.
    let _over = link_state.wait_for(|now| *now == Link::Down).await;
}
