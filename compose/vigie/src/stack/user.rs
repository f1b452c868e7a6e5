//! The user this process runs as.

use nix::unistd::{Uid, User};

/// Returns the name of the user this process runs as; its number where it has no name.
pub fn user_name() -> String {
    match User::from_uid(Uid::effective()) {
        Ok(Some(user)) => user.name,
        _ => Uid::effective().to_string(),
    }
}
