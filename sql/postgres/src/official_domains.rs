//! Changes of a brand's official domains: the dealers that its tag `official` is linked with (decision D98).

use chrono::{DateTime, Utc};
use serde_json::Value as Json;
use vocabulary::{ActionId, ActionStatus, BrandId, CategoryId, DealerId, Scope};

use crate::actions::events;
use crate::{Connection, Result, brands};

/// What a change of official domains did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChangedOfficials {
    /// The tag of the brand's own sites, if it was made for them.
    pub tag_made: Option<CategoryId>,
    /// The rows of `category_dealer` that are new.
    pub made: Vec<Json>,
    /// The rows of `category_dealer` that are gone.
    pub ended: Vec<Json>,
    /// The cases that were set to ignored, each with its status before.
    pub set_aside: Vec<(ActionId, ActionStatus)>,
}

/// Takes official domains away from a brand and gives it others, all at once; those that it has already, or has not, stay so. A brand without the tag gets
/// it, an unknown domain becomes a dealer. New and reappeared cases against the added domains become ignored at `now`. Until the transaction ends nobody
/// else changes what belongs to the brand. `None`, and nothing changes, for a brand out of scope.
pub async fn change(
    connection: &mut Connection,
    scope: &Scope,
    brand: BrandId,
    (added, removed): (&[String], &[String]),
    now: DateTime<Utc>,
) -> Result<Option<ChangedOfficials>> {
    if !brands::lock(connection, scope, brand).await? {
        return Ok(None);
    }
    let ended = sqlx::query_scalar!(
        r#"delete from category_dealer cd using category c, dealer d
           where c.id = cd.category_id and d.id = cd.dealer_id and c.name = 'official' and c.scope = 'tag' and c.brand_owner_id = $1
               and cd.company_account_id is null and d.domain = any($2)
           returning to_jsonb(cd) as "row!""#,
        brand.0,
        removed
    )
    .fetch_all(&mut *connection)
    .await?;
    if added.is_empty() {
        return Ok(Some(ChangedOfficials {
            ended,
            ..ChangedOfficials::default()
        }));
    }
    let (tag, is_new) = tag(connection, brand).await?;
    let dealers = sqlx::query_scalar!(
        r#"insert into dealer (domain, date) select domain, $2 from unnest($1::text[]) as domain order by domain
           on conflict (domain) do update set domain = excluded.domain returning id as "id!""#,
        added,
        now
    )
    .fetch_all(&mut *connection)
    .await?;
    let links = sqlx::query!(
        r#"insert into category_dealer as cd (category_id, dealer_id) select $1, dealer from unnest($2::int[]) as dealer order by dealer
           on conflict do nothing returning dealer_id as "dealer!", to_jsonb(cd) as "row!""#,
        tag.0,
        &dealers
    )
    .fetch_all(&mut *connection)
    .await?;
    let linked: Vec<DealerId> = links.iter().map(|link| DealerId(link.dealer)).collect();
    let set_aside = events::put_official_aside(connection, scope, tag, &linked, now).await?;
    Ok(Some(ChangedOfficials {
        tag_made: is_new.then_some(tag),
        made: links.into_iter().map(|link| link.row).collect(),
        ended,
        set_aside,
    }))
}

/// The tag for the own sites of a brand, which is locked, and whether it was missing and made.
async fn tag(connection: &mut Connection, brand: BrandId) -> Result<(CategoryId, bool)> {
    let stored = sqlx::query_scalar!(
        "select id from category where name = 'official' and scope = 'tag' and brand_owner_id = $1 order by id limit 1",
        brand.0
    )
    .fetch_optional(&mut *connection)
    .await?;
    if let Some(id) = stored {
        return Ok((CategoryId(id), false));
    }
    let id = sqlx::query_scalar!(
        "insert into category (scope, name, label, brand_owner_id, visibility, parent_id)
         select 'tag', 'official', 'Official', $1, 'owner',
             (select id from category where name = 'website-classification' and scope = 'tag' and brand_owner_id is null order by id limit 1)
         returning id",
        brand.0
    )
    .fetch_one(connection)
    .await?;
    Ok((CategoryId(id), true))
}
