//! Steering at full size: lists of terms, bulk changes and their planning, matches with brands, and imports, all through the API.

mod changes;
mod imports;
mod lists;
mod matches;
mod world;

use std::time::Duration;

use vigie::trial::TrialStack;

use super::BenchError;
use super::peers::{Api, Psql};
use super::targets::{Report, Targets};
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
