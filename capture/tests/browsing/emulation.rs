//! What a page sees of the browser.

use capture::browsing::{CapturedPage, HostPattern, Pool, SearchLocation, SearchRequest};
use serde_json::{Value, json};
use vocabulary::{Device, Engine};

use crate::engine::{TestEngine, html, pool, search, settings};

/// Writes what scripts observe into the page.
const SEEN: &str = "<!doctype html><meta name=viewport content='width=device-width'><pre id=seen style='white-space:pre-wrap;word-break:break-all'></pre><script>
    const write = more => seen.textContent = JSON.stringify({
        agent: navigator.userAgent, languages: navigator.languages, platform: navigator.platform,
        mobile: navigator.userAgentData?.mobile, touch: navigator.maxTouchPoints, width: innerWidth,
        zone: Intl.DateTimeFormat().resolvedOptions().timeZone, number: (1.5).toLocaleString(),
        automated: navigator.webdriver, hints: navigator.userAgentData?.platform, model: more.model, ...more});
    write({});
    onload = () => new Promise(done => navigator.geolocation.getCurrentPosition(
        at => done({at: [at.coords.latitude, at.coords.longitude]}), error => done({at: error.code}))
    ).then(async more => {
        const hints = await navigator.userAgentData?.getHighEntropyValues(['model', 'formFactors', 'fullVersionList']);
        write({...more, model: hints?.model, forms: hints?.formFactors, versions: hints?.fullVersionList});
        return fetch('/seen');
    });
</script>";

fn seen(page: &CapturedPage) -> Value {
    let (_, after) = page.html.split_once("<pre id=\"seen\"").unwrap();
    let (_, after) = after.split_once('>').unwrap();
    serde_json::from_str(after.split_once("</pre>").unwrap().0).unwrap()
}

fn from(device: Device, locale: &str) -> SearchRequest {
    SearchRequest {
        device,
        locale: locale.parse().unwrap(),
        ..search("x")
    }
}

#[tokio::test]
async fn a_page_sees_the_device_language_and_time_zone_that_were_asked_for() {
    let engine = TestEngine::serve(|_| html(SEEN)).await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;
    for (device, locale, mobile, touch, width, zone, number) in [
        (Device::Desktop, "fr_FR", false, 0, 1366, "Europe/Paris", "1,5"),
        (Device::Mobile, "en_GB", true, 5, 412, "Europe/London", "1.5"),
        (Device::Tablet, "de_DE", false, 5, 800, "Europe/Berlin", "1,5"),
    ] {
        let page = pool.capture(from(device, locale)).await.unwrap();
        let seen = seen(&page);
        let agent = seen["agent"].as_str().unwrap();
        assert_eq!(agent.contains("Mobile"), mobile, "{agent}");
        assert!(!agent.contains("Headless"), "{agent}");
        assert_eq!(seen["languages"][0], locale.replace('_', "-"));
        assert_eq!(
            (&seen["touch"], &seen["width"]),
            (&touch.into(), &width.into()),
            "{device}"
        );
        assert_eq!(
            (&seen["zone"], &seen["number"]),
            (&zone.into(), &number.into()),
            "{device}"
        );

        let request = engine
            .requests()
            .into_iter()
            .rfind(|request| request.path == "/google/search")
            .unwrap();
        assert_eq!(request.header("user-agent"), agent);
        let language = &locale[..2];
        assert_eq!(
            request.header("accept-language"),
            format!("{},{language};q=0.9", locale.replace('_', "-"))
        );
    }
    pool.shutdown().await;
}

#[tokio::test]
async fn a_place_is_named_to_the_engine() {
    let engine = TestEngine::serve(|_| html(SEEN)).await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;
    let location = SearchLocation {
        canonical_name: "Lyon,Auvergne-Rhone-Alpes,France".into(),
        coordinates: Some((45.75, 4.85)),
        time_zone: Some("Europe/Brussels".into()),
    };
    let lyon = pool
        .capture(SearchRequest {
            location: Some(location),
            ..from(Device::Mobile, "fr_FR")
        })
        .await
        .unwrap();
    assert_eq!(seen(&lyon)["zone"], "Europe/Brussels");
    assert!(
        lyon.final_url.query().unwrap().contains("&uule=w+CAIQICIg"),
        "{}",
        lyon.final_url
    );
    // This engine is not a secure origin; browsers give such pages no position at all.
    assert_eq!(seen(&lyon)["at"], 1);
    pool.shutdown().await;
}

