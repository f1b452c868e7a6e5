//! The Domains list: through the API, by hand-tuned SQL, and in PostgreSQL.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use runtime::Clock;

use super::figures::Figures;
use super::peers::{Api, EngineSql, Postgres, Totals};
use super::questions::{Question, questions};
use super::{BenchError, Plan, world};
use crate::smoke::stack::TrialStack;
use crate::terminal::say;

const PEERS: [&str; 3] = ["the API", "the engine", "PostgreSQL"];

struct Peers {
    api: Api,
    engine: EngineSql,
    postgres: Postgres,
}

pub(super) async fn measure(stack: &TrialStack, plan: &Plan) -> Result<(), BenchError> {
    let postgres = stack.told("VIGIE__POSTGRES__URL", "where PostgreSQL is")?;
    let client = analytics::Client::connect(&stack.analytics()?).await?;
    let (email, password) = world::reader(postgres).await?;
    let now = Clock::system().now();
    for rows in &plan.rows {
        let began = Instant::now();
        world::fill(&client, plan, *rows, now).await?;
        say(format!(
            "\n{rows} ad results made in {:.1} s",
            began.elapsed().as_secs_f64()
        ));
        let store = stack.analytics()?;
        let engine = EngineSql::new(store.url, &store.user, &store.password, &store.database)?;
        let peers = Peers {
            api: Api::sign_in(
                stack.told_url("VIGIE__API__PUBLIC_URL", "the address of the API")?,
                email,
                &password,
            )
            .await?,
            postgres: Postgres::fill(postgres, &engine).await?,
            engine,
        };
        let questions = questions(now, world::ASKED_BRANDS);
        compare_answers(&peers, &questions).await?;
        print(&questions, &ask(&peers, &questions, plan.rounds).await?);
    }
    Ok(())
}

/// Every peer must find the same totals.
async fn compare_answers(peers: &Peers, questions: &[Question]) -> Result<(), BenchError> {
    for question in questions {
        let (_, expected) = peers.api.ask(question).await?;
        for peer in &PEERS[1..] {
            let (_, found) = peers.ask(peer, question).await?;
            if found != expected {
                return Err(BenchError::Disagreement {
                    question: question.name.clone(),
                    peer,
                    found,
                    expected,
                });
            }
        }
    }
    Ok(())
}

impl Peers {
    async fn ask(&self, peer: &str, question: &Question) -> Result<(Duration, Totals), BenchError> {
        match peer {
            "the API" => self.api.ask(question).await,
            "the engine" => self.engine.ask(question).await,
            _ => self.postgres.ask(question).await,
        }
    }
}

/// Rounds are interleaved, so that whatever else the machine does meets every peer alike.
async fn ask<'a>(
    peers: &Peers,
    questions: &'a [Question],
    rounds: usize,
) -> Result<BTreeMap<(&'a str, &'static str), Vec<Duration>>, BenchError> {
    let mut times: BTreeMap<(&str, &'static str), Vec<Duration>> = BTreeMap::new();
    for _ in 0..rounds {
        for question in questions {
            for peer in PEERS {
                let (took, _) = peers.ask(peer, question).await?;
                times.entry((&question.name, peer)).or_default().push(took);
            }
        }
    }
    Ok(times)
}

fn print(questions: &[Question], times: &BTreeMap<(&str, &'static str), Vec<Duration>>) {
    say("Medians in ms (least to most)\n");
    say("| Domains list | through the API | hand-tuned SQL on the results | PostgreSQL | PostgreSQL / API |");
    say("| --- | --- | --- | --- | --- |");
    for question in questions {
        let of = |peer: &'static str| {
            times
                .get(&(question.name.as_str(), peer))
                .and_then(|times| Figures::of(times))
        };
        if let (Some(api), Some(engine), Some(postgres)) = (of(PEERS[0]), of(PEERS[1]), of(PEERS[2])) {
            let ratio = postgres.median / api.median;
            say(format!(
                "| {} | {api} | {engine} | {postgres} | {ratio:.1} |",
                question.name
            ));
        }
    }
}
