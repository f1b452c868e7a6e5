//! Why nobody is signed in.

use thiserror::Error;

/// What went wrong between this site and the provider. Messages never contain a secret or a token.
#[derive(Debug, Error)]
pub enum OpenIdError {
    /// The settings name an address that cannot be asked.
    #[error("{0} is no address of a provider: it takes https, or http on this machine")]
    Address(String),
    /// The provider does not answer, or answers something else than asked.
    #[error("the provider does not answer as it should: {0}")]
    Provider(String),
    /// The provider refuses the code.
    #[error("the provider refuses the code: {0}")]
    Refused(String),
    /// The ID token is not to be believed.
    #[error("the ID token of the provider is refused: {0}")]
    Token(String),
}

impl From<jsonwebtoken::errors::Error> for OpenIdError {
    fn from(error: jsonwebtoken::errors::Error) -> Self {
        Self::Token(error.to_string())
    }
}
