//! What the answers about Google are made of.

use chrono::{DateTime, Utc};
use postgres::google::{FoundCustomer, GoogleItem, GoogleKeyword, Remark, RetrievalRow};
use serde::Serialize;
use utoipa::ToSchema;

use crate::lists::TotalsView;

/// The position of a page of a list about Google.
#[derive(Serialize, ToSchema)]
pub(super) struct GoogleMetaView {
    pub(super) page: TotalsView,
}

/// A brand that is linked to a customer of Google Ads.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct GoogleConnectView {
    #[serde(rename = "ID")]
    id: i32,
    /// The customer, in digits.
    #[serde(rename = "customerID")]
    customer_id: String,
    customer_name: Option<String>,
    /// ISO 4217 code of its currency.
    currency: Option<String>,
    /// Time zone of the paid figures.
    time_zone: Option<String>,
    /// The manager that the customer is reached through.
    #[serde(rename = "loginCustomerID")]
    login_customer_id: Option<String>,
    login_customer_name: Option<String>,
    /// Null once the brand was deleted.
    #[serde(rename = "brandID")]
    brand_id: Option<i32>,
    brand_label: Option<String>,
    analytics_domain: Option<String>,
    /// The property of Search Console.
    site_url: Option<String>,
    /// Until when the invitation can be used; null without one.
    expiration: Option<DateTime<Utc>>,
    /// Addresses of what may be used.
    scope: Vec<String>,
    created_date: DateTime<Utc>,
    keywords: KeywordCountsView,
    /// `ok`, `failing` or `revoked`.
    health: String,
    /// What was wrong last.
    last_error: Option<String>,
    /// When figures were last read.
    last_ok: Option<DateTime<Utc>>,
}

/// Keywords of an item.
#[derive(Serialize, ToSchema)]
struct KeywordCountsView {
    /// Those that are mapped.
    activated: i64,
    /// Those and the ones that could be.
    available: i64,
}

impl From<GoogleItem> for GoogleConnectView {
    fn from(item: GoogleItem) -> Self {
        Self {
            id: item.id,
            customer_id: item.customer,
            customer_name: item.customer_name,
            currency: item.currency,
            time_zone: item.time_zone,
            login_customer_id: item.login_customer,
            login_customer_name: item.login_customer_name,
            brand_id: item.brand,
            brand_label: item.brand_label,
            analytics_domain: item.domain,
            site_url: item.site,
            expiration: item.expiration,
            scope: item.scope,
            created_date: item.created,
            keywords: KeywordCountsView {
                activated: item.activated,
                available: item.available,
            },
            health: item.health,
            last_error: item.last_error,
            last_ok: item.last_ok,
        }
    }
}

/// A customer of Google Ads that can be linked.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct GoogleCustomerView {
    /// Its id, in digits.
    #[serde(rename = "ID")]
    id: String,
    name: String,
    /// The grant that it is reached with.
    #[serde(rename = "fromID")]
    from_id: String,
    login_customer: LoginCustomerView,
    currency: Option<String>,
}

/// The manager that a customer is reached through.
#[derive(Serialize, ToSchema)]
struct LoginCustomerView {
    #[serde(rename = "ID")]
    id: String,
    name: String,
}

impl From<FoundCustomer> for GoogleCustomerView {
    fn from(customer: FoundCustomer) -> Self {
        Self {
            id: customer.id,
            name: customer.name,
            from_id: customer.grant.to_string(),
            login_customer: LoginCustomerView {
                id: customer.manager,
                name: customer.manager_name,
            },
            currency: customer.currency,
        }
    }
}

/// A term as a keyword of an item.
#[derive(Serialize, ToSchema)]
pub(super) struct GoogleKeywordView {
    #[serde(rename = "ID")]
    id: i32,
    content: String,
    localization: GoogleKeywordPlaceView,
}

/// The country that a keyword is searched in.
#[derive(Serialize, ToSchema)]
struct GoogleKeywordPlaceView {
    /// Its name in English.
    country: Option<String>,
    #[serde(rename = "ISO2")]
    iso2: String,
}

impl From<GoogleKeyword> for GoogleKeywordView {
    fn from(keyword: GoogleKeyword) -> Self {
        Self {
            id: keyword.id,
            content: keyword.content,
            localization: GoogleKeywordPlaceView {
                country: keyword.country_name,
                iso2: keyword.country,
            },
        }
    }
}

/// What the reader of figures should know.
#[derive(Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum GoogleRemarkView {
    /// Google takes no such words; the first are named.
    Unaskable { words: Vec<String>, others: usize },
    /// Keywords of other countries than the market were left out.
    Elsewhere {
        keywords: usize,
        /// Two letters of the country.
        market: String,
    },
    /// Search Console keeps 16 months.
    Forgotten,
    /// Search Console has no such country.
    UnknownCountry {
        /// Two letters of the country.
        country: String,
    },
}

impl From<Remark> for GoogleRemarkView {
    fn from(remark: Remark) -> Self {
        match remark {
            Remark::Unaskable { words, others } => Self::Unaskable { words, others },
            Remark::Elsewhere { terms, market } => Self::Elsewhere {
                keywords: terms,
                market,
            },
            Remark::Forgotten => Self::Forgotten,
            Remark::UnknownCountry { country } => Self::UnknownCountry { country },
        }
    }
}

/// A question to Google about a month of an item.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct GoogleRetrievalView {
    id: i64,
    /// `SEA` or `SEO`.
    source: String,
    /// The first day, included.
    start_date: chrono::NaiveDate,
    /// The last day, included.
    end_date: chrono::NaiveDate,
    /// How many keywords.
    keywords: i32,
    /// `queued`, `running`, `done`, `failed` or `stopped`.
    state: String,
    /// When it is asked, while it waits.
    run_at: DateTime<Utc>,
    pages: i32,
    /// Rows that were stored.
    rows: i32,
    /// Operations of Google Ads.
    operations: i32,
    /// Google's id of the last request.
    request_id: Option<String>,
    /// What the reader should know of its figures.
    remarks: Vec<GoogleRemarkView>,
    /// What was wrong, or why it waits, in Google's words.
    note: Option<String>,
    requested_at: DateTime<Utc>,
    ended_at: Option<DateTime<Utc>>,
}

impl From<RetrievalRow> for GoogleRetrievalView {
    fn from(row: RetrievalRow) -> Self {
        Self {
            id: row.id,
            source: row.source,
            start_date: row.first_day,
            end_date: row.last_day,
            keywords: row.terms,
            state: row.state,
            run_at: row.run_at,
            pages: row.pages,
            rows: row.rows_read,
            operations: row.operations,
            request_id: row.request_id,
            remarks: row.remarks.0.into_iter().map(GoogleRemarkView::from).collect(),
            note: row.note,
            requested_at: row.requested_at,
            ended_at: row.ended_at,
        }
    }
}
