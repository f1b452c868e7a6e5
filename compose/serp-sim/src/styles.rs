//! The style sheet of the result pages. Most of its rules match nothing, as on the real pages, which share one sheet among all of an
//! engine's pages.

use std::fmt::Write;
use std::sync::LazyLock;

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::IntoResponse;

/// Number of rules; makes the sheet about 70 kB.
const RULES: usize = 700;

static SHEET: LazyLock<String> = LazyLock::new(|| {
    let mut sheet = String::from("h3,h2,cite,a{overflow-wrap:break-word}img{max-width:100%}\n");
    for rule in 0..RULES {
        let (hue, size) = (rule * 37 % 360, rule % 24);
        // Writing to a String cannot fail.
        let _ = writeln!(
            sheet,
            ".zz{rule} .yy{rule}>a:not(.xx{rule}),.ww{rule}:hover{{color:hsl({hue},60%,40%);padding:{size}px;border-radius:{size}px}}"
        );
    }
    sheet
});

/// `GET /styles/{engine}.css`: the sheet, the same for both engines and for any name.
pub(crate) async fn sheet() -> impl IntoResponse {
    (
        [
            (CONTENT_TYPE, "text/css; charset=utf-8"),
            (CACHE_CONTROL, "public, max-age=86400"),
        ],
        text(),
    )
}

/// The text of the style sheet.
pub(crate) fn text() -> &'static str {
    &SHEET
}
