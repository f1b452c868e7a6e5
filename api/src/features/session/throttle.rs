//! Slows down who guesses passwords, and who has mails sent to others (decision D22).

use std::net::IpAddr;
use std::time::Duration;

use coordination::{Limit, Throttle};

use crate::failure::Failure;
use crate::state::ApiState;

/// Tries are counted over this time.
const WINDOW: Duration = Duration::from_mins(15);
/// Tries of one e-mail from one address.
const PER_EMAIL_AND_ADDRESS: u32 = 5;
/// Tries of one e-mail from anywhere.
const PER_EMAIL: u32 = 20;
/// Tries from one address.
const PER_ADDRESS: u32 = 100;

/// What is tried.
#[derive(Clone, Copy, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub(super) enum Door {
    /// Signing in: only failures count.
    Login,
    /// Asking for a new password: every request counts.
    Reset,
    /// Naming the own password to change it: only failures count.
    Password,
    /// Asking for the mail that confirms an address: every request counts.
    Verify,
}

/// The counts that one try falls under.
pub(super) struct Tries {
    throttle: Option<Throttle>,
    both: String,
    email: String,
    address: String,
}

impl Tries {
    /// Tries at a door with this e-mail from this address. Counts nothing when throttling is switched off.
    pub(super) fn new(state: &ApiState, door: Door, email: &str, address: IpAddr) -> Self {
        let email = email.to_lowercase();
        Self {
            throttle: state
                .settings
                .api
                .login_throttle
                .then(|| Throttle::new(&state.coordination, WINDOW)),
            both: format!("{door}:both:{address}:{email}"),
            email: format!("{door}:email:{email}"),
            address: format!("{door}:address:{address}"),
        }
    }

    fn limits(&self) -> [Limit<'_>; 3] {
        [
            Limit {
                key: &self.both,
                most: PER_EMAIL_AND_ADDRESS,
            },
            Limit {
                key: &self.email,
                most: PER_EMAIL,
            },
            Limit {
                key: &self.address,
                most: PER_ADDRESS,
            },
        ]
    }

    /// Refuses a try after too many.
    pub(super) async fn admit(&self) -> Result<(), Failure> {
        let Some(throttle) = &self.throttle else { return Ok(()) };
        throttle
            .refuse_for(&self.limits())
            .await
            .map_or(Ok(()), |wait| Err(Failure::Throttled(wait)))
    }

    /// Counts this try.
    pub(super) async fn count(&self) {
        if let Some(throttle) = &self.throttle {
            throttle.failed(&self.limits()).await;
        }
    }

    /// A right password clears what its owner mistyped from this address.
    pub(super) async fn succeeded(&self) {
        if let Some(throttle) = &self.throttle {
            throttle.forget(&self.both).await;
        }
    }
}
