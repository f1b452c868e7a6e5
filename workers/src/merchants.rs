//! Domains of shopping ads that only name their merchant.

use capture::{ObservedAd, ReadPage};
use chrono::{DateTime, Utc};
use records::Pool;
use records::merchants::{self, normalised};
use vocabulary::{AdKind, Scope, WebHost};

use crate::Error;

const SCOPE: Scope = Scope::system("learning merchants");

/// Gives shopping ads without a domain the one their merchant is known by, and marks them.
pub async fn fill(records: &Pool, read: &mut ReadPage) -> Result<(), Error> {
    let open = |ad: &ObservedAd| ad.domain.is_none() && ad.kind == AdKind::Shopping;
    let names: Vec<String> = read.ads.iter().filter(|ad| open(ad)).filter_map(merchant).collect();
    if names.is_empty() {
        return Ok(());
    }
    let known = merchants::known(records, &SCOPE, &names).await?;
    for ad in read.ads.iter_mut().filter(|ad| open(ad)) {
        let name = merchant(ad);
        if let Some((_, domain)) = known.iter().find(|(known, _)| Some(known) == name.as_ref()) {
            ad.domain = Some(domain.clone());
            ad.domain_learnt = true;
        }
    }
    Ok(())
}

/// Remembers which domains the merchants of a page have.
pub async fn learn(records: &Pool, read: &ReadPage, seen_at: DateTime<Utc>) -> Result<(), Error> {
    let told = read
        .ads
        .iter()
        .filter(|ad| ad.kind == AdKind::Shopping && !ad.domain_learnt);
    let pairs: Vec<(String, WebHost)> = told
        .filter_map(|ad| Some((merchant(ad)?, ad.domain.clone()?)))
        .collect();
    if !pairs.is_empty() {
        merchants::learn(records, &SCOPE, seen_at, &pairs).await?;
    }
    Ok(())
}

/// The whole name of an ad's merchant; `None` where the engine shortened it.
fn merchant(ad: &ObservedAd) -> Option<String> {
    let name = ad.merchant.as_deref()?;
    let whole = !name.ends_with('…') && !name.ends_with("...");
    whole.then(|| normalised(name)).filter(|name| !name.is_empty())
}
