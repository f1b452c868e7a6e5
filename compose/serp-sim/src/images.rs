//! Pictures of products and sites, drawn from their names.

use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::IntoResponse;

use crate::draw::Subject;

/// `GET /images/{kind}/{name}`: a picture of two colours that follow from the name.
pub(crate) async fn image(Path((kind, name)): Path<(String, String)>) -> impl IntoResponse {
    let side = if kind == "favicon" { 32 } else { 240 };
    let mut draw = Subject::of_seed(0).with(kind).with(name).draw();
    let (ground, figure, radius) = (
        draw.number(0, 359),
        draw.number(0, 359),
        draw.number(side / 6, side / 3),
    );
    let middle = side / 2;
    let picture = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{side}" height="{side}"><rect width="{side}" height="{side}" fill="hsl({ground},40%,90%)"/><circle cx="{middle}" cy="{middle}" r="{radius}" fill="hsl({figure},60%,45%)"/></svg>"#
    );
    (
        [
            (CONTENT_TYPE, "image/svg+xml"),
            (CACHE_CONTROL, "public, max-age=86400"),
        ],
        picture,
    )
}
