//! What rows are called where they are named and not shown.

use serde_json::Value as Json;
use vocabulary::resources::Model;
use vocabulary::resources::models::LOCALIZATION;

/// What a row is called: its label, name, domain or words; a localization by its city and locale.
pub(super) fn called(model: &Model, row: &Json) -> String {
    let text = |name: &str| row.get(name).and_then(Json::as_str).filter(|text| !text.is_empty());
    if model.name == LOCALIZATION.name {
        let parts: Vec<&str> = ["city", "locale"].into_iter().filter_map(text).collect();
        return parts.join(" · ");
    }
    let called = ["label", "name", "domain", "term"].into_iter().find_map(text);
    called.unwrap_or_default().to_owned()
}
