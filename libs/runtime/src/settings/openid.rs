//! Signing in with a provider of OpenID Connect.

use serde::{Deserialize, Serialize};
use url::Url;

use crate::Secret;

/// The provider that users may sign in with, beside the password.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct OpenId {
    /// The provider, as in `https://login.example.com/realms/team`; absent: users sign in with their password alone.
    pub issuer: Option<Url>,
    /// What the provider calls this site.
    pub client_id: String,
    /// What this site proves it with.
    pub client_secret: Secret,
    /// What the button on the sign-in page calls the provider; its host unless set.
    pub label: Option<String>,
}
