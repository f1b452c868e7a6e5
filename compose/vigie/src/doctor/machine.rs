//! Checks the user, the data folder with its disk, `setpriv`, and the demonstration accounts.

use std::path::Path;

use nix::unistd::{Uid, User};
use runtime::Settings;

use super::Finding;
use crate::stack::{LEAST_FREE_BYTES, demo_marker, free_bytes};
use crate::{demo, programs};

/// Percentage of free space below which the disk is reported as filling up.
const LOW_SPACE_PERCENT: u64 = 10;

/// Checks the user of this process: good if it is not root, or if the system user that root runs the parts as exists; else bad.
pub fn user(settings: &Settings) -> Finding {
    const PART: &str = "user";
    let name = &settings.embedded.user;
    if !Uid::effective().is_root() {
        return Finding::good(PART, format!("an ordinary user, {}", crate::stack::user::user_name()));
    }
    match User::from_name(name) {
        Ok(Some(_)) => Finding::good(PART, format!("root, which runs the parts as '{name}'")),
        _ => Finding::bad(
            PART,
            format!("root, and there is no system user '{name}' to run the parts"),
            "make install, or name another user with VIGIE__EMBEDDED__USER",
        ),
    }
}

/// Returns a doubtful finding when demonstration data are loaded whose accounts have the published password, and other machines reach the site; else
/// `None`.
pub fn demonstration(settings: &Settings) -> Option<Finding> {
    let refused = demo_marker(&settings.data).exists() && demo::are_refused(settings);
    refused.then(|| {
        Finding::doubtful(
            "demonstration",
            "accounts with a published password, which is refused where other machines reach the site",
            "vigie create-admin, then delete the accounts of the demonstration",
        )
    })
}

/// Checks the free space on the disk of the data folder, or of its nearest existing parent: bad under [`LEAST_FREE_BYTES`] or if it cannot be read,
/// doubtful under [`LOW_SPACE_PERCENT`] % of the disk.
pub fn data_folder(settings: &Settings) -> Finding {
    const PART: &str = "data folder";
    let folder = std::path::absolute(&settings.data).unwrap_or_else(|_| settings.data.clone());
    let Some(existing) = folder.ancestors().find(|ancestor| ancestor.exists()) else {
        return Finding::bad(
            PART,
            format!("{} cannot be looked at", folder.display()),
            "set VIGIE__DATA to another folder",
        );
    };
    match free_and_total(existing) {
        Err(error) => Finding::bad(
            PART,
            format!("{}: {error}", folder.display()),
            "set VIGIE__DATA to another folder",
        ),
        Ok((free, total)) => {
            let found = format!("{}, {} GiB of {} GiB free", folder.display(), free >> 30, total >> 30);
            if free < LEAST_FREE_BYTES {
                Finding::bad(
                    PART,
                    found,
                    "free some space, or set VIGIE__DATA to a folder on another disk",
                )
            } else if free < total / 100 * LOW_SPACE_PERCENT {
                Finding::doubtful(PART, found, "free some space, or shorten VIGIE__RETENTION__PAGES_DAYS")
            } else {
                Finding::good(PART, found)
            }
        }
    }
}

/// Returns the bytes that an ordinary user can still write on the disk of a folder, and the disk's size in bytes.
fn free_and_total(folder: &Path) -> std::io::Result<(u64, u64)> {
    let found = nix::sys::statvfs::statvfs(folder)?;
    Ok((
        free_bytes(folder)?,
        found.blocks().saturating_mul(found.fragment_size()),
    ))
}

/// Checks that `setpriv`, which starts the parts, is on the search path.
pub fn setpriv() -> Finding {
    const PART: &str = "setpriv";
    match programs::find("setpriv") {
        Some(file) => Finding::good(PART, file.display().to_string()),
        None => Finding::bad(
            PART,
            "not found; `vigie up` starts its parts with it",
            "apt-get install util-linux",
        ),
    }
}
