//! What kind of ad, and where on the page.

use serde::{Deserialize, Serialize};

/// Text or shopping ad. Its outside name (`ads`, `shopping`) is the seeds'.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::VariantArray,
)]
#[strum(ascii_case_insensitive)]
pub enum AdKind {
    /// A text ad.
    #[serde(rename = "ads")]
    #[strum(serialize = "ads")]
    Text,
    /// A product of a shopping unit.
    #[serde(rename = "shopping")]
    #[strum(serialize = "shopping")]
    Shopping,
}

/// The part of a result page that shows an ad. (The word `region` is kept for a term's targeted place.)
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Block {
    /// Above the organic results.
    Top,
    /// Between organic results.
    Middle,
    /// Below the organic results.
    Bottom,
    /// In the side column.
    Right,
}
