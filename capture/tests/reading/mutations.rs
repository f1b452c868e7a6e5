//! What engines change every week does not affect reading; fundamental changes never pass for 'no ads'.

use std::collections::BTreeSet;

use capture::{ReadPage, read};
use proptest::prelude::*;
use vocabulary::{Engine, Verdict};

use super::mutate::{Changes, anchors, mutate};
use super::page;

const PAGES: [(Engine, &str); 12] = [
    (Engine::Google, page!("google-2013")),
    (Engine::Google, page!("google-2014")),
    (Engine::Google, page!("google-2018-mobile")),
    (Engine::Google, page!("google-2020")),
    (Engine::Google, page!("google-pla")),
    (Engine::Google, page!("google-unknown")),
    (Engine::Google, page!("google-noscript")),
    (Engine::Google, page!("google-2024")),
    (Engine::Google, page!("google-units")),
    (Engine::Bing, page!("bing-desktop")),
    (Engine::Bing, page!("bing-mobile")),
    (Engine::Bing, page!("bing-noscript")),
];

fn tables(engine: Engine) -> BTreeSet<String> {
    anchors(match engine {
        Engine::Google => &[
            include_str!("../../src/reading/tables/google/2013.toml"),
            include_str!("../../src/reading/tables/google/2014.toml"),
            include_str!("../../src/reading/tables/google/2015-shopping.toml"),
            include_str!("../../src/reading/tables/google/2018-mobile.toml"),
            include_str!("../../src/reading/tables/google/2020.toml"),
            include_str!("../../src/reading/tables/google/fallback.toml"),
            include_str!("../../src/reading/tables/google/page.toml"),
        ],
        Engine::Bing => &[
            include_str!("../../src/reading/tables/bing/2019.toml"),
            include_str!("../../src/reading/tables/bing/fallback.toml"),
            include_str!("../../src/reading/tables/bing/page.toml"),
        ],
    })
}

/// All that is read, except where it was found.
fn essence(read: &ReadPage) -> String {
    let ads: Vec<String> = read.ads.iter().map(|ad| format!("{ad:?}")).collect();
    let organic: Vec<_> = read.organic.iter().map(|result| (&result.title, &result.url)).collect();
    format!(
        "{:?} {:?} {organic:?}\n{}",
        read.verdict_to_store(),
        read.other_units,
        ads.join("\n")
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn changes_that_touch_no_anchor_change_nothing_that_is_read(
        page in 0..PAGES.len(),
        reversed_attributes: bool,
        more_blanks: bool,
        wrapped in 0_usize..5,
        additions: bool,
        renames: bool,
    ) {
        let (engine, page) = PAGES[page];
        let changes = Changes {
            reversed_attributes,
            more_blanks,
            wrapped,
            additions,
            kept_classes: renames.then(|| tables(engine)),
            ..Changes::default()
        };
        let changed = mutate(page, &changes);
        prop_assert_eq!(essence(&read(&changed, engine)), essence(&read(page, engine)), "{}", changed);
    }

    #[test]
    fn a_page_without_any_known_anchor_is_read_or_doubted_and_never_without_ads(page in 0..PAGES.len()) {
        let (engine, page) = PAGES[page];
        let changes = Changes {
            renamed: tables(engine),
            ..Changes::default()
        };
        let (before, after) = (read(page, engine), read(&mutate(page, &changes), engine));
        prop_assert!(
            after.ads.len() == before.ads.len() || after.verdict_to_store() != Verdict::Results,
            "{} ads became {} without a doubt: {:?}",
            before.ads.len(),
            after.ads.len(),
            after.traces
        );
    }
}
