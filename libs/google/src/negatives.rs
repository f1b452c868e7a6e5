//! Shared lists of exact negative keywords, and the campaigns they are attached to.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::account::decode;
use crate::customers::{Page, id_of};
use crate::{Account, GoogleError, failure};

/// Changes of one call: Google takes ten times as many.
const MOST_CHANGES_A_CALL: usize = 1_000;

/// An exact negative keyword of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Negative {
    /// Google's name of it, by which it is removed.
    pub resource: String,
    /// The text of the keyword.
    pub text: String,
}

/// What became of one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NegativeOutcome {
    /// The list is as wanted: the change was made, or was not needed.
    Done,
    /// Only checked, because changes at Google are off (`VIGIE__GOOGLE__MUTATIONS`).
    Checked,
    /// Google refuses it.
    Refused(GoogleError),
    /// Nobody knows; read the list before trying again.
    Unknown(String),
}

/// What became of a list or its campaigns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListOutcome {
    /// Google's name of the list.
    Done(String),
    /// Only checked, because changes at Google are off.
    Checked,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CriterionRow {
    shared_criterion: Criterion,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Criterion {
    resource_name: String,
    keyword: Option<Keyword>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Keyword {
    #[serde(default)]
    text: String,
    #[serde(default)]
    match_type: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LinkRow {
    campaign_shared_set: Link,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Link {
    resource_name: String,
    #[serde(default)]
    status: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Mutated {
    #[serde(default)]
    results: Vec<Value>,
    partial_failure_error: Option<Value>,
}

impl Account {
    /// The exact negative keywords of a shared list (its id, in digits) of a customer.
    ///
    /// # Errors
    /// As any call.
    pub async fn negatives(&self, customer: &str, list: &str) -> Result<Vec<Negative>, GoogleError> {
        let query = format!(
            "SELECT shared_criterion.resource_name, shared_criterion.keyword.text, shared_criterion.keyword.match_type \
             FROM shared_criterion WHERE shared_set.id = {}",
            digits(list)?
        );
        let body = self.query_ads(customer, "search", &query).await?;
        let page: Page<CriterionRow> = decode(&body)?;
        let found = page.results.into_iter().filter_map(|row| {
            let keyword = row.shared_criterion.keyword?;
            (keyword.match_type == "EXACT").then_some(Negative {
                resource: row.shared_criterion.resource_name,
                text: keyword.text,
            })
        });
        Ok(found.collect())
    }

    /// Adds texts to a list as exact negative keywords; says of each, in their order, what became of it. One that is there already counts as done.
    ///
    /// # Errors
    /// When the call as a whole is refused; an answer that never came is [`NegativeOutcome::Unknown`] of every text.
    pub async fn add_negatives(
        &self,
        customer: &str,
        list: &str,
        texts: &[&str],
    ) -> Result<Vec<NegativeOutcome>, GoogleError> {
        let set = format!("customers/{}/sharedSets/{}", digits(customer)?, digits(list)?);
        let operations: Vec<Value> = texts
            .iter()
            .map(|text| json!({"create": {"sharedSet": set, "keyword": {"text": text, "matchType": "EXACT"}}}))
            .collect();
        self.change_criteria(customer, &operations).await
    }

    /// Removes negative keywords by their resource names; says of each, in their order, what became of it. One that is gone already counts as done.
    ///
    /// # Errors
    /// When the call as a whole is refused; an answer that never came is [`NegativeOutcome::Unknown`] of every one.
    pub async fn remove_negatives(
        &self,
        customer: &str,
        resources: &[&str],
    ) -> Result<Vec<NegativeOutcome>, GoogleError> {
        let operations: Vec<Value> = resources.iter().map(|name| json!({ "remove": name })).collect();
        self.change_criteria(customer, &operations).await
    }

    /// Makes an empty list of negative keywords.
    ///
    /// # Errors
    /// As any call; [`GoogleError::Unknown`] when the answer never came.
    pub async fn create_list(&self, customer: &str, name: &str) -> Result<ListOutcome, GoogleError> {
        let operation = json!({"create": {"name": name, "type": "NEGATIVE_KEYWORDS"}});
        let made = self.change(customer, "sharedSets", &[operation], false).await?;
        match made {
            None => Ok(ListOutcome::Checked),
            Some(mutated) => {
                let id = mutated
                    .results
                    .first()
                    .and_then(|result| id_of(result["resourceName"].as_str()?));
                id.map(ListOutcome::Done)
                    .ok_or_else(|| GoogleError::Unreadable("the list has no name".to_owned()))
            }
        }
    }

    /// Attaches a list to campaigns (their ids, in digits). A campaign that has it already counts as done.
    ///
    /// # Errors
    /// The refusal of the first campaign that is refused; [`GoogleError::Unknown`] when the answer never came.
    pub async fn attach_list(
        &self,
        customer: &str,
        list: &str,
        campaigns: &[&str],
    ) -> Result<ListOutcome, GoogleError> {
        let (customer, list) = (digits(customer)?, digits(list)?);
        let operations: Result<Vec<Value>, GoogleError> = campaigns
            .iter()
            .map(|campaign| {
                Ok(json!({"create": {
                    "campaign": format!("customers/{customer}/campaigns/{}", digits(campaign)?),
                    "sharedSet": format!("customers/{customer}/sharedSets/{list}"),
                }}))
            })
            .collect();
        self.change_links(customer, list, &operations?).await
    }

    /// Detaches a list from every campaign that has it: at once, all ads may show again. One call to read, one to detach.
    ///
    /// # Errors
    /// The first refusal; [`GoogleError::Unknown`] when the answer never came.
    pub async fn detach_list(&self, customer: &str, list: &str) -> Result<ListOutcome, GoogleError> {
        let links = self.links(customer, list).await?;
        let operations: Vec<Value> = links.iter().map(|name| json!({ "remove": name })).collect();
        if operations.is_empty() {
            return Ok(ListOutcome::Done(list.to_owned()));
        }
        self.change_links(customer, list, &operations).await
    }

    /// The campaigns (their ids, in digits) that a list is attached to.
    ///
    /// # Errors
    /// As any call.
    pub async fn campaigns_of(&self, customer: &str, list: &str) -> Result<Vec<String>, GoogleError> {
        let links = self.links(customer, list).await?;
        // A link is named campaign~list.
        let campaigns = links
            .iter()
            .filter_map(|name| Some(name.rsplit_once('/')?.1.split_once('~')?.0.to_owned()));
        Ok(campaigns.collect())
    }

    /// Google's names of the links of a list to its campaigns.
    async fn links(&self, customer: &str, list: &str) -> Result<Vec<String>, GoogleError> {
        let query = format!(
            "SELECT campaign_shared_set.resource_name, campaign_shared_set.status FROM campaign_shared_set WHERE shared_set.id = {}",
            digits(list)?
        );
        let page: Page<LinkRow> = decode(&self.query_ads(customer, "search", &query).await?)?;
        let links = page.results.into_iter().map(|row| row.campaign_shared_set);
        Ok(links
            .filter(|link| link.status != "REMOVED")
            .map(|link| link.resource_name)
            .collect())
    }

    async fn change_links(&self, customer: &str, list: &str, operations: &[Value]) -> Result<ListOutcome, GoogleError> {
        match self.change(customer, "campaignSharedSets", operations, true).await? {
            None => Ok(ListOutcome::Checked),
            Some(mutated) => {
                let outcomes = outcomes(operations, mutated.partial_failure_error.as_ref());
                let refused = outcomes.into_iter().find_map(|outcome| match outcome {
                    NegativeOutcome::Refused(error) => Some(error),
                    _ => None,
                });
                refused.map_or_else(|| Ok(ListOutcome::Done(list.to_owned())), Err)
            }
        }
    }

    async fn change_criteria(&self, customer: &str, operations: &[Value]) -> Result<Vec<NegativeOutcome>, GoogleError> {
        let mut all = Vec::with_capacity(operations.len());
        for chunk in operations.chunks(MOST_CHANGES_A_CALL) {
            match self.change(customer, "sharedCriteria", chunk, true).await {
                Ok(None) => all.extend(chunk.iter().map(|_| NegativeOutcome::Checked)),
                Ok(Some(mutated)) => all.extend(outcomes(chunk, mutated.partial_failure_error.as_ref())),
                Err(GoogleError::Unknown(why)) => {
                    all.extend(chunk.iter().map(|_| NegativeOutcome::Unknown(why.clone())));
                }
                // What went through before the refusal is in the list: read it.
                Err(error) => return Err(error),
            }
        }
        Ok(all)
    }

    /// Sends changes; `None` where changes are off and Google only checked them.
    async fn change(
        &self,
        customer: &str,
        what: &str,
        operations: &[Value],
        partial: bool,
    ) -> Result<Option<Mutated>, GoogleError> {
        let checks = !self.mutates();
        let body = json!({"operations": operations, "partialFailure": partial, "validateOnly": checks});
        let path = format!("customers/{}/{what}:mutate", digits(customer)?);
        let count = u32::try_from(operations.len()).unwrap_or(u32::MAX);
        let answer = self.mutate_ads(&path, &body, count).await?;
        if checks {
            return Ok(None);
        }
        // Google answers 200: a body that cannot be read leaves the outcome open.
        decode(&answer.body)
            .map(Some)
            .map_err(|error: GoogleError| GoogleError::Unknown(error.to_string()))
    }
}

/// An id that can be part of a path or query: Google takes no dashes.
fn digits(id: &str) -> Result<&str, GoogleError> {
    if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(GoogleError::Refused {
            code: "INVALID_CUSTOMER_ID".to_owned(),
            message: "an id has digits alone".to_owned(),
            request_id: None,
        });
    }
    Ok(id)
}

/// What became of each operation, by the failure that names those that failed.
fn outcomes(operations: &[Value], failure: Option<&Value>) -> Vec<NegativeOutcome> {
    let mut outcomes = vec![NegativeOutcome::Done; operations.len()];
    let errors = failure
        .and_then(|failure| failure["details"].as_array())
        .into_iter()
        .flatten()
        .filter_map(|detail| detail["errors"].as_array())
        .flatten();
    for error in errors {
        let path = error["location"]["fieldPathElements"].as_array();
        let index = path
            .and_then(|path| path.iter().find(|element| element["fieldName"] == "operations"))
            .and_then(|element| match &element["index"] {
                Value::String(text) => text.parse::<usize>().ok(),
                Value::Number(number) => number.as_u64().and_then(|number| usize::try_from(number).ok()),
                _ => None,
            });
        let found = index.and_then(|index| Some((operations.get(index)?, outcomes.get_mut(index)?)));
        if let Some((operation, outcome)) = found {
            *outcome = if is_as_wanted(operation, error) {
                NegativeOutcome::Done
            } else {
                NegativeOutcome::Refused(failure::of_ads(200, error, None))
            };
        }
    }
    outcomes
}

/// Whether an error says that the list is as wanted already. What cannot be found is so only where it was to be removed: else the list itself is gone.
fn is_as_wanted(operation: &Value, error: &Value) -> bool {
    let removes = operation["remove"].is_string();
    let codes = error["errorCode"].as_object();
    codes.is_some_and(|codes| {
        codes.values().filter_map(Value::as_str).any(|code| {
            removes && code == "RESOURCE_NOT_FOUND"
                || code.starts_with("DUPLICATE")
                || code == "CAMPAIGN_SHARED_SET_ALREADY_EXISTS"
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_in_part_is_of_the_operations_that_it_names() {
        let failure = json!({"code": 3, "message": "m", "details": [{"errors": [
            {"errorCode": {"criterionError": "KEYWORD_TOO_LONG"}, "message": "long",
             "location": {"fieldPathElements": [{"fieldName": "operations", "index": "1"}]}},
            {"errorCode": {"criterionError": "DUPLICATE_KEYWORD"}, "message": "there",
             "location": {"fieldPathElements": [{"fieldName": "operations", "index": 2}]}},
        ]}]});
        let create = json!({"create": {}});
        let found = outcomes(&[create.clone(), create.clone(), create], Some(&failure));
        assert_eq!(found[0], NegativeOutcome::Done);
        assert!(
            matches!(&found[1], NegativeOutcome::Refused(GoogleError::Refused { code, .. }) if code == "KEYWORD_TOO_LONG")
        );
        assert_eq!(found[2], NegativeOutcome::Done);
    }

    #[test]
    fn what_is_not_found_was_removed_but_never_made() {
        let gone = |index: u32| {
            json!({
                "errorCode": {"mutateError": "RESOURCE_NOT_FOUND"}, "message": "gone",
                "location": {"fieldPathElements": [{"fieldName": "operations", "index": index}]},
            })
        };
        let failure = json!({"details": [{"errors": [gone(0), gone(1)]}]});
        let found = outcomes(&[json!({"remove": "a"}), json!({"create": {}})], Some(&failure));
        assert_eq!(found[0], NegativeOutcome::Done);
        assert!(matches!(found[1], NegativeOutcome::Refused(_)));
    }

    #[test]
    fn an_id_with_dashes_is_never_sent() {
        assert!(digits("123-456-7890").is_err());
        assert_eq!(digits("1234567890").unwrap(), "1234567890");
    }
}
