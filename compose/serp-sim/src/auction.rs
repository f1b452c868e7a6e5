//! Decides which ads a search gets at an instant.

use chrono::{DateTime, Utc};

use crate::advertisers::{Advertiser, Trade, selling_in};
use crate::copywriting::{means_to_buy, wants_no_ads};
use crate::creative;
use crate::device::Device;
use crate::draw::DrawKey;
use crate::engine::Engine;
use crate::generation::{Generation, ShoppingBlock};
use crate::occasion::Occasion;
use crate::organic;
use crate::results::{Region, ResultPage};
use crate::search::Search;

/// A word in a query that makes it find nothing at all.
const FINDS_NOTHING: &str = "noresults";

/// How much demand advertisers have for a query. It never changes for a query in a country.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Demand {
    None,
    Thin,
    Ordinary,
    Popular,
}

/// How many ads each part of the page has.
#[derive(Debug, Default)]
struct Slots {
    top: usize,
    middle: usize,
    bottom: usize,
    right: usize,
    products: usize,
}

/// Builds the result page of a search at an instant; faults are not considered. The same arguments always give the same page, and its ads change
/// after each rotation. A query that is empty or contains `noresults` finds nothing.
pub(crate) fn result_page(seed: u64, rotation_millis: i64, search: &Search, at: DateTime<Utc>) -> ResultPage {
    let occasion = Occasion::new(seed, rotation_millis, search, at);
    let generation = Generation::of_search(
        search.generation,
        search.engine,
        search.device,
        occasion.always.with(search.device),
    );
    let mut page = ResultPage::without_results(search, generation);
    if search.keyword().contains(FINDS_NOTHING) || search.query.is_empty() {
        return page;
    }
    page.organic = organic::results(search, occasion);
    page.related = organic::related(search);
    page.found = occasion.always.with("found").draw().number(12, 98_000) * 1000;
    let shopping_block = generation.shopping_block(search.device, occasion.now);
    let demand = derive_demand(search, occasion.always);
    let slots = draw_slots(demand, generation, search, occasion, shopping_block);
    let ranking = rank_bidders(search, occasion);
    page.products = creative::products(search, occasion, &ranking, slots.products, shopping_block);
    sell_slots(&mut page, search, occasion, &ranking, &slots);
    page.numbered()
}

/// Derives the demand from the query: none with words against ads, else popular with words of buying, else drawn from `always`, which must already be
/// keyed by query and country.
fn derive_demand(search: &Search, always: DrawKey) -> Demand {
    let keyword = search.keyword();
    if wants_no_ads(&keyword) {
        return Demand::None;
    }
    if means_to_buy(&keyword) {
        return Demand::Popular;
    }
    match always.with("demand").draw().number(0, 99) {
        0..10 => Demand::None,
        10..25 => Demand::Thin,
        25..65 => Demand::Ordinary,
        _ => Demand::Popular,
    }
}

/// Draws how many ads each part of the page has: more for a greater demand, none where the layout, the device or the shopping block cannot show them.
fn draw_slots(
    demand: Demand,
    generation: Generation,
    search: &Search,
    occasion: Occasion,
    shopping_block: ShoppingBlock,
) -> Slots {
    let mut draw = occasion.now.with("slots").draw();
    let mut slots = match demand {
        Demand::None => Slots::default(),
        Demand::Thin => Slots {
            top: draw.number(0, 1),
            bottom: draw.number(0, 1),
            ..Slots::default()
        },
        Demand::Ordinary => Slots {
            top: draw.number(1, 3),
            bottom: draw.number(0, 2),
            right: draw.number(0, 3),
            products: if draw.happens(40) { draw.number(4, 8) } else { 0 },
            ..Slots::default()
        },
        Demand::Popular => Slots {
            top: draw.number(3, 4),
            middle: usize::from(draw.happens(10)),
            bottom: draw.number(1, 3),
            right: draw.number(3, 8),
            products: if draw.happens(85) { draw.number(6, 16) } else { 0 },
        },
    };
    if !generation.has_right_text_ads(search.device) {
        slots.right = 0;
    }
    if generation != Generation::Bing2022 {
        slots.middle = 0;
    }
    if shopping_block == ShoppingBlock::Nowhere {
        slots.products = 0;
    } else if search.device == Device::Mobile || shopping_block == ShoppingBlock::Right {
        slots.products = slots.products.min(9);
    }
    slots
}

/// Ranks the bidders of the country, best first: by affinity to the query, today's bids and present luck. A company that the query names bids always,
/// and highest.
fn rank_bidders(search: &Search, occasion: Occasion) -> Vec<&'static Advertiser> {
    let keyword = search.keyword();
    let trade = if occasion.always.with("trade").draw().happens(70) {
        Trade::Goods
    } else {
        Trade::Services
    };
    let mut bids: Vec<(usize, &'static Advertiser)> = selling_in(search.country.code)
        .filter(|advertiser| {
            advertiser.is_named_in(&keyword) || occasion.today.with(advertiser.host).draw().happens(80)
        })
        .map(|advertiser| {
            let affinity = occasion.always.with(advertiser.host).draw().number(0, 60);
            let luck = occasion.now.with(advertiser.host).draw().number(0, 30);
            let trade_bonus = if advertiser.trade == trade { 25 } else { 0 };
            let named = if advertiser.is_named_in(&keyword) { 200 } else { 0 };
            (affinity + luck + trade_bonus + named, advertiser)
        })
        .collect();
    bids.sort_by_key(|(bid, advertiser)| (std::cmp::Reverse(*bid), advertiser.host));
    bids.into_iter().map(|(_, advertiser)| advertiser).collect()
}

/// Fills the page's slots with text ads in the order of the ranking: top, middle, right, bottom. On half of Bing's pages the bottom starts again with
/// the first of the ranking.
fn sell_slots(
    page: &mut ResultPage,
    search: &Search,
    occasion: Occasion,
    ranking: &[&'static Advertiser],
    slots: &Slots,
) {
    let mut bidders = ranking.iter();
    for (region, count) in [
        (Region::Top, slots.top),
        (Region::Middle, slots.middle),
        (Region::Right, slots.right),
    ] {
        let sold = bidders.by_ref().take(count);
        page.ads
            .extend(sold.map(|advertiser| creative::text_ad(search, page.generation, occasion, advertiser, region)));
    }
    // Bing repeats the ads of the top at the bottom.
    let repeats = search.engine == Engine::Bing && occasion.now.with("repeats").draw().happens(50);
    let bottom: Vec<_> = if repeats {
        ranking.iter().take(slots.bottom).collect()
    } else {
        bidders.take(slots.bottom).collect()
    };
    for advertiser in bottom {
        let ad = creative::text_ad(search, page.generation, occasion, advertiser, Region::Bottom);
        page.ads.push(ad);
    }
}
