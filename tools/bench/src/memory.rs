//! The memory of another process, in MB (10^6 bytes).

use std::io;

const KIB: u64 = 1_024;
const BYTES_A_MB: u64 = 1_000_000;

/// Returns the resident memory of a process.
pub fn resident(process: u32) -> io::Result<u64> {
    megabytes(process, "status", "VmRSS:")
}

/// Lets the kernel forget the most resident memory that a process had, so that [`most_resident`] is that from now on.
pub fn forget_most_resident(process: u32) -> io::Result<()> {
    std::fs::write(format!("/proc/{process}/clear_refs"), "5")
}

/// Returns the most resident memory that a process had.
pub fn most_resident(process: u32) -> io::Result<u64> {
    megabytes(process, "status", "VmHWM:")
}

/// Returns the resident memory of a process, with an equal share of the pages that it has in common with others.
pub fn proportional(process: u32) -> io::Result<u64> {
    megabytes(process, "smaps_rollup", "Pss:")
}

/// Returns an entry of a file about a process; fails where there is no such process, file or entry.
fn megabytes(process: u32, file: &str, entry: &str) -> io::Result<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/{file}"))?;
    let size = text.lines().find_map(|line| line.strip_prefix(entry));
    let kib: Option<u64> = size.and_then(|size| size.split_whitespace().next()?.parse().ok());
    let kib = kib.ok_or_else(|| io::Error::other(format!("/proc/{process}/{file} has no {entry}")))?;
    Ok(kib * KIB / BYTES_A_MB)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_memory_and_an_ended_one_is_an_error() {
        let own = std::process::id();
        for size in [resident(own), most_resident(own), proportional(own)] {
            assert!(size.unwrap() > 0);
        }
        assert!(resident(u32::MAX).is_err());
    }
}
