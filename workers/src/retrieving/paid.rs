//! Paid figures, of Google Ads.

use std::collections::{BTreeMap, HashMap};

use ::google::{Account, MOST_TERMS_A_QUERY, quote};
use chrono::{NaiveDate, TimeDelta};
use postgres::google::{ClaimedRetrieval, Figure, GoogleKeyword, Remark};

use super::{Read, ReadError, Retriever, fold};

/// Google may still change clicks and costs of the last days.
const FINAL_AFTER: TimeDelta = TimeDelta::days(3);

/// Words that cannot be asked for are named, up to this many.
const MOST_NAMED: usize = 20;

/// Reads the figures of the words of all terms, a query for each thousand. A remark names words that cannot be part of a query.
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
        if quote(&text).is_ok() {
            of_text.entry(text).or_default().push(term.id);
        } else {
            left_out.push(term.content.clone());
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
    let mut remarks = Vec::new();
    if !left_out.is_empty() {
        let others = left_out.len().saturating_sub(MOST_NAMED);
        left_out.truncate(MOST_NAMED);
        remarks.push(Remark::Unaskable {
            words: left_out,
            others,
        });
    }
    if elsewhere > 0 {
        remarks.push(Remark::Elsewhere {
            terms: elsewhere,
            market: market.unwrap_or_default(),
        });
    }
    Ok(Read { figures, remarks })
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
