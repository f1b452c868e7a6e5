//! The contents of the stack: results to list, terms to capture, and two users.

use std::time::Duration;

use postgres::Pool;
use postgres::users::NewUser;
use runtime::Clock;
use vigie::trial::TrialStack;
use vocabulary::{Role, TermId};

use super::StressError;
use crate::bench::{self, Plan};
use crate::captures;

const ROWS: u64 = 1_000_000;
const TERMS: usize = 12;
/// Captures of each term during a run, at most one a minute.
const CAPTURES_OF_TERM: u32 = 4;
const MOST_OFTEN: Duration = Duration::from_mins(1);

/// A user who can sign in.
pub struct Person {
    pub email: &'static str,
    pub password: String,
}

/// The contents of the stack, and a connection to its Postgres.
pub struct World {
    pub postgres: Pool,
    pub ordinary: Person,
    pub hostile: Person,
    pub terms: Vec<TermId>,
}

impl World {
    /// Fills the stack with [`ROWS`] results, and creates two users and [`TERMS`] enabled terms that are captured several times within `length`.
    pub async fn make(stack: &TrialStack, length: Duration) -> Result<Self, StressError> {
        let client = analytics::Client::connect(&stack.analytics()?)
            .await?
            .for_housekeeping();
        let plan = Plan {
            subjects: Vec::new(),
            cases: 0,
            rows: vec![ROWS],
            seed: 1,
            all_different: false,
        };
        bench::world::fill(&client, &plan, ROWS, Clock::system().now()).await?;
        let postgres = postgres::connect(
            stack.setting("VIGIE__POSTGRES__URL", "where PostgreSQL is")?,
            2,
            "vigie-bench stress",
        )?;
        let mut tx = postgres::begin(&postgres).await?;
        let (ordinary, hostile) = (
            person(&mut tx, "ordinary@vigie.example").await?,
            person(&mut tx, "hostile@vigie.example").await?,
        );
        let terms = captures::create_terms(&mut tx, TERMS, (length / CAPTURES_OF_TERM).max(MOST_OFTEN)).await?;
        tx.commit().await.map_err(postgres::Error::from)?;
        Ok(Self {
            postgres,
            ordinary,
            hostile,
            terms,
        })
    }
}

/// Creates an administrator, who sees everything: their lists are the largest. The caller commits.
async fn person(tx: &mut postgres::Connection, email: &'static str) -> Result<Person, StressError> {
    let password = vigie::random::password()?;
    let hash = api::passwords::hash(password.clone()).await?;
    let user = NewUser {
        email,
        password_hash: Some(&hash),
        first_name: None,
        last_name: None,
        company: None,
        roles: &[Role::Admin],
    };
    postgres::users::create(tx, &user).await?;
    Ok(Person { email, password })
}
