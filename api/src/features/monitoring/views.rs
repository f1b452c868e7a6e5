//! What this slice answers.

use analytics::filter::Comparison;
use analytics::reports::ads::{Ad, AdCount};
use analytics::reports::domains::DomainRow;
use analytics::reports::figures::Day;
use analytics::reports::stats::{DailyTerms, DailyViews};
use analytics::reports::terms::TermRow;
use postgres::brands::Brand;
use postgres::categories::{Category, StandingTag};
use postgres::localizations::Localization;
use postgres::runs::CaptureRun;
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::AdKind;

use crate::lists::{LinksView, TagView, TotalsView};

/// A list of choices or records without paging.
#[derive(Serialize, ToSchema)]
pub(super) struct DataView<T> {
    pub(super) data: Vec<T>,
}

/// How often a tag is used.
#[derive(Serialize, ToSchema)]
pub(super) struct TagUsesView {
    /// Id of the tag.
    pub(super) id: i32,
    /// Advertisers or terms that have it.
    pub(super) uses: i64,
}

/// A page of domains.
#[derive(Serialize, ToSchema)]
pub(super) struct DomainsView {
    pub(super) data: Vec<DomainView>,
    pub(super) meta: ListMetaView,
    pub(super) links: LinksView,
}

/// One advertiser's domain over the filtered ads.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct DomainView {
    /// The domain: it names the row.
    id: String,
    domain: String,
    /// Countries of two letters, ascending.
    countries: Vec<String>,
    /// Ads seen, each capture counted.
    nb_views: u64,
    /// Distinct ads, however often each was seen.
    nb_ads: u64,
    /// Mean rank, 4 decimals.
    average_position: f64,
    /// Percentage of all views under the same filters, 2 decimals, at least 0.01.
    visibility: f64,
    /// The tags of the domain and of its registrable domain that the reader sees.
    categories: Vec<TagView>,
}

impl DomainView {
    pub(super) fn new(row: DomainRow, tags: Vec<StandingTag>) -> Self {
        Self {
            id: row.domain.clone(),
            domain: row.domain,
            countries: row.countries,
            nb_views: row.nb_views,
            nb_ads: row.nb_ads,
            average_position: row.average_position,
            visibility: row.visibility,
            categories: tags.into_iter().map(TagView::from).collect(),
        }
    }
}

/// A page of terms.
#[derive(Serialize, ToSchema)]
pub(super) struct TermsView {
    pub(super) data: Vec<TermView>,
    pub(super) meta: ListMetaView,
    pub(super) links: LinksView,
}

/// One term over the filtered ads.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TermView {
    /// The term as a text: it names the row.
    id: String,
    term_id: i32,
    /// The words it searches for.
    content: String,
    /// What its brand is called; null where it has none that the reader sees.
    brand: Option<String>,
    /// `language_COUNTRY`; null where the place is gone.
    locale: Option<String>,
    /// `google` or `bing`.
    engine: String,
    /// City it is searched from.
    localization: Option<String>,
    /// The targeted place.
    region: Option<String>,
    /// Distinct domains but the brand's own.
    nb_competitors: u64,
    /// Distinct ads, however often each was seen.
    nb_ads: u64,
    /// Ads seen, each capture counted.
    nb_views: u64,
    /// The tags of the term that the reader sees.
    categories: Vec<TagView>,
}

impl TermView {
    pub(super) fn new(
        row: TermRow,
        brand: Option<String>,
        localization: Option<&Localization>,
        tags: Vec<Category>,
    ) -> Self {
        Self {
            id: row.id.to_string(),
            term_id: row.id.0,
            content: row.content,
            brand,
            locale: localization.and_then(|localization| localization.locale.clone()),
            engine: row.engine,
            localization: localization.and_then(|localization| localization.city.clone()),
            region: Some(row.region).filter(|region| !region.is_empty()),
            nb_competitors: row.nb_competitors,
            nb_ads: row.nb_ads,
            nb_views: row.nb_views,
            categories: tags.into_iter().map(TagView::from).collect(),
        }
    }
}

