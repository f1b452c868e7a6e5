//! How a store is reached.

use std::time::Duration;

use tokio::sync::watch;

/// What a relay does between a process and its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weather {
    /// Passes everything on.
    Fair,
    /// Cuts every connection and takes none.
    Down,
    /// Takes connections and passes nothing on.
    Hangs,
    /// Passes each request on this much later.
    Slow(Duration),
}

/// The weather before a store, which can be changed.
pub type Forecast = watch::Sender<Weather>;

/// The weather as a relay sees it.
pub type Outlook = watch::Receiver<Weather>;

/// A forecast that can be changed, of nothing bad so far.
pub fn fair() -> Forecast {
    watch::Sender::new(Weather::Fair)
}

/// Waits until a request may be passed on. `false` once the connection is to be cut.
pub async fn lets_through(outlook: &mut Outlook) -> bool {
    loop {
        let now = *outlook.borrow_and_update();
        match now {
            Weather::Fair => return true,
            Weather::Down => return false,
            Weather::Slow(delay) => {
                tokio::time::sleep(delay).await;
                return true;
            }
            Weather::Hangs => {
                if outlook.changed().await.is_err() {
                    return false;
                }
            }
        }
    }
}

/// Returns once every connection is to be cut.
pub async fn breaks(mut outlook: Outlook) {
    // An error says that the campaign is over.
    let _over = outlook.wait_for(|now| *now == Weather::Down).await;
}
