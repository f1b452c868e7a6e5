//! Replacing rows of captures by others, so that every query sees either the old ones or the new ones.
//!
//! The month is copied to a staging table (its parts are linked, not rewritten), changed there, and put in place of the original in one
//! step. Rows inserted into the month meanwhile would be lost, so the caller keeps inserts away.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use clickhouse::Row;
use serde::Deserialize;
use uuid::Uuid;

use super::{AdRow, MOST_ROWS, SECONDS_OF_DAY, creatives, insert_block};
use crate::statement::{Statement, Value};
use crate::{Client, Error, roll_up};

pub(super) const STAGING_TABLE: &str = "ad_results_beside";

/// The rows that are removed from one month, and those that are stored instead.
#[derive(Clone, Debug, Default)]
pub struct Replacement {
    /// The captures whose rows are removed, by batch.
    pub outgoing: BTreeMap<u64, Vec<Uuid>>,
    /// The rows that replace them: each batch under a number never used before, its rows numbered in order from 0.
    pub incoming: Vec<AdRow>,
    /// The days of the outgoing rows, as seconds since 1970.
    pub seen_at: Vec<u32>,
}

/// Replaces rows of the month that begins with `month` and opens the roll-ups of their days. An interrupted call has changed nothing or everything;
/// [`super::end_inserts_and_count`] of an incoming batch shows which. The caller keeps everything else from storing rows meanwhile.
pub async fn replace(client: &Client, month: NaiveDate, replacement: &Replacement) -> Result<(), Error> {
    creatives::insert(client, &replacement.incoming).await?;
    let staging = StagingMonth::copy(client, month).await?;
    for (batch, captures) in &replacement.outgoing {
        let delete = Statement::new(include_str!("../../../sql/clickhouse/queries/staging_delete.sql"))
            .with("batch", Value::Unsigned(*batch))
            .with(
                "captures",
                Value::Texts(captures.iter().map(ToString::to_string).collect()),
            );
        client.change(delete).await?;
    }
    for rows in replacement.incoming.chunks(MOST_ROWS) {
        insert_block(client, STAGING_TABLE, None, rows).await?;
    }

    let incoming = replacement.incoming.iter().map(|row| row.seen_at);
    let times = replacement.seen_at.iter().copied().chain(incoming);
    let days = times.map(|time| time / SECONDS_OF_DAY).collect();
    staging.swap(&days).await
}

/// Creates an empty staging table with the columns of `ad_results`, on a cluster with a Distributed one above it. One that an interrupted run left is
/// dropped first.
pub(super) async fn create_staging(client: &Client) -> Result<(), Error> {
    drop_staging(client).await?;
    client
        .change(Statement::new(include_str!(
            "../../../sql/clickhouse/queries/staging_create.sql"
        )))
        .await?;
    if client.layout().is_cluster() {
        client
            .change(Statement::new(include_str!(
                "../../../sql/clickhouse/queries/staging_create_above.sql"
            )))
            .await?;
    }
    Ok(())
}

/// Puts a month of the staging table in place of the original in one step, and drops the staging table. `days`, numbered since 1970, are those whose
/// results it changes; their roll-ups are opened.
pub(super) async fn put_in_place(client: &Client, month: NaiveDate, days: &BTreeSet<u32>) -> Result<(), Error> {
    // Before the change, since no roll-up may hold what the results do not, and after it, for a day that was rolled up meanwhile.
    roll_up::open_each(client, days).await?;
    let swap = Statement::new(include_str!("../../../sql/clickhouse/queries/staging_swap.sql"))
        .fill("with_nothing", empty_month_setting(client).await?);
    client.change(of_month(swap, month)).await?;
    roll_up::open_each(client, days).await?;
    drop_staging(client).await
}

/// The setting, as SQL, that allows an empty month to replace a full one. Empty for older versions of the store, which always allow it and do not
/// know the setting.
async fn empty_month_setting(client: &Client) -> Result<&'static str, Error> {
    let knows = Statement::new(include_str!("../../../sql/clickhouse/queries/knows_setting.sql")).with(
        "name",
        Value::Text("allow_replace_partition_from_empty_source".to_owned()),
    );
    let settings: u64 = client.fetch_one(knows).await?;
    Ok(if settings > 0 {
        ", allow_replace_partition_from_empty_source = 1"
    } else {
        ""
    })
}

