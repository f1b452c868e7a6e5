//! Which domain the shopping ads of a merchant lead to, learnt from ads that show both.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use vocabulary::{SystemScope, WebHost};

use crate::{Error, Result};

/// A domain counts once it was seen this often.
const SURE_AFTER: i32 = 2;

/// A merchant's name for comparison: lower case, blanks at both ends removed, other runs of blanks as one space.
pub fn normalised(merchant: &str) -> String {
    merchant.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Counts pairs of merchant and domain, one for each ad that shows both, as seen at `seen_at`. Names are as from [`normalised`]; a pair may repeat,
/// and counts stop at `i32::MAX`.
pub async fn learn(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    seen_at: DateTime<Utc>,
    pairs: &[(String, WebHost)],
) -> Result<()> {
    let (merchants, domains): (Vec<String>, Vec<String>) = pairs
        .iter()
        .map(|(merchant, domain)| (merchant.clone(), domain.to_string()))
        .unzip();
    sqlx::query!(
        "insert into merchant_domain (merchant, domain, seen, last_seen)
         select merchant, domain, count(*)::int, $3 from unnest($1::text[], $2::text[]) as pair (merchant, domain)
         group by merchant, domain order by merchant, domain
         on conflict (merchant, domain) do update set
             seen = least(merchant_domain.seen::bigint + excluded.seen, 2147483647)::int,
             last_seen = greatest(merchant_domain.last_seen, excluded.last_seen)",
        &merchants,
        &domains,
        seen_at
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// The domain of each merchant that was seen with exactly one, `SURE_AFTER` times or more. Other merchants are left out, since the domain
/// of their ads would be a guess. Names are as from [`normalised`].
pub async fn known(
    executor: impl PgExecutor<'_>,
    _system: &SystemScope,
    merchants: &[String],
) -> Result<Vec<(String, WebHost)>> {
    let rows = sqlx::query!(
        r#"select merchant, min(domain) as "domain!" from merchant_domain where merchant = any($1)
           group by merchant having count(*) = 1 and sum(seen) >= $2"#,
        merchants,
        i64::from(SURE_AFTER)
    )
    .fetch_all(executor)
    .await?;
    let known = rows.into_iter().map(|row| match WebHost::parse(&row.domain) {
        Some(domain) => Ok((row.merchant, domain)),
        None => Err(Error::Stored {
            column: "merchant_domain.domain",
            value: row.domain,
        }),
    });
    known.collect()
}
