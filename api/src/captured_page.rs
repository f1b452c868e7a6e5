//! Files of captured pages as they may be sent to a browser: what is on them belongs to others and may be hostile.

use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};

/// Measured with pictures, styles, fonts, frames, prefetches, posters, forms and refreshes of a hostile page: nothing leaves the browser and
/// nothing runs, in our frame and when the address is opened directly.
const PAGE_POLICY: &str = "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; form-action 'none'; \
    base-uri 'none'; frame-ancestors 'self'";
/// Opened by itself, a picture is a document too.
const PICTURE_POLICY: &str = "sandbox; default-src 'none'; img-src 'self'; frame-ancestors 'self'";

/// Nobody else's page may use a file, no address goes out with it, and no search engine lists it. The content is fixed, but is deleted when
/// its time is over, so a browser keeps it for an hour only.
const FILE_HEADERS: [(HeaderName, HeaderValue); 4] = [
    (header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=3600")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    (
        HeaderName::from_static("x-robots-tag"),
        HeaderValue::from_static("noindex"),
    ),
];

/// A response with the viewing copy of a page, in which scripts cannot run and nothing is loaded; with `ad`, the ad `#ad-N` of that number is
/// outlined.
pub fn html(mut copy: Vec<u8>, ad: Option<u16>) -> Response {
    if let Some(ad) = ad {
        // After the document, where nothing of it can swallow or precede the rule; browsers read it as the end of the body.
        copy.extend_from_slice(outline(ad).as_bytes());
    }
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("text/html; charset=utf-8"),
        ),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(PAGE_POLICY)),
    ];
    (headers, FILE_HEADERS, copy).into_response()
}

/// A response with the picture of a page, WebP.
pub fn picture(bytes: Vec<u8>) -> Response {
    image("image/webp", bytes)
}

/// A response with a picture of the media type `kind`, which must be a format that holds nothing but pixels.
pub fn image(kind: &'static str, bytes: Vec<u8>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static(PICTURE_POLICY),
        ),
    ];
    (headers, FILE_HEADERS, bytes).into_response()
}

/// A style element that outlines the ad with this number. The line is drawn inside the ad, because a carousel cuts off what lies around it.
fn outline(ad: u16) -> String {
    format!(
        "<style>#ad-{ad}{{outline:3px solid #d6006c!important;outline-offset:-3px!important;\
         box-shadow:inset 0 0 0 9px rgb(214 0 108/18%)!important;scroll-margin:30vh!important}}</style>"
    )
}