/// Totals of the whole filtered set (decision D71).
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListMetaView {
    pub(super) page: TotalsView,
}

/// One distinct ad under the filters.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AdvertisementView {
    /// The name of the latest capture that shows it.
    result_id: String,
    /// Whether the page of that capture is kept, so that it can be shown.
    page_kept: bool,
    domain: String,
    /// `ads` or `shopping`.
    #[serde(rename = "type")]
    kind: String,
    engine: String,
    device: String,
    /// ISO 3166 code of two letters.
    country: String,
    language: String,
    title: String,
    description: String,
    display_url: String,
    target_url: String,
    /// Addresses the engine counts clicks with: following one costs the advertiser money.
    aclk_urls: Vec<String>,
    image: String,
    /// As written on the page.
    price: String,
    comparator_name: String,
    comparator_url: String,
    /// Words of the terms that show it, most viewed first.
    keywords: Vec<String>,
    views: u64,
    /// Mean rank over the page; of text ads only.
    #[serde(skip_serializing_if = "Option::is_none")]
    real_position_avg: Option<f64>,
    /// Mean rank among the shopping ads; of shopping ads only.
    #[serde(skip_serializing_if = "Option::is_none")]
    position_avg: Option<f64>,
    advertisement_first_seen: String,
    advertisement_last_seen: String,
}

impl AdvertisementView {
    /// An ad as answered; `page_kept` is whether the page of its capture is kept. Its position goes by the kind of the ad.
    pub(super) fn new(ad: Ad, page_kept: bool) -> Self {
        let is_text = ad.kind == AdKind::Text.to_string();
        let instant = |at: chrono::DateTime<chrono::Utc>| at.to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
        Self {
            result_id: ad.capture,
            page_kept,
            domain: ad.domain,
            engine: ad.engine,
            device: ad.device,
            country: ad.country,
            language: ad.language,
            title: ad.title,
            description: ad.description,
            display_url: ad.display_url,
            target_url: ad.target_url,
            aclk_urls: ad.aclk_urls,
            image: ad.image,
            price: ad.price,
            comparator_name: ad.comparator_name,
            comparator_url: ad.comparator_url,
            keywords: ad.keywords,
            views: ad.views,
            real_position_avg: is_text.then_some(ad.position),
            position_avg: (!is_text).then_some(ad.position),
            advertisement_first_seen: instant(ad.first_seen),
            advertisement_last_seen: instant(ad.last_seen),
            kind: ad.kind,
        }
    }
}

/// Distinct ads under the filters, however many are shown.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AdvertisementCountView {
    count_advertisement: u64,
    count_shopping: u64,
    /// Whether the real positions of the text ads mix ranks over the whole page with older ones, which counted ads alone.
    real_positions_mixed: bool,
    /// All of them as a file; it is followed with a ticket of `POST /exportTickets`.
    #[serde(rename = "exportCSV")]
    export_csv: String,
}

impl AdvertisementCountView {
    pub(super) fn new(count: AdCount, real_positions_mixed: bool, export_csv: String) -> Self {
        Self {
            count_advertisement: count.text_ads,
            count_shopping: count.shopping_ads,
            real_positions_mixed,
            export_csv,
        }
    }
}

/// Figures beside the rows of a page.
#[derive(Serialize, ToSchema)]
pub(super) struct FiguresView {
    /// In the order of the rows that were asked for.
    pub(super) data: Vec<FiguresOfRowView>,
    pub(super) meta: FiguresMetaView,
}

/// The same of everything under the filters.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct FiguresMetaView {
    /// Views of the time before; null where the filters name no period, or nothing of it is over.
    pub(super) previous_total_views: Option<u64>,
    /// What is compared with what; null likewise.
    pub(super) compared: Option<ComparisonView>,
}

