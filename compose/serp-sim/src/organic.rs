//! The organic results of a page.

use crate::advertisers::{PUBLISHERS, selling_in};
use crate::copywriting;
use crate::creative::{address, domain_of, filled, slug};
use crate::occasion::Occasion;
use crate::results::Organic;
use crate::search::Search;

/// Fewest results on a full page, of the ten usually requested.
const FEWEST: usize = 7;

/// Draws seven to ten organic results, but not more than the search requests: publishers and shops, ranked from 1, unchanged all day (UTC).
pub(crate) fn results(search: &Search, occasion: Occasion) -> Vec<Organic> {
    let phrases = copywriting::phrases(search.language);
    let mut draw = occasion.today.with("organic").with(search.language.code()).draw();
    let slug = slug(&search.keyword(), '-');
    let mut sites: Vec<(&'static str, String)> = PUBLISHERS
        .iter()
        .map(|(site, stem)| (*site, format!("{stem}{slug}")))
        .collect();
    sites.extend(
        selling_in(search.country.code)
            .take(6)
            .map(|shop| (shop.name, address(shop.host, &format!("/c/{slug}"), ""))),
    );
    let count = draw.number(FEWEST, 10).min(search.results);
    let chosen: Vec<_> = draw.some_of(&sites, count).into_iter().cloned().collect();
    chosen
        .into_iter()
        .enumerate()
        .map(|(at, (site, url))| {
            let number = draw.number(3, 90);
            let (title, text) = (
                *draw.one_of(phrases.organic_titles),
                *draw.one_of(phrases.organic_texts),
            );
            let url = url::Url::parse(&url).map_or(url, String::from);
            let host = url.split('/').nth(2).unwrap_or_default().to_owned();
            Organic {
                position: at + 1,
                title: filled(title, search, site, number),
                text: filled(text, search, site, number),
                site,
                display_path: format!(" › {slug}"),
                display_host: format!("https://{host}"),
                domain: domain_of(&url),
                url,
            }
        })
        .collect()
}

/// Lists searches related to this one, in its language; always the same for a query.
pub(crate) fn related(search: &Search) -> Vec<String> {
    let phrases = copywriting::phrases(search.language);
    phrases
        .related
        .iter()
        .map(|phrase| filled(phrase, search, "", 0))
        .collect()
}
