//! Slows down who guesses passwords (decision D22).

use std::net::IpAddr;
use std::time::Duration;

use coordination::{Limit, Throttle};

use crate::failure::Failure;
use crate::state::ApiState;

/// Failures are counted over this time.
const WINDOW: Duration = Duration::from_mins(15);
/// Failures of one e-mail from one address.
const PER_EMAIL_AND_ADDRESS: u32 = 5;
/// Failures of one e-mail from anywhere.
const PER_EMAIL: u32 = 20;
/// Failures from one address.
const PER_ADDRESS: u32 = 100;

/// The counts that one try to sign in falls under.
pub(crate) struct LoginThrottle {
    throttle: Option<Throttle>,
    both: String,
    email: String,
    address: String,
}

impl LoginThrottle {
    /// For a try with this e-mail from this address. Counts nothing when throttling is switched off.
    pub(crate) fn new(state: &ApiState, email: &str, address: IpAddr) -> Self {
        let email = email.to_lowercase();
        Self {
            throttle: state
                .settings
                .api
                .login_throttle
                .then(|| Throttle::new(&state.coordination, WINDOW)),
            both: format!("login:both:{address}:{email}"),
            email: format!("login:email:{email}"),
            address: format!("login:address:{address}"),
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

    /// Refuses a try after too many failures.
    pub(crate) async fn admit(&self) -> Result<(), Failure> {
        let Some(throttle) = &self.throttle else { return Ok(()) };
        throttle
            .refuse_for(&self.limits())
            .await
            .map_or(Ok(()), |wait| Err(Failure::Throttled(wait)))
    }

    /// Counts a failed try.
    pub(crate) async fn failed(&self) {
        if let Some(throttle) = &self.throttle {
            throttle.failed(&self.limits()).await;
        }
    }

    /// A right password clears what its owner mistyped from this address.
    pub(crate) async fn succeeded(&self) {
        if let Some(throttle) = &self.throttle {
            throttle.forget(&self.both).await;
        }
    }
}
