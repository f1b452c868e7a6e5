//! The user this process runs as.

use nix::unistd::{Uid, User};

/// Its name; the number where the user has none.
pub fn user_name() -> String {
    match User::from_uid(Uid::effective()) {
        Ok(Some(user)) => user.name,
        _ => Uid::effective().to_string(),
    }
}
