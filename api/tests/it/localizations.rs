//! The places that searches can be made from, as lists and forms look for them.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::resources::{Admin, argument};

impl Admin {
    /// The places that meet a condition as lists ask for them, once the count has said the same.
    async fn places(&self, condition: &Value) -> Vec<Value> {
        let filter = argument(
            "filter",
            &json!({"where": condition, "order": "locale ASC", "limit": 50}),
        );
        let (status, rows) = self.get(&format!("/api/Localizations?{filter}")).await;
        assert_eq!(status, StatusCode::OK, "{rows}");
        let (_, count) = self
            .get(&format!("/api/Localizations/count?{}", argument("where", condition)))
            .await;
        let rows = rows.as_array().unwrap().clone();
        assert!(count["count"] == rows.len() || rows.len() == 50, "{count}");
        rows
    }
}

#[tokio::test]
async fn places_are_found_by_locale_language_and_country_in_either_language() {
    let admin = Admin::new().await;
    for (condition, locales) in [
        (json!({"locale": {"regexp": "/^sv_/i"}}), vec!["sv_SE"]),
        (json!({"language": {"regexp": "/^NL$/i"}}), vec!["nl_BE", "nl_NL"]),
        (json!({"country.fr": {"regexp": "/allemagne/i"}}), vec!["de_DE"]),
        (
            json!({"country.en": {"regexp": "/switzerland/i"}}),
            vec!["de_CH", "fr_CH", "it_CH"],
        ),
        (json!({"country.fr": {"regexp": "/switzerland/i"}}), vec![]),
        (
            json!({"country.fr": {"regexp": "/[eèéêëěęÈÉÊËĚĘ]tats/i"}}),
            vec!["en_US"],
        ),
    ] {
        let places = admin.places(&condition).await;
        let mut found: Vec<_> = places.iter().map(|place| place["locale"].as_str().unwrap()).collect();
        assert!(found.is_sorted(), "{condition}");
        found.dedup();
        assert_eq!(found, locales, "{condition}");
    }
    assert_eq!(admin.places(&json!({"locale": {"regexp": "_"}})).await.len(), 50);
}

#[tokio::test]
async fn places_of_one_name_differ_by_their_region() {
    let admin = Admin::new().await;
    for (locale, city, regions) in [
        ("nl_NL", "Bergen", ["Limburg", "North Holland"]),
        ("fr_FR", "Saint-Denis", ["Ile-de-France", "Reunion"]),
        ("en_US", "Kansas City", ["Kansas", "Missouri"]),
    ] {
        let found = admin.places(&json!({"locale": locale, "city": city})).await;
        let mut found: Vec<_> = found.iter().map(|place| place["region"].as_str().unwrap()).collect();
        found.sort_unstable();
        assert_eq!(found, regions);
    }
}

#[tokio::test]
async fn a_place_has_a_locale_and_is_there_once() {
    let admin = Admin::new().await;
    for locale in ["french", "fr_", "fr_FRA", ""] {
        let (status, answer) = admin
            .post("/api/Localizations", &json!({"locale": locale, "city": "Dijon"}))
            .await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{locale}: {answer}");
        assert_eq!(answer["error"]["details"]["codes"], json!({"locale": ["format"]}));
    }
    let place = json!({"locale": "fr_FR", "city": "Saint-Malo", "region": "Brittany"});
    let id = admin.id("/api/Localizations", &place).await;
    let same = json!({"locale": "fr_FR", "city": "saint-malo", "region": "brittany"});
    let (status, answer) = admin.post("/api/Localizations", &same).await;
    assert_eq!(status, StatusCode::CONFLICT, "{answer}");
    for other in [
        json!({"locale": "fr_FR", "city": "Saint-Malo"}),
        json!({"locale": "en_FR", "city": "Saint-Malo", "region": "Brittany"}),
    ] {
        admin.id("/api/Localizations", &other).await;
    }
    let path = format!("/api/Localizations/{id}");
    let (status, _) = admin.sent("PATCH", &path, &json!({"city": "Saint-Malo"})).await;
    assert_eq!(status, StatusCode::OK, "its own name is not taken");
    let (status, _) = admin.sent("PATCH", &path, &json!({"region": null})).await;
    assert_eq!(status, StatusCode::CONFLICT);
}
