//! Prints lines for the user at the terminal. A closed pipe (`vigie up | head`) is no reason to stop.

use std::io::Write;

/// Prints one line on standard output.
pub fn say(line: impl AsRef<str>) {
    let _reader_gone = writeln!(std::io::stdout().lock(), "{}", line.as_ref());
}

/// Prints one line on standard error.
pub fn complain(line: impl AsRef<str>) {
    let _reader_gone = writeln!(std::io::stderr().lock(), "{}", line.as_ref());
}

/// Prints the state of one part, in columns.
pub(crate) fn say_part(part: &str, state: &str, detail: &str) {
    say(format!("  {part:<17} {state:<8} {detail}").trim_end());
}
