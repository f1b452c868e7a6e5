//! Lanes that are stopped, their readings, and the account of the simulated Google that their lists belong to.

use std::time::{Duration, Instant};

use chrono::TimeDelta;
use reqwest::header::LOCATION;
use runtime::Secret;
use runtime::sealing::Keys;
use runtime::settings::Google;
use stop_go::{Source, live};
use url::Url;
use vigie::terminal::say;
use vigie::trial::TrialStack;
use vocabulary::{Device, TermId};

use crate::bench::BenchError;
use crate::bench::peers::Psql;

pub(super) const LANES: i32 = 10_000;
/// Lanes with [`DRY_DAYS`] days of readings; the others have those of [`GUARDED_DAYS`].
pub(super) const DRY_LANES: i32 = 1_000;
pub(super) const DRY_DAYS: i64 = 90;
/// What a lane has to be observed before it may stop, and a day more.
const GUARDED_DAYS: i64 = 8;
/// The first of the lanes, of their terms and of their keywords.
const FIRST: i32 = 1_000_000;
/// Customers of the simulated Google whose campaigns serve France alone: a list holds half of the lanes.
const CUSTOMERS: [&str; 2] = ["1000000101", "1000000201"];
/// The first item, and its brand.
pub(super) const ITEM: i32 = 900_000;
const MANAGER: &str = "9001000001";
/// The person of the simulated Google that consents.
const PERSON: &str = "ada";
/// For 10,000 texts to get into the lists.
const STOPPED_WITHIN: Duration = Duration::from_mins(20);

/// The lanes with a long past.
pub(super) fn dry_lanes() -> impl Iterator<Item = i32> {
    FIRST..FIRST + DRY_LANES
}

/// A lane by its place.
pub(super) const fn lane(place: i32) -> i32 {
    FIRST + place
}

/// Where the captures of a lane come from; its term has its number.
pub(super) fn sources_of(lane: i32) -> Vec<Source> {
    vec![Source {
        id: live::source_of(TermId(lane), Device::Desktop),
        interval: TimeDelta::hours(1),
    }]
}

