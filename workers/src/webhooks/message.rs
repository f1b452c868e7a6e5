//! What a webhook is sent, and how it is signed: as in the specification Standard Webhooks, so that receivers check it with the libraries they have.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use postgres::webhooks::{ClaimedDelivery, ToldCase};
use serde_json::{Value, json};
use sha2::Sha256;
use url::Url;

/// What secrets begin with.
const SECRET_PREFIX: &str = "whsec_";

/// The body of a message, with links to the case and to the page that proves it below `public_url`.
pub(super) fn body(delivery: &ClaimedDelivery, public_url: &Url) -> String {
    let data = match &delivery.case {
        Some(case) => json!({ "case": of_case(case, public_url) }),
        None => json!({}),
    };
    json!({ "type": delivery.event.to_string(), "timestamp": spelled(delivery.at), "data": data }).to_string()
}

fn of_case(case: &ToldCase, public_url: &Url) -> Value {
    json!({
        "id": case.action,
        "status": case.status,
        "brand": { "id": case.brand.0, "name": case.brand.1 },
        "domain": case.domain,
        "country": case.country,
        "engine": case.engine,
        "url": link(public_url, &["action", &case.action.to_string()]),
        "evidence": case.capture.map(|capture| link(public_url, &["terms", "capture", &capture.to_string()])),
    })
}

fn link(public_url: &Url, path: &[&str]) -> String {
    let mut url = public_url.clone();
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.pop_if_empty().extend(path);
    }
    url.into()
}

fn spelled(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}

/// The header `webhook-signature` of a body that is sent at `now`: one signature for each secret. `None` for a secret that is none.
pub(super) fn signatures(secrets: &[String], message: &str, now: DateTime<Utc>, body: &str) -> Option<String> {
    let signed = secrets.iter().map(|secret| {
        let key = STANDARD.decode(secret.strip_prefix(SECRET_PREFIX)?).ok()?;
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).ok()?;
        mac.update(format!("{message}.{}.{body}", now.timestamp()).as_bytes());
        Some(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
    });
    Some(signed.collect::<Option<Vec<_>>>()?.join(" "))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_message_is_signed_as_the_specification_has_it() {
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned();
        let now = DateTime::from_timestamp(1_614_265_330, 0).unwrap();
        let (message, body) = ("msg_p5jXN8AQM9LWM0D4loKWxJek", "{\"test\": 2432232314}");
        let of_one = signatures(std::slice::from_ref(&secret), message, now, body).unwrap();
        assert_eq!(of_one, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        let of_two = signatures(&[secret, "whsec_AAAA".to_owned()], message, now, body).unwrap();
        assert!(of_two.starts_with(&format!("{of_one} v1,")), "{of_two}");
        assert_eq!(signatures(&["none".to_owned()], message, now, body), None);
    }
}
