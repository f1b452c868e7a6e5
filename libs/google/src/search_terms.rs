//! Figures of search terms in Google Ads (SEA).

use chrono::NaiveDate;
use serde::Deserialize;

use crate::account::decode;
use crate::{Account, GoogleError, quote};

/// Texts of one query at most.
pub const MOST_TERMS_A_QUERY: usize = 1_000;

/// What people who searched a text on a day saw of a customer's ads. Google keeps back texts that few people search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeaRow {
    /// The day, in the time zone of the customer.
    pub date: NaiveDate,
    /// The text, as Google writes it.
    pub text: String,
    /// How often an ad was shown.
    pub impressions: i64,
    /// How often one was clicked.
    pub clicks: i64,
    /// What the clicks cost, in millionths of the customer's currency.
    pub cost_micros: i64,
}

#[derive(Deserialize)]
struct Batch {
    #[serde(default)]
    results: Vec<Row>,
}

/// Google answers with an array of batches; one batch alone is taken too.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stream {
    Batches(Vec<Batch>),
    One(Batch),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    segments: Segments,
    campaign_search_term_view: View,
    #[serde(default)]
    metrics: Metrics,
}

#[derive(Deserialize)]
struct Segments {
    date: NaiveDate,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct View {
    search_term: String,
}

/// All are int64, so strings; zeros are left out.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metrics {
    impressions: Option<String>,
    clicks: Option<String>,
    cost_micros: Option<String>,
}

impl Account {
    /// The figures of these texts from the first to the last day, both included, added up over the campaigns of a customer. One operation. Texts that
    /// cannot be asked for are an error: leave them out with [`quote`].
    ///
    /// # Errors
    /// As any call. A stream that breaks off is an error, and nothing of it is returned.
    pub async fn search_terms(
        &self,
        customer: &str,
        texts: &[&str],
        (first, last): (NaiveDate, NaiveDate),
    ) -> Result<Vec<SeaRow>, GoogleError> {
        let quoted: Result<Vec<String>, _> = texts.iter().map(|text| quote(text)).collect();
        let query = format!(
            "SELECT segments.date, campaign_search_term_view.search_term, metrics.impressions, metrics.clicks, metrics.cost_micros \
             FROM campaign_search_term_view WHERE segments.date BETWEEN '{first}' AND '{last}' \
             AND campaign_search_term_view.search_term IN ({})",
            quoted?.join(", ")
        );
        let body = self.query_ads(customer, "searchStream", &query).await?;
        let batches = match decode(&body)? {
            Stream::Batches(batches) => batches,
            Stream::One(batch) => vec![batch],
        };
        let rows = batches.into_iter().flat_map(|batch| batch.results).map(|row| {
            Ok(SeaRow {
                date: row.segments.date,
                text: row.campaign_search_term_view.search_term,
                impressions: number(row.metrics.impressions)?,
                clicks: number(row.metrics.clicks)?,
                cost_micros: number(row.metrics.cost_micros)?,
            })
        });
        rows.collect()
    }
}

/// An int64 of Google; nothing is 0.
pub(crate) fn number(text: Option<String>) -> Result<i64, GoogleError> {
    let Some(text) = text else { return Ok(0) };
    text.parse()
        .map_err(|_| GoogleError::Unreadable(format!("{text} is no number")))
}
