//! Throttles guessing of passwords, and sending mails to others (decision D22).

use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

use coordination::{Limit, Reservation, Throttle};
use sha2::{Digest, Sha256};

use crate::failure::ApiError;
use crate::state::ApiState;

/// Attempts are counted over this time.
const WINDOW: Duration = Duration::from_mins(15);
/// Attempts with one e-mail from one address.
const PER_EMAIL_AND_ADDRESS: u32 = 5;
/// Attempts with one e-mail from anywhere.
const PER_EMAIL: u32 = 20;
/// Attempts from one address.
const PER_ADDRESS: u32 = 100;

/// The call whose attempts are counted.
#[derive(Clone, Copy, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub(super) enum ThrottledAction {
    /// Signing in: only failures count.
    Login,
    /// Asking for a new password: every request counts.
    Reset,
    /// Naming the own password to change it: only failures count.
    Password,
    /// Asking for the mail that confirms an address: every request counts.
    Verify,
}

/// A counted attempt, and the keys it is counted under.
pub(super) struct CountedAttempt(Option<Reserved>);

/// A counted attempt with what is needed to take it back.
struct Reserved {
    throttle: Throttle,
    keys: Keys,
    reservation: Reservation,
}

/// The keys that an attempt is counted under.
struct Keys {
    both: String,
    email: String,
    address: String,
}

impl Keys {
    /// The keys of an attempt: case and white space around the e-mail do not count, and an address counts as its [`network`]. An e-mail is kept as a
    /// digest: what clients send may be long, and readers of the store need not learn who signs in. Actions are counted apart.
    fn new(action: ThrottledAction, email: &str, address: IpAddr) -> Self {
        let email = hex::encode(Sha256::digest(email.trim().to_lowercase()));
        let address = network(address);
        Self {
            both: format!("{action}:both:{address}:{email}"),
            email: format!("{action}:email:{email}"),
            address: format!("{action}:address:{address}"),
        }
    }

    /// The keys with the attempts that each allows within [`WINDOW`].
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
}

/// Counts an attempt to sign in with the provider, which is asked for each. `false` for one too many of an address, which is not counted; counts nothing when
/// throttling is switched off.
pub(super) async fn counts_provider_attempt(state: &ApiState, address: IpAddr) -> bool {
    if !state.settings.api.login_throttle {
        return true;
    }
    let limit = Limit {
        key: &format!("provider:{}", network(address)),
        most: PER_ADDRESS,
    };
    Throttle::new(&state.coordination, WINDOW)
        .reserve(&[limit])
        .await
        .is_ok()
}

/// What an address is counted by: IPv4 itself, IPv6 its network of 64 bits, because whoever has one address of it has all.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
        address @ IpAddr::V4(_) => address,
    }
}

impl CountedAttempt {
    /// Counts an attempt at this action by e-mail (or whatever text names the account), by client address and by both; `Throttled` when any of them
    /// is at its limit. Counts nothing when throttling is switched off.
    pub(super) async fn reserve(
        state: &ApiState,
        action: ThrottledAction,
        email: &str,
        address: IpAddr,
    ) -> Result<Self, ApiError> {
        if !state.settings.api.login_throttle {
            return Ok(Self(None));
        }
        let throttle = Throttle::new(&state.coordination, WINDOW);
        let keys = Keys::new(action, email, address);
        let reservation = throttle.reserve(&keys.limits()).await.map_err(ApiError::Throttled)?;
        Ok(Self(Some(Reserved {
            throttle,
            keys,
            reservation,
        })))
    }

    /// Takes the attempt back, as if it had not been made; does nothing if it was not counted. Reports no failure.
    pub(super) async fn give_back(self) {
        if let Some(Reserved {
            throttle,
            keys,
            reservation,
        }) = self.0
        {
            throttle.give_back(reservation, &keys.limits()).await;
        }
    }

    /// After the right password: takes the attempt back from all counts, and clears the count of this e-mail from this address.
    pub(super) async fn succeeded(self) {
        if let Some(Reserved {
            throttle,
            keys,
            reservation,
        }) = self.0
        {
            throttle.give_back(reservation, &keys.limits()).await;
            throttle.forget(&keys.both).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_short_and_the_same_however_the_address_is_written() {
        let address = "192.0.2.7".parse().unwrap();
        let keys = Keys::new(ThrottledAction::Login, &"Ä@long.example".repeat(100_000), address);
        assert!(keys.both.len() < 120, "{}", keys.both.len());
        let one = Keys::new(ThrottledAction::Login, "Anna@Brand.example ", address);
        let other = Keys::new(
            ThrottledAction::Login,
            "anna@brand.example",
            "::ffff:192.0.2.7".parse().unwrap(),
        );
        assert_eq!((&one.both, &one.email), (&other.both, &other.email));
        assert!(!one.email.contains("anna"), "{}", one.email);
    }

    #[test]
    fn the_addresses_of_one_network_count_as_one() {
        let of = |address: &str| network(address.parse().unwrap());
        assert_eq!(of("2001:db8:1:2:3:4:5:6"), of("2001:db8:1:2:ffff::1"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
    }
}
