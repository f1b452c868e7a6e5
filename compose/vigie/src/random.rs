//! Secrets out of the system's randomness.

use std::fs::File;
use std::io::{self, Read};

/// A password of 48 hexadecimal digits.
pub fn password() -> io::Result<String> {
    let mut random = [0_u8; 24];
    File::open("/dev/urandom")?.read_exact(&mut random)?;
    Ok(hex::encode(random))
}
