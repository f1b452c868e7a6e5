//! The tables, the verdict on each target, and the last line.

use std::time::Duration;

use vigie::terminal::say;

use super::load::Load;
use super::question::Work;
use super::{MANY_ROWS, Peer, Timed};
use crate::bench::figures::percentile;

/// Targets of a size, in milliseconds and ratios.
struct Targets {
    brand: f64,
    all: f64,
    portal: f64,
    title: f64,
    load: f64,
    postgres: f64,
}

const TEN_MILLION: Targets = Targets {
    brand: 40.0,
    all: 200.0,
    portal: 40.0,
    title: 80.0,
    load: 250.0,
    postgres: 5.0,
};
const HUNDRED_MILLION: Targets = Targets {
    brand: 100.0,
    all: 1_200.0,
    portal: 80.0,
    title: 300.0,
    load: 400.0,
    postgres: 20.0,
};
/// The API may take this many times as long as hand-tuned SQL, plus [`OVER_SQL_MILLIS`].
const OVER_SQL: f64 = 1.15;
const OVER_SQL_MILLIS: f64 = 3.0;
const DUCKDB: f64 = 1.0;

/// Prints the measurements, whether each target is met, and the last line; returns the missed targets. Where all ads are different (`all_different`)
/// none counts as missed.
pub(super) fn print(rows: u64, all_different: bool, timed: &[Timed], load: &Load) -> Vec<String> {
    table(timed);
    let brand_works = [Work::DomainsWeek, Work::DomainsMonth, Work::TermsWeek, Work::TermsMonth];
    let brand = worst(brand_works.map(|work| p95(timed, work)));
    let all = worst([Work::DomainsOfAll, Work::TermsOfAll].map(|work| p95(timed, work)));
    let (portal, title) = (p95(timed, Work::Portal), p95(timed, Work::Title));
    let over = worst(Work::ALL.map(|work| over_sql(timed, work)));
    let lists = || Work::ALL.into_iter().filter(|work| work.is_list());
    let duckdb = lists()
        .filter_map(|work| times_ours(timed, work, Peer::DuckDb))
        .fold(f64::INFINITY, f64::min);
    let postgres = lists()
        .filter_map(|work| times_ours(timed, work, Peer::Postgres))
        .fold(f64::INFINITY, f64::min);
    let p99 = percentile(&load.times, 0.99);
    say(format!(
        "\n50 requests a second, a quarter of them lists: median {:.1} ms, p99 {p99:.1} ms, {} errors of {}",
        percentile(&load.times, 0.5),
        load.errors,
        load.errors + load.times.len()
    ));
    let targets = if rows >= MANY_ROWS {
        HUNDRED_MILLION
    } else {
        TEN_MILLION
    };
    let mut missed = Vec::new();
    let mut judge = |what: &str, met: bool, found: String, wanted: String| {
        say(format!(
            "{} {what}: {found} (wanted {wanted})",
            if met { "met   " } else { "MISSED" }
        ));
        if !met && !all_different {
            missed.push(format!("{what} at {rows} rows"));
        }
    };
    say("");
    for (what, found, wanted) in [
        ("lists of one brand, p95", brand, targets.brand),
        ("lists of all brands, p95", all, targets.all),
        ("ads of one domain, p95", portal, targets.portal),
        ("title contains, p95", title, targets.title),
        ("50 requests a second, p99", p99, targets.load),
    ] {
        judge(
            what,
            found <= wanted,
            format!("{found:.1} ms"),
            format!("{wanted:.0} ms"),
        );
    }
    judge(
        "errors under 50 requests a second",
        load.errors == 0,
        load.errors.to_string(),
        "0".to_owned(),
    );
    judge(
        "API over hand-tuned SQL, less 3 ms",
        over <= OVER_SQL,
        format!("{over:.2}"),
        format!("{OVER_SQL}"),
    );
    judge(
        "DuckDB / ours, worst list",
        duckdb >= DUCKDB,
        format!("{duckdb:.2}"),
        format!("{DUCKDB:.1}"),
    );
    judge(
        "PostgreSQL / ours, worst list",
        postgres >= targets.postgres,
        format!("{postgres:.2}"),
        format!("{:.0}", targets.postgres),
    );
    say(format!(
        "monitoring {rows} rows: brand p95 {brand:.0} ms, all p95 {all:.0} ms, portal p95 {portal:.0} ms, over raw {over:.2}, \
         duckdb/ours {duckdb:.1}, postgres/ours {postgres:.1}"
    ));
    missed
}

