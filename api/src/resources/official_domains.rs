//! The official domains of a brand, changed by one call that can be undone with what it did to cases.

use std::collections::BTreeSet;

use axum::http::HeaderMap;
use postgres::audit::Event;
use postgres::brands;
use postgres::official_domains::{self, ChangedOfficials};
use serde_json::Value as Json;
use vocabulary::resources::models::{CATEGORY, DEALER};
use vocabulary::resources::{Link, Value};
use vocabulary::{BrandId, WebHost};

use super::call::Call;
use super::trail::AuditTrail;
use super::{kept_links, related};
use crate::access::Caller;
use crate::failure::ApiError;
use crate::state::ApiState;

/// The relation of dealers that holds official domains.
const RELATION: &str = "categories";

/// Official domains of a brand (decision D103).
const MOST_DOMAINS: usize = 500;

/// A change of the official domains of a brand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfficialDomainsChange<'a> {
    pub(crate) brand: BrandId,
    pub(crate) added: &'a [String],
    pub(crate) removed: &'a [String],
}

/// Reads domains as they are stored; 422 at the field for more than 500 and for a text that is no domain.
pub(crate) fn read_official_domains(field: &str, domains: &[String]) -> Result<BTreeSet<String>, ApiError> {
    if domains.len() > MOST_DOMAINS {
        return Err(too_many(field));
    }
    let hosts = domains.iter().map(|domain| {
        let host = WebHost::parse(domain).map(|host| host.as_str().to_owned());
        host.ok_or_else(|| ApiError::of_field(field, format!("`{domain}` is no domain")))
    });
    hosts.collect()
}

fn too_many(field: &str) -> ApiError {
    ApiError::of_field(field, format!("{MOST_DOMAINS} domains at most"))
}

/// Changes official domains, all or none, and returns what that did; 404 for a brand that the caller does not see, 422 where it would have more than 500. With `X-Operation` among the headers it can be undone: the domains are as before,
/// and so are the cases that became ignored.
pub(crate) async fn change_official_domains(
    (state, caller): (ApiState, Caller),
    headers: HeaderMap,
    OfficialDomainsChange { brand, added, removed }: OfficialDomainsChange<'_>,
) -> Result<ChangedOfficials, ApiError> {
    let call = &Call::with_headers(state, caller, headers);
    let relation = DEALER
        .relation(RELATION)
        .ok_or_else(|| ApiError::internal("dealers have no relation of that name"))?;
    let Link::Through { join, own, other } = relation.link else {
        return Err(ApiError::internal("dealers are linked with tags by a join"));
    };
    related::check_may_link(call, relation)?;
    let mut transaction = postgres::begin(&call.state.postgres).await?;
    let (scope, now) = (&call.caller.scope, call.state.clock.now());
    let changed = official_domains::change(&mut transaction, scope, brand, (added, removed), now).await?;
    let changed = changed.ok_or_else(|| ApiError::NoRow(format!("could not find a model with id {brand}")))?;
    if brands::official_domains(&mut *transaction, scope, &[brand])
        .await?
        .len()
        > MOST_DOMAINS
    {
        return Err(too_many("added"));
    }
    kept_links::keep_changed(&mut transaction, call, join, &changed.made, &changed.ended).await?;
    kept_links::keep_set_aside(&mut transaction, call, &changed.set_aside).await?;
    if let Some(tag) = changed.tag_made {
        let owner = CATEGORY
            .field("brandOwnerId")
            .map(|field| (field, Value::Whole(brand.0.into())));
        let mut trail = AuditTrail::new(call, &CATEGORY);
        trail.made(tag.0.into(), owner.as_slice());
        trail.store(&mut *transaction).await?;
    }
    let id = |row: &Json, key: &str| row.get(join.key(key).column).and_then(Json::as_i64);
    let mut trail = AuditTrail::new(call, &DEALER);
    for (event, links) in [(Event::Unlink, &changed.ended), (Event::Link, &changed.made)] {
        for (dealer, tag) in links.iter().filter_map(|row| id(row, own).zip(id(row, other))) {
            trail.linked_or_unlinked(event, dealer, relation, tag);
        }
    }
    trail.store(&mut *transaction).await?;
    transaction.commit().await.map_err(postgres::Error::from)?;
    Ok(changed)
}
