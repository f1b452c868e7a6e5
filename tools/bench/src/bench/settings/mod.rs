//! Steering at full size: lists of terms, bulk changes and their planning, matches with brands, and imports, all through the API.

mod changes;
mod imports;
mod lists;
mod matches;
mod world;

use std::time::Duration;

use vigie::terminal::say;
use vigie::trial::TrialStack;

use super::BenchError;
use super::peers::{Api, Psql};
use super::world::Reader;

const LIST_P95: Duration = Duration::from_millis(100);
const BULK: Duration = Duration::from_secs(2);
const PLAN: Duration = Duration::from_secs(2);
const COMPUTE: Duration = Duration::from_secs(2);
const WRITE: Duration = Duration::from_secs(2);
const REFUSAL: Duration = Duration::from_millis(50);
const DRY_RUN: Duration = Duration::from_secs(1);
const APPLY: Duration = Duration::from_secs(5);
const IMPORT_MB: u64 = 64;

/// The figures, and which of them miss their targets.
pub(super) struct Report {
    /// The figures in one line.
    pub(super) line: String,
    /// What was missed.
    pub(super) missed: Vec<String>,
}

/// Fills the stack with [`world::TERMS`] terms and measures, the quiet things first: what is captured from then on would disturb them. Prints what it
/// finds and each target.
pub(super) async fn measure(stack: &TrialStack, reader: &Reader) -> Result<Report, BenchError> {
    let postgres = stack.setting("VIGIE__POSTGRES__URL", "where PostgreSQL is")?;
    let address = stack.setting_url("VIGIE__API__PUBLIC_URL", "the address of the API")?;
    let psql = Psql::new(postgres);
    let world = world::fill(&psql, postgres).await?;
    let admin = Api::sign_in(address.clone(), reader.email, &reader.password).await?;
    let member = Api::sign_in(address, world.member.email, &world.member.password).await?;

    let lists = lists::measure(&admin, &member, &world).await?;
    let refusal = matches::refuse(&admin, &world).await?;
    let import = imports::measure(&admin, &psql, stack.process_of("api")?).await?;
    let matched = matches::measure(&admin, &psql, &world).await?;
    let changes = changes::measure(&admin, &psql).await?;

    let mut targets = Targets::default();
    targets.time("list and filter, p95", lists, LIST_P95);
    targets.time("bulk change of 10,000 terms", changes.bulk, BULK);
    targets.time("planning them after the commit", changes.plan, PLAN);
    targets.time("match of all terms: computing", matched.computing, COMPUTE);
    targets.time("match of all terms: writing 10,000", matched.writing, WRITE);
    targets.time("refusal of a hostile pattern", refusal, REFUSAL);
    targets.time("import of 10,000 lines: dry run", import.dry_run, DRY_RUN);
    targets.time("import of 10,000 lines: apply", import.apply, APPLY);
    targets.memory("import of 10,000 lines: memory", import.grown_mb, IMPORT_MB);
    let line = format!(
        "settings {} terms: list p95 {} ms, bulk {} {} ms, plan {} ms, match {} ms",
        world::TERMS,
        lists.as_millis(),
        changes::ROWS,
        changes.bulk.as_millis(),
        changes.plan.as_millis(),
        (matched.computing + matched.writing).as_millis()
    );
    Ok(Report {
        line,
        missed: targets.missed,
    })
}

/// Figures beside their targets, printed one by one.
#[derive(Default)]
struct Targets {
    missed: Vec<String>,
}

impl Targets {
    fn time(&mut self, name: &str, found: Duration, most: Duration) {
        self.add(
            name,
            &format!("{} of {} ms", found.as_millis(), most.as_millis()),
            found > most,
        );
    }

    fn memory(&mut self, name: &str, found: u64, most: u64) {
        self.add(name, &format!("{found} of {most} MB"), found > most);
    }

    fn add(&mut self, name: &str, figures: &str, is_missed: bool) {
        let verdict = if is_missed { "missed" } else { "met" };
        say(format!("{name}: {figures}, {verdict}"));
        if is_missed {
            self.missed.push(name.to_owned());
        }
    }
}
