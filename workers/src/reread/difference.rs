//! The difference between the stored ads of a capture and a new reading.

use analytics::ingest::StoredAd;
use postgres::captures::Capture;
use serde_json::{Map, Value, json};
use vocabulary::CaptureId;

/// How the ads of one capture differ from what is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureDifference {
    /// The capture that was read again.
    pub capture: CaptureId,
    /// The words searched.
    pub term: String,
    /// Ads that are not stored yet.
    pub gained: Vec<StoredAd>,
    /// Stored ads that the reader does not find.
    pub lost: Vec<StoredAd>,
    /// Ads with other values: as stored, and as read now.
    pub changed: Vec<(StoredAd, StoredAd)>,
}

impl CaptureDifference {
    /// Pairs the stored ads with the `reread` ones, those of the new reading, each with the first that fits: equal ones first, then those of the same
    /// kind and headline, then those of the same kind and real position. Partners that differ are changed; ads without a partner are gained or lost.
    pub(super) fn between(capture: &Capture, stored: Vec<StoredAd>, reread: Vec<StoredAd>) -> Self {
        let mut difference = Self {
            capture: capture.id,
            term: capture.term.clone(),
            gained: reread,
            lost: stored,
            changed: Vec::new(),
        };
        difference.pair(|old, new| old == new);
        difference.pair(|old, new| (&old.kind, &old.title) == (&new.kind, &new.title));
        difference.pair(|old, new| (&old.kind, old.real_position) == (&new.kind, new.real_position));
        difference
    }

    /// Takes each lost ad and the first gained one that `belong` accepts out of their lists, and adds them to the changed ones unless no field
    /// differs.
    fn pair(&mut self, belong: impl Fn(&StoredAd, &StoredAd) -> bool) {
        let mut rest = Vec::new();
        for old in std::mem::take(&mut self.lost) {
            match self.gained.iter().position(|new| belong(&old, new)) {
                Some(at) => {
                    let new = self.gained.remove(at);
                    if !differing_fields(&old, &new).is_empty() {
                        self.changed.push((old, new));
                    }
                }
                None => rest.push(old),
            }
        }
        self.lost = rest;
    }

    /// Whether no ad was gained, lost or changed.
    pub fn is_empty(&self) -> bool {
        self.gained.is_empty() && self.lost.is_empty() && self.changed.is_empty()
    }
}

/// An ad as the journal records it: kind, position, title and domain.
pub(super) fn ad_json(ad: &StoredAd) -> Value {
    json!({"kind": ad.kind, "position": ad.position, "title": ad.title, "domain": ad.domain})
}

/// A changed ad as the journal records it: like [`ad_json`], as it was, with `fields`, an object of `[old, new]` by the name of each field that
/// differs.
pub(super) fn change_json((old, new): &(StoredAd, StoredAd)) -> Value {
    let mut change = ad_json(old);
    let fields: Map<String, Value> = differing_fields(old, new)
        .into_iter()
        .map(|(field, old, new)| (field.to_owned(), json!([old, new])))
        .collect();
    change["fields"] = Value::Object(fields);
    change
}

/// The fields in which two ads differ: name in camel case, old value, new value; empty if none.
fn differing_fields(old: &StoredAd, new: &StoredAd) -> Vec<(&'static str, String, String)> {
    let number = |value: u16| value.to_string();
    let pairs = [
        ("kind", old.kind.clone(), new.kind.clone()),
        ("position", number(old.position), number(new.position)),
        ("realPosition", number(old.real_position), number(new.real_position)),
        ("mark", number(old.mark), number(new.mark)),
        ("block", old.block.clone(), new.block.clone()),
        ("domain", old.domain.clone(), new.domain.clone()),
        ("title", old.title.clone(), new.title.clone()),
        ("description", old.description.clone(), new.description.clone()),
        ("displayUrl", old.display_url.clone(), new.display_url.clone()),
        ("targetUrl", old.target_url.clone(), new.target_url.clone()),
        ("image", old.image.clone(), new.image.clone()),
        ("price", old.price.clone(), new.price.clone()),
        ("merchant", old.merchant.clone(), new.merchant.clone()),
        (
            "comparatorName",
            old.comparator_name.clone(),
            new.comparator_name.clone(),
        ),
    ];
    pairs.into_iter().filter(|(_, old, new)| old != new).collect()
}

impl std::fmt::Display for CaptureDifference {
    /// Several lines: the capture and its term, then each ad after `+` (gained), `-` (lost) or `~` (changed, with the old and the new value of each
    /// field).
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let named = |ad: &StoredAd| format!("{} {} '{}' of {}", ad.kind, ad.position, ad.title, or_none(&ad.domain));
        write!(f, "capture {} ({})", self.capture, self.term)?;
        for ad in &self.gained {
            write!(f, "\n  + {}", named(ad))?;
        }
        for ad in &self.lost {
            write!(f, "\n  - {}", named(ad))?;
        }
        for (old, new) in &self.changed {
            write!(f, "\n  ~ {}", named(old))?;
            for (field, old, new) in differing_fields(old, new) {
                write!(f, "\n      {field}: '{old}' becomes '{new}'")?;
            }
        }
        Ok(())
    }
}

fn or_none(domain: &str) -> &str {
    if domain.is_empty() { "no domain" } else { domain }
}
