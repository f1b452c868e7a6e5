//! Harm that lasts for a while, whatever is written meanwhile.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use url::Url;

use super::link::{Link, LinkSwitch};
use super::stack::{RIGHT, Stack, parameter};
use crate::nemesis::FullDisk;
use crate::processes;

/// How long harm lasts: longer than the processes wait for a connection.
const LASTS: Duration = Duration::from_secs(8);
/// The delay of each request to a slow store: ten requests take a second.
const SLOW: Link = Link::Slow(Duration::from_millis(100));
/// How long the work runs before it is harmed, so that some of it is under way.
const BEGINS_AFTER: Duration = Duration::from_millis(1_500);

const END_LEASES: [&str; 2] = [
    "update slot set lease_until = now() - interval '1 second' where leased_by = $1",
    "update manifest set lease_until = now() - interval '1 second' where leased_by = $1",
];

/// What is harmed, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "title_case")]
pub enum Harm {
    LedgerDown,
    LedgerHangs,
    LedgerSlow,
    StoreOfAdsDown,
    StoreOfAdsHangs,
    StoreOfAdsSlow,
    BothStoresDown,
    RedisForgets,
    DiskFull,
    /// One of them: the other goes on.
    ApiKilled,
    ApisKilled,
    WorkersKilled,
    AllKilled,
    BrowsersKilled,
    /// A worker is stopped until others have taken over everything that it had claimed.
    WorkerStandsStill,
    ClockADayAhead,
    ClockADayBehind,
}

impl Harm {
    pub const ALL: [Self; 17] = [
        Self::LedgerDown,
        Self::LedgerHangs,
        Self::LedgerSlow,
        Self::StoreOfAdsDown,
        Self::StoreOfAdsHangs,
        Self::StoreOfAdsSlow,
        Self::BothStoresDown,
        Self::RedisForgets,
        Self::DiskFull,
        Self::ApiKilled,
        Self::ApisKilled,
        Self::WorkersKilled,
        Self::AllKilled,
        Self::BrowsersKilled,
        Self::WorkerStandsStill,
        Self::ClockADayAhead,
        Self::ClockADayBehind,
    ];

    /// Does the harm to a stack at work, and undoes it after a while.
    pub async fn strike(self, stack: &Stack) {
        tokio::time::sleep(BEGINS_AFTER).await;
        let (ledger, ads) = (&stack.ledger_link, &stack.ads_link);
        match self {
            Self::LedgerDown => change(&[ledger], Link::Down).await,
            Self::LedgerHangs => change(&[ledger], Link::Hangs).await,
            Self::LedgerSlow => change(&[ledger], SLOW).await,
            Self::StoreOfAdsDown => change(&[ads], Link::Down).await,
            Self::StoreOfAdsHangs => change(&[ads], Link::Hangs).await,
            Self::StoreOfAdsSlow => change(&[ads], SLOW).await,
            Self::BothStoresDown => change(&[ledger, ads], Link::Down).await,
            Self::RedisForgets => forget_all(&stack.redis),
            Self::DiskFull => {
                let full = FullDisk::make(&stack.blobs());
                tokio::time::sleep(LASTS).await;
                drop(full);
            }
            Self::ApiKilled => stack.apis[0].kill(),
            Self::ApisKilled => stack.apis.iter().for_each(|api| api.kill()),
            Self::WorkersKilled => stack.workers.iter().for_each(|worker| worker.kill()),
            Self::AllKilled => stack.parts().for_each(|part| part.kill()),
            Self::BrowsersKilled => {
                let all = processes::running_in(stack.data());
                for (pid, _) in all.iter().filter(|(_, line)| line.contains("chromium")) {
                    // One goes with another.
                    let _ended = kill(Pid::from_raw(*pid), Signal::SIGKILL);
                }
            }
            Self::WorkerStandsStill => {
                let worker = &stack.workers[0];
                worker.signal(Signal::SIGSTOP);
                // Once: what it claims afterwards is its own.
                for end in END_LEASES {
                    sqlx::query(end)
                        .bind(worker.worker())
                        .execute(&stack.ledger.postgres)
                        .await
                        .unwrap();
                }
                tokio::time::sleep(LASTS).await;
                worker.signal(Signal::SIGCONT);
            }
            Self::ClockADayAhead => turn_clock(stack, "+1d").await,
            Self::ClockADayBehind => turn_clock(stack, "-1d").await,
        }
    }
}

/// Changes the links to these stores for as long as harm lasts.
async fn change(stores: &[&LinkSwitch], link: Link) {
    for store in stores {
        store.send_replace(link);
    }
    tokio::time::sleep(LASTS).await;
    for store in stores {
        store.send_replace(Link::Up);
    }
}

/// Turns the clock for as long as harm lasts.
async fn turn_clock(stack: &Stack, by: &str) {
    stack.turn_clock(by);
    tokio::time::sleep(LASTS).await;
    stack.turn_clock(RIGHT);
}

/// Deletes all that the stack keeps in Redis.
fn forget_all(address: &str) {
    let address = Url::parse(address).unwrap();
    let database = parameter(&address, "db");
    let mut redis = UnixStream::connect(address.path()).unwrap();
    write!(redis, "SELECT {database}\r\nFLUSHDB\r\nQUIT\r\n").unwrap();
    let mut answers = String::new();
    redis.read_to_string(&mut answers).unwrap();
    assert_eq!(answers, "+OK\r\n+OK\r\n+OK\r\n");
}
