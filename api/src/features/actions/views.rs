//! The bodies of responses about actions.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use postgres::actions::list::ActionRow;
use postgres::categories::DomainTag;
use serde::Serialize;
use serde_json::Value;
use texts::text;
use utoipa::ToSchema;
use vocabulary::{ActionStatus, Language, Role};

use super::links::{self, LinkView};
use super::story::{CaseStory, HistoryView, NextView, OwnerView, date};
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

/// The advertiser of an action.
#[derive(Serialize, ToSchema)]
pub(super) struct DealerView {
    id: i32,
    domain: String,
    /// The tags that the reader sees.
    categories: Vec<TagView>,
}

/// The case of one domain against one brand, country and engine.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CaseFields {
    #[serde(rename = "ID")]
    number: i32,
    pub(super) id: i32,
    brand_id: Option<i32>,
    domain: Option<String>,
    /// Its registrable domain.
    master: Option<String>,
    /// Id of the advertiser: the dealer of its registrable domain.
    #[serde(rename = "advertiserID")]
    advertiser_id: Option<i32>,
    /// `google` or `bing`.
    engine: Option<String>,
    country: Option<String>,
    countries: Vec<String>,
    status: String,
    /// Whether the advertiser is to answer.
    waiting: bool,
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
    /// Views of the last 30 days, as of last night.
    priority: Option<f64>,
    /// Mails of the advertiser, of all cycles.
    received_count: i32,
    /// Mails to the advertiser.
    sended_count: i32,
    /// Reminders among them.
    reminded_count: i32,
    /// Mails of the advertiser that nobody has read.
    unread_count: i32,
    dealer: Option<DealerView>,
    /// The tags of the domain and of its dealer that the reader sees.
    categories: Vec<TagView>,
    /// `partner` or `reseller` where the domain is an authorised one of the brand.
    partner: Option<String>,
    /// The term it was seen on last.
    term_rel: Option<i32>,
    /// `originalStatus` is `new` or `reappearance`; `blockedReason` has a `date` and a `reason` for each block.
    #[schema(value_type = Option<Object>)]
    metas: Value,
    /// `ads` and `shopping`: whether such ads are live; `daysSeen30`: on how many of the last 30 days any was seen.
    #[schema(value_type = Option<Object>)]
    presence: Value,
    /// The member of the staff that works on it; for staff.
    owner: Option<OwnerView>,
    /// No reminder leaves before this day.
    paused_until: Option<NaiveDate>,
    /// The statuses it has had, the oldest first.
    history: Vec<HistoryView>,
    /// What Vigie does next with it by itself; null in files of advertisers.
    next: Option<NextView>,
    /// What the reader may do with it, by name.
    pub(super) links: BTreeMap<&'static str, LinkView>,
}

/// A case as a list shows it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AdvertiserView {
    #[serde(flatten)]
    pub(super) case: CaseFields,
    /// What its brand is called; null where the brand is gone.
    brand: Option<String>,
    /// Views under the filters; null while the store of ads is away.
    nb_views: Option<u64>,
    /// Distinct ads under the filters, likewise.
    nb_ads: Option<u64>,
}

/// The name of a status on screens, in this language; an unknown status as it is.
fn status_in(language: Language, status: &str) -> String {
    let name = status
        .parse::<ActionStatus>()
        .map(|known| text(language, &format!("advertisers:status.{known}")).to_owned());
    name.unwrap_or_else(|_| status.to_owned())
}

/// What is shown of an action beside its row.
pub(super) struct Surroundings<'a> {
    /// The tags of its domain, which are shown for its dealer, too.
    pub(super) tags: &'a [DomainTag],
    /// What it is to its brand, as a partner.
    pub(super) partner: Option<String>,
    /// What has happened.
    pub(super) story: CaseStory,
}

impl CaseFields {
    /// The answer for an action to a reader with these roles: its links are the events that the roles may cause, that a call exists for and that nothing
    /// is in the way of.
    pub(super) fn new(row: ActionRow, around: Surroundings<'_>, roles: &[Role]) -> Self {
        let categories = || around.tags.iter().cloned().map(TagView::from).collect();
        let number = row.id.0;
        let is_staff = !roles.is_empty();
        Self {
            number,
            id: number,
            brand_id: row.brand.map(|brand| brand.0),
            master: row.advertiser.as_ref().map(|(_, domain)| domain.clone()),
            advertiser_id: row.advertiser.as_ref().map(|(id, _)| id.0),
            domain: row.domain,
            engine: row.engine,
            countries: row.country.iter().cloned().collect(),
            country: row.country,
            status: row.status.to_string(),
            waiting: row.is_waiting,
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
            priority: row.priority,
            received_count: row.counts.received,
            sended_count: row.counts.sent,
            reminded_count: row.counts.reminders,
            unread_count: row.counts.unread,
            dealer: row.advertiser.map(|(id, domain)| DealerView {
                id: id.0,
                domain,
                categories: categories(),
            }),
            categories: categories(),
            partner: around.partner,
            term_rel: row.last_term.map(|term| term.0),
            metas: row.metas.unwrap_or_default(),
            presence: row.presence.unwrap_or_default(),
            owner: row.owner.filter(|_| is_staff).map(OwnerView::from),
            paused_until: row.paused_until,
            links: links::of_events(row.id, row.status, around.story.can_be_forced, roles),
            history: around.story.history,
            next: around.story.next,
        }
    }
}

impl AdvertiserView {
    /// The row of a list; `figures` are its views and distinct ads, in this order.
    pub(super) const fn new(case: CaseFields, brand: Option<String>, figures: Option<(u64, u64)>) -> Self {
        let (nb_views, nb_ads) = match figures {
            Some((views, ads)) => (Some(views), Some(ads)),
            None => (None, None),
        };
        Self {
            case,
            brand,
            nb_views,
            nb_ads,
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
        let case = self.case;
        vec![
            text(case.engine),
            text(case.domain),
            text(case.master),
            text(self.brand),
            date(case.created_date),
            text(case.country),
            date(case.updated_date),
            date(case.last_view),
            Cell::Text(status_in(language, &case.status)),
            date(case.last_status_date),
            number(self.nb_ads),
            number(self.nb_views),
            tags_cell(case.categories),
            partner_cell(case.partner.as_deref(), language),
        ]
    }

    /// The cells of a row of a file of cases: domain, brand, engine, country, status (in `language`), its date, what comes next (in `language`), when,
    /// mails received, sent, reminders among them, unread ones, first view, last view, tags, partner; empty for what is missing.
    pub(super) fn case_cells(self, language: Language) -> Vec<Cell> {
        let text = |text: Option<String>| Cell::Text(text.unwrap_or_default());
        let date = |date: Option<String>| Cell::Time(date.unwrap_or_default());
        let case = self.case;
        let (next, next_date) = case.next.map(|next| next.in_words(language)).unwrap_or_default();
        vec![
            text(case.domain),
            text(self.brand),
            text(case.engine),
            text(case.country),
            Cell::Text(status_in(language, &case.status)),
            date(case.last_status_date),
            Cell::Text(next),
            date(next_date),
            Cell::number(&case.received_count),
            Cell::number(&case.sended_count),
            Cell::number(&case.reminded_count),
            Cell::number(&case.unread_count),
            date(case.created_date),
            date(case.last_view),
            tags_cell(case.categories),
            partner_cell(case.partner.as_deref(), language),
        ]
    }
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
