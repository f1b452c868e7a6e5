//! Of which captures a picture of the whole page is taken.
//!
//! A picture costs more processor time than the rest of a capture, so it is decided on once the page was read, while it still stands in
//! its tab.

use std::time::Duration;

use capture::browsing::OpenPage;
use capture::{ObservedAd, ReadPage};
use coordination::{Coordination, RecentlySeen};
use runtime::settings::Screenshots;
use sha2::{Digest as _, Sha256};
use vocabulary::{AdKind, Device, Engine, Locale, Verdict};

/// An ad seen within this is no new one.
const NEWS: Duration = Duration::from_hours(24);

/// Where a page was captured: part of what makes its ads what they are.
#[derive(Clone, Debug)]
pub struct PageOrigin {
    pub engine: Engine,
    pub device: Device,
    pub locale: Locale,
}

/// Decides on pictures, and remembers which ads there is one of.
#[derive(Clone)]
pub struct Pictures {
    wanted: Screenshots,
    seen: RecentlySeen,
}

impl Pictures {
    pub fn new(coordination: &Coordination, wanted: Screenshots) -> Self {
        Self {
            wanted,
            seen: RecentlySeen::new(coordination, "creative", NEWS),
        }
    }

    /// Takes the picture of a page that was read, if one is wanted of it. The page is let go of as soon as that is known.
    pub async fn crop(&self, held: OpenPage, place: &PageOrigin, read: &ReadPage) -> Option<Vec<u8>> {
        if !self.are_wanted(place, read).await {
            return None;
        }
        match held.screenshot().await {
            Ok(picture) => Some(picture),
            Err(error) => {
                tracing::warn!(engine = %place.engine, %error, "a page is kept without its picture");
                None
            }
        }
    }

    async fn are_wanted(&self, place: &PageOrigin, read: &ReadPage) -> bool {
        match self.wanted {
            Screenshots::Always => true,
            Screenshots::Never => false,
            Screenshots::New => read.judged() != Verdict::Results || !self.seen.all(&identities(place, read)).await,
        }
    }

    /// Whether a page that is no answer is to have a picture.
    pub fn of_failures(&self) -> bool {
        self.wanted != Screenshots::Never
    }

    /// Notes that the ads of a page are kept, with a picture now or lately.
    pub async fn note(&self, place: &PageOrigin, read: &ReadPage) {
        self.seen.note(&identities(place, read)).await;
    }
}

fn identities(place: &PageOrigin, read: &ReadPage) -> Vec<String> {
    read.ads.iter().map(|ad| identity(place, ad)).collect()
}

/// The identity of an ad (decision D76), as one short text.
fn identity(place: &PageOrigin, ad: &ObservedAd) -> String {
    let (engine, device, kind) = (place.engine.to_string(), place.device.to_string(), ad.kind.to_string());
    let shown = |text: &Option<String>| text.clone().unwrap_or_default();
    let of_product = |text: &Option<String>| {
        if ad.kind == AdKind::Shopping {
            shown(text)
        } else {
            String::new()
        }
    };
    let mut hash = Sha256::new();
    for part in [
        ad.domain.as_ref().map(ToString::to_string).unwrap_or_default(),
        kind,
        engine,
        device,
        place.locale.to_string(),
        ad.title.clone(),
        shown(&ad.description),
        shown(&ad.display_url),
        of_product(&ad.image),
        of_product(&ad.price),
    ] {
        hash.update(part);
        hash.update([0]);
    }
    hex::encode(&hash.finalize()[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = r#"<div id="tads"><div data-text-ad="1"><a data-rw="/aclk?adurl=https://shop.example/" href="https://shop.example/">
        <div role="heading">Shoes</div></a><span role="text">shop.example</span></div></div><div id="search"><p>results</p></div>"#;

    fn place(device: Device) -> PageOrigin {
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
        assert_eq!((read.ads.len(), read.judged()), (1, Verdict::Results));
        assert!(pictures.are_wanted(&place(Device::Desktop), &read).await);
        pictures.note(&place(Device::Desktop), &read).await;
        assert!(!pictures.are_wanted(&place(Device::Desktop), &read).await);
        assert!(pictures.are_wanted(&place(Device::Mobile), &read).await);
        let other = capture::read(&PAGE.replace(">Shoes<", ">Boots<"), Engine::Google);
        assert!(pictures.are_wanted(&place(Device::Desktop), &other).await);
    }

    #[tokio::test]
    async fn a_doubtful_page_and_one_that_is_no_answer_always_get_one() {
        let pictures = Pictures::new(&Coordination::alone(), Screenshots::New);
        let stray = format!("{PAGE}<p><a href='https://www.google.com/aclk?sa=l&ai=1'>Shop</a></p>");
        let doubtful = capture::read(&stray, Engine::Google);
        assert_eq!(doubtful.judged(), Verdict::Doubtful);
        let captcha = capture::read("<form id=captcha-form></form>", Engine::Google);
        for read in [doubtful, captcha] {
            pictures.note(&place(Device::Desktop), &read).await;
            assert!(pictures.are_wanted(&place(Device::Desktop), &read).await);
        }
    }

    #[tokio::test]
    async fn the_setting_has_the_last_word() {
        let read = capture::read(PAGE, Engine::Google);
        for (setting, wanted) in [(Screenshots::Always, true), (Screenshots::Never, false)] {
            let pictures = Pictures::new(&Coordination::alone(), setting);
            pictures.note(&place(Device::Desktop), &read).await;
            assert_eq!(pictures.are_wanted(&place(Device::Desktop), &read).await, wanted);
        }
    }
}