/// As much of a period as is over, and the time that it is compared with. Both ends are included.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ComparisonView {
    start: String,
    end: String,
    previous_start: String,
    previous_end: String,
    /// The day that is not over yet, `YYYY-MM-DD` in the time zone asked for; null where the period is over.
    unfinished_day: Option<String>,
}

impl From<Comparison> for ComparisonView {
    fn from(compared: Comparison) -> Self {
        let instant = |at: chrono::DateTime<chrono::Utc>| at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
        Self {
            start: instant(compared.from),
            end: instant(compared.until),
            previous_start: instant(compared.earlier_from),
            previous_end: instant(compared.earlier_until),
            unfinished_day: compared.unfinished_day.map(|day| day.to_string()),
        }
    }
}

/// Figures beside one row.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct FiguresOfRowView {
    id: String,
    /// Days with views, ascending.
    days: Vec<ViewsOfDayView>,
    /// Views of the time before; null where the filters name no period, or nothing of it is over.
    previous_views: Option<u64>,
    /// Captures that show it.
    captures_with: u64,
    /// Valid captures: those that could have shown it.
    captures: u64,
}

/// Views of one day.
#[derive(Serialize, ToSchema)]
pub(super) struct ViewsOfDayView {
    /// `YYYY-MM-DD` in the time zone asked for.
    date: String,
    views: u64,
}

impl FiguresOfRowView {
    /// The figures of a row: `(with, all)` are the captures that show it and the valid captures that could have.
    pub(super) fn new(id: String, days: &[Day], previous_views: Option<u64>, (with, all): (u64, u64)) -> Self {
        let day = |day: &Day| ViewsOfDayView {
            date: day.day.to_string(),
            views: day.views,
        };
        Self {
            id,
            days: days.iter().map(day).collect(),
            previous_views,
            captures_with: with,
            captures: all,
        }
    }
}

/// One hour of every week.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct HourOfWeekView {
    /// 1 for Monday to 7 for Sunday.
    weekday: u8,
    /// 0 to 23.
    hour: u8,
    pub(super) views: u64,
    /// Distinct ads, however often each was seen.
    pub(super) ads: u64,
    /// Captures that show one of them.
    pub(super) captures_with: u64,
    /// Valid captures: those that could have shown one.
    pub(super) captures: u64,
}

impl HourOfWeekView {
    /// An hour of the week, given as weekday and hour, without any figures yet.
    pub(super) const fn at((weekday, hour): (u8, u8)) -> Self {
        Self {
            weekday,
            hour,
            views: 0,
            ads: 0,
            captures_with: 0,
            captures: 0,
        }
    }
}

/// A brand of the reader.
#[derive(Serialize, ToSchema)]
pub(super) struct BrandView {
    id: i32,
    label: String,
    /// Unique name in lower case.
    name: String,
    /// Whether its ads lead to actions.
    validated: bool,
}

impl From<Brand> for BrandView {
    fn from(brand: Brand) -> Self {
        Self {
            id: brand.id.0,
            label: brand.label.unwrap_or_default(),
            name: brand.name.unwrap_or_default(),
            validated: brand.validated,
        }
    }
}

/// The brand that lists begin with.
#[derive(Serialize, ToSchema)]
pub(super) struct DefaultBrandView {
    // In place: another slice has a brand of its own.
    #[schema(inline)]
    pub(super) data: Option<BrandView>,
}

/// Words of a term.
#[derive(Serialize, ToSchema)]
pub(super) struct KeywordView {
    pub(super) content: String,
}

/// A domain that was seen.
#[derive(Serialize, ToSchema)]
pub(super) struct SeenDomainView {
    pub(super) domain: String,
}

/// The stored record of a domain's registrable domain.
#[derive(Serialize, ToSchema)]
pub(super) struct KnownDealerView {
    pub(super) id: i32,
    /// As it was asked for.
    pub(super) domain: String,
}

/// A targeted place.
#[derive(Serialize, ToSchema)]
pub(super) struct RegionView {
    pub(super) name: String,
}

