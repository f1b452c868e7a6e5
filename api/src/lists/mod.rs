//! What the lists of all screens share: the query of an address, its parameters, pages, the tags of rows, and what they are to a brand.

mod comparison;
mod page;
mod params;
mod partner;
mod query;
mod tag;

pub(crate) use comparison::ComparisonView;
pub(crate) use page::{LinksView, TotalsView, links, place};
pub(crate) use params::{
    Filter, FilterForm, FilterParams, ListFilters, PageParams, SortParams, flag, in_words, parameter, read_sort, text,
    unknown,
};
pub(crate) use partner::{SeenPartners, partner_cell};
pub(crate) use query::{ListQuery, RawFilter};
pub(crate) use tag::{TagFilter, TagView, domains_of, tags_cell, terms_of};
