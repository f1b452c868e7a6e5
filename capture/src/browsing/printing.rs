//! Prints a page of our own as PDF. The page says itself, on an element with `data-print`, when it is complete.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use headless_chrome::protocol::cdp::Emulation::{SetDeviceMetricsOverride, SetEmulatedMedia, SetTimezoneOverride};
use headless_chrome::protocol::cdp::Network::{Headers, SetExtraHTTPHeaders};
use headless_chrome::protocol::cdp::Page::PrintToPDF;
use serde::Deserialize;
use thiserror::Error;
use tokio::time::sleep;
use url::Url;

use super::browser::Browser;
use super::failure::CaptureError;
use super::loading::{evaluate, navigate, settle, wait};
use super::settings::Limits;
use super::tab::Tab;
use super::watch::PageState;
use super::wire::WireError;

/// A4 and its margin on every side, in the pixels of style sheets.
const PAPER: (u32, u32) = (794, 1_123);
const MARGIN: u32 = 38;
const PIXELS_AN_INCH: f64 = 96.0;
/// The screen that the page is laid out on before it is printed, so that charts keep their size: what fits between the margins at [`SCALE`].
const SCREEN: (u32, u32) = (1_024, 1_493);
const SCALE: f64 = 718.0 / 1_024.0;
/// What a page says of itself: `ready`, `failed`, or anything else as long as it is not complete.
const PROGRESS: &str = "document.querySelector('[data-print]')?.getAttribute('data-print') ?? ''";
/// The interval between two looks at it.
const LOOKS_EVERY: Duration = Duration::from_millis(100);

/// A page of our own.
#[derive(Clone, Debug)]
pub struct PageToPrint {
    /// Its address. The page and all that it loads are of this host; others do not exist for it.
    pub address: Url,
    /// Goes with each of its requests in the header `Authorization`.
    pub token: String,
    /// The time zone that its days are in, as in `Europe/Paris`.
    pub time_zone: String,
}

/// Why a page was not printed.
#[derive(Debug, Error)]
pub enum PrintError {
    /// It could not be loaded or printed in time.
    #[error(transparent)]
    Page(#[from] CaptureError),
    /// It says that a part of it is missing.
    #[error("the page says that a part of it could not be loaded")]
    Incomplete,
}

impl PrintError {
    /// From the start of the browser to the PDF.
    pub const LIMIT: Duration = Duration::from_secs(45);
}

impl From<WireError> for PrintError {
    /// Any failure of the connection to the browser is one of the page.
    fn from(error: WireError) -> Self {
        Self::Page(error.into())
    }
}

/// What the browser returns.
#[derive(Deserialize)]
struct Printed {
    /// The PDF in base64.
    data: String,
}

/// Prints a page in a new tab once it says that it is complete; enforces no deadline.
pub(super) async fn print(browser: &Browser, page: &PageToPrint, limits: &Limits) -> Result<Vec<u8>, PrintError> {
    let tab = browser.tab(None).await?;
    tokio::try_join!(
        tab.call(SetExtraHTTPHeaders {
            headers: Headers(Some(serde_json::json!({ "Authorization": page.token }))),
        }),
        tab.call(SetTimezoneOverride {
            timezone_id: page.time_zone.clone(),
        }),
        tab.call(SetEmulatedMedia {
            media: Some("print".to_owned()),
            features: None,
        }),
        tab.call(paper_as_screen()),
    )?;
    navigate(&tab, &page.address, limits).await?;
    wait(&tab, limits, PageState::is_loaded).await?;
    complete(&tab).await?;
    // What the last answer made the page load.
    settle(&tab, limits).await?;
    complete(&tab).await?;
    let Printed { data } = tab.call_for(print_call()).await?;
    let pdf = STANDARD.decode(data);
    Ok(pdf.map_err(|error| CaptureError::Browser(format!("the PDF is none: {error}")))?)
}

/// Waits until the page says that it is complete.
async fn complete(tab: &Tab) -> Result<(), PrintError> {
    loop {
        match evaluate::<String>(tab, PROGRESS.to_owned()).await?.as_deref() {
            Some("ready") => return Ok(()),
            Some("failed") => return Err(PrintError::Incomplete),
            _ => sleep(LOOKS_EVERY).await,
        }
    }
}

/// Builds the call that lays the page out for the paper.
fn paper_as_screen() -> SetDeviceMetricsOverride {
    SetDeviceMetricsOverride {
        width: SCREEN.0,
        height: SCREEN.1,
        device_scale_factor: 1.0,
        mobile: false,
        scale: None,
        screen_width: None,
        screen_height: None,
        position_x: None,
        position_y: None,
        dont_set_visible_size: None,
        screen_orientation: None,
        viewport: None,
        display_feature: None,
        device_posture: None,
    }
}

/// Builds the call that prints the page on A4, upright, with its colours.
fn print_call() -> PrintToPDF {
    PrintToPDF {
        landscape: None,
        display_header_footer: None,
        print_background: Some(true),
        scale: Some(SCALE),
        paper_width: Some(inches(PAPER.0)),
        paper_height: Some(inches(PAPER.1)),
        margin_top: Some(inches(MARGIN)),
        margin_bottom: Some(inches(MARGIN)),
        margin_left: Some(inches(MARGIN)),
        margin_right: Some(inches(MARGIN)),
        page_ranges: None,
        header_template: None,
        footer_template: None,
        prefer_css_page_size: None,
        transfer_mode: None,
        generate_tagged_pdf: Some(true),
        generate_document_outline: Some(true),
    }
}

fn inches(pixels: u32) -> f64 {
    f64::from(pixels) / PIXELS_AN_INCH
}
