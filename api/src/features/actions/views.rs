//! The bodies of responses about actions.

use std::collections::BTreeMap;

use chrono::{DateTime, SecondsFormat, Utc};
use postgres::actions::list::ActionRow;
use postgres::categories::DomainTag;
use serde::Serialize;
use serde_json::Value;
use texts::text;
use utoipa::ToSchema;
use vocabulary::{ActionStatus, Language, Role};

use super::events;
use crate::list_file::Cell;
use crate::lists::{LinksView, TagView, TotalsView, partner_cell, tags_cell};

/// A page of actions.
#[derive(Serialize, ToSchema)]
pub(super) struct ActionsView {
    pub(super) data: Vec<AdvertiserView>,
    pub(super) meta: ActionsMetaView,
    pub(super) links: LinksView,
}

/// Totals of the whole filtered set.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ActionsMetaView {
    /// Its totals are null while the store of ads is away.
    pub(super) page: TotalsView,
    /// Actions by status, as far as the reader's role counts them, whatever statuses are asked for.
    pub(super) sub_total: BTreeMap<String, u64>,
}

/// The action or actions after a change; one where one was named.
#[derive(Serialize, ToSchema)]
pub(super) struct ChangedView {
    pub(super) data: OneOrMany,
}

/// One action, or a list of them.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub(super) enum OneOrMany {
    One(Box<AdvertiserView>),
    Many(Vec<AdvertiserView>),
}

/// A call that the server offers.
#[derive(Serialize, ToSchema)]
pub(super) struct LinkView {
    method: &'static str,
    href: String,
}

/// The advertiser of an action.
#[derive(Serialize, ToSchema)]
pub(super) struct DealerView {
    id: i32,
    domain: String,
    /// The tags that the reader sees.
    categories: Vec<TagView>,
}

/// A status that an action had.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes what the store makes")]
pub(super) struct HistoryView {
    #[schema(rename = "ID")]
    id: i32,
    status: String,
    /// When it began.
    date: String,
    /// Earlier dates that one entry stands for.
    #[schema(rename = "previousDate")]
    previous_date: Vec<String>,
}

/// The case of one domain against one brand, country and engine.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AdvertiserView {
    #[serde(rename = "ID")]
    number: i32,
    id: i32,
    brand_id: Option<i32>,
    /// What its brand is called; null where the brand is gone.
    brand: Option<String>,
    domain: Option<String>,
    /// Its registrable domain.
    master: Option<String>,
    /// `google` or `bing`.
    engine: Option<String>,
    country: Option<String>,
    countries: Vec<String>,
    status: String,
    /// When it was seen first.
    created_date: Option<String>,
    /// When it was seen last.
    last_view: Option<String>,
    last_status_date: Option<String>,
    updated_date: Option<String>,
    ignored_date: Option<String>,
    accepted_date: Option<String>,
    refused_date: Option<String>,
    requested_date: Option<String>,
    inprogress_date: Option<String>,
    reminded_date: Option<String>,
    blocked_date: Option<String>,
    reappearance_date: Option<String>,
    disappeared_date: Option<String>,
    /// Whether the advertiser has to answer our last message.
    waiting: bool,
    /// Mails of the advertiser, over all cycles.
    received_count: i32,
    /// Mails to the advertiser, likewise.
    sended_count: i32,
    /// Reminders among those.
    reminded_count: i32,
    /// Received mails that nobody has read.
    unread_count: i32,
    /// Its statuses with their dates, the oldest first.
    #[schema(value_type = Vec<HistoryView>)]
    history: Value,
    /// Views of the last 30 days, as of last night.
    priority: Option<f64>,
    /// Views under the filters; null while the store of ads is away.
    nb_views: Option<u64>,
    /// Distinct ads under the filters, likewise.
    nb_ads: Option<u64>,
    dealer: Option<DealerView>,
    /// The tags of the domain and of its dealer that the reader sees.
    categories: Vec<TagView>,
    /// `partner` or `reseller` where the domain is an authorised one of the brand.
    partner: Option<String>,
    /// The term it was seen on last.
    term_rel: Option<i32>,
    /// `originalStatus` is `new` or `reappearance`.
    #[schema(value_type = Option<Object>)]
    metas: Value,
    /// `ads` and `shopping`: whether such ads are live; `daysSeen30`: on how many of the last 30 days any was seen.
    #[schema(value_type = Option<Object>)]
    presence: Value,
    /// What the reader may do with it, by name.
    links: BTreeMap<&'static str, LinkView>,
}

