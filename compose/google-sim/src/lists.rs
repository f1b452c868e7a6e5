//! Shared lists of negative keywords, which hold state.

use serde_json::{Value, json};

use crate::faults::Fault;
use crate::refusals::AdsRefusal;
use crate::world::{SharedList, World};

/// Characters of a keyword.
const LONGEST_KEYWORD: usize = 80;
/// Keywords of a list, as Google allows.
const MOST_KEYWORDS: usize = 5_000;

/// What became of a change: the answer, and whether anything was made.
pub struct Mutated {
    pub body: Value,
}

/// Makes the changes of a body to `what` (`sharedSets`, …) of a customer, or checks them alone; a refusal when the call as a whole is wrong.
pub fn mutate(world: &mut World, customer: &str, what: &str, body: &Value) -> Result<Mutated, AdsRefusal> {
    let operations = body["operations"].as_array().cloned().unwrap_or_default();
    if operations.is_empty() {
        return Err(AdsRefusal::bad(
            "requestError",
            "REQUIRED_FIELD_MISSING",
            "No operations.",
        ));
    }
    let partial = body["partialFailure"].as_bool().unwrap_or(false);
    let validates = body["validateOnly"].as_bool().unwrap_or(false);
    let refuses_first = partial && world.faults.takes_place(Fault::PartialFailure);
    let (mut results, mut errors) = (Vec::new(), Vec::new());
    for (index, operation) in operations.iter().enumerate() {
        let refused = (refuses_first && index == 0).then(|| {
            AdsRefusal::bad(
                "criterionError",
                "KEYWORD_HAS_INVALID_CHARS",
                "The keyword has invalid characters.",
            )
        });
        let made = match refused {
            Some(refusal) => Err(refusal),
            None => one(world, customer, what, operation, validates),
        };
        match made {
            Ok(name) => results.push(if validates {
                json!({})
            } else {
                json!({"resourceName": name})
            }),
            Err(refusal) if partial => {
                let mut error = refusal.error();
                error["location"] =
                    json!({"fieldPathElements": [{"fieldName": "operations", "index": index.to_string()}]});
                errors.push(error);
                results.push(json!({}));
            }
            Err(refusal) => return Err(refusal),
        }
    }
    if !validates {
        world
            .journal
            .push(json!({"customer": customer, "what": what, "operations": operations, "refused": errors.len()}));
    }
    let mut answer = json!({ "results": results });
    if !errors.is_empty() {
        answer["partialFailureError"] = json!({
            "code": 3, "message": "Multiple errors in ‘details’.",
            "details": [{"@type": "type.googleapis.com/google.ads.googleads.v25.errors.GoogleAdsFailure", "errors": errors}],
        });
    }
    Ok(Mutated { body: answer })
}

/// Makes one change; the name of what was made or removed.
fn one(
    world: &mut World,
    customer: &str,
    what: &str,
    operation: &Value,
    validates: bool,
) -> Result<String, AdsRefusal> {
    match operation["remove"].as_str() {
        Some(name) => remove(world, (customer, what), name, validates),
        None => create(world, (customer, what), &operation["create"], validates),
    }
}

/// Removes a list, a criterion or a link by its name, which it returns.
fn remove(
    world: &mut World,
    (customer, what): (&str, &str),
    name: &str,
    validates: bool,
) -> Result<String, AdsRefusal> {
    let gone = || {
        AdsRefusal::bad(
            "mutateError",
            "RESOURCE_NOT_FOUND",
            format!("Resource was not found: {name}"),
        )
    };
    let ids = name
        .strip_prefix(&format!("customers/{customer}/"))
        .and_then(|rest| rest.split_once('/'))
        .ok_or_else(gone)?;
    if what == "sharedSets" {
        let key = (customer.to_owned(), ids.1.parse().map_err(|_| gone())?);
        let is_there = world.lists.contains_key(&key);
        if is_there && !validates {
            world.lists.remove(&key);
        }
        return is_there.then(|| name.to_owned()).ok_or_else(gone);
    }
    let (first, second) = ids.1.split_once('~').ok_or_else(gone)?;
    let (first, second): (u64, u64) = (first.parse().map_err(|_| gone())?, second.parse().map_err(|_| gone())?);
    // A criterion is list~id, a link campaign~list.
    let list = if what == "sharedCriteria" { first } else { second };
    let list = world.lists.get_mut(&(customer.to_owned(), list)).ok_or_else(gone)?;
    let there = if what == "sharedCriteria" {
        list.keywords.contains_key(&second)
    } else {
        list.campaigns.contains(&first)
    };
    if !there {
        return Err(gone());
    }
    if !validates {
        list.keywords.retain(|id, _| what != "sharedCriteria" || *id != second);
        list.campaigns.retain(|id| what != "campaignSharedSets" || *id != first);
    }
    Ok(name.to_owned())
}

