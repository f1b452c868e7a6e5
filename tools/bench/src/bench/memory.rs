//! The memory of another process.

use super::BenchError;

const KIB: u64 = 1_024;
const BYTES_A_MB: u64 = 1_000_000;

/// Returns the resident memory of a process in MB (10^6 bytes).
pub(super) fn resident(process: u32) -> Result<u64, BenchError> {
    Ok(kib_of(process, "VmRSS:")? * KIB / BYTES_A_MB)
}

/// Lets the kernel forget the most resident memory that a process had, so that [`most_resident`] is that from now on.
pub(super) fn forget_most_resident(process: u32) -> Result<(), BenchError> {
    Ok(std::fs::write(format!("/proc/{process}/clear_refs"), "5")?)
}

/// Returns the most resident memory that a process had in MB (10^6 bytes).
pub(super) fn most_resident(process: u32) -> Result<u64, BenchError> {
    Ok(kib_of(process, "VmHWM:")? * KIB / BYTES_A_MB)
}

/// Returns an entry of a process's status in KiB; 0 without such an entry.
fn kib_of(process: u32, entry: &str) -> Result<u64, BenchError> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let size = status.lines().find_map(|line| line.strip_prefix(entry));
    Ok(size
        .and_then(|size| size.split_whitespace().next()?.parse().ok())
        .unwrap_or_default())
}
