//! Domains of shopping ads that name only their merchant.

use analytics::ingest::StoredAd;
use capture::{ObservedAd, ReadPage};
use chrono::{DateTime, Utc};
use postgres::Pool;
use postgres::merchants::{self, normalised};
use vocabulary::{AdKind, SystemScope, WebHost};

use crate::Error;

const SCOPE: SystemScope = SystemScope::new("learning merchants");

/// Gives shopping ads without a domain the domain that earlier pages showed for their merchant, and marks it as learnt. Ads of unknown merchants stay
/// as they are.
pub async fn fill(postgres: &Pool, read: &mut ReadPage) -> Result<(), Error> {
    fill_domains(
        postgres,
        read.ads
            .iter_mut()
            .filter(|ad| is_shopping_without_domain(ad))
            .collect(),
    )
    .await
}

/// Like [`fill`], for a page that is read again: ads of a merchant whose domain was learnt or missing in `stored` keep that, so that only the reading
/// makes a difference.
pub async fn recall(postgres: &Pool, read: &mut ReadPage, stored: &[StoredAd]) -> Result<(), Error> {
    let mut open: Vec<_> = read
        .ads
        .iter_mut()
        .filter(|ad| is_shopping_without_domain(ad))
        .collect();
    open.retain_mut(|ad| !keep_stored(ad, stored));
    fill_domains(postgres, open).await
}

/// Gives ads the known domain of their merchant and marks it as learnt. Ads of an unknown merchant, or one whose name is shortened, stay as they are.
async fn fill_domains(postgres: &Pool, open: Vec<&mut ObservedAd>) -> Result<(), Error> {
    let names: Vec<String> = open.iter().filter_map(|ad| merchant(ad)).collect();
    if names.is_empty() {
        return Ok(());
    }
    let known = merchants::known(postgres, &SCOPE, &names).await?;
    for ad in open {
        let name = merchant(ad);
        if let Some((_, domain)) = known.iter().find(|(known, _)| Some(known) == name.as_ref()) {
            ad.domain = Some(domain.clone());
            ad.domain_learnt = true;
        }
    }
    Ok(())
}

fn is_shopping_without_domain(ad: &ObservedAd) -> bool {
    ad.domain.is_none() && ad.kind == AdKind::Shopping
}

/// Gives an ad the domain of the first stored ad of its kind and merchant whose domain was learnt or is missing; if that has none, the ad has none
/// either. Returns whether there is such a stored ad.
fn keep_stored(ad: &mut ObservedAd, stored: &[StoredAd]) -> bool {
    let kind = ad.kind.to_string();
    let is_of_merchant = |stored: &&StoredAd| stored.kind == kind && Some(&stored.merchant) == ad.merchant.as_ref();
    let was_open = |stored: &&StoredAd| stored.domain_learnt || stored.domain.is_empty();
    let Some(stored) = stored.iter().filter(is_of_merchant).find(was_open) else {
        return false;
    };
    ad.domain = WebHost::parse(&stored.domain);
    ad.domain_learnt = ad.domain.is_some();
    true
}

/// Saves the merchants and domains of the shopping ads that name both, as seen at this time. Learnt domains and shortened names are left out.
pub async fn learn(postgres: &Pool, read: &ReadPage, seen_at: DateTime<Utc>) -> Result<(), Error> {
    let with_domain = read
        .ads
        .iter()
        .filter(|ad| ad.kind == AdKind::Shopping && !ad.domain_learnt);
    let pairs: Vec<(String, WebHost)> = with_domain
        .filter_map(|ad| Some((merchant(ad)?, ad.domain.clone()?)))
        .collect();
    if !pairs.is_empty() {
        merchants::learn(postgres, &SCOPE, seen_at, &pairs).await?;
    }
    Ok(())
}

/// The normalised name of an ad's merchant; `None` if it names none or the engine shortened it.
fn merchant(ad: &ObservedAd) -> Option<String> {
    let name = ad.merchant.as_deref()?;
    let whole = !name.ends_with('…') && !name.ends_with("...");
    whole.then(|| normalised(name)).filter(|name| !name.is_empty())
}
