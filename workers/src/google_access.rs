//! What Google is worked with: its client, and the grants that open it.

use ::google::{Account, Client, GrantKey};
use postgres::Pool;
use postgres::google;
use runtime::Clock;
use runtime::sealing::Keys;
use vocabulary::SystemScope;

use crate::Error;

const SCOPE: SystemScope = SystemScope::new("working with grants of Google");
/// The name under which refresh tokens are sealed.
const GRANT_WHAT: &str = "google_grant.refresh_token";

/// The client of Google with the store of grants. Clones share connections and tokens.
#[derive(Clone, Debug)]
pub struct GoogleAccess {
    /// The store of grants, items and figures.
    pub postgres: Pool,
    /// The clock of states and figures.
    pub clock: Clock,
    /// The client of Google.
    pub client: Client,
    /// What refresh tokens are sealed with.
    pub keys: Keys,
    /// Operations of Google Ads in 24 hours at most; 0: without limit.
    pub daily_operations: u32,
}

impl GoogleAccess {
    /// What a grant is worked with, for the customers below `login`; `None` for one that is gone, or whose key is missing.
    pub(crate) async fn account(&self, grant: i64, login: Option<String>) -> Result<Option<Account>, Error> {
        let sealed = google::sealed_grant(&self.postgres, &SCOPE, grant).await?;
        let Some(sealed) = sealed else { return Ok(None) };
        Ok(self.open(grant, &sealed, login))
    }

    /// What a grant with this sealed token is worked with; `None` where the key is missing.
    pub(crate) fn open(&self, grant: i64, sealed: &str, login: Option<String>) -> Option<Account> {
        let Ok(refresh_token) = self.keys.open(GRANT_WHAT, sealed) else {
            tracing::error!(
                grant,
                "a grant cannot be decrypted: its key is missing in VIGIE__SECRETS__KEYS"
            );
            return None;
        };
        let key = GrantKey {
            id: grant,
            refresh_token,
        };
        Some(self.client.account(key, login))
    }

    /// Notes that a grant was revoked or does not work, and forgets its token.
    pub(crate) async fn mark(&self, grant: i64, status: &str, why: &str) -> Result<(), Error> {
        self.client.forget(grant);
        google::mark_grant(&self.postgres, &SCOPE, grant, (status, Some(why)), self.clock.now()).await?;
        Ok(())
    }
}
