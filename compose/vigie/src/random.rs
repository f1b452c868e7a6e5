//! Secrets from the system's random source.

use std::fs::File;
use std::io::{self, Read};

/// A password of 48 hexadecimal digits.
pub fn password() -> io::Result<String> {
    hex_of::<24>()
}

/// A key of 32 bytes, in hexadecimal digits.
pub(crate) fn key() -> io::Result<String> {
    hex_of::<{ runtime::sealing::KEY_BYTES }>()
}

/// Returns `BYTES` random bytes as hexadecimal digits.
fn hex_of<const BYTES: usize>() -> io::Result<String> {
    let mut random = [0_u8; BYTES];
    File::open("/dev/urandom")?.read_exact(&mut random)?;
    Ok(hex::encode(random))
}
