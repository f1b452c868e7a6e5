//! Sites and figures of searches in Search Console (SEO).

use chrono::NaiveDate;
use http::Method;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::json;

use crate::{Account, GoogleError};

/// Rows of a page; Google gives no more.
const ROWS_A_PAGE: usize = 25_000;
/// Pages of one question at most: far more than Google has of one site and month.
const MOST_PAGES: usize = 40;

/// A site that a grant reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Its address: `https://…/` or `sc-domain:…`.
    pub url: String,
}

/// How often a site was found by a text on a day. Google leaves out texts that few people search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeoRow {
    /// The day, in Pacific time.
    pub date: NaiveDate,
    /// The text, as Google writes it.
    pub text: String,
    /// How often a result was shown.
    pub impressions: i64,
    /// How often one was clicked.
    pub clicks: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sites {
    #[serde(default)]
    site_entry: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    site_url: String,
    permission_level: String,
}

#[derive(Deserialize)]
struct Analytics {
    #[serde(default)]
    rows: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    keys: Vec<String>,
    clicks: f64,
    impressions: f64,
}

impl Account {
    /// The sites whose figures the grant reads.
    ///
    /// # Errors
    /// As any call.
    pub async fn sites(&self) -> Result<Vec<Site>, GoogleError> {
        let found: Sites = self.console(Method::GET, "sites", None).await?;
        let verified = found
            .site_entry
            .into_iter()
            .filter(|entry| entry.permission_level != "siteUnverifiedUser");
        Ok(verified.map(|entry| Site { url: entry.site_url }).collect())
    }

    /// The figures of a site in a country (ISO 3166 alpha-3, in small letters) from the first to the last day, both included; of one text alone if
    /// there is one. `paged` hears of each page after it was read.
    ///
    /// # Errors
    /// As any call; with a page that fails nothing is returned.
    pub async fn search_analytics(
        &self,
        site: &str,
        (country, text): (&str, Option<&str>),
        (first, last): (NaiveDate, NaiveDate),
        mut paged: impl FnMut(usize) + Send,
    ) -> Result<Vec<SeoRow>, GoogleError> {
        let site = utf8_percent_encode(site, NON_ALPHANUMERIC);
        let path = format!("sites/{site}/searchAnalytics/query");
        let mut filters = vec![json!({"dimension": "country", "operator": "equals", "expression": country})];
        if let Some(text) = text {
            filters.push(json!({"dimension": "query", "operator": "equals", "expression": text}));
        }
        let mut found = Vec::new();
        for page in 0..MOST_PAGES {
            let body = json!({
                "startDate": first, "endDate": last, "dimensions": ["date", "query"], "type": "web", "dataState": "final",
                "dimensionFilterGroups": [{"filters": filters}],
                "rowLimit": ROWS_A_PAGE, "startRow": page * ROWS_A_PAGE,
            });
            let answer: Analytics = self.console(Method::POST, &path, Some(&body)).await?;
            let rows = answer.rows.len();
            for row in answer.rows {
                found.push(read(row)?);
            }
            paged(page + 1);
            if rows < ROWS_A_PAGE {
                break;
            }
        }
        Ok(found)
    }
}

fn read(row: Row) -> Result<SeoRow, GoogleError> {
    let wrong = || GoogleError::Unreadable("a row has no date and query".to_owned());
    let [date, text] = <[String; 2]>::try_from(row.keys).map_err(|_| wrong())?;
    Ok(SeoRow {
        date: date.parse().map_err(|_| wrong())?,
        text,
        impressions: whole(row.impressions),
        clicks: whole(row.clicks),
    })
}

/// A count that Google writes as a double.
#[expect(clippy::cast_possible_truncation, reason = "a count; the cast saturates")]
fn whole(count: f64) -> i64 {
    count.max(0.0).round() as i64
}
