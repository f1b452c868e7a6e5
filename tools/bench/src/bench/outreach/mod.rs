//! Outreach at full size: lists and details of cases with their mails through the API, and mails that leave through one worker to a server that is cut.

mod lists;
mod run;
mod server;
pub(crate) mod world;

use std::time::Duration;

use vigie::trial::TrialStack;

use super::peers::{Api, Psql};
use super::targets::{Report, Targets};
use super::world::Reader;
use super::{BenchError, Plan};

pub(super) use server::BenchMailServer;

const LIST_P95: Duration = Duration::from_millis(100);
const DETAIL_P95: Duration = Duration::from_millis(100);
const NEXT_CASE: Duration = Duration::from_millis(15);
/// Mails a second through one worker.
const LEAST_RATE: f64 = 100.0;

/// Fills the stack with the cases of the plan and measures, the quiet things first: mails that leave would disturb them. Prints what it finds and each
/// target.
pub(super) async fn measure(
    stack: &TrialStack,
    plan: &Plan,
    reader: &Reader,
    server: &BenchMailServer,
) -> Result<Report, BenchError> {
    let postgres = stack.setting("VIGIE__POSTGRES__URL", "where PostgreSQL is")?;
    let address = stack.setting_url("VIGIE__API__PUBLIC_URL", "the address of the API")?;
    let psql = Psql::new(postgres);
    let world = world::fill(&psql, postgres, plan.cases).await?;
    let admin = Api::sign_in(address.clone(), reader.email, &reader.password).await?;
    let member = Api::sign_in(address, world.member.email, &world.member.password).await?;

    let pages = lists::measure(&admin, &member, &world, plan.seed).await?;
    lists::export_an_address(&admin, &world.address).await?;
    let mails = run::measure(&psql, server).await?;

    let mut targets = Targets::default();
    targets.time("list of cases, p95", pages.list, LIST_P95);
    targets.time("detail with its mails, p95", pages.detail, DETAIL_P95);
    targets.time("next case", pages.next, NEXT_CASE);
    targets.add(
        "mails a second through one worker",
        &format!("{:.0} of {LEAST_RATE:.0}", mails.rate),
        mails.rate < LEAST_RATE,
    );
    targets.add("mails twice", &mails.twice.to_string(), mails.twice > 0);
    targets.add("mails lost", &mails.lost.to_string(), mails.lost > 0);
    targets.add(
        "unknown are those cut after their body began",
        &format!(
            "{} of {} cut, {} others",
            mails.unknown, mails.cut, mails.wrongly_unknown
        ),
        mails.unknown != mails.cut || mails.wrongly_unknown > 0,
    );
    let line = format!(
        "outreach {} cases: list p95 {} ms, detail p95 {} ms, next case {} ms, mails twice {}, lost {}, unknown {} of {} cut",
        plan.cases,
        pages.list.as_millis(),
        pages.detail.as_millis(),
        pages.next.as_millis(),
        mails.twice,
        mails.lost,
        mails.unknown,
        mails.cut
    );
    Ok(Report {
        line,
        missed: targets.missed,
    })
}
