//! A picture of the whole page.
//!
//! The browser returns a PNG made for speed, which becomes WebP here: the browser's own WebP costs twice the processor time (132 instead of
//! 60 ms for 3.4 million pixels) and is 3 % smaller.

use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use headless_chrome::protocol::cdp::Page::{
    CaptureScreenshot, CaptureScreenshotFormatOption, GetLayoutMetrics, Viewport,
};
use png::{ColorType, Transformations};
use serde::Deserialize;
use webp::{Encoder, PixelLayout, WebPConfig};

use super::device::DeviceProfile;
use super::failure::CaptureError;
use super::tab::Tab;

/// The longest side that WebP allows.
const LONGEST_SIDE: f64 = 16_383.0;
/// A desktop page of the longest side. What is below that on a wider page is left out; otherwise a page could take all memory.
const MOST_PIXELS: f64 = 1_366.0 * LONGEST_SIDE;
/// Text stays sharp; twice this doubles the bytes.
const QUALITY: f32 = 60.0;
/// The highest of the encoder's seven efforts that is still quick.
const EFFORT: i32 = 2;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metrics {
    css_content_size: Size,
}

#[derive(Deserialize)]
struct Size {
    width: f64,
    height: f64,
}

/// Takes a picture of the whole page as WebP, one pixel per CSS pixel. Width and height are cut at [`LONGEST_SIDE`], and the height further at
/// [`MOST_PIXELS`] in all.
pub(super) async fn screenshot(tab: &Tab, device: &DeviceProfile) -> Result<Vec<u8>, CaptureError> {
    let Metrics { css_content_size: size } = tab.call_for(GetLayoutMetrics(None)).await?;
    let width = size.width.clamp(1.0, LONGEST_SIDE);
    let clip = Viewport {
        x: 0.0,
        y: 0.0,
        width,
        height: size.height.clamp(1.0, LONGEST_SIDE.min(MOST_PIXELS / width)),
        scale: 1.0 / device.scale,
    };
    let captured = tab.call(CaptureScreenshot {
        format: Some(CaptureScreenshotFormatOption::Png),
        quality: None,
        clip: Some(clip),
        from_surface: None,
        capture_beyond_viewport: Some(true),
        optimize_for_speed: Some(true),
    });
    let captured = captured.await?.data;
    let encoded = tokio::task::spawn_blocking(move || webp_of(&captured)).await;
    encoded
        .map_err(|panic| panic.to_string())
        .flatten()
        .map_err(|error| CaptureError::Browser(format!("the picture is none: {error}")))
}

/// Converts a PNG in base64 (RGB or RGBA) to WebP; the error says what is wrong with the PNG.
fn webp_of(base64: &str) -> Result<Vec<u8>, String> {
    let png = STANDARD.decode(base64).map_err(|error| error.to_string())?;
    let mut decoder = png::Decoder::new(Cursor::new(png));
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
    let mut pixels = vec![0; reader.output_buffer_size().ok_or("it is too large")?];
    let frame = reader.next_frame(&mut pixels).map_err(|error| error.to_string())?;
    let layout = match frame.color_type {
        ColorType::Rgb => PixelLayout::Rgb,
        ColorType::Rgba => PixelLayout::Rgba,
        other => return Err(format!("it has {other:?} pixels")),
    };
    let mut config = WebPConfig::new().map_err(|()| "the encoder has no settings")?;
    config.quality = QUALITY;
    config.method = EFFORT;
    let encoded = Encoder::new(&pixels, layout, frame.width, frame.height).encode_advanced(&config);
    Ok(encoded.map_err(|error| format!("{error:?}"))?.to_vec())
}
