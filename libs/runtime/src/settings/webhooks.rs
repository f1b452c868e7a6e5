//! Webhooks of users.

use serde::{Deserialize, Serialize};

/// Where webhooks may lead.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Webhooks {
    /// Whether they may lead into this network, and without TLS, which is refused otherwise; for tests and closed networks.
    pub allow_private: bool,
}