#[tokio::test]
async fn bing_gets_the_position_in_the_header_it_reads_and_google_does_not() {
    let engine = TestEngine::serve(|_| html("<p>results")).await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;
    let at = |name: Engine, city: &str| SearchRequest {
        engine: name,
        location: Some(SearchLocation {
            canonical_name: city.into(),
            coordinates: None,
            time_zone: None,
        }),
        ..search("x")
    };
    let mut positions = Vec::new();
    for request in [
        at(Engine::Bing, "Lyon,Auvergne-Rhone-Alpes,France"),
        at(Engine::Bing, "Nowhere,France"),
        at(Engine::Google, "Lyon,Auvergne-Rhone-Alpes,France"),
    ] {
        pool.capture(request).await.unwrap();
        let request = engine
            .requests()
            .into_iter()
            .rfind(|request| request.path.ends_with("/search"));
        positions.push(request.unwrap().header("x-search-location"));
    }
    assert!(
        positions[0].starts_with("lat:45.7") && positions[0].contains(";long:4.8"),
        "{positions:?}"
    );
    assert_eq!(positions[1..], ["", ""]);
    pool.shutdown().await;
}

/// Engines are secure origins; so is, without a certificate, any name below `localhost`.
async fn secure_pool(engine: &TestEngine, folder: &tempfile::TempDir) -> Pool {
    let mut settings = settings(engine, folder);
    for (name, address) in &mut settings.engines {
        address.base = format!("http://serp.localhost/{name}").parse().unwrap();
        address.hosts = vec![HostPattern::new("serp.localhost")];
    }
    Pool::start(settings).await.unwrap()
}

#[tokio::test]
async fn a_secure_page_gets_the_position_of_the_place_and_only_then() {
    let engine = TestEngine::serve(|_| html(SEEN)).await;
    let folder = tempfile::tempdir().unwrap();
    let pool = secure_pool(&engine, &folder).await;
    let at = |name: &str, coordinates| SearchRequest {
        location: Some(SearchLocation {
            canonical_name: name.into(),
            coordinates,
            time_zone: None,
        }),
        ..from(Device::Mobile, "pt_PT")
    };
    for (request, position, zone) in [
        (
            at("Nowhere,Portugal", Some((38.25, -8.5))),
            json!([38.25, -8.5]),
            "Europe/Lisbon",
        ),
        (
            at("Funchal,Madeira,Portugal", None),
            json!([32.65, -16.91]),
            "Atlantic/Madeira",
        ),
        (from(Device::Mobile, "pt_PT"), json!(1), "Europe/Lisbon"),
    ] {
        let seen = seen(&pool.capture(request).await.unwrap());
        assert_eq!((&seen["at"], &seen["zone"]), (&position, &zone.into()));
    }
    pool.shutdown().await;
}

#[tokio::test]
async fn client_hints_agree_with_the_device() {
    let engine = TestEngine::serve(|_| html(SEEN)).await;
    let folder = tempfile::tempdir().unwrap();
    let pool = secure_pool(&engine, &folder).await;
    for (device, mobile, platform, model, form) in [
        (Device::Desktop, false, "Windows", "", "Desktop"),
        (Device::Mobile, true, "Android", "Pixel 8", "Mobile"),
        (Device::Tablet, false, "Android", "Pixel Tablet", "Tablet"),
    ] {
        let page = pool.capture(from(device, "fr_FR")).await.unwrap();
        let seen = seen(&page);
        assert_eq!(
            (&seen["mobile"], &seen["hints"], &seen["model"], &seen["forms"]),
            (&mobile.into(), &platform.into(), &model.into(), &json!([form])),
            "{device}"
        );
        assert!(
            !seen["versions"].to_string().contains("Headless"),
            "{}",
            seen["versions"]
        );
        let request = engine
            .requests()
            .into_iter()
            .rfind(|request| request.path == "/google/search")
            .unwrap();
        assert_eq!(request.header("sec-ch-ua-mobile"), if mobile { "?1" } else { "?0" });
        assert_eq!(request.header("sec-ch-ua-platform"), format!("\"{platform}\""));
    }
    pool.shutdown().await;
}

#[tokio::test]
async fn each_engine_is_searched_at_its_own_address() {
    let engine = TestEngine::serve(|_| html("<p>results")).await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;
    let page = pool
        .capture(SearchRequest {
            engine: Engine::Bing,
            ..search("red hats")
        })
        .await
        .unwrap();
    assert_eq!(
        page.final_url.as_str(),
        "http://serp.test/bing/search?q=red+hats&cc=FR&setlang=fr&mkt=fr-FR"
    );
    pool.shutdown().await;
}
