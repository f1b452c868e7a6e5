//! Kills and stops parts of a stack at random moments, the same for the same seed as far as the machine allows.

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
/// Time for a part to recover.
const RETURN: Duration = Duration::from_secs(90);
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// What is killed, and words of its command line.
const PARTS: [(&str, &str); 6] = [
    ("workers", "vigie workers"),
    ("ClickHouse", "embedded-clickhouse"),
    ("PostgreSQL", "/postgres "),
    ("Redis", "redis-server"),
    ("API", "vigie api"),
    ("browser", "chromium"),
];
/// Started by the workers when needed, not by the stack.
const BROWSER: &str = "browser";

/// Stores that are stopped by SIGSTOP, for longer than their clients wait for them, and then continue.
const STORES: [(&str, &str); 3] = [
    ("ClickHouse", "embedded-clickhouse"),
    ("PostgreSQL", "postgres"),
    ("Redis", "redis-server"),
];
const STOPPED: Duration = Duration::from_secs(8);
/// How long pages cannot be stored.
const FULL: Duration = Duration::from_secs(4);

/// What is done to a part.
#[derive(Clone, Copy)]
enum Harm {
    Kill(&'static str, &'static str),
    Stop(&'static str, &'static str),
    FillDisk,
}

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

    /// Does every kind of harm in random order for about this long, each at least once and equally often, and waits for the recovery of
    /// what was harmed. Returns how many there were.
    pub fn do_harm(&mut self, time: Duration) -> usize {
        let began = Instant::now();
        let mut kills = 0;
        while kills == 0 || began.elapsed() < time {
            let kinds = PARTS.map(|(name, words)| Harm::Kill(name, words));
            let mut harms: Vec<Harm> = kinds.into_iter().collect();
            harms.extend(STORES.map(|(name, words)| Harm::Stop(name, words)));
            harms.push(Harm::FillDisk);
            harms.shuffle(&mut self.random);
            for harm in harms {
                std::thread::sleep(Duration::from_millis(self.random.random_range(PAUSE_MILLIS)));
                kills += usize::from(match harm {
                    Harm::Kill(name, words) => self.kill(name, words, began),
                    Harm::Stop(name, words) => {
                        println!("{:>8.2} s: {name} is stopped", began.elapsed().as_secs_f64());
                        let stopped = processes::stop(&self.data, words);
                        std::thread::sleep(STOPPED);
                        drop(stopped);
                        true
                    }
                    Harm::FillDisk => {
                        println!("{:>8.2} s: no page can be kept", began.elapsed().as_secs_f64());
                        let full = FullDisk::make(&self.data.join("blobs"));
                        std::thread::sleep(FULL);
                        drop(full);
                        true
                    }
                });
            }
        }
        kills
    }

    fn kill(&self, name: &str, words: &str, began: Instant) -> bool {
        let Some(killed) = processes::find(&self.data, words) else {
            // A browser runs only while pages are captured.
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

/// A file store that accepts nothing, as on a full disk: while this lives, a plain file replaces its folder, so that every write fails,
/// whatever the user's rights.
pub struct FullDisk {
    folder: PathBuf,
    aside: PathBuf,
}

impl FullDisk {
    pub fn make(folder: &Path) -> Self {
        let aside = folder.with_extension("aside");
        std::fs::rename(folder, &aside).unwrap();
        std::fs::write(folder, b"").unwrap();
        Self {
            folder: folder.to_owned(),
            aside,
        }
    }
}

impl Drop for FullDisk {
    fn drop(&mut self) {
        std::fs::remove_file(&self.folder).unwrap();
        std::fs::rename(&self.aside, &self.folder).unwrap();
    }
}
