//! The manifest of a capture, which its entry in the chain of evidence states, and the digest of the entry.

use chrono::{DateTime, SecondsFormat, Utc};
use postgres::captures::{Capture, Digest};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// The manifest of a capture as JSON: everything that makes it up, its files as their hashes, but not what may change without harm, such as the links
/// to its term (whose words are there) and brand. `taken` never changes; `reading` changes when the page is read again.
pub fn manifest(capture: &Capture) -> Value {
    let reading = &capture.reading;
    json!({
        "capture": capture.id.to_string(),
        "taken": {
            "attempt": capture.attempt,
            "term": capture.term,
            "engine": capture.engine.to_string(),
            "device": capture.device.to_string(),
            "locale": capture.locale.to_string(),
            "city": capture.city,
            "region": capture.region,
            "slotTime": instant_text(capture.slot_time),
            "takenAt": instant_text(capture.taken_at),
            "finalUrl": capture.final_url,
            "httpStatus": capture.http_status,
            "headers": capture.headers,
            "pageSha256": hex::encode(capture.page),
            "pageBytes": capture.page_bytes,
            "screenshotSha256": capture.screenshot.map(hex::encode),
        },
        "reading": {
            "verdict": reading.verdict.to_string(),
            "doubt": reading.doubt,
            "readerVersion": reading.reader_version,
            "generation": reading.generation,
            "textAds": reading.text_ads,
            "shoppingAds": reading.shopping_ads,
            "otherUnits": reading.other_units,
            "viewSha256": hex::encode(reading.view),
            "viewBytes": reading.view_bytes,
        },
    })
}

/// An instant as in `2026-11-21T14:51:18.123456Z`, with the microseconds that Postgres stores.
fn instant_text(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Micros, true)
}

/// The canonical text of a JSON value, which its digest covers: keys sorted by their bytes at every level, the items of lists in their order, no
/// white space.
pub fn canonical(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let mut names: Vec<&String> = fields.keys().collect();
            names.sort_unstable();
            let fields = names.into_iter().map(|name| {
                let value = fields.get(name).unwrap_or(&Value::Null);
                format!("{}:{}", Value::from(name.as_str()), canonical(value))
            });
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
        plain => plain.to_string(),
    }
}

/// The digest of an entry: SHA-256 over the digest before it (32 zero bytes for the first) and its manifest as [`canonical`].
pub fn link(before: Option<Digest>, manifest: &Value) -> Digest {
    let mut hash = Sha256::new();
    hash.update(before.unwrap_or_default());
    hash.update(canonical(manifest));
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_has_one_text_whatever_the_order_of_its_keys() {
        let one = json!({"b": [1, {"d": null, "c": "ä\n"}], "a": true});
        let other = json!({"a": true, "b": [1, {"c": "ä\n", "d": null}]});
        assert_eq!(canonical(&one), canonical(&other));
        assert_eq!(canonical(&one), r#"{"a":true,"b":[1,{"c":"ä\n","d":null}]}"#);
    }

    #[test]
    fn a_link_depends_on_its_manifest_and_on_the_one_before() {
        let first = link(None, &json!({"a": 1}));
        assert_ne!(first, link(None, &json!({"a": 2})));
        assert_ne!(link(Some(first), &json!({"a": 1})), first);
    }
}
