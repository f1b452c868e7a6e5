//! Signing in with a provider of OpenID Connect: the code flow with PKCE, of a confidential client (OpenID Connect Core 1.0, section 3.1; RFC 7636).

mod attempt;
mod error;
mod id_token;
mod provider;
mod signatures;

pub use attempt::Attempt;
pub use error::OpenIdError;
pub use id_token::Identity;
pub use provider::{Client, name_of};
