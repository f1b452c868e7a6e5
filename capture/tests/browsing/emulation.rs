//! What a page sees of the browser.

use capture::browsing::{CapturedPage, Place, SearchRequest};
use serde_json::Value;
use vocabulary::{Device, Engine};

use crate::engine::{TestEngine, html, pool, search};

/// Writes what scripts see into the page.
const SEEN: &str = "<!doctype html><meta name=viewport content='width=device-width'><pre id=seen style='white-space:pre-wrap;word-break:break-all'></pre><script>
    const write = more => seen.textContent = JSON.stringify({
        agent: navigator.userAgent, languages: navigator.languages, platform: navigator.platform,
        mobile: navigator.userAgentData?.mobile, touch: navigator.maxTouchPoints, width: innerWidth,
        zone: Intl.DateTimeFormat().resolvedOptions().timeZone, number: (1.5).toLocaleString(),
        automated: navigator.webdriver, ...more});
    write({});
    onload = () => new Promise(done => navigator.geolocation.getCurrentPosition(
        at => done({at: [at.coords.latitude, at.coords.longitude]}), error => done({at: error.code}))
    ).then(more => { write(more); return fetch('/seen') });
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

        let asked = engine
            .asked()
            .into_iter()
            .rfind(|asked| asked.path == "/google/search")
            .unwrap();
        assert_eq!(asked.header("user-agent"), agent);
        let language = &locale[..2];
        assert_eq!(
            asked.header("accept-language"),
            format!("{},{language};q=0.9", locale.replace('_', "-"))
        );
    }
    pool.shutdown().await;
}

#[tokio::test]
async fn a_page_gets_the_position_of_the_place_and_only_then() {
    let engine = TestEngine::serve(|_| html(SEEN)).await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;
    let place = Place {
        canonical_name: "Lyon,Auvergne-Rhone-Alpes,France".into(),
        coordinates: Some((45.75, 4.85)),
        time_zone: Some("Europe/Brussels".into()),
    };
    // The simulated engine is no secure origin, for which browsers have no position at all: it is told so.
    let lyon = pool
        .capture(SearchRequest {
            place: Some(place),
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
    let anywhere = pool.capture(from(Device::Mobile, "fr_FR")).await.unwrap();
    assert_eq!(seen(&anywhere)["zone"], "Europe/Paris");
    assert_eq!(seen(&anywhere)["at"], 1);
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
