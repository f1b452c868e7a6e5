//! The stores over TLS, as the settings name them.

use std::path::Path;

use serde_json::Value;
use testkit::{Certificates, ClickHouse, Pooler};

use crate::trial::{folder, vigie};

const STORES: [&str; 3] = ["PostgreSQL", "Redis", "ClickHouse"];

/// What `vigie doctor` finds about the stores, each with its verdict.
fn findings(data: &Path, settings: &[(&str, String)], authority: &Path) -> Vec<(String, String, String)> {
    let output = vigie(data, "doctor")
        .arg("--json")
        .envs(settings.iter().map(|(name, value)| (name, value)))
        .env("VIGIE__TLS__AUTHORITIES", authority)
        .output()
        .unwrap();
    let found: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let text = |one: &Value, name: &str| one[name].as_str().unwrap_or_default().to_owned();
    let all = found.as_array().unwrap().iter();
    all.filter(|one| STORES.contains(&one["part"].as_str().unwrap_or_default()))
        .map(|one| (text(one, "part"), text(one, "verdict"), text(one, "found")))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn stores_are_reached_over_tls_and_only_where_their_authority_is_trusted() {
    let certificates = Certificates::new();
    let (postgres, redis) = (certificates.postgres(), certificates.redis());
    let ads = ClickHouse::empty().await;
    let terminator = certificates.clickhouse(&ads).await;
    let settings = [
        (
            "VIGIE__POSTGRES__URL",
            format!(
                "postgres://vigie@localhost:{}/postgres?sslmode=verify-full",
                postgres.address.port()
            ),
        ),
        (
            "VIGIE__REDIS__URL",
            format!("rediss://localhost:{}", redis.address.port()),
        ),
        (
            "VIGIE__CLICKHOUSE__URL",
            format!("https://localhost:{}", terminator.port()),
        ),
        ("VIGIE__CLICKHOUSE__USER", ads.user.clone()),
        ("VIGIE__CLICKHOUSE__PASSWORD", ads.password.clone()),
        ("VIGIE__CLICKHOUSE__DATABASE", ads.database.clone()),
    ];
    let data = folder();

    let trusted = findings(data.path(), &settings, &certificates.authority());
    assert_eq!(trusted.len(), STORES.len(), "{trusted:?}");
    for (store, state, found) in trusted {
        assert_eq!(state, "good", "{store}: {found}");
    }
    for (store, state, found) in findings(data.path(), &settings, &certificates.stranger()) {
        assert_eq!(state, "bad", "{store} believes a stranger: {found}");
    }

    let migrated = vigie(data.path(), "migrate")
        .envs(settings.iter().map(|(name, value)| (name, value)))
        .env("VIGIE__TLS__AUTHORITIES", certificates.authority())
        .output()
        .unwrap();
    assert!(
        migrated.status.success(),
        "{}",
        String::from_utf8_lossy(&migrated.stderr)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_and_the_server_behind_it_are_reached_over_tls() {
    let certificates = Certificates::new();
    let server = certificates.postgres();
    let pooler = Pooler::in_front_of_encrypted(&server, &certificates);
    let ads = ClickHouse::empty().await;
    let address = |port| format!("postgres://vigie@localhost:{port}/postgres?sslmode=verify-full");
    let settings = [
        ("VIGIE__POSTGRES__URL", address(pooler.server.address.port())),
        ("VIGIE__POSTGRES__DIRECT_URL", address(server.address.port())),
        ("VIGIE__CLICKHOUSE__URL", ads.url.to_string()),
        ("VIGIE__CLICKHOUSE__USER", ads.user.clone()),
        ("VIGIE__CLICKHOUSE__PASSWORD", ads.password.clone()),
        ("VIGIE__CLICKHOUSE__DATABASE", ads.database.clone()),
    ];
    let data = folder();
    let migrated = vigie(data.path(), "migrate")
        .envs(settings.iter().map(|(name, value)| (name, value)))
        .env("VIGIE__TLS__AUTHORITIES", certificates.authority())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&migrated.stderr);
    assert!(migrated.status.success(), "{said}");
    // The pooler's connections are older than the limits of the role.
    drop(pooler);
    let pooler = Pooler::in_front_of_encrypted(&server, &certificates);
    let mut settings = settings;
    settings[0].1 = address(pooler.server.address.port());

    let verdict = |settings: &[(&str, String)], authority: &Path| {
        let found = findings(data.path(), settings, authority);
        found.into_iter().find(|(part, ..)| part == "PostgreSQL").unwrap()
    };
    let (_, trusted, found) = verdict(&settings, &certificates.authority());
    assert_eq!(trusted, "good", "{found}");
    // Each of them has to prove who it is.
    for unchecked in [0, 1] {
        let mut settings = settings.clone();
        settings[unchecked].1 = settings[unchecked].1.replace("verify-full", "require");
        let (_, strange, found) = verdict(&settings, &certificates.stranger());
        assert_eq!(strange, "bad", "a stranger is believed: {found}");
    }
    // The pooler answers, the server itself does not.
    settings[1].1 = address(9);
    let (_, alone, found) = verdict(&settings, &certificates.authority());
    assert_eq!(alone, "bad", "{found}");
}
