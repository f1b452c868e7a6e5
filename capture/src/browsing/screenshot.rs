//! A picture of the whole page.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use headless_chrome::protocol::cdp::Page::{
    CaptureScreenshot, CaptureScreenshotFormatOption, GetLayoutMetrics, Viewport,
};
use serde::Deserialize;

use super::device::DeviceProfile;
use super::failure::CaptureError;
use super::tab::Tab;

/// WebP knows no longer side.
const LONGEST_SIDE: f64 = 16_383.0;
/// Text stays sharp; twice that doubles the bytes.
const QUALITY: u32 = 60;

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

/// The whole page as WebP, one pixel a CSS pixel.
pub(super) async fn screenshot(tab: &Tab, device: &DeviceProfile) -> Result<Vec<u8>, CaptureError> {
    let Metrics { css_content_size: size } = tab.call_for(GetLayoutMetrics(None)).await?;
    let clip = Viewport {
        x: 0.0,
        y: 0.0,
        width: size.width.clamp(1.0, LONGEST_SIDE),
        height: size.height.clamp(1.0, LONGEST_SIDE),
        scale: 1.0 / device.scale,
    };
    let taken = tab.call(CaptureScreenshot {
        format: Some(CaptureScreenshotFormatOption::Webp),
        quality: Some(QUALITY),
        clip: Some(clip),
        from_surface: None,
        capture_beyond_viewport: Some(true),
        optimize_for_speed: Some(true),
    });
    STANDARD
        .decode(taken.await?.data)
        .map_err(|error| CaptureError::Browser(format!("the picture is none: {error}")))
}
