//! The questions in the SQL of each peer. The first row of every result begins with what is compared.

use chrono::{DateTime, Datelike, NaiveDate, TimeDelta, Utc};

use super::question::{Column, Narrowing, Question, Test, Work};

/// Ads shown by the portal.
const ADS: usize = 50;
const ROWS: usize = 30;
/// The columns read from results.
const RESULTS: &str = "term_id, keyword, engine, localization_id, region, domain, country, ad, capture_id, title, description, display_url, \
                       target_url, aclk_urls, image, price, 1 as v, rank as r, seen_at as f, seen_at as l";
/// What the portal shows of the latest result of an ad.
const WHOLE_AD: &str = "capture_id, title, description, display_url, target_url, aclk_urls, image, price";

/// Writes a question in ClickHouse's SQL, on the results only.
pub(super) fn on_results(question: &Question) -> String {
    let days = format!("day between '{}' and '{}'", question.first_day(), question.last_day());
    let source = format!(
        "(select {RESULTS} from ad_results \
         where domain != '' and {days} and seen_at between '{}' and '{}'{})",
        second(question.from),
        second(question.to),
        narrowed(question, &clickhouse_condition)
    );
    engine(question, &source, WHOLE_AD)
}

/// Writes a question in ClickHouse's SQL, on roll-ups: whole weeks, whole days outside of them, and results of the rest. Every day before `today`
/// (UTC) is taken as rolled up.
pub(super) fn on_roll_ups(question: &Question, today: NaiveDate) -> String {
    let whole_from =
        question.from.date_naive() + TimeDelta::days(i64::from(question.from.time() != chrono::NaiveTime::MIN));
    let whole_to = (question.to + TimeDelta::seconds(1)).date_naive().min(today) - TimeDelta::days(1);
    let (mut weeks, mut days) = (Vec::new(), Vec::new());
    let mut day = whole_from;
    while day <= whole_to {
        let week_ends = day
            .iter_days()
            .take(7)
            .take_while(|next| next.month() == day.month())
            .last()
            .unwrap_or(day);
        if day.day0().is_multiple_of(7) && week_ends <= whole_to && week_ends < today {
            weeks.push(format!("'{day}'"));
            day = week_ends;
        } else {
            days.push(format!("'{day}'"));
        }
        day += TimeDelta::days(1);
    }
    let narrowed = narrowed(question, &clickhouse_condition);
    let mut parts = Vec::new();
    for (table, column, list) in [("ad_weeks", "week", &weeks), ("ad_days", "day", &days)] {
        if !list.is_empty() {
            parts.push(format!(
                "select term_id, keyword, engine, localization_id, region, domain, country, ad, title, description, views as v, rank_sum as r, first_seen as f, last_seen as l \
                 from {table} where domain != '' and {column} in ({}){narrowed}",
                list.join(",")
            ));
        }
    }
    parts.push(format!(
        "select term_id, keyword, engine, localization_id, region, domain, country, ad, title, description, 1 as v, rank as r, seen_at as f, seen_at as l from ad_results \
         where domain != '' and (day = '{}' or day between '{}' and '{}') and seen_at between '{}' and '{}' \
         and day not between '{whole_from}' and '{whole_to}'{narrowed}",
        question.first_day(),
        whole_to + TimeDelta::days(1),
        question.last_day(),
        second(question.from),
        second(question.to),
    ));
    engine(
        question,
        &format!("({})", parts.join(" union all ")),
        "title, description",
    )
}

/// Writes the query of a question over `source`, a subquery. `of_latest` are the columns read from the latest result of an ad.
fn engine(question: &Question, source: &str, of_latest: &str) -> String {
    match question.work {
        Work::Portal => format!(
            "select count() over (), sum(views) over (), 0, * from (select ad, sum(v) as views, sum(r) / views, min(f), max(l), \
             groupUniqArray(keyword), argMax(tuple({of_latest}), l) from {source} group by ad order by views desc, ad limit {ADS}) format TSV"
        ),
        work if work.lists_terms() => format!(
            "select count() over (), sum(views) over (), (select uniqExact(ad) from {source}), term_id, uniqExact(domain), uniqExact(ad) as ads, \
             sum(v) as views, argMax(tuple(keyword, engine, localization_id, region), l) from {source} group by term_id order by views desc, term_id limit {ROWS} format TSV"
        ),
        _ => format!(
            "select count() over (), sum(views) over (), sum(ads) over (), domain, groupUniqArray(country), sum(v) as views, \
             uniqExact(ad) as ads, sum(r) / views from {source} group by domain order by views desc, domain limit {ROWS} format TSV"
        ),
    }
}

/// Writes a question in DuckDB's SQL; its only table has all columns.
pub(super) fn duckdb(question: &Question) -> String {
    let source = format!(
        "ad_results where seen_at between '{}' and '{}'{}",
        second(question.from),
        second(question.to),
        narrowed(question, &duckdb_condition)
    );
    let latest = if question.work.lists_terms() {
        ", arg_max((keyword, engine, region), seen_at) as words, max(seen_at) as l"
    } else {
        ", arg_max(title, seen_at), list(distinct keyword)"
    };
    standard(question, &source, latest, "domain", "list(distinct country)")
}

