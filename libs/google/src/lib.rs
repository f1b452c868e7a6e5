//! A client of Google Ads and Search Console: the dozen calls that Vigie needs, and the grants they work with.
//!
//! A [`Client`] is made once from the settings. [`Client::account`] gives an [`Account`], which works with one grant and counts the operations it asks for.
//! The sandbox is this same client against another address.

mod account;
mod campaigns;
mod client;
mod countries;
mod customers;
mod error;
mod failure;
mod gaql;
mod grant_key;
mod grants;
mod negatives;
mod search_console;
mod search_terms;
mod transport;

pub use account::Account;
pub use campaigns::Campaign;
pub use client::Client;
pub use countries::alpha_3;
pub use customers::{Customer, TreeNode};
pub use error::GoogleError;
pub use gaql::{UnquotableError, quote};
pub use grant_key::GrantKey;
pub use grants::{ADS_SCOPE, Consent, Granted, SEARCH_CONSOLE_SCOPE};
pub use negatives::{ListOutcome, Negative, NegativeOutcome};
pub use search_console::{SeoRow, Site};
pub use search_terms::{MOST_TERMS_A_QUERY, SeaRow};
