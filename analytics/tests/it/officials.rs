//! What counts as a brand's own, in lists and in the one place that decides it.

use analytics::filter::Filters;
use analytics::ingest::AdRow;
use analytics::reports::page::{Direction, Page};
use analytics::reports::terms::{Sort, TermsQuery, list};
use vocabulary::{BrandId, Officials, SystemScope};

use crate::engine::Engine;
use crate::sample::{row, store};

/// Hosts beside, below and above one another, on registrable domains, public suffixes and shared platforms.
fn hosts() -> Vec<String> {
    let bases = [
        "brand.com",
        "brand.co.uk",
        "co.uk",
        "brand.myshopify.com",
        "myshopify.com",
        "brand.example",
        "brand.com.rival.net",
        "brandxcom",
    ];
    let below = ["", "www2.", "a.www2.", "not"];
    let hosts = bases
        .iter()
        .flat_map(|base| below.map(|label| format!("{label}{base}")));
    hosts.collect()
}

#[tokio::test]
async fn competitors_are_the_hosts_that_no_official_domain_covers() {
    let (_engine, client) = Engine::migrated().await;
    let hosts = hosts();
    // A brand for each domain, with that one and the next of them for its own, and a term on which every host was seen.
    let own = |brand: usize| [&hosts[brand], &hosts[(brand + 1) % hosts.len()]];
    let number = |brand: usize| u32::try_from(brand + 1).unwrap();
    let rows = (0..hosts.len()).flat_map(|brand| {
        hosts.iter().map(move |host| AdRow {
            brand_id: number(brand),
            term_id: number(brand),
            domain: host.clone(),
            ..row(1)
        })
    });
    store(&client, 1, rows.collect::<Vec<_>>()).await;
    let officials = (0..hosts.len())
        .flat_map(|brand| own(brand).map(|domain| (BrandId(number(brand).cast_signed()), domain.clone())))
        .collect();
    let query = TermsQuery {
        filters: Filters::none(),
        sort: Sort::NbViews,
        direction: Direction::Desc,
        page: Page::All,
        officials,
        places: Vec::new(),
    };
    let found = list(&client, &SystemScope::new("test"), &query).await.unwrap();
    assert_eq!(found.rows.len(), hosts.len());
    for term in found.rows {
        let brand = usize::try_from(term.id.0 - 1).unwrap();
        let covered = Officials::from_iter(own(brand).map(String::as_str));
        let expected = hosts.iter().filter(|host| !covered.cover(host)).count();
        assert_eq!(term.nb_competitors, expected as u64, "{:?}", own(brand));
        assert!(expected < hosts.len());
    }
}
