//! What a stack's parts use of the machine over time.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use vigie::terminal::say;
use vigie::trial::TrialStack;

use crate::bench::BenchError;
use crate::bench::figures::median;
use crate::memory;
use crate::processes::tree;

const BETWEEN_SAMPLES: Duration = Duration::from_secs(10);
/// A tick of the kernel's clock, on every Linux that Vigie runs on.
const MILLIS_A_TICK: u64 = 10;

/// Samples of each part in MB (10^6 bytes), oldest first. Pages that processes share count once, in equal shares.
type Samples = BTreeMap<String, Vec<u64>>;

/// Takes a sample every [`BETWEEN_SAMPLES`].
pub struct UsageWatch {
    work: JoinHandle<Samples>,
    ended: CancellationToken,
    parts: Vec<(u32, String)>,
    /// Of each part at the beginning.
    processor_time: BTreeMap<String, Duration>,
    began: Instant,
}

impl UsageWatch {
    /// Begins with the parts that the stack has now; processes that these start later belong to them.
    pub fn start(stack: &TrialStack) -> Result<Self, BenchError> {
        let parts: Vec<(u32, String)> = stack
            .parts()?
            .into_iter()
            .map(|(pid, line)| (pid, name(&line)))
            .collect();
        let processor_time = processor_times(&parts);
        let ended = CancellationToken::new();
        let (stop, watched) = (ended.clone(), parts.clone());
        let work = tokio::spawn(async move {
            let mut samples = Samples::new();
            let mut beat = tokio::time::interval(BETWEEN_SAMPLES);
            loop {
                tokio::select! {
                    () = stop.cancelled() => return samples,
                    _ = beat.tick() => {}
                }
                let mut sizes = BTreeMap::<&str, u64>::new();
                for (pid, name) in &watched {
                    // A process that has ended meanwhile has none.
                    let of_processes = tree(*pid).into_iter().filter_map(|pid| memory::proportional(pid).ok());
                    *sizes.entry(name).or_default() += of_processes.sum::<u64>();
                }
                for (name, size) in sizes {
                    samples.entry(name.to_owned()).or_default().push(size);
                }
            }
        });
        Ok(Self {
            work,
            ended,
            parts,
            processor_time,
            began: Instant::now(),
        })
    }

    /// Ends it and returns what was seen.
    pub async fn end(self) -> Result<Usage, BenchError> {
        self.ended.cancel();
        let whole = self.began.elapsed().as_secs_f64();
        let share = |(name, now): (String, Duration)| {
            let before = self.processor_time.get(&name).copied().unwrap_or_default();
            (name, now.saturating_sub(before).as_secs_f64() / whole)
        };
        let processors = processor_times(&self.parts).into_iter().map(share).collect();
        Ok(Usage {
            memory: self.work.await?,
            processors,
        })
    }
}

/// What was seen of each part.
pub struct Usage {
    memory: Samples,
    /// Processors that it kept busy, on the average.
    processors: BTreeMap<String, f64>,
}

impl Usage {
    /// The most memory that a part had, in MB; very large for a part that was not seen.
    pub fn most_of(&self, part: &str) -> u64 {
        let samples = self.memory.get(part);
        samples
            .and_then(|samples| samples.iter().max().copied())
            .unwrap_or(u64::MAX)
    }

    /// Prints a line for each part: its memory (the medians of the first and of the last quarter, and the most), and processors.
    pub fn print(&self) {
        for (part, samples) in &self.memory {
            let quarter = samples.len().div_ceil(4);
            let (first, last) = (&samples[..quarter], &samples[samples.len() - quarter..]);
            say(format!(
                "{part}: {} MB at first, {} MB at last, {} MB at most; {:.2} processors",
                median(first.to_vec()),
                median(last.to_vec()),
                self.most_of(part),
                self.processors.get(part).copied().unwrap_or_default()
            ));
        }
    }
}

/// The name of a part: the subcommand of `vigie`, or the name of another program.
fn name(line: &str) -> String {
    let mut words = line.split_whitespace();
    let program = words.next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
    let subcommand = words.next().filter(|_| program == "vigie");
    subcommand.unwrap_or(program).trim_end_matches(':').to_owned()
}

/// The processor time of each part, with that of processes it started, also of those that have ended.
fn processor_times(parts: &[(u32, String)]) -> BTreeMap<String, Duration> {
    let mut times = BTreeMap::new();
    for (pid, name) in parts {
        *times.entry(name.clone()).or_default() += tree(*pid).into_iter().map(processor_time).sum::<Duration>();
    }
    times
}

/// The processor time of a process and of its children that have ended; zero for one that has ended itself.
fn processor_time(pid: u32) -> Duration {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name of the program is in brackets and may hold anything. Then come the state and ten numbers that are not needed.
    let rest = text.rsplit(')').next().unwrap_or_default();
    let ticks = rest.split_whitespace().skip(11).take(4);
    let ticks: u64 = ticks.filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * MILLIS_A_TICK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_named_by_what_they_do() {
        for (line, expected) in [
            ("/usr/local/bin/vigie api", "api"),
            ("/usr/lib/postgresql/15/bin/postgres -D /data", "postgres"),
            ("/tmp/embedded-clickhouse --listen 127.0.0.1:1", "embedded-clickhouse"),
            ("redis-server 127.0.0.1:6379", "redis-server"),
        ] {
            assert_eq!(name(line), expected, "{line}");
        }
    }

    #[test]
    fn an_ended_process_takes_no_time() {
        assert_eq!(processor_time(u32::MAX), Duration::ZERO);
    }
}
