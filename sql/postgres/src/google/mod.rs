//! What is linked to Google: grants, customers, items, their keywords, figures and retrievals.

mod customers;
mod grants;
mod items;
mod keywords;
mod negatives;
mod retrievals;
mod sign_ins;
mod statistics;
mod usage;

pub use customers::{FoundCustomer, available, replace as replace_customers};
pub use grants::{
    CheckedGrant, GrantKind, NewGrant, StoredGrant, add as add_grant, mark as mark_grant, of_managers,
    remove as remove_grant, sealed as sealed_grant, to_check as grants_to_check,
};
pub use items::{
    GoogleItem, Invited, ItemFilter, ItemSort, NewItem, attach_site, create as create_item, get as get_item, invite,
    invited, list as list_items, note_health, set_scope,
};
pub use keywords::{GoogleKeyword, link, linkable, linked, unlink};
pub use negatives::{
    AdsReach, SharedSet, Stranded, ads_reach, keep_shared_set, note_negatives, shared_set, stranded, texts_of_lanes,
};
pub use retrievals::{
    ClaimedRetrieval, NewRetrieval, Outcome, Remark, RetrievalRow, Source, claim, end as end_retrieval, note_page,
    of_item as retrievals_of, put_off, queue as queue_retrievals, refresh as queue_refreshes, stop as stop_retrievals,
    terms_of,
};
pub use sign_ins::{SignIn, begin as begin_sign_in, take as take_sign_in};
pub use statistics::{
    DayFigures, Figure, StatFilter, StatRow, count as count_stats, daily, purge, purge_item, rows as stat_rows,
    store as store_figures,
};
pub use usage::{Usage, count_operations, pause, usage};
