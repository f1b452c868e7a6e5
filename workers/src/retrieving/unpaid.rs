//! Unpaid figures, of Search Console.

use std::collections::{BTreeMap, HashMap};

use ::google::{Account, GoogleError, alpha_3};
use chrono::{Months, NaiveDate, TimeDelta};
use postgres::google::{ClaimedRetrieval, Figure, GoogleKeyword, Remark};

use super::{Read, ReadError, Retriever, fold};

/// Search Console has final figures so many days later.
const FINAL_AFTER: TimeDelta = TimeDelta::days(3);
/// Search Console keeps figures so long.
const KEPT: Months = Months::new(16);

/// Reads the figures of the site by country: of one text alone where a country has one term, else all that Google has.
pub(super) async fn read(
    retriever: &Retriever,
    account: &Account,
    retrieval: &ClaimedRetrieval,
    terms: &[GoogleKeyword],
) -> Result<Read, ReadError> {
    let site = retrieval.site.as_deref().ok_or_else(|| GoogleError::Forbidden {
        message: "no site was consented to".to_owned(),
        request_id: None,
    })?;
    let today = retriever.access.clock.now().date_naive();
    let first = retrieval.days.0.max(today - KEPT);
    let last = retrieval.days.1.min(today - FINAL_AFTER);
    let mut remarks = Vec::new();
    if first > retrieval.days.0 {
        remarks.push(Remark::Forgotten);
    }
    let mut by_country: BTreeMap<&str, Vec<&GoogleKeyword>> = BTreeMap::new();
    for term in terms {
        by_country.entry(&term.country).or_default().push(term);
    }
    let mut figures = Vec::new();
    let mut pages = 0;
    for (country, terms) in by_country {
        if first > last {
            break;
        }
        let Some(country) = alpha_3(country) else {
            remarks.push(Remark::UnknownCountry {
                country: country.to_owned(),
            });
            continue;
        };
        let mut of_text: HashMap<String, Vec<i32>> = HashMap::new();
        for term in &terms {
            of_text.entry(fold(&term.content)).or_default().push(term.id);
        }
        let only = (of_text.len() == 1).then(|| of_text.keys().next().cloned()).flatten();
        let mut page = 0;
        let rows = account
            .search_analytics(site, (country, only.as_deref()), (first, last), |read| page = read)
            .await?;
        pages += page;
        let mut sums: HashMap<(i32, NaiveDate), (i64, i64)> = HashMap::new();
        for row in rows {
            for term in of_text.get(&fold(&row.text)).into_iter().flatten() {
                let sum = sums.entry((*term, row.date)).or_default();
                sum.0 += row.impressions;
                sum.1 += row.clicks;
            }
        }
        figures.extend(sums.into_iter().map(|((term, date), (impressions, clicks))| Figure {
            term,
            date,
            impressions,
            clicks,
            cost_micros: 0,
            is_final: true,
        }));
        retriever.note(retrieval, pages, figures.len()).await?;
    }
    Ok(Read { figures, remarks })
}
