//! Kills parts of a stack at random moments, the same for the same seed as far as the machine allows.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::processes;

/// Pause before a kill, in milliseconds: shorter and longer than a capture, a batch and a start.
const PAUSE_MILLIS: std::ops::Range<u64> = 100..3_000;
/// What a part may take to be there again.
const RETURN: Duration = Duration::from_secs(90);
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// What is killed, and the words of its command line.
const PARTS: [(&str, &str); 6] = [
    ("workers", "vigie workers"),
    ("ClickHouse", "embedded-clickhouse"),
    ("PostgreSQL", "/postgres "),
    ("Redis", "redis-server"),
    ("API", "vigie api"),
    ("browser", "chromium"),
];
/// Started by the workers when it is needed, and not by the stack.
const BROWSER: &str = "browser";

pub struct Nemesis {
    data: PathBuf,
    random: ChaCha8Rng,
}

impl Nemesis {
    pub fn new(data: &Path, seed: u64) -> Self {
        Self {
            data: data.to_owned(),
            random: ChaCha8Rng::seed_from_u64(seed),
        }
    }

    /// Kills parts in random order for about this long, each at least once and as often as the others, and waits for the return of each.
    /// Answers the number of kills.
    pub fn rage(&mut self, time: Duration) -> usize {
        let began = Instant::now();
        let mut kills = 0;
        while kills == 0 || began.elapsed() < time {
            let mut parts = PARTS;
            parts.shuffle(&mut self.random);
            for (name, words) in parts {
                std::thread::sleep(Duration::from_millis(self.random.random_range(PAUSE_MILLIS)));
                kills += usize::from(self.kill(name, words, began));
            }
        }
        kills
    }

    fn kill(&self, name: &str, words: &str, began: Instant) -> bool {
        let Some(killed) = processes::find(&self.data, words) else {
            // A browser is there only while somebody captures.
            assert_eq!(name, BROWSER, "{name} is not there");
            return false;
        };
        println!("{:>8.2} s: {name} is killed", began.elapsed().as_secs_f64());
        kill(Pid::from_raw(killed), Signal::SIGKILL).unwrap();
        let deadline = Instant::now() + RETURN;
        while name != BROWSER && processes::find(&self.data, words).is_none_or(|found| found == killed) {
            assert!(Instant::now() < deadline, "{name} does not come back");
            std::thread::sleep(BETWEEN_LOOKS);
        }
        true
    }
}
