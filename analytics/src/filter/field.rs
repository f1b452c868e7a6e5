//! The fields of the results that conditions are about.

use strum::{Display, EnumMessage, EnumString, VariantArray};

/// A field of the results that can be asked about. Its names are those of the API (requirement DOM-042), whose document describes each by its
/// comment here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Display, EnumMessage, EnumString, VariantArray)]
#[strum(serialize_all = "camelCase")]
pub enum Field {
    /// When the ad was seen.
    Date,
    /// The brand of the term at that time.
    #[strum(to_string = "brandID", serialize = "brandId")]
    Brand,
    /// The id of the term that was searched.
    #[strum(to_string = "termId")]
    Term,
    /// Country of the search, two letters.
    Country,
    /// Language of the search, as in `fr`.
    Language,
    /// The targeted place of the term.
    Region,
    /// The search engine.
    Engine,
    /// The kind of device.
    Device,
    /// Text or shopping ads.
    Type,
    /// What the words of the term are about.
    KeywordType,
    /// The advertiser's host.
    Domain,
    /// The words of the term.
    KeywordContent,
    /// Headline of the ad.
    AdTitle,
    /// Text of the ad.
    AdDescription,
    /// Rank among the ads of its type.
    Position,
}

/// How values of a field are read and compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nature {
    Instant,
    Number,
    Id,
    Word,
    Text,
}

impl Field {
    /// What the values of the field are, which decides how they are read from texts and compared: instants, numbers, ids, words or free texts.
    pub(crate) const fn nature(self) -> Nature {
        match self {
            Self::Date => Nature::Instant,
            Self::Position => Nature::Number,
            Self::Brand | Self::Term => Nature::Id,
            Self::Country
            | Self::Language
            | Self::Region
            | Self::Engine
            | Self::Device
            | Self::Type
            | Self::KeywordType => Nature::Word,
            Self::Domain | Self::KeywordContent | Self::AdTitle | Self::AdDescription => Nature::Text,
        }
    }

    /// Whether the values of the field are ordered, so that [`Operator::Between`](super::Operator::Between) takes a range of them.
    pub const fn is_ordered(self) -> bool {
        matches!(self.nature(), Nature::Instant | Nature::Number)
    }

    /// Whether the field is about what was searched, rather than about the ads that were found.
    pub(crate) const fn is_of_capture(self) -> bool {
        match self {
            Self::Date
            | Self::Brand
            | Self::Term
            | Self::Country
            | Self::Language
            | Self::Region
            | Self::Engine
            | Self::Device
            | Self::KeywordType
            | Self::KeywordContent => true,
            Self::Type | Self::Domain | Self::AdTitle | Self::AdDescription | Self::Position => false,
        }
    }

    /// The column of `ad_results` that has the field.
    pub(crate) const fn column(self) -> &'static str {
        match self {
            Self::Date => "seen_at",
            Self::Brand => "brand_id",
            Self::Term => "term_id",
            Self::Country => "country",
            Self::Language => "language",
            Self::Region => "region",
            Self::Engine => "engine",
            Self::Device => "device",
            Self::Type => "kind",
            Self::KeywordType => "keyword_type",
            Self::Domain => "domain",
            Self::KeywordContent => "keyword",
            Self::AdTitle => "title",
            Self::AdDescription => "description",
            Self::Position => "position",
        }
    }
}
