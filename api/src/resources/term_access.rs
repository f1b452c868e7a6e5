//! Which company accounts see terms beside those of their brands, for many terms by one call: all or nothing.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::HeaderMap;
use postgres::audit::Event;
use postgres::resources::{self as rows, ReachedFrom};
use serde_json::Value as Json;
use vocabulary::resources::models::TERM;
use vocabulary::resources::{Link, Model};

use super::call::Call;
use super::trail::AuditTrail;
use super::{kept_links, protected, related};
use crate::access::Caller;
use crate::failure::ApiError;
use crate::state::ApiState;

/// The name of the relation.
const RELATION: &str = "canBeAccessBy";
/// Links of one call: as many terms as other bulk changes take, with a few accounts each.
const MOST_LINKS: usize = 50_000;

/// A change of access to all these terms, by ids.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccessChange<'a> {
    pub(crate) terms: &'a [i32],
    /// Company accounts that see them from now on.
    pub(crate) add: &'a [i32],
    /// Company accounts that see them no more.
    pub(crate) remove: &'a [i32],
}

/// Changes who sees terms, and returns how many links are new or gone; accounts that see a term already, or do not see it, stay so. With `X-Operation` among the
/// headers it can be undone. `Forbidden` unless the caller may link terms with accounts; 404 for a term or an account that the caller does not see;
/// `Invalid` for over 50,000 links; a conflict where an account would be over its quota.
pub(crate) async fn change_term_access(
    (state, caller): (ApiState, Caller),
    headers: HeaderMap,
    AccessChange { terms, add, remove }: AccessChange<'_>,
) -> Result<usize, ApiError> {
    let call = &Call::with_headers(state, caller, headers);
    let relation = TERM
        .relation(RELATION)
        .ok_or_else(|| ApiError::internal("terms have no relation of that name"))?;
    let Link::Through { join, own, other } = relation.link else {
        return Err(ApiError::internal("terms are linked with company accounts by a join"));
    };
    related::check_may_link(call, relation)?;
    if terms.len().saturating_mul(add.len() + remove.len()) > MOST_LINKS {
        return Err(ApiError::of_field(
            "terms",
            format!("have, with accounts, {MOST_LINKS} links at most"),
        ));
    }
    check_seen(call, &TERM, terms).await?;
    check_seen(call, relation.target, &[add, remove].concat()).await?;

    let mut transaction = postgres::begin(&call.state.postgres).await?;
    let ended = rows::unlink_all(&mut *transaction, join, (own, terms), (other, remove)).await?;
    let made = rows::link_all(&mut *transaction, join, (own, terms), (other, add)).await?;
    kept_links::keep_changed(&mut transaction, call, join, &made, &ended).await?;
    let id = |row: &Json, key: &str| row.get(join.key(key).column).and_then(Json::as_i64);
    let mut trail = AuditTrail::new(call, &TERM);
    for (event, links) in [(Event::Unlink, &ended), (Event::Link, &made)] {
        for (term, account) in links.iter().filter_map(|row| id(row, own).zip(id(row, other))) {
            trail.linked_or_unlinked(event, term, relation, account);
        }
    }
    trail.store(&mut *transaction).await?;
    // One link of each account is enough to look at all that it sees.
    let gaining: BTreeMap<i64, i64> = made.iter().filter_map(|row| id(row, other).zip(id(row, own))).collect();
    for (account, term) in gaining {
        protected::keep_quota_of_linked(&mut transaction, call, relation, [term, account]).await?;
    }
    transaction.commit().await.map_err(postgres::Error::from)?;
    Ok(made.len() + ended.len())
}

/// 404 unless the caller sees all these rows.
async fn check_seen(call: &Call, model: &'static Model, ids: &[i32]) -> Result<(), ApiError> {
    let ids: BTreeSet<i32> = ids.iter().copied().collect();
    let all = kept_links::these(model, ids.iter().copied());
    let (postgres, scope) = (&call.state.postgres, &call.caller.scope);
    let seen = rows::count(postgres, scope, model, ReachedFrom::Anywhere, &all).await?;
    if usize::try_from(seen) == Ok(ids.len()) {
        Ok(())
    } else {
        Err(ApiError::NotFound(format!(
            "One of the rows of {} does not exist",
            model.name
        )))
    }
}