/// The name of a status on screens, in this language; an unknown status as it is.
fn status_in(language: Language, status: &str) -> String {
    let name = status
        .parse::<ActionStatus>()
        .map(|known| text(language, &format!("advertisers:status.{known}")).to_owned());
    name.unwrap_or_else(|_| status.to_owned())
}

impl AdvertiserView {
    /// The answer for an action: `figures` are its views and distinct ads (in this order), and the links are the events that these roles may cause
    /// and that a call exists for. `tags` are shown both for it and for its dealer.
    pub(super) fn new(
        row: ActionRow,
        tags: &[DomainTag],
        figures: Option<(u64, u64)>,
        partner: Option<String>,
        roles: &[Role],
    ) -> Self {
        let categories = || tags.iter().cloned().map(TagView::from).collect();
        let number = row.id.0;
        let offered = row.status.offers(roles).flat_map(|(event, names)| {
            let href = events::path_of(event).map(|path| format!("/api/actions/{path}?actionID={number}"));
            names.iter().filter_map(move |name| Some((*name, href.clone()?)))
        });
        Self {
            number,
            id: number,
            brand_id: row.brand.map(|brand| brand.0),
            brand: row.brand_label,
            master: row.advertiser.as_ref().map(|(_, domain)| domain.clone()),
            domain: row.domain,
            engine: row.engine,
            countries: row.country.iter().cloned().collect(),
            country: row.country,
            status: row.status.to_string(),
            created_date: date(row.created),
            last_view: date(row.last_view),
            last_status_date: date(row.last_status),
            updated_date: date(row.updated),
            ignored_date: date(row.ignored),
            accepted_date: date(row.accepted),
            refused_date: date(row.refused),
            requested_date: date(row.requested),
            inprogress_date: date(row.inprogress),
            reminded_date: date(row.reminded),
            blocked_date: date(row.blocked),
            reappearance_date: date(row.reappearance),
            disappeared_date: date(row.disappeared),
            waiting: row.waiting,
            received_count: row.mails.received,
            sended_count: row.mails.sent,
            reminded_count: row.mails.reminders,
            unread_count: row.mails.unread,
            history: row.history,
            priority: row.priority,
            nb_views: figures.map(|(views, _)| views),
            nb_ads: figures.map(|(_, ads)| ads),
            dealer: row.advertiser.map(|(id, domain)| DealerView {
                id: id.0,
                domain,
                categories: categories(),
            }),
            categories: categories(),
            partner,
            term_rel: row.last_term.map(|term| term.0),
            metas: row.metas.unwrap_or_default(),
            presence: row.presence.unwrap_or_default(),
            links: offered
                .map(|(name, href)| (name, LinkView { method: "POST", href }))
                .collect(),
        }
    }
}

impl AdvertiserView {
    /// The cells of a file's row: engine, domain, master domain, brand, first view, country, update, last view, status (in `language`), its date,
    /// ads, views, tags; empty for what is missing.
    pub(super) fn cells(self, language: Language) -> Vec<Cell> {
        let text = |text: Option<String>| Cell::Text(text.unwrap_or_default());
        let date = |date: Option<String>| Cell::Time(date.unwrap_or_default());
        let number = |number: Option<u64>| number.map_or(Cell::Number(String::new()), |number| Cell::number(&number));
        vec![
            text(self.engine),
            text(self.domain),
            text(self.master),
            text(self.brand),
            date(self.created_date),
            text(self.country),
            date(self.updated_date),
            date(self.last_view),
            Cell::Text(status_in(language, &self.status)),
            date(self.last_status_date),
            number(self.nb_ads),
            number(self.nb_views),
            tags_cell(self.categories),
            partner_cell(self.partner.as_deref(), language),
        ]
    }
}

fn date(at: Option<DateTime<Utc>>) -> Option<String> {
    at.map(|at| at.to_rfc3339_opts(SecondsFormat::Millis, true))
}

#[cfg(test)]
mod tests {
    use strum::VariantArray;

    use super::*;

    #[test]
    fn every_status_has_a_name_in_both_languages() {
        for status in ActionStatus::VARIANTS.iter().map(ToString::to_string) {
            let names = [Language::En, Language::Fr].map(|language| status_in(language, &status));
            assert!(names.iter().all(|name| !name.contains(':')), "{names:?}");
        }
    }
}