/// Prints one line for each kind of work: the times of every peer and the ratios between them.
fn table(timed: &[Timed]) {
    say("\nMilliseconds over 30 filters: median, p95\n");
    let names: Vec<&str> = Peer::ALL.iter().map(|peer| peer.name()).collect();
    say(format!(
        "| | the API, cold | {} | API over SQL | DuckDB / ours | PostgreSQL / ours |",
        names.join(" | ")
    ));
    say("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for work in Work::ALL {
        let of = |peer| figures(&times(timed, work, peer));
        let cold: Vec<Duration> = sorted(timed.iter().filter(|timed| timed.work == work).map(|timed| timed.cold));
        let cells: Vec<String> = Peer::ALL.map(of).to_vec();
        let ratio = |peer| times_ours(timed, work, peer).map_or_else(String::new, |ratio| format!("{ratio:.1}"));
        say(format!(
            "| {} | {} | {} | {:.2} | {} | {} |",
            work.name(),
            figures(&cold),
            cells.join(" | "),
            over_sql(timed, work),
            ratio(Peer::DuckDb),
            ratio(Peer::Postgres)
        ));
    }
}

/// Writes the median and the 95th percentile of ascending times, in milliseconds; empty without times.
fn figures(times: &[Duration]) -> String {
    if times.is_empty() {
        return String::new();
    }
    format!("{:.1}, {:.1}", percentile(times, 0.5), percentile(times, 0.95))
}

/// Collects all warm times of a peer for one kind of work, ascending.
fn times(timed: &[Timed], work: Work, peer: Peer) -> Vec<Duration> {
    sorted(
        timed
            .iter()
            .filter(|timed| timed.work == work)
            .flat_map(|timed| timed.hot.get(&peer).into_iter().flatten().copied()),
    )
}

/// Collects times in ascending order.
fn sorted(times: impl Iterator<Item = Duration>) -> Vec<Duration> {
    let mut times: Vec<Duration> = times.collect();
    times.sort_unstable();
    times
}

/// Returns the 95th percentile of the API's warm times for a kind of work, in milliseconds.
fn p95(timed: &[Timed], work: Work) -> f64 {
    percentile(&times(timed, work, Peer::Api), 0.95)
}

/// Returns the API's time beyond [`OVER_SQL_MILLIS`], divided by that of the faster of both SQLs: the median over the questions; infinite without
/// times.
fn over_sql(timed: &[Timed], work: Work) -> f64 {
    let mut ratios: Vec<f64> = timed
        .iter()
        .filter(|timed| timed.work == work)
        .filter_map(|timed| {
            let median = |peer| {
                timed
                    .hot
                    .get(&peer)
                    .map(|times| percentile(&sorted(times.iter().copied()), 0.5))
            };
            let sql = median(Peer::Results)?.min(median(Peer::RollUps)?);
            Some((median(Peer::Api)? - OVER_SQL_MILLIS) / sql)
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    ratios.get(ratios.len() / 2).copied().unwrap_or(f64::INFINITY)
}

/// Returns how many times as long a peer takes as the API, over the questions that both were asked: the ratio of their sums, in which long ones weigh
/// as they do for a user. `None` without such questions.
fn times_ours(timed: &[Timed], work: Work, peer: Peer) -> Option<f64> {
    let (mut theirs, mut ours) = (0.0, 0.0);
    for timed in timed.iter().filter(|timed| timed.work == work) {
        let median = |peer| {
            timed
                .hot
                .get(&peer)
                .map(|times| percentile(&sorted(times.iter().copied()), 0.5))
        };
        if let Some((their, our)) = median(peer).zip(median(Peer::Api)) {
            theirs += their;
            ours += our;
        }
    }
    (ours > 0.0).then(|| theirs / ours)
}

/// Returns the largest of the figures, at least 0.
fn worst<const N: usize>(figures: [f64; N]) -> f64 {
    figures.into_iter().fold(0.0, f64::max)
}
