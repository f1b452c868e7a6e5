//! The layouts the engines have used over the years.

use std::fmt;
use std::str::FromStr;

use crate::device::Device;
use crate::draw::DrawKey;
use crate::engine::Engine;

/// A layout of result pages. Named by the engine and the first year of the pages it follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Generation {
    /// Tables, text ads in the right column, organic links behind `/url?q=`. Desktop and tablet only.
    Google2013,
    /// `li.ads-ad`, `li.ads-fr` on telephones, shopping units above the ads.
    Google2019,
    /// `div.uEierd`, `data-text-ad`, a label before each address; shopping units above or at the right.
    Google2021,
    /// `data-dtld` addresses under the title, 'Sponsored' above each ad.
    Google2023,
    /// One 'Sponsored results' heading a block, bottom ads inside `#rso`.
    Google2025,
    /// `li.b_ad` without a position in its class, shopping and text ads in the right column.
    Bing2019,
    /// `b_adTop`, `b_adMiddle`, `b_adBottom`, shopping carousel above the ads.
    Bing2022,
}

/// Every generation, oldest first in each engine.
pub const GENERATIONS: [Generation; 7] = [
    Generation::Google2013,
    Generation::Google2019,
    Generation::Google2021,
    Generation::Google2023,
    Generation::Google2025,
    Generation::Bing2019,
    Generation::Bing2022,
];

/// The part of a layout that holds its shopping ads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShoppingBlock {
    Nowhere,
    Top,
    Right,
}

impl Generation {
    /// The engine that used the layout.
    pub const fn engine(self) -> Engine {
        match self {
            Self::Bing2019 | Self::Bing2022 => Engine::Bing,
            _ => Engine::Google,
        }
    }

    /// Returns the name in addresses, which is also that of its templates.
    const fn name(self) -> &'static str {
        match self {
            Self::Google2013 => "google-2013",
            Self::Google2019 => "google-2019",
            Self::Google2021 => "google-2021",
            Self::Google2023 => "google-2023",
            Self::Google2025 => "google-2025",
            Self::Bing2019 => "bing-2019",
            Self::Bing2022 => "bing-2022",
        }
    }

    /// Returns the layout of a search: the requested one where engine and device have it, else one drawn by `key` among those, mostly a recent one.
    pub(crate) fn of_search(requested: Option<Self>, engine: Engine, device: Device, key: DrawKey) -> Self {
        let is_available = |generation: &Self| {
            generation.engine() == engine && (*generation != Self::Google2013 || device != Device::Mobile)
        };
        requested.filter(is_available).unwrap_or_else(|| {
            let share = key.with("generation").draw().number(0, 99);
            match (engine, share) {
                (Engine::Google, 0..10) if device == Device::Desktop => Self::Google2013,
                (Engine::Google, 0..20) => Self::Google2019,
                (Engine::Google, 20..35) => Self::Google2021,
                (Engine::Google, 35..55) => Self::Google2023,
                (Engine::Google, _) => Self::Google2025,
                (Engine::Bing, 0..35) => Self::Bing2019,
                (Engine::Bing, _) => Self::Bing2022,
            }
        })
    }

    /// The file name of the template; telephones have their own.
    pub(crate) fn template(self, device: Device) -> String {
        let layout = if device == Device::Mobile { "-mobile" } else { "" };
        format!("{}{layout}.html", self.name())
    }

    /// Whether the layout has text ads in the right column.
    pub(crate) fn has_right_text_ads(self, device: Device) -> bool {
        device == Device::Desktop && matches!(self, Self::Google2013 | Self::Bing2019)
    }

    /// Returns where the layout shows shopping ads on a device, or that it shows none; where that varies from page to page, `key` draws it.
    pub(crate) fn shopping_block(self, device: Device, key: DrawKey) -> ShoppingBlock {
        match (self, device) {
            (Self::Google2013, _) => ShoppingBlock::Nowhere,
            (Self::Bing2019, Device::Desktop) => ShoppingBlock::Right,
            (Self::Google2021 | Self::Google2023, Device::Desktop) if key.with("column").draw().happens(30) => {
                ShoppingBlock::Right
            }
            _ => ShoppingBlock::Top,
        }
    }

    /// Returns whether an ad's own link is the advertiser's address, with the engine's redirect in an attribute.
    pub(crate) const fn links_straight(self) -> bool {
        matches!(
            self,
            Self::Google2019 | Self::Google2021 | Self::Google2023 | Self::Google2025
        )
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name is not that of a generation.
#[derive(Debug, thiserror::Error)]
#[error("'{0}' is no generation of pages; known are google-2013, -2019, -2021, -2023, -2025, bing-2019 and bing-2022")]
pub struct UnknownGenerationError(String);

impl FromStr for Generation {
    type Err = UnknownGenerationError;
    fn from_str(name: &str) -> Result<Self, UnknownGenerationError> {
        GENERATIONS
            .into_iter()
            .find(|generation| generation.name() == name)
            .ok_or_else(|| UnknownGenerationError(name.into()))
    }
}
