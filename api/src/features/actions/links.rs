//! The calls that the server offers for a case: one that is absent is not allowed (decision D51).

use std::collections::BTreeMap;

use postgres::actions::list::ActionRow;
use postgres::actions::notes::{NoteSubject, NoteSubjects};
use serde::Serialize;
use url::form_urlencoded;
use utoipa::ToSchema;
use vocabulary::{ActionEvent, ActionId, ActionStatus, Role};

use super::events;

/// Ads that a case shows of each kind.
const ADS: &str = "5";

/// A call that the server offers.
#[derive(Serialize, ToSchema)]
pub(super) struct LinkView {
    method: &'static str,
    href: String,
}

impl LinkView {
    const fn get(href: String) -> Self {
        Self { method: "GET", href }
    }

    const fn post(href: String) -> Self {
        Self { method: "POST", href }
    }
}

/// The links of a case, by name.
pub(super) type Links = BTreeMap<&'static str, LinkView>;

/// The events that these roles may cause in the status, that a call exists for and that nothing is in the way of; staff may also give the case an owner
/// and put its reminders off.
pub(super) fn of_events(id: ActionId, status: ActionStatus, can_be_forced: bool, roles: &[Role]) -> Links {
    let offered = status.offers(roles);
    let possible = offered.filter(|(event, _)| *event != ActionEvent::ForceReminders || can_be_forced);
    let mut links: Links = possible
        .flat_map(|(event, names)| {
            let href = events::path_of(event).map(|path| format!("/api/actions/{path}?actionID={id}"));
            names
                .iter()
                .filter_map(move |name| Some((*name, LinkView::post(href.clone()?))))
        })
        .collect();
    if !roles.is_empty() {
        links.insert("assign", LinkView::post(format!("/api/actions/assign?actionID={id}")));
        if status.is_in_outreach() {
            links.insert("pause", LinkView::post(format!("/api/actions/pause?actionID={id}")));
        }
    }
    links
}

/// What can be read and noted of a case: its tags, its ads, and notes about these subjects.
pub(super) fn of_story(row: &ActionRow, subjects: NoteSubjects) -> Links {
    let id = row.id;
    let mut links = Links::new();
    links.insert(
        "getTags",
        LinkView::get(format!("/api/advertiserTag/action?actionID={id}")),
    );
    for (subject, path, get, add) in [
        (NoteSubject::Action, "notes", "getNotes", "addNote"),
        (
            NoteSubject::Advertiser,
            "advertiserNotes",
            "advertiserGetNotes",
            "advertiserAddNote",
        ),
        (
            NoteSubject::BrandAdvertiser,
            "brandAdvertiserNotes",
            "brandAdvertiserGetNotes",
            "brandAdvertiserAddNote",
        ),
    ] {
        if subjects.include(subject) {
            let href = format!("/api/actions/{path}?actionID={id}");
            links.insert(get, LinkView::get(href.clone()));
            links.insert(add, LinkView::post(href));
        }
    }
    if let (Some(brand), Some(domain), Some(country), Some(engine)) =
        (row.brand, &row.domain, &row.country, &row.engine)
    {
        let ads = form_urlencoded::Serializer::new(String::new())
            .append_pair("brandId", &brand.to_string())
            .append_pair("domain", domain)
            .append_pair("country", country)
            .append_pair("engine", engine)
            .finish();
        links.insert(
            "getAdvertisements",
            LinkView::get(format!("/api/advertisement?{ads}&limit={ADS}")),
        );
        links.insert(
            "countAdvertisements",
            LinkView::get(format!("/api/advertisement/count?{ads}")),
        );
    }
    links
}