/// Creates [`LANES`] lanes that are to be stopped, and waits until the workers have put their texts into the lists. Fails on a second call.
pub(super) async fn fill(stack: &TrialStack, psql: &Psql) -> Result<(), BenchError> {
    let began = Instant::now();
    let token = consent(stack).await?;
    let keys = Secret::new(
        stack
            .setting("VIGIE__SECRETS__KEYS", "the keys of stored credentials")?
            .to_owned(),
    );
    let keys = Keys::read(Some(&keys)).map_err(std::io::Error::other)?;
    let sealed = keys
        .seal("google_grant.refresh_token", &token)
        .map_err(std::io::Error::other)?;
    psql.run(&statements(&sealed)).await?;
    say(format!(
        "\n{LANES} lanes with their readings made in {:.0} s",
        began.elapsed().as_secs_f64()
    ));

    let began = Instant::now();
    loop {
        let stopped = psql
            .number("select count(*) from stop_go_lane where state = 'stopped' and observed")
            .await?;
        if stopped == u64::from(LANES.unsigned_abs()) {
            break;
        }
        if began.elapsed() > STOPPED_WITHIN {
            return Err(BenchError::Answer {
                peer: "Stop and Go",
                reply: format!(
                    "{stopped} of {LANES} lanes are stopped after {} s",
                    STOPPED_WITHIN.as_secs()
                ),
            });
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    say(format!(
        "their texts put into the lists in {:.0} s",
        began.elapsed().as_secs_f64()
    ));
    Ok(())
}

fn statements(sealed: &str) -> Vec<String> {
    let [first, second] = CUSTOMERS;
    let last = FIRST + LANES - 1;
    let last_dry = FIRST + DRY_LANES - 1;
    vec![
        // Workers see the lanes with their readings.
        "begin".to_owned(),
        "insert into brand (id, name, label) values (900000, 'lanes', 'Lanes'), (900001, 'more-lanes', 'More lanes')".to_owned(),
        "insert into category (id, name, label, scope, brand_owner_id)
                 values (900000, 'official', 'Official', 'tag', 900000), (900001, 'official', 'Official', 'tag', 900001);
             insert into dealer (id, domain) values (900001, 'lanes.example');
             insert into category_dealer (category_id, dealer_id) values (900000, 900001), (900001, 900001)"
            .to_owned(),
        "insert into localization (id, locale, language, country) values (900001, 'fr_FR', 'fr', '{\"en\": \"France\"}')".to_owned(),
        format!(
            "insert into term (id, term, engine, state, every, localization_id, brand_id, schedule_stale)
             select n, 'lane ' || n, 'GOOGLE', 'enabled', 3600000, 900001, 900000 + n % 2, false from generate_series({FIRST}, {last}) n"
        ),
        // None of them is captured meanwhile.
        format!(
            "insert into term_due (term_id, device, every_ms, first_slot, next_slot)
             select n, 'desktop', 3600000, now() + interval '2 days', now() + interval '2 days' from generate_series({FIRST}, {last}) n"
        ),
        format!(
            "insert into google_grant (kind, scopes, refresh_token, checked_at, created_date)
                 values ('manager', array['https://www.googleapis.com/auth/adwords'], '{sealed}', now(), now());
             insert into google_connect (id, customer_id, login_customer_id, brand_id, ads_grant_id)
             select 899999 + place, customer, '{MANAGER}', 899999 + place, (select max(id) from google_grant)
             from unnest(array['{first}', '{second}']) with ordinality list (customer, place)"
        ),
        "insert into stop_go_brand (brand_id, mode, owner_user_id) select brand, 'automatic', min(id) from user_account, generate_series(900000, 900001) brand group by brand".to_owned(),
        format!(
            "insert into stop_go_lane (id, account, google_connect_id, country, text_folded, since, state, reason, desired, stopped_at,
                 dry_run_seen_at, next_event_at, read_back)
             overriding system value
             select n, 'customer:' || c.customer_id, c.id, 'FR', 'lane ' || n, now(), 'stopping', 'clean', true,
                 now(), now(), now() + interval '1 day', true
             from generate_series({FIRST}, {last}) n join google_connect c on c.id = 900000 + n % 2"
        ),
        format!(
            "insert into stop_go_keyword (brand_id, term_id, lane_id) select 900000 + n % 2, n, n from generate_series({FIRST}, {last}) n"
        ),
        // Rivals were there on one evening of five until yesterday.
        format!(
            "insert into stop_go_reading (lane_id, capture_id, term_id, device, at, verdict, rivals, organic_first, own_ad)
             select n, gen_random_uuid(), n, 'desktop', h.at, case when h.is_rival then 'rival' else 'clean' end,
                 case when h.is_rival then array['rival.example'] else '{{}}' end, true, not h.is_rival
             from generate_series({FIRST}, {last}) n cross join lateral (
                 select now() - hours * interval '1 hour' - interval '1 minute' as at, hours > 24 and hours % 120 < 3 as is_rival
                 from generate_series(0, 24 * case when n <= {last_dry} then {DRY_DAYS} else {GUARDED_DAYS} end - 1) hours
             ) h"
        ),
        "commit".to_owned(),
        "vacuum analyze".to_owned(),
    ]
}

/// Consents in the simulated Google as a person does, and returns the refresh token.
async fn consent(stack: &TrialStack) -> Result<String, BenchError> {
    let redirect = stack.setting_url("VIGIE__API__PUBLIC_URL", "the address of the API")?;
    let base = stack.setting_url("VIGIE__GOOGLE__OAUTH_URL", "where the simulated Google is")?;
    let consent_url = stack.setting_url("VIGIE__GOOGLE__CONSENT_URL", "where people consent")?;
    let client_secret = stack.setting("VIGIE__GOOGLE__CLIENT_SECRET", "the secret of the client at Google")?;
    let settings = Google {
        client_id: Some(
            stack
                .setting("VIGIE__GOOGLE__CLIENT_ID", "the client at Google")?
                .to_owned(),
        ),
        client_secret: Secret::new(client_secret.to_owned()),
        version: stack
            .setting("VIGIE__GOOGLE__VERSION", "the version of Google Ads")?
            .to_owned(),
        ads_url: base.clone(),
        search_console_url: base.clone(),
        consent_url: consent_url.clone(),
        oauth_url: base,
        ..Google::default()
    };
    let client = google::Client::new(&settings).map_err(std::io::Error::other)?;
    let scopes = [google::ADS_SCOPE, google::SEARCH_CONSOLE_SCOPE];
    let consent = client.consent(&scopes, &redirect).map_err(std::io::Error::other)?;
    let value_of = |url: &Url, wanted: &str| {
        url.query_pairs()
            .find(|(key, _)| key == wanted)
            .map(|(_, value)| value.into_owned())
            .unwrap_or_default()
    };
    let form = [
        ("redirect_uri", redirect.to_string()),
        ("state", consent.state.clone()),
        ("code_challenge", value_of(&consent.url, "code_challenge")),
        ("person", PERSON.to_owned()),
        ("scopes", google::ADS_SCOPE.to_owned()),
        ("scopes", google::SEARCH_CONSOLE_SCOPE.to_owned()),
    ];
    let http = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .build()?;
    let sent = http.post(consent_url).form(&form).send().await?;
    let back = sent
        .headers()
        .get(LOCATION)
        .and_then(|back| back.to_str().ok())
        .unwrap_or_default();
    let back = Url::parse(back).map_err(|_| BenchError::Answer {
        peer: "the simulated Google",
        reply: back.to_owned(),
    })?;
    let code = value_of(&back, "code");
    let granted = client.exchange(&code, &consent.verifier, &redirect, &scopes).await;
    Ok(granted.map_err(std::io::Error::other)?.refresh_token)
}
