//! What a question about figures says.

use analytics::filter::Operator;
use analytics::reports::page::Page;
use chrono::NaiveDate;
use postgres::google::StatFilter;
use serde::Deserialize;
use utoipa::IntoParams;

use super::days;
use crate::failure::ApiError;
use crate::lists::ListQuery;

/// The days and keywords of a question.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub(super) struct StatisticsParams {
    /// The first day, included; by default three months before the last one.
    #[serde(default)]
    #[allow(dead_code, reason = "read from the pairs, described here")]
    start_date: Option<String>,
    /// The last day, included; by default today.
    #[serde(default)]
    #[allow(dead_code, reason = "read from the pairs, described here")]
    end_date: Option<String>,
    /// Ids of keywords, each `keywordID[]`; none: all.
    #[serde(rename = "keywordID[]", default)]
    #[allow(dead_code, reason = "read from the pairs, described here")]
    keywords: Option<Vec<i32>>,
}

/// Names that are no filters.
const OWN_NAMES: [&str; 3] = ["startDate", "endDate", "customerConfigID"];

/// The filter of a question about an item, and its page.
pub(super) fn read(pairs: &[(String, String)], item: i32, today: NaiveDate) -> Result<(StatFilter, Page), ApiError> {
    let value = |name: &str| {
        let found = pairs.iter().find(|(key, value)| key == name && !value.is_empty());
        found.map(|(_, value)| value.as_str())
    };
    let days = days::range(value("startDate"), value("endDate"), today)?;
    let query = ListQuery::read(pairs, &OWN_NAMES)?;
    let mut terms = Vec::new();
    for filter in query.filters {
        if filter.name != "keywordID" || filter.operator != Operator::Inq {
            return Err(ApiError::BadRequest(format!(
                "{}: there is no such filter",
                filter.name
            )));
        }
        for value in &filter.values {
            let id = value
                .parse()
                .map_err(|_| ApiError::BadRequest("keywordID: it takes ids".to_owned()))?;
            terms.push(id);
        }
    }
    Ok((StatFilter { item, days, terms }, query.page))
}
