//! The reader on small handmade pages, one for each generation and trap. All advertisers are fictional.

#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

mod bing;
mod bounds;
mod copy;
mod cuts;
mod doubts;
mod fields;
mod google;
mod line;
mod mutate;
mod mutations;
mod sure;
mod traps;
mod variants;
mod verdicts;

use capture::{ObservedAd, ReadPage, read};
use vocabulary::{AdKind, Engine};

/// Reads one of the pages beside this file.
macro_rules! page {
    ($name:literal) => {
        include_str!(concat!("pages/", $name, ".html"))
    };
}
pub(crate) use page;

fn google(page: &str) -> ReadPage {
    read(page, Engine::Google)
}

fn bing(page: &str) -> ReadPage {
    read(page, Engine::Bing)
}

fn of_kind(read: &ReadPage, kind: AdKind) -> Vec<&ObservedAd> {
    read.ads.iter().filter(|ad| ad.kind == kind).collect()
}

fn titles(read: &ReadPage) -> Vec<&str> {
    read.ads.iter().map(|ad| ad.title.as_str()).collect()
}

fn domain(ad: &ObservedAd) -> Option<&str> {
    ad.domain.as_ref().map(vocabulary::WebHost::as_str)
}
