//! Clears all state of a tab between jobs.

use headless_chrome::protocol::cdp::Network::{ClearBrowserCache, CookieParam, SetCookies};
use headless_chrome::protocol::cdp::Storage::{ClearCookies, ClearDataForOrigin};

use super::tab::Tab;
use super::wire::WireError;

/// Clears all cookies and the cache of the tab's context and the storage of the origins in `used_origins`, then sets the given consent cookies. A
/// failure leaves the rest undone.
pub(super) async fn clear(tab: &Tab, consent: Vec<CookieParam>) -> Result<(), WireError> {
    let storage = async {
        for origin in tab.used_origins.iter().cloned() {
            tab.call(ClearDataForOrigin {
                origin,
                storage_Types: "all".to_owned(),
            })
            .await?;
        }
        Ok(())
    };
    tokio::try_join!(
        tab.browser_call(ClearCookies {
            browser_context_id: Some(tab.context().to_owned())
        }),
        tab.call(ClearBrowserCache(None)),
        storage,
    )?;
    if !consent.is_empty() {
        tab.call(SetCookies { cookies: consent }).await?;
    }
    Ok(())
}
