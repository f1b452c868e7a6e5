//! Stop and Go at full size: the rule, dry runs over stored readings, how long a rival waits until its lane goes in the simulated Google, and the table of
//! Google's figures.

mod rivals;
mod rule;
mod statistics;
mod world;

use std::time::Duration;

use vigie::trial::TrialStack;

use super::peers::{Api, Psql};
use super::targets::{Report, Targets};
use super::world::Reader;
use super::{BenchError, Plan};

/// One reading through the rule.
const DECIDE: Duration = Duration::from_micros(1);
/// The dry runs of [`world::DRY_LANES`] lanes over [`world::DRY_DAYS`] days.
const DRY_RUN: Duration = Duration::from_secs(5);
/// From the reading of a rival to its removal as read back.
const GO_P95: Duration = Duration::from_secs(5);

/// The first page of the figures of 300 keywords over two years.
const STATISTICS_P95: Duration = Duration::from_millis(100);

/// Settings of a stack that stops and goes in the simulated Google, as often as it takes.
pub(super) const SETTINGS: [(&str, &str); 3] = [
    ("VIGIE__STOP_GO__AUTOMATION", "true"),
    ("VIGIE__GOOGLE__MUTATIONS", "true"),
    ("VIGIE__GOOGLE__DAILY_OPERATIONS", "0"),
];

/// Measures the rule, fills the stack with lanes, and measures their dry runs, their goes and the table of figures. Prints what it finds and each target.
pub(super) async fn measure(stack: &TrialStack, plan: &Plan, reader: &Reader) -> Result<Report, BenchError> {
    let postgres = stack.setting("VIGIE__POSTGRES__URL", "where PostgreSQL is")?;
    let decided = rule::decide_each(plan.seed);
    let psql = Psql::new(postgres);
    world::fill(stack, &psql).await?;
    let pool = postgres::connect(postgres, 8, "vigie-bench")?;
    let dry = rule::run_dry(&pool).await?;
    let went = rivals::measure(&pool, &psql, plan.seed).await?;
    let address = stack.setting_url("VIGIE__API__PUBLIC_URL", "the address of the API")?;
    let admin = Api::sign_in(address, reader.email, &reader.password).await?;
    let page = statistics::measure(&psql, &admin).await?;

    let mut targets = Targets::default();
    targets.add(
        "decide, a reading",
        &format!("{} of {} ns", decided.as_nanos(), DECIDE.as_nanos()),
        decided > DECIDE,
    );
    targets.time("dry run of 90 days over 1,000 lanes", dry, DRY_RUN);
    targets.time("go after a rival, p95", went, GO_P95);
    targets.time("first page of the figures of 300 keywords, p95", page, STATISTICS_P95);
    let line = format!(
        "stop-go {} lanes: decide {:.2} us, dry run {} days {:.1} s, go after rival p95 {:.1} s",
        world::LANES,
        decided.as_secs_f64() * 1e6,
        world::DRY_DAYS,
        dry.as_secs_f64(),
        went.as_secs_f64()
    );
    Ok(Report {
        line,
        missed: targets.missed,
    })
}
