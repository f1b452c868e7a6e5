//! Pictures of whole pages.
//!
//! A picture costs more processor time than the rest of a capture, so whether to take one is decided once the page is read, while it is
//! still open in its tab.

use std::time::Duration;

use capture::browsing::OpenPage;
use capture::{ObservedAd, ReadPage};
use coordination::{Coordination, RecentlySeen};
use runtime::settings::Screenshots;
use sha2::{Digest as _, Sha256};
use vocabulary::{AdKind, Device, Engine, Locale, Verdict};

/// An ad seen within this time is not new.
const NEWS: Duration = Duration::from_hours(24);

/// The engine, device and place for which a page was captured; part of the identity of its ads.
#[derive(Clone, Debug)]
pub struct PageOrigin {
    pub engine: Engine,
    pub device: Device,
    pub locale: Locale,
}

/// Decides on pictures, and remembers the ads that have one.
#[derive(Clone)]
pub struct Pictures {
    setting: Screenshots,
    seen: RecentlySeen,
}

impl Pictures {
    pub fn new(coordination: &Coordination, setting: Screenshots) -> Self {
        Self {
            setting,
            seen: RecentlySeen::new(coordination, "creative", NEWS),
        }
    }

    /// Takes the picture of a page that was read; the tab is closed in any case. `None` if the setting wants none for this page, or if taking it
    /// fails, which is logged.
    pub async fn take(&self, tab: OpenPage, origin: &PageOrigin, read: &ReadPage) -> Option<Vec<u8>> {
        if !self.is_wanted(origin, read).await {
            return None;
        }
        match tab.screenshot().await {
            Ok(picture) => Some(picture),
            Err(error) => {
                tracing::warn!(engine = %origin.engine, %error, "a page is kept without its picture");
                None
            }
        }
    }

    /// Whether to take a picture. With [`Screenshots::New`], unless it is a page with results whose ads all have one from within [`NEWS`]; a page
    /// with results and no ads gets none.
    async fn is_wanted(&self, origin: &PageOrigin, read: &ReadPage) -> bool {
        match self.setting {
            Screenshots::Always => true,
            Screenshots::Never => false,
            Screenshots::New => {
                read.verdict_to_store() != Verdict::Results || !self.seen.has_all(&identities(origin, read)).await
            }
        }
    }

    /// Whether pages of failed attempts get a picture.
    pub fn includes_failures(&self) -> bool {
        self.setting != Screenshots::Never
    }

    /// Notes that every ad of a page counts as pictured for [`NEWS`] from now on, whether or not a picture was taken.
    pub async fn note(&self, origin: &PageOrigin, read: &ReadPage) {
        self.seen.note(&identities(origin, read)).await;
    }
}

/// The identities of all ads of a page, in its order.
fn identities(origin: &PageOrigin, read: &ReadPage) -> Vec<String> {
    read.ads.iter().map(|ad| identity(origin, ad)).collect()
}

/// The identity of an ad (decision D76) as 32 hexadecimal digits: a hash of where it was shown and of what it shows. Picture and price count only for
/// shopping ads.
fn identity(origin: &PageOrigin, ad: &ObservedAd) -> String {
    let (engine, device, kind) = (
        origin.engine.to_string(),
        origin.device.to_string(),
        ad.kind.to_string(),
    );
    let shown = |text: &Option<String>| text.clone().unwrap_or_default();
    let of_product = |text: &Option<String>| {
        if ad.kind == AdKind::Shopping {
            shown(text)
        } else {
            String::new()
        }
    };
    let mut hash = Sha256::new();
    for field in [
        ad.domain.as_ref().map(ToString::to_string).unwrap_or_default(),
        kind,
        engine,
        device,
        origin.locale.to_string(),
        ad.title.clone(),
        shown(&ad.description),
        shown(&ad.display_url),
        of_product(&ad.image),
        of_product(&ad.price),
    ] {
        hash.update(field);
        hash.update([0]);
    }
    hex::encode(&hash.finalize()[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = r#"<div id="tads"><div data-text-ad="1"><a data-rw="/aclk?adurl=https://shop.example/" href="https://shop.example/">
        <div role="heading">Shoes</div></a><span role="text">shop.example</span></div></div><div id="search"><p>results</p></div>"#;

    fn origin(device: Device) -> PageOrigin {
        PageOrigin {
            engine: Engine::Google,
            device,
            locale: "fr_FR".parse().unwrap(),
        }
    }

    #[tokio::test]
    async fn a_page_whose_ads_were_all_seen_lately_needs_no_picture() {
        let pictures = Pictures::new(&Coordination::alone(), Screenshots::New);
        let read = capture::read(PAGE, Engine::Google);
        assert_eq!((read.ads.len(), read.verdict_to_store()), (1, Verdict::Results));
        assert!(pictures.is_wanted(&origin(Device::Desktop), &read).await);
        pictures.note(&origin(Device::Desktop), &read).await;
        assert!(!pictures.is_wanted(&origin(Device::Desktop), &read).await);
        assert!(pictures.is_wanted(&origin(Device::Mobile), &read).await);
        let other = capture::read(&PAGE.replace(">Shoes<", ">Boots<"), Engine::Google);
        assert!(pictures.is_wanted(&origin(Device::Desktop), &other).await);
    }

    #[tokio::test]
    async fn a_doubtful_page_and_one_that_is_no_answer_always_get_one() {
        let pictures = Pictures::new(&Coordination::alone(), Screenshots::New);
        let stray = format!("{PAGE}<p><a href='https://www.google.com/aclk?sa=l&ai=1'>Shop</a></p>");
        let doubtful = capture::read(&stray, Engine::Google);
        assert_eq!(doubtful.verdict_to_store(), Verdict::Doubtful);
        let captcha = capture::read("<form id=captcha-form></form>", Engine::Google);
        for read in [doubtful, captcha] {
            pictures.note(&origin(Device::Desktop), &read).await;
            assert!(pictures.is_wanted(&origin(Device::Desktop), &read).await);
        }
    }

    #[tokio::test]
    async fn the_setting_has_the_last_word() {
        let read = capture::read(PAGE, Engine::Google);
        for (setting, expected) in [(Screenshots::Always, true), (Screenshots::Never, false)] {
            let pictures = Pictures::new(&Coordination::alone(), setting);
            pictures.note(&origin(Device::Desktop), &read).await;
            assert_eq!(pictures.is_wanted(&origin(Device::Desktop), &read).await, expected);
        }
    }
}