/// Writes a question in PostgreSQL's SQL; terms, domains and texts are separate tables.
pub(super) fn postgres(question: &Question) -> String {
    let source = format!(
        "bench.ad_results as seen where seen_at between '{}' and '{}'{}",
        second(question.from),
        second(question.to),
        narrowed(question, &postgres_condition)
    );
    let latest = if question.work.lists_terms() {
        ""
    } else {
        ", array_agg(distinct term_id)"
    };
    standard(question, &source, latest, "domain_id", "array_agg(distinct term_id)")
}

/// Writes the query that DuckDB and PostgreSQL share. It counts in two steps instead of `count(distinct)`, which both servers hash on all cores.
fn standard(question: &Question, source: &str, latest: &str, domain: &str, countries: &str) -> String {
    match question.work {
        Work::Portal => format!(
            "select count(*) over (), sum(views) over (), 0, shown.* from (select ad, count(*) as views, avg(rank), min(seen_at), \
             max(seen_at){latest} from {source} group by ad order by 2 desc, 1 limit {ADS}) as shown"
        ),
        work if work.lists_terms() => {
            // PostgreSQL keeps the words with the term.
            let words = if latest.is_empty() { "" } else { ", arg_max(words, l)" };
            format!(
                "with seen_ads as (select term_id, {domain} as domain, ad, count(*) as v{latest} from {source} group by 1, 2, 3) \
                 select count(*) over (), sum(sum(v)) over (), (select count(distinct ad) from seen_ads), term_id, count(distinct domain), \
                 count(distinct ad), sum(v){words} from seen_ads group by term_id order by 7 desc, term_id limit {ROWS}"
            )
        }
        _ => {
            // PostgreSQL keeps the country with the term; DuckDB in the row.
            let place = if countries.contains("country") {
                "country"
            } else {
                "term_id"
            };
            format!(
                "select count(*) over (), sum(sum(v)) over (), sum(count(distinct ad)) over (), domain, {countries}, sum(v), count(distinct ad), \
                 sum(r) / sum(v) from (select {domain} as domain, {place}, ad, count(*) as v, sum(rank) as r from {source} group by 1, 2, 3) \
                 as ads group by domain order by 6 desc, domain limit {ROWS}"
            )
        }
    }
}

type Dialect = dyn Fn(&Narrowing) -> String;

/// Writes the question's brand and filters as conditions, each with a leading `and`.
fn narrowed(question: &Question, dialect: &Dialect) -> String {
    let brand = question
        .brand
        .map(|brand| format!(" and brand_id = {brand}"))
        .unwrap_or_default();
    question
        .narrowings
        .iter()
        .fold(brand, |tests, narrowing| tests + " and " + &dialect(narrowing))
}

/// Writes a filter for ClickHouse; texts are compared without regard to case.
fn clickhouse_condition(narrowing: &Narrowing) -> String {
    let column = name(narrowing.column);
    match &narrowing.test {
        Test::Is(value) => format!("{column} = {}", quoted(value)),
        Test::Holds(value) => format!("positionCaseInsensitiveUTF8({column}, {}) > 0", quoted(value)),
        Test::Lacks(value) => format!("positionCaseInsensitiveUTF8({column}, {}) = 0", quoted(value)),
        Test::Tagged(_, domains) => format!("{column} in ({})", list(domains)),
    }
}

fn duckdb_condition(narrowing: &Narrowing) -> String {
    condition_with_like(narrowing, name(narrowing.column))
}

/// Writes a filter for PostgreSQL, through a subquery where the column is in a separate table.
fn postgres_condition(narrowing: &Narrowing) -> String {
    let test = condition_with_like(narrowing, name(narrowing.column));
    match narrowing.column {
        Column::Kind => condition_with_like(narrowing, "kind"),
        Column::Device => condition_with_like(narrowing, "device"),
        Column::Domain => format!("domain_id in (select id from bench.domain where {test})"),
        Column::Title => format!("ad in (select ad from bench.ad where {test})"),
        Column::Engine | Column::Country | Column::Keyword | Column::Region => {
            format!("term_id in (select id from bench.term where {test})")
        }
    }
}

/// Writes a filter on a column with `ilike`, for PostgreSQL and DuckDB.
fn condition_with_like(narrowing: &Narrowing, column: &str) -> String {
    match &narrowing.test {
        Test::Is(value) => format!("{column} = {}", quoted(value)),
        Test::Holds(value) => format!("{column} ilike {}", quoted(&format!("%{value}%"))),
        Test::Lacks(value) => format!("{column} not ilike {}", quoted(&format!("%{value}%"))),
        Test::Tagged(_, domains) => format!("{column} in ({})", list(domains)),
    }
}

/// Returns the column's name, which is the same in all peers' SQL.
const fn name(column: Column) -> &'static str {
    match column {
        Column::Kind => "kind",
        Column::Engine => "engine",
        Column::Device => "device",
        Column::Country => "country",
        Column::Keyword => "keyword",
        Column::Region => "region",
        Column::Domain => "domain",
        Column::Title => "title",
    }
}

/// Quotes a value; values of the benchmark contain no backslash.
fn quoted(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}

fn list(values: &[String]) -> String {
    let values: Vec<String> = values.iter().map(|value| quoted(value)).collect();
    values.join(",")
}

/// Writes an instant as text in UTC, without its fraction of a second.
fn second(instant: DateTime<Utc>) -> String {
    instant.format("%Y-%m-%d %H:%M:%S").to_string()
}