/// Creates a list, a criterion or a link, and returns its name.
fn create(
    world: &mut World,
    (customer, what): (&str, &str),
    create: &Value,
    validates: bool,
) -> Result<String, AdsRefusal> {
    let own = format!("customers/{customer}/");
    let id_in = |value: &Value, kind: &str| -> Option<u64> {
        let rest = value.as_str()?.strip_prefix(&own)?.strip_prefix(kind)?;
        rest.strip_prefix('/')?.parse().ok()
    };
    match what {
        "sharedSets" => {
            let name = create["name"].as_str().unwrap_or_default();
            if create["type"] != "NEGATIVE_KEYWORDS" || name.is_empty() {
                return Err(AdsRefusal::bad(
                    "sharedSetError",
                    "SHARED_SET_ACCESS_DENIED",
                    "name and type",
                ));
            }
            if world
                .lists
                .iter()
                .any(|((of, _), list)| of == customer && list.name == name)
            {
                return Err(AdsRefusal::bad(
                    "sharedSetError",
                    "DUPLICATE_NAME",
                    "A list has this name.",
                ));
            }
            let id = world.next_id();
            if !validates {
                let list = SharedList {
                    name: name.to_owned(),
                    ..SharedList::default()
                };
                world.lists.insert((customer.to_owned(), id), list);
            }
            Ok(format!("{own}sharedSets/{id}"))
        }
        "sharedCriteria" => {
            let set = id_in(&create["sharedSet"], "sharedSets").ok_or_else(no_list)?;
            let id = world.next_id();
            let list = world.lists.get_mut(&(customer.to_owned(), set)).ok_or_else(no_list)?;
            let text = create["keyword"]["text"].as_str().unwrap_or_default();
            let kind = create["keyword"]["matchType"].as_str().unwrap_or_default();
            check_keyword(text)?;
            if list.keywords.values().any(|(other, of)| other == text && of == kind) {
                return Err(AdsRefusal::bad(
                    "criterionError",
                    "DUPLICATE_KEYWORD",
                    "The list has it.",
                ));
            }
            if list.keywords.len() >= MOST_KEYWORDS {
                return Err(AdsRefusal::bad(
                    "resourceCountLimitExceededError",
                    "SHARED_SET_LIMIT",
                    "The list is full.",
                ));
            }
            if !validates {
                list.keywords.insert(id, (text.to_owned(), kind.to_owned()));
            }
            Ok(format!("{own}sharedCriteria/{set}~{id}"))
        }
        "campaignSharedSets" => {
            let set = id_in(&create["sharedSet"], "sharedSets").ok_or_else(no_list)?;
            let campaign = id_in(&create["campaign"], "campaigns")
                .ok_or_else(|| AdsRefusal::bad("mutateError", "RESOURCE_NOT_FOUND", "No such campaign."))?;
            let list = world.lists.get_mut(&(customer.to_owned(), set)).ok_or_else(no_list)?;
            if list.campaigns.contains(&campaign) {
                return Err(AdsRefusal::bad(
                    "campaignSharedSetError",
                    "CAMPAIGN_SHARED_SET_ALREADY_EXISTS",
                    "It is attached.",
                ));
            }
            if !validates {
                list.campaigns.insert(campaign);
            }
            Ok(format!("{own}campaignSharedSets/{campaign}~{set}"))
        }
        _ => Err(AdsRefusal::bad(
            "requestError",
            "RESOURCE_NAME_MALFORMED",
            "No such service.",
        )),
    }
}

fn no_list() -> AdsRefusal {
    AdsRefusal::bad("mutateError", "RESOURCE_NOT_FOUND", "No such list.")
}

fn check_keyword(text: &str) -> Result<(), AdsRefusal> {
    let (code, message) = if text.trim().is_empty() {
        ("KEYWORD_TEXT_REQUIRED", "A keyword has a text.")
    } else if text.chars().count() > LONGEST_KEYWORD {
        ("KEYWORD_TOO_LONG", "The keyword is too long.")
    } else if text.contains([
        '!', '@', '%', '^', '*', '(', ')', '=', '{', '}', ';', '~', '`', '<', '>', '?', '\\', '|', ',',
    ]) {
        ("KEYWORD_HAS_INVALID_CHARS", "The keyword has invalid characters.")
    } else {
        return Ok(());
    };
    Err(AdsRefusal::bad("criterionError", code, message))
}
