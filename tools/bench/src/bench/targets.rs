//! Targets of a subject, and what it comes to.

use std::time::Duration;

use vigie::terminal::say;

/// The figures, and which of them miss their targets.
pub(crate) struct Report {
    /// The figures in one line.
    pub(crate) line: String,
    /// What was missed.
    pub(crate) missed: Vec<String>,
}

/// Figures beside their targets, printed one by one.
#[derive(Default)]
pub(crate) struct Targets {
    /// What was missed so far.
    pub(crate) missed: Vec<String>,
}

impl Targets {
    /// Adds a time, which may be as long as `most`.
    pub(crate) fn time(&mut self, name: &str, found: Duration, most: Duration) {
        self.add(
            name,
            &format!("{} of {} ms", found.as_millis(), most.as_millis()),
            found > most,
        );
    }

    /// Adds the growth of a process, in megabytes.
    pub(crate) fn memory(&mut self, name: &str, found: u64, most: u64) {
        self.add(name, &format!("{found} of {most} MB"), found > most);
    }

    /// Adds figures that were judged.
    pub(crate) fn add(&mut self, name: &str, figures: &str, is_missed: bool) {
        let verdict = if is_missed { "missed" } else { "met" };
        say(format!("{name}: {figures}, {verdict}"));
        if is_missed {
            self.missed.push(name.to_owned());
        }
    }
}