/// Views per day and totals of a period.
#[derive(Serialize, ToSchema)]
pub(super) struct StatsView {
    /// Days with views, ascending.
    pub(super) data: Vec<DayView>,
    pub(super) meta: StatsMetaView,
}

/// Views of one day.
#[derive(Serialize, ToSchema)]
pub(super) struct DayView {
    /// The day, `YYYY-MM-DD` in the time zone asked for.
    date: String,
    views: u64,
    /// Views of text ads.
    ads: u64,
    /// Views of shopping ads.
    shopping: u64,
}

impl From<&DailyViews> for DayView {
    fn from(day: &DailyViews) -> Self {
        Self {
            date: day.local_day.to_string(),
            views: day.text_ads + day.shopping_ads,
            ads: day.text_ads,
            shopping: day.shopping_ads,
        }
    }
}

/// Totals of a period.
#[derive(Serialize, ToSchema)]
pub(super) struct StatsMetaView {
    #[serde(rename = "totalViews")]
    pub(super) views: u64,
    /// Distinct ads, however often each was seen.
    #[serde(rename = "totalAds")]
    pub(super) ads: u64,
    #[serde(rename = "totalDomains")]
    pub(super) domains: u64,
    /// What the period is compared with: `previous=true` asks for the figures of that time. Null where nothing of it is over.
    pub(super) compared: Option<ComparisonView>,
}

/// Terms with ads per day and totals of a period.
#[derive(Serialize, ToSchema)]
pub(super) struct KeywordStatsView {
    /// Days with ads, ascending.
    pub(super) data: Vec<KeywordDayView>,
    pub(super) meta: KeywordStatsMetaView,
}

/// Terms of one day.
#[derive(Serialize, ToSchema)]
pub(super) struct KeywordDayView {
    /// The day, `YYYY-MM-DD` in the time zone asked for.
    date: String,
    /// Terms on which an ad was seen.
    keywords: u64,
    /// Views on them.
    views: u64,
}

impl From<&DailyTerms> for KeywordDayView {
    fn from(day: &DailyTerms) -> Self {
        Self {
            date: day.local_day.to_string(),
            keywords: day.terms,
            views: day.views,
        }
    }
}

/// Totals of a period.
#[derive(Serialize, ToSchema)]
pub(super) struct KeywordStatsMetaView {
    #[serde(rename = "totalViews")]
    pub(super) views: u64,
    /// Terms on which an ad was seen.
    #[serde(rename = "totalKeywords")]
    pub(super) keywords: u64,
    /// As for the views.
    pub(super) compared: Option<ComparisonView>,
}

/// One run of a term on a device.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CaptureView {
    #[serde(rename = "requestID")]
    request_id: String,
    term: String,
    engine: String,
    device: String,
    /// Language and country, as in `fr_FR`.
    locale: Option<String>,
    /// `queued`, `capturing`, `captured`, `storing`, `verified`, `failed` or `missed`.
    state: String,
    /// Why it failed or was missed.
    reason: Option<String>,
    /// Text ads on the page; absent while no page was read, which is not 'no ads'.
    ads: Option<u32>,
    /// Shopping ads on the page, likewise.
    shopping: Option<u32>,
    /// When its page was received, or when it was due while none was.
    created_date: String,
}

impl From<CaptureRun> for CaptureView {
    fn from(run: CaptureRun) -> Self {
        Self {
            request_id: run.capture.to_string(),
            term: run.term,
            engine: run.engine.to_string(),
            device: run.device.to_string(),
            locale: run.locale,
            state: run.state.to_string(),
            reason: run.reason,
            ads: run.ads.map(|(text, _)| text),
            shopping: run.ads.map(|(_, shopping)| shopping),
            created_date: run
                .taken_at
                .unwrap_or(run.slot_time)
                .to_rfc3339_opts(chrono::SecondsFormat::Millis, true),
        }
    }
}
