//! Paid figures, of Google Ads.

use std::collections::{BTreeMap, HashMap};

use ::google::{Account, MOST_TERMS_A_QUERY, quote};
use chrono::{NaiveDate, TimeDelta};
use postgres::google::{ClaimedRetrieval, Figure, GoogleKeyword};

use super::{Read, ReadError, Retriever, fold};

/// Google may still change clicks and costs of the last days.
const FINAL_AFTER: TimeDelta = TimeDelta::days(3);

/// Reads the figures of the words of all terms, a query for each thousand. Words that cannot be part of a query are named in the note.
pub(super) async fn read(
    retriever: &Retriever,
    account: &Account,
    retrieval: &ClaimedRetrieval,
    terms: &[GoogleKeyword],
) -> Result<Read, ReadError> {
    let market = market(retrieval, terms);
    let mut of_text: BTreeMap<String, Vec<i32>> = BTreeMap::new();
    let mut left_out = Vec::new();
    let mut elsewhere = 0;
    for term in terms {
        // A customer's figures are of its market: the same words elsewhere would count twice.
        if market.as_deref().is_some_and(|market| market != term.country) {
            elsewhere += 1;
            continue;
        }
        let text = fold(&term.content);
        match quote(&text) {
            Ok(_) => of_text.entry(text).or_default().push(term.id),
            Err(error) => left_out.push(format!("{} ({error})", term.content)),
        }
    }
    let texts: Vec<&str> = of_text.keys().map(String::as_str).collect();
    let final_until = retriever.access.clock.now().date_naive() - FINAL_AFTER;
    let mut figures = Vec::new();
    for (number, chunk) in texts.chunks(MOST_TERMS_A_QUERY).enumerate() {
        let rows = account.search_terms(&retrieval.customer, chunk, retrieval.days).await?;
        // Google may write one text in several ways.
        let mut sums: HashMap<(String, NaiveDate), (i64, i64, i64)> = HashMap::new();
        for row in rows {
            let sum = sums.entry((fold(&row.text), row.date)).or_default();
            sum.0 += row.impressions;
            sum.1 += row.clicks;
            sum.2 += row.cost_micros;
        }
        for ((text, date), (impressions, clicks, cost_micros)) in sums {
            let found = of_text.get(&text).into_iter().flatten();
            figures.extend(found.map(|term| Figure {
                term: *term,
                date,
                impressions,
                clicks,
                cost_micros,
                is_final: date <= final_until,
            }));
        }
        retriever.note(retrieval, number + 1, figures.len()).await?;
    }
    let mut notes = Vec::new();
    if !left_out.is_empty() {
        notes.push(format!("Not asked for: {}.", left_out.join(", ")));
    }
    if elsewhere > 0 {
        let market = market.unwrap_or_default();
        notes.push(format!("{elsewhere} keywords are of another country than {market}."));
    }
    Ok(Read {
        figures,
        note: (!notes.is_empty()).then(|| notes.join(" ")),
    })
}

/// The market of the item: the one it names, or that of most of the terms.
fn market(retrieval: &ClaimedRetrieval, terms: &[GoogleKeyword]) -> Option<String> {
    if let Some(country) = &retrieval.country {
        return Some(country.clone());
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for term in terms {
        *counts.entry(&term.country).or_default() += 1;
    }
    let most = counts
        .into_iter()
        .max_by(|one, two| one.1.cmp(&two.1).then(two.0.cmp(one.0)));
    most.map(|(country, _)| country.to_owned())
}
