//! Lists and the ad portal at full size: through the API, by hand-tuned SQL straight at the engine, in PostgreSQL and in DuckDB, over the
//! same rows in the same run.

mod load;
mod question;
mod report;
mod sql;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use chrono::NaiveDate;
use runtime::Clock;
use vigie::terminal::say;
use vigie::trial::TrialStack;

use self::question::{FILTERS, Question, Work, draw};
use super::peers::{Api, DuckDb, EngineSql, Postgres, Totals};
use super::{BenchError, Plan, world};

/// Warm runs of each question through the API and by SQL.
const HOT_ROUNDS: usize = 5;
/// The same for DuckDB.
const DUCKDB_ROUNDS: usize = 2;
/// From this many rows on, PostgreSQL is asked [`FEW`] questions of each kind of work instead of all.
const MANY_ROWS: u64 = 50_000_000;
/// Three of one brand and one of all of them take it long enough.
const FEW: [(Work, usize); 8] = [
    (Work::DomainsWeek, 1),
    (Work::DomainsMonth, 1),
    (Work::TermsWeek, 1),
    (Work::TermsMonth, 1),
    (Work::DomainsOfAll, 1),
    (Work::TermsOfAll, 0),
    (Work::Portal, 1),
    (Work::Title, 1),
];

/// The peers that are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Peer {
    Api,
    Results,
    RollUps,
    DuckDb,
    Postgres,
}

impl Peer {
    const ALL: [Self; 5] = [Self::Api, Self::Results, Self::RollUps, Self::DuckDb, Self::Postgres];

    /// Returns the peer's name in tables and messages.
    const fn name(self) -> &'static str {
        match self {
            Self::Api => "the API",
            Self::Results => "SQL on the results",
            Self::RollUps => "SQL on the roll-ups",
            Self::DuckDb => "DuckDB",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// The peers, filled with the same rows.
struct Peers {
    api: Api,
    engine: EngineSql,
    duckdb: DuckDb,
    postgres: Postgres,
    today: NaiveDate,
}

impl Peers {
    /// Asks a peer one question; returns its time, as each peer measures it, and the totals it found.
    async fn measure(&mut self, peer: Peer, question: &Question) -> Result<(Duration, Totals), BenchError> {
        match peer {
            Peer::Api => self.api.ask(&question.path()).await,
            Peer::Results => self.engine.ask(sql::on_results(question)).await,
            Peer::RollUps => self.engine.ask(sql::on_roll_ups(question, self.today)).await,
            Peer::DuckDb => self.duckdb.ask(&sql::duckdb(question)).await,
            Peer::Postgres => self.postgres.ask(&sql::postgres(question)).await,
        }
    }
}

/// The times of one question by peer.
#[derive(Debug)]
struct Timed {
    work: Work,
    /// Through the API, after the engine dropped its caches.
    cold: Duration,
    hot: BTreeMap<Peer, Vec<Duration>>,
}

/// Fills the stack and all peers with each number of rows of the plan, asks the questions, and prints the tables. Returns the missed targets.
pub(super) async fn measure(
    stack: &TrialStack,
    plan: &Plan,
    reader: &world::Reader,
) -> Result<Vec<String>, BenchError> {
    let postgres = stack.setting("VIGIE__POSTGRES__URL", "where PostgreSQL is")?;
    let client = analytics::Client::connect(&stack.analytics()?).await?;
    let mut missed = Vec::new();
    for rows in &plan.rows {
        let now = Clock::system().now();
        let began = Instant::now();
        world::fill(&client, plan, *rows, now).await?;
        say(format!(
            "\n{rows} ad results made and added up in {:.0} s",
            began.elapsed().as_secs_f64()
        ));
        let store = stack.analytics()?;
        let engine = EngineSql::new(store.url, &store.user, &store.password, &store.database)?;
        let address = stack.setting_url("VIGIE__API__PUBLIC_URL", "the address of the API")?;
        let folder = tempfile::Builder::new().prefix("vigie-bench.").tempdir()?;
        let mut peers = Peers {
            api: Api::sign_in(address, reader.email, &reader.password).await?,
            duckdb: filled("DuckDB", DuckDb::fill(folder.path(), &engine)).await?,
            postgres: filled("PostgreSQL", Postgres::fill(postgres, &engine)).await?,
            engine,
            today: now.date_naive(),
        };
        let domains = world::domains(&peers.engine).await?;
        let tags = world::tags(postgres, *rows, &domains).await?;
        // From the largest to small ones.
        let of_size = |rank: usize| domains[rank.min(domains.len() - 1)].clone();
        let sampled_domains = [0, 1, 5, 20, 100, 500, 1_500].map(of_size);
        let questions = draw(
            plan.seed,
            now,
            world::DAYS.into(),
            world::terms(*rows),
            &sampled_domains,
            &tags,
        );
        let timed = ask_all(&mut peers, &questions, *rows).await?;
        let load = load::measure(&peers.api, &questions).await?;
        missed.extend(report::print(*rows, plan.all_different, &timed, &load));
    }
    Ok(missed)
}

/// Waits until a peer is filled and prints the time that took.
async fn filled<T>(name: &str, filling: impl Future<Output = Result<T, BenchError>>) -> Result<T, BenchError> {
    let began = Instant::now();
    let peer = filling.await?;
    say(format!(
        "{name} filled and indexed in {:.0} s",
        began.elapsed().as_secs_f64()
    ));
    Ok(peer)
}

/// Asks every peer each question, in rotation, so that other load on the machine affects all alike. Fails when a peer finds other totals than the
/// API.
async fn ask_all(peers: &mut Peers, questions: &[Question], rows: u64) -> Result<Vec<Timed>, BenchError> {
    let mut timed = Vec::with_capacity(questions.len());
    for (index, question) in questions.iter().enumerate() {
        peers.engine.drop_caches().await?;
        let (cold, expected) = peers.measure(Peer::Api, question).await?;
        let mut hot: BTreeMap<Peer, Vec<Duration>> = BTreeMap::new();
        for round in 0..HOT_ROUNDS {
            for peer in Peer::ALL {
                let rounds = match peer {
                    Peer::DuckDb => DUCKDB_ROUNDS,
                    Peer::Postgres => usize::from(asks_postgres(question.work, index % FILTERS, rows)),
                    _ => HOT_ROUNDS,
                };
                if round >= rounds {
                    continue;
                }
                let (took, found) = peers.measure(peer, question).await?;
                if found != expected {
                    return Err(BenchError::Disagreement {
                        question: question.name(),
                        peer: peer.name(),
                        found,
                        expected,
                    });
                }
                hot.entry(peer).or_default().push(took);
            }
        }
        timed.push(Timed {
            work: question.work,
            cold,
            hot,
        });
    }
    Ok(timed)
}

/// Returns whether PostgreSQL is asked the question with this index among those of its kind of work.
fn asks_postgres(work: Work, index: usize, rows: u64) -> bool {
    rows < MANY_ROWS || FEW.iter().any(|(of, count)| *of == work && index < *count)
}
