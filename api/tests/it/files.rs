//! Pictures of users, and attachments.

use std::io::Cursor;

use axum::body::Body;
use axum::http::{StatusCode, header};
use image::{ImageFormat, RgbImage};
use serde_json::json;

use crate::app::{App, TestResponse, settings};

const AVATAR: &str = "/api/Files/upload";
const ATTACHMENT: &str = "/api/Files/upload?use=attachment";

async fn upload(app: &App, path: &str, token: &str, name: &str, content: &[u8]) -> TestResponse {
    let mut body = format!(
        "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: image/png\r\n\r\n"
    )
    .into_bytes();
    body.extend_from_slice(content);
    body.extend_from_slice(b"\r\n--x--\r\n");
    let headers = [("token", token), ("content-type", "multipart/form-data; boundary=x")];
    app.send("POST", path, Body::from(body), &headers).await
}

async fn read(app: &App, token: &str, id: &str) -> TestResponse {
    app.get(&format!("/api/Files/{id}/get"), &[("token", token)]).await
}

fn picture(format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let drawn = RgbImage::from_fn(320, 200, |x, y| {
        image::Rgb([x, y, 90].map(|shade| u8::try_from(shade.min(255)).unwrap_or_default()))
    });
    drawn.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// An API with users of two companies, and their tokens.
async fn two() -> (App, String, String) {
    let app = App::start().await;
    app.company_user("acme").await;
    app.company_user("bolt").await;
    let one = app.login("user@acme.example").await;
    let other = app.login("user@bolt.example").await;
    (app, one, other)
}

#[tokio::test]
async fn any_picture_becomes_a_jpeg_of_80_by_80_that_all_who_sign_in_may_see() {
    let (app, one, other) = two().await;
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP, ImageFormat::Gif] {
        let mut sent = picture(format);
        sent.extend_from_slice(b"<script>alert(1)</script>");
        let kept = upload(&app, AVATAR, &one, "me.png", &sent).await;
        assert_eq!(kept.status, StatusCode::OK, "{format:?}: {}", kept.body);
        assert_eq!(kept.body["mimeType"], "image/jpeg");
        let id = kept.body["id"].as_str().unwrap();
        let got = read(&app, &other, id).await;
        assert_eq!(got.status, StatusCode::OK);
        assert_eq!(got.headers[header::CONTENT_TYPE], "image/jpeg");
        assert_eq!(got.headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
        let disposition = got.headers[header::CONTENT_DISPOSITION].to_str().unwrap();
        assert!(
            disposition.starts_with("inline") && disposition.contains(id),
            "{disposition}"
        );
        let shown = image::load_from_memory_with_format(&got.bytes, ImageFormat::Jpeg).unwrap();
        assert_eq!((shown.width(), shown.height()), (80, 80));
        assert!(!got.bytes.windows(8).any(|bytes| bytes == b"<script>"));
    }
    let nobody = app
        .get("/api/Files/00000000-0000-0000-0000-000000000000/get", &[])
        .await;
    assert_eq!(nobody.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn what_is_no_picture_is_not_taken_for_one() {
    let (app, one, _) = two().await;
    for content in [
        &b"<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"alert(1)\"/>"[..],
        b"hello",
        b"GIF89a",
    ] {
        let refused = upload(&app, AVATAR, &one, "me.png", content).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(
            refused.body["error"]["details"]["messages"]["file"],
            json!(["This is not an image."])
        );
    }
    let kept: i64 = app.postgres.fetch("select count(*) from file").await;
    assert_eq!(kept, 0);
}

#[tokio::test]
async fn files_over_the_limits_are_refused() {
    let (app, one, _) = two().await;
    let mut image = picture(ImageFormat::Png);
    image.resize((5 << 20) + 1, 0);
    assert_eq!(
        upload(&app, AVATAR, &one, "me.png", &image).await.status,
        StatusCode::PAYLOAD_TOO_LARGE
    );
    for size in [(10 << 20) + 1, 11 << 20] {
        let refused = upload(&app, ATTACHMENT, &one, "a.bin", &vec![1; size]).await;
        assert_eq!(refused.status, StatusCode::PAYLOAD_TOO_LARGE, "{size}");
    }
    assert_eq!(
        upload(&app, ATTACHMENT, &one, "a.bin", &vec![1; 10 << 20]).await.status,
        StatusCode::OK
    );
}

#[tokio::test]
async fn an_attachment_is_its_owners_and_never_shown_as_a_page() {
    let (app, one, other) = two().await;
    app.admin().await;
    let admin = app.login("admin@vigie.example").await;
    let kept = upload(
        &app,
        ATTACHMENT,
        &one,
        "../été \u{202e}.html",
        b"<script>alert(1)</script>",
    )
    .await;
    let id = kept.body["id"].as_str().unwrap();
    assert_eq!(read(&app, &other, id).await.status, StatusCode::NOT_FOUND);
    for token in [&one, &admin] {
        let got = read(&app, token, id).await;
        assert_eq!(got.headers[header::CONTENT_TYPE], "application/octet-stream");
        assert_eq!(
            got.headers[header::CONTENT_SECURITY_POLICY],
            "default-src 'none'; sandbox"
        );
        let disposition = got.headers[header::CONTENT_DISPOSITION].to_str().unwrap();
        assert!(
            disposition.starts_with("attachment; filename*=UTF-8''%C3%A9t%C3%A9"),
            "{disposition}"
        );
        assert_eq!(got.bytes, b"<script>alert(1)</script>");
    }
}

#[tokio::test]
async fn a_picture_is_ones_own_unless_an_administrator_chooses_it() {
    let (app, one, other) = two().await;
    app.admin().await;
    let admin = app.login("admin@vigie.example").await;
    let avatar = upload(&app, AVATAR, &one, "me.png", &picture(ImageFormat::Png)).await;
    let attachment = upload(&app, ATTACHMENT, &one, "me.png", &picture(ImageFormat::Png)).await;
    let (avatar, attachment) = (avatar.body["id"].clone(), attachment.body["id"].clone());
    let path = "/api/UserAccounts/me";
    let bulk = "/api/UserAccounts/update?where=%7B%22email%22:%22user@bolt.example%22%7D";
    for (method, path, token, id, allowed) in [
        ("PATCH", path, &other, &avatar, false),
        ("POST", bulk, &other, &avatar, false),
        ("PATCH", path, &one, &attachment, false),
        ("PATCH", path, &admin, &attachment, false),
        ("PATCH", path, &one, &avatar, true),
        ("PATCH", path, &admin, &avatar, true),
    ] {
        let headers = [("token", token.as_str()), ("content-type", "application/json")];
        let (status, answer) = app
            .text(method, path, &json!({"avatarId": id}).to_string(), &headers)
            .await;
        let expected = if allowed {
            StatusCode::OK
        } else {
            StatusCode::UNPROCESSABLE_ENTITY
        };
        assert_eq!(status, expected, "{answer}");
    }
    let shown = app.get(&format!("{path}/avatar"), &[("token", &one)]).await;
    assert_eq!(
        shown.body,
        json!({"id": avatar, "name": format!("{}.jpg", avatar.as_str().unwrap()), "mimeType": "image/jpeg"})
    );
}

#[tokio::test]
async fn a_form_without_a_file_is_told_so() {
    let (app, one, _) = two().await;
    let refused = app.post(AVATAR, &json!({}), &[("token", &one)]).await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    let refused = upload(&app, "/api/Files/upload?use=page", &one, "a.png", b"x").await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_user_and_a_company_hold_only_so_many_bytes() {
    let mut app = App::start().await;
    app.company_user("acme").await;
    app.company_user("bolt").await;
    let mut small = settings();
    small.api.upload_megabytes_per_user = 1;
    small.api.upload_megabytes_per_company = 1;
    app.set(small);
    let (one, other) = (
        app.login("user@acme.example").await,
        app.login("user@bolt.example").await,
    );
    let content = vec![7_u8; 400 << 10];
    // Side by side, too: none of them sees the room that another one takes.
    let uploads = (0..8).map(|_| upload(&app, ATTACHMENT, &one, "a.bin", &content));
    let statuses: Vec<StatusCode> = futures::future::join_all(uploads)
        .await
        .iter()
        .map(|kept| kept.status)
        .collect();
    let kept = statuses.iter().filter(|status| **status == StatusCode::OK).count();
    assert_eq!(kept, 2, "{statuses:?}");
    assert!(
        statuses
            .iter()
            .all(|status| [StatusCode::OK, StatusCode::CONFLICT].contains(status))
    );
    let refused = upload(&app, ATTACHMENT, &one, "a.bin", &content).await;
    assert_eq!(refused.body["error"]["code"], "UPLOAD_QUOTA");
    assert_eq!(
        upload(&app, ATTACHMENT, &other, "a.bin", &content).await.status,
        StatusCode::OK
    );
}
