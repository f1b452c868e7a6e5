//! The reliability campaign: a stack works while one fault after the other strikes it, and after each of them nothing may be lost or done twice.
//!
//! Processes reach PostgreSQL and ClickHouse through relays, which see each write before it is made. A first round of each kind of work shows what it
//! writes; then each of these writes is struck in four ways ([`Effect`]), and whole parts of the stack are harmed for a while ([`Harm`]). No process
//! knows of it: what is struck is the binary that users run.

mod ads_relay;
mod balancer;
mod harm;
mod ledger_relay;
mod link;
mod receiver;
pub mod stack;
mod statements;
mod work;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::faults::from_environment;
use crate::ledger::Acknowledged;
use crate::trap::Effect;
use harm::Harm;
use stack::Stack;
use work::{Round, Work, World};

/// Time for a round of work to end, fault and all: a lease that nobody renews, and what it takes besides.
const ENDS_WITHIN: Duration = Duration::from_secs(90);
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);
/// Rounds of each work that show what it writes: some of it is written in every other round alone.
const ROUNDS_TO_SEE: usize = 2;
/// Fewer would prove little.
const FEWEST_FAULTS: usize = 30;
/// How many faults the short version injects, which `make test` runs.
const FAULTS_OF_EVERY_RUN: usize = 6;
/// What is under way while a part of the stack is harmed.
const HARMED: [Work; 4] = [Work::Captures, Work::Reminders, Work::Answers, Work::Accounts];

/// One thing that may go wrong.
#[derive(Clone, Debug)]
enum Fault {
    /// A write of this work, by the name of its moment.
    Write(Work, String, Effect),
    Harm(Harm),
}

/// What came of rounds of work.
#[derive(Default)]
struct Outcome {
    ended_after: Duration,
    wrong: Vec<String>,
}