/// Sets the parameter `month` to the name of its partition, as in `202611`.
fn of_month(statement: Statement, month: NaiveDate) -> Statement {
    statement.with("month", Value::Text(month.format("%Y%m").to_string()))
}

/// A month in the staging table, to be changed there.
pub(super) struct StagingMonth<'a> {
    client: &'a Client,
    month: NaiveDate,
}

impl<'a> StagingMonth<'a> {
    /// Links the parts of the month that begins with `month` into a new staging table.
    pub(super) async fn copy(client: &'a Client, month: NaiveDate) -> Result<Self, Error> {
        create_staging(client).await?;
        let copy = Statement::new(include_str!("../../../sql/clickhouse/queries/staging_attach.sql"));
        client.change(of_month(copy, month)).await?;
        Ok(Self { client, month })
    }

    /// Puts the month in place of the original in one step. `days`, numbered since 1970, are those that were changed.
    pub(super) async fn swap(self, days: &BTreeSet<u32>) -> Result<(), Error> {
        put_in_place(self.client, self.month, days).await
    }
}

/// Drops the staging table, if there is one, on a cluster with the Distributed one above it.
pub(super) async fn drop_staging(client: &Client) -> Result<(), Error> {
    if client.layout().is_cluster() {
        client
            .change(Statement::new(include_str!(
                "../../../sql/clickhouse/queries/staging_drop_above.sql"
            )))
            .await?;
    }
    client
        .change(Statement::new(include_str!(
            "../../../sql/clickhouse/queries/staging_drop.sql"
        )))
        .await
}

/// What is stored of an ad, as far as a reading can change it.
#[derive(Clone, Debug, PartialEq, Eq, Row, Deserialize)]
pub struct StoredAd {
    /// When its page was received, in seconds since 1970.
    pub seen_at: u32,
    /// As [`vocabulary::AdKind`] displays.
    pub kind: String,
    /// Rank among the ads of its kind.
    pub position: u16,
    /// Rank over the page.
    pub real_position: u16,
    /// The number of its mark in the viewing copy.
    pub mark: u16,
    /// As [`vocabulary::Block`] displays.
    pub block: String,
    /// The advertiser's host.
    pub domain: String,
    /// Whether it was learnt from other ads of the merchant instead of read off the page.
    pub domain_learnt: bool,
    /// The ad's headline.
    pub title: String,
    /// The ad's text below the headline.
    pub description: String,
    /// The address shown.
    pub display_url: String,
    /// The landing page.
    pub target_url: String,
    /// Address of the product's picture.
    pub image: String,
    /// As displayed, with its currency.
    pub price: String,
    /// The merchant as displayed.
    pub merchant: String,
    /// The comparison service.
    pub comparator_name: String,
}

impl From<&AdRow> for StoredAd {
    /// Copies the fields that [`StoredAd`] has; all others, such as term, registrable domain and addresses of clicks, are left out.
    fn from(row: &AdRow) -> Self {
        Self {
            seen_at: row.seen_at,
            kind: row.kind.clone(),
            position: row.position,
            real_position: row.real_position,
            mark: row.mark,
            block: row.block.clone(),
            domain: row.domain.clone(),
            domain_learnt: row.domain_learnt,
            title: row.title.clone(),
            description: row.description.clone(),
            display_url: row.display_url.clone(),
            target_url: row.target_url.clone(),
            image: row.image.clone(),
            price: row.price.clone(),
            merchant: row.merchant.clone(),
            comparator_name: row.comparator_name.clone(),
        }
    }
}

/// The stored ads of a capture in a batch, ordered by their real position.
pub async fn stored_ads(client: &Client, batch: u64, capture: Uuid) -> Result<Vec<StoredAd>, Error> {
    let statement = Statement::new(include_str!("../../../sql/clickhouse/queries/stored_ads.sql"))
        .with("batch", Value::Unsigned(batch))
        .with("capture", Value::Text(capture.to_string()));
    client.fetch_all(statement).await
}
