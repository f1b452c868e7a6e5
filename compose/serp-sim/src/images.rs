//! Pictures of products and sites, with the format and size of real ones.

use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::IntoResponse;

use crate::draw::DrawKey;

/// Pictures of products, chosen by name.
const PRODUCTS: [&[u8]; 6] = [
    include_bytes!("../pictures/product-0.webp"),
    include_bytes!("../pictures/product-1.webp"),
    include_bytes!("../pictures/product-2.webp"),
    include_bytes!("../pictures/product-3.webp"),
    include_bytes!("../pictures/product-4.webp"),
    include_bytes!("../pictures/product-5.webp"),
];
/// Icons of sites, chosen by name.
const FAVICONS: [&[u8]; 3] = [
    include_bytes!("../pictures/favicon-0.png"),
    include_bytes!("../pictures/favicon-1.png"),
    include_bytes!("../pictures/favicon-2.png"),
];

/// `GET /images/{kind}/{name}`: the picture for a name, always the same.
pub(crate) async fn image(Path((kind, name)): Path<(String, String)>) -> impl IntoResponse {
    let (format, picture) = picture(&kind, &name);
    (
        [(CONTENT_TYPE, format), (CACHE_CONTROL, "public, max-age=86400")],
        picture,
    )
}

/// Returns the media type and the content of the picture for a name, always the same. Any `kind` other than `favicon` is a product.
pub(crate) fn picture(kind: &str, name: &str) -> (&'static str, &'static [u8]) {
    let (pictures, format): (&[&'static [u8]], _) = if kind == "favicon" {
        (&FAVICONS, "image/png")
    } else {
        (&PRODUCTS, "image/webp")
    };
    let chosen = DrawKey::of_seed(0)
        .with(kind)
        .with(name)
        .draw()
        .number(0, pictures.len() - 1);
    (format, pictures[chosen])
}