/// A stack at work, and what it said to be stored.
struct Campaign {
    world: World,
    acknowledged: Acknowledged,
    /// How often processes ended by themselves.
    deaths: usize,
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes VIGIE_CAMPAIGN_SECONDS (600); `make campaign` runs it"]
async fn nothing_is_lost_or_done_twice_whatever_strikes() {
    let length = Duration::from_secs(from_environment("VIGIE_CAMPAIGN_SECONDS").unwrap_or(600));
    let (faults, wrong) = run(&Work::ALL, &Harm::ALL, |began, _| began.elapsed() < length).await;
    assert_eq!(wrong, 0, "violations");
    assert!(faults >= FEWEST_FAULTS, "only {faults} faults fit into {length:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_or_done_twice_when_a_few_writes_are_struck() {
    let work = [Work::Answers, Work::Accounts];
    let (_, wrong) = run(&work, &[], |_, faults| faults < FAULTS_OF_EVERY_RUN).await;
    assert_eq!(wrong, 0, "violations");
}

/// Does this harm and strikes this work in random order, one fault after the other, while more is wanted; prints each with its outcome, and the sum. Returns
/// how many faults struck, and how many violations there were.
async fn run(works: &[Work], harms: &[Harm], is_wanted: impl Fn(Instant, usize) -> bool) -> (usize, usize) {
    let seed = from_environment("VIGIE_FAULTS_SEED").unwrap_or_else(rand::random);
    println!("VIGIE_FAULTS_SEED={seed}");
    let began = Instant::now();
    let mut campaign = Campaign::start().await;
    let mut writes = campaign.plan(works).await;
    writes.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    // There is always time for what is harmed as a whole.
    let faults: Vec<Fault> = harms.iter().copied().map(Fault::Harm).chain(writes).collect();
    println!("{:>5} s  {} faults are known", began.elapsed().as_secs(), faults.len());

    let (mut struck, mut violations) = (0, 0);
    // By kind: how many, and the longest time until all was done.
    let mut kinds: BTreeMap<String, (usize, Duration)> = BTreeMap::new();
    for fault in faults {
        if !is_wanted(began, struck) {
            break;
        }
        let at = began.elapsed().as_secs();
        let Some(outcome) = campaign.strike(&fault).await else {
            println!("{at:>5} s  {fault}: its moment did not come");
            continue;
        };
        struck += 1;
        violations += outcome.wrong.len();
        println!(
            "{at:>5} s  {fault}: done after {:.1} s",
            outcome.ended_after.as_secs_f64()
        );
        for sentence in &outcome.wrong {
            println!("         VIOLATION: {sentence}");
        }
        let (count, longest) = kinds.entry(fault.kind()).or_default();
        *count += 1;
        *longest = outcome.ended_after.max(*longest);
    }
    for (kind, (count, longest)) in kinds {
        println!("         {kind}: {count}, the longest {:.1} s", longest.as_secs_f64());
    }
    println!("         processes that ended by themselves: {}", campaign.deaths);
    if violations > 0 {
        println!("         logs: {}", campaign.world.keep_logs().display());
    }
    println!(
        "campaign: faults {struck}, violations {violations}, seconds {}",
        began.elapsed().as_secs()
    );
    (struck, violations)
}

impl Campaign {
    /// Starts a stack that has done what every new one does first.
    async fn start() -> Self {
        let world = World::new(Stack::start().await).await;
        let acknowledged = world.stack().ledger.note_acknowledged();
        let mut campaign = Self {
            world,
            acknowledged,
            deaths: 0,
        };
        let round = campaign.world.begin(Work::Jobs).await;
        let ended = campaign.end(&round).await;
        campaign.expect_right(&ended, "a new stack");
        campaign
    }

    fn expect_right(&self, ended: &Outcome, during: &str) {
        let logs = self.world.stack().last_words();
        assert!(ended.wrong.is_empty(), "{during}: {:?}\n{logs}", ended.wrong);
    }

    /// Every write that this work is seen to make, with every effect.
    async fn plan(&mut self, works: &[Work]) -> Vec<Fault> {
        let mut faults = Vec::new();
        for work in works.iter().copied() {
            let mut moments = BTreeSet::new();
            self.world.stack().trap.take_moments();
            for _ in 0..ROUNDS_TO_SEE {
                let round = self.world.begin(work).await;
                let ended = self.end(&round).await;
                self.expect_right(&ended, &format!("{work} without a fault"));
                moments.append(&mut self.world.stack().trap.take_moments());
            }
            for moment in moments {
                faults.extend(Effect::ALL.map(|effect| Fault::Write(work, moment.clone(), effect)));
            }
        }
        faults
    }

    /// Lets the stack work while a fault strikes, and waits for the end of the work. `None` if the moment of the fault did not come.
    async fn strike(&mut self, fault: &Fault) -> Option<Outcome> {
        match fault {
            Fault::Write(work, moment, effect) => {
                self.world.stack().trap.arm(moment, *effect);
                let round = self.world.begin(*work).await;
                let outcome = self.end(&round).await;
                let has_struck = self.world.stack().trap.disarm();
                (has_struck || !outcome.wrong.is_empty()).then_some(outcome)
            }
            Fault::Harm(harm) => {
                let began = Instant::now();
                let mut all = Vec::new();
                for work in HARMED {
                    all.push(self.world.begin(work).await);
                }
                let requesting = futures::future::join_all(all.iter().map(|round| self.world.request(round)));
                tokio::join!(harm.strike(self.world.stack()), async {
                    // What has no answer in time is requested again below.
                    let _late = tokio::time::timeout(ENDS_WITHIN, requesting).await;
                });
                let mut outcome = Outcome::default();
                for round in &all {
                    outcome.wrong.extend(self.end(round).await.wrong);
                }
                outcome.ended_after = began.elapsed();
                Some(outcome)
            }
        }
    }

    /// Waits for the end of a round, and looks for what is wrong then.
    async fn end(&mut self, round: &Round) -> Outcome {
        let began = Instant::now();
        let Self {
            world,
            acknowledged,
            deaths,
        } = self;
        let requesting = world.request(round);
        tokio::pin!(requesting);
        let (mut dead, mut has_requested, mut wrong) = (Vec::new(), false, Vec::new());
        loop {
            tokio::select! {
                () = &mut requesting, if !has_requested => has_requested = true,
                () = tokio::time::sleep(BETWEEN_LOOKS) => {}
            }
            for part in world.stack().parts() {
                *deaths += usize::from(part.revive());
                dead.extend(part.take_dead());
            }
            world.skip_waits(round, &dead).await;
            let missing = world.missing(round).await;
            if missing.is_none() && has_requested {
                break;
            }
            if began.elapsed() > ENDS_WITHIN {
                let what = missing.unwrap_or_else(|| "the API has not answered".to_owned());
                wrong.push(format!("after {} s: {what}", ENDS_WITHIN.as_secs()));
                break;
            }
        }
        let ended_after = began.elapsed();
        wrong.extend(world.wrong(round).await);
        let stack = world.stack();
        wrong.extend(stack.ledger.unsound(&acknowledged.so_far(), &stack.blobs()).await);
        Outcome { ended_after, wrong }
    }
}

impl Fault {
    /// What it is counted with.
    fn kind(&self) -> String {
        match self {
            Self::Write(work, _, effect) => format!("{work}, {effect}"),
            Self::Harm(_) => self.to_string(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write(work, moment, effect) => write!(to, "{work}, {effect}: {moment}"),
            Self::Harm(harm) => write!(to, "{harm}"),
        }
    }
}
