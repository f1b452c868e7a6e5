//! The views of brands, company accounts and tags over the last days, counted in ClickHouse (decision D72).

use sqlx::PgExecutor;
use vocabulary::{BrandId, SystemScope, TermId};

use crate::categories::master;
use crate::{Connection, Result};

/// Views counted in ClickHouse, from which the totals are added up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Views {
    /// By brand and term.
    pub of_terms: Vec<(BrandId, TermId, u64)>,
    /// By brand and domain. Domains without a tag, on themselves or on their registrable domain, may be left out.
    pub of_domains: Vec<(BrandId, String, u64)>,
}

/// The domains whose dealers carry a tag, each once, in no particular order.
pub async fn tagged_domains(executor: impl PgExecutor<'_>, _system: &SystemScope) -> Result<Vec<String>> {
    let domains =
        sqlx::query_scalar!("select distinct domain from dealer join category_dealer on dealer_id = dealer.id")
            .fetch_all(executor)
            .await?;
    Ok(domains)
}

/// Sets the total of every brand, company account and tag to the sum of the given views, 0 where there are none: for a brand its own, for a
/// company account those of its brands and of the terms it was given, for a tag those of its terms, or of its domains and the hosts under
/// them (with an owner, only that brand's views). A tag that all readers see has 0, whatever its views: they are not all the reader's (decision D206).
/// Returns how many totals changed.
pub async fn set(connection: &mut Connection, _system: &SystemScope, views: &Views) -> Result<u64> {
    let brands: Vec<i32> = views.of_terms.iter().map(|row| row.0.0).collect();
    let terms: Vec<i32> = views.of_terms.iter().map(|row| row.1.0).collect();
    let counts: Vec<f64> = views.of_terms.iter().map(|row| stored_total(row.2)).collect();
    let by_term = sqlx::query_file!("queries/set_totals_by_term.sql", &brands, &terms, &counts)
        .fetch_one(&mut *connection)
        .await?;
    let brands: Vec<i32> = views.of_domains.iter().map(|row| row.0.0).collect();
    let domains: Vec<String> = views.of_domains.iter().map(|row| row.1.clone()).collect();
    let masters: Vec<String> = domains.iter().map(|domain| master(domain)).collect();
    let counts: Vec<f64> = views.of_domains.iter().map(|row| stored_total(row.2)).collect();
    let by_domain = sqlx::query_file!("queries/set_totals_by_domain.sql", &brands, &domains, &masters, &counts)
        .execute(connection)
        .await?;
    Ok(by_term.changed.unsigned_abs() + by_domain.rows_affected())
}

/// A count as it is stored and shown by the API.
#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 views")]
const fn stored_total(views: u64) -> f64 {
    views as f64
}
