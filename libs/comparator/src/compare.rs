//! Offers of others beside the price of the brand's own on the same day.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{Days, NaiveDate};
use vocabulary::{BrandId, CaptureId};

use crate::price::Price;
use crate::product::name_of;

/// A price of the brand's own counts for so long after it was seen last. Products are not seen every day, and older prices say little.
pub const OWN_PRICE_HOLDS: Days = Days::new(30);

/// What one seller asked for on the days it was seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Offered {
    /// The brand whose terms showed it.
    pub brand: BrandId,
    /// The country of the page, ISO 3166.
    pub country: String,
    /// What the ad calls the product.
    pub title: String,
    /// As the page shows it.
    pub price: String,
    /// The name of the seller; empty where the page shows none.
    pub merchant: String,
    /// The seller's host.
    pub host: String,
    /// The service that placed the ad; empty for none.
    pub comparator: String,
    /// Whether the host is one of the brand's own.
    pub is_own: bool,
    /// The days on which it was seen.
    pub days: BTreeSet<NaiveDate>,
    /// How often it was seen.
    pub views: u64,
    /// The latest capture that shows it.
    pub capture: CaptureId,
}

/// What comparing found.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Products that somebody offers below the brand's own price, the widest gap first.
    pub products: Vec<Product>,
    /// Products of which a price of the brand's own and one of somebody else are known.
    pub compared: usize,
    /// Products that others offer, and whose own price is not known.
    pub without_own_price: usize,
    /// Ads whose price cannot be read.
    pub unreadable: usize,
}

/// A product, with its own price and the offers of others.
#[derive(Clone, Debug, PartialEq)]
pub struct Product {
    /// Whose product it is.
    pub brand: BrandId,
    /// The country of the offers, ISO 3166.
    pub country: String,
    /// The currency of all prices, by its ISO 4217 code.
    pub currency: &'static str,
    /// What prices pay for; empty for the whole product.
    pub unit: String,
    /// What the brand's own ad calls it.
    pub title: String,
    /// What the brand itself asks for.
    pub own: OwnPrice,
    /// Those of others that were below it at least once, the widest gap first.
    pub offers: Vec<Offer>,
}

/// The price of the brand's own.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnPrice {
    /// By the day it was seen on, the lowest of each, in hundredths.
    pub days: BTreeMap<NaiveDate, u64>,
    /// The latest capture that shows it.
    pub capture: CaptureId,
}

impl OwnPrice {
    /// The price on a day: the one seen last, [`OWN_PRICE_HOLDS`] before at most. In hundredths.
    pub fn on(&self, day: NaiveDate) -> Option<u64> {
        let since = day.checked_sub_days(OWN_PRICE_HOLDS).unwrap_or(NaiveDate::MIN);
        self.days.range(since..=day).next_back().map(|(_, price)| *price)
    }
}

/// What a seller asks for a product, by itself or through one comparison service.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// The name of the seller; its host where the page shows none.
    pub merchant: String,
    /// The seller's host.
    pub host: String,
    /// The service that placed the ad; empty for none.
    pub comparator: String,
    /// By the day it was seen on, the lowest of each, in hundredths.
    pub days: BTreeMap<NaiveDate, u64>,
    /// How often it was seen.
    pub views: u64,
    /// The day of the widest gap, the latest of several.
    pub widest_on: NaiveDate,
    /// The price of that day, in hundredths.
    pub lowest: u64,
    /// The price of the brand's own on that day, in hundredths.
    pub own_then: u64,
    /// Days on which it was below the brand's own.
    pub days_below: usize,
    /// The latest capture that shows the lowest price.
    pub capture: CaptureId,
}

impl Offer {
    /// How far it was below the brand's own price at most, as a share of that price.
    pub fn gap(&self) -> f64 {
        share_below(self.lowest, self.own_then)
    }
}

/// Compares the offers seen from a day on with the brands' own prices; days before it count for own prices alone. An offer of somebody else is compared
/// with an own price of the same words, country, currency and unit, as of the day it was seen.
pub fn compare(offered: Vec<Offered>, from: NaiveDate) -> Comparison {
    let mut unreadable = 0;
    let mut by_product: BTreeMap<Key, SeenOffers> = BTreeMap::new();
    for mut one in offered {
        if !one.is_own {
            one.days.retain(|day| *day >= from);
        }
        if one.days.is_empty() {
            continue;
        }
        let name = name_of(&one.title);
        let Some(price) = Price::read(&one.price, &one.country).filter(|_| !name.is_empty()) else {
            unreadable += 1;
            continue;
        };
        let key = Key {
            brand: one.brand,
            country: one.country.clone(),
            currency: price.currency,
            unit: price.unit,
            name,
        };
        let seen = by_product.entry(key).or_default();
        let side = if one.is_own { &mut seen.own } else { &mut seen.others };
        side.push((price.hundredths, one));
    }
    let (mut compared, mut without_own_price) = (0, 0);
    let mut products = Vec::new();
    for (key, seen) in by_product {
        if seen.others.is_empty() {
            continue;
        }
        let Some((title, own)) = own_price(seen.own) else {
            without_own_price += 1;
            continue;
        };
        compared += 1;
        let offers = offers_below(seen.others, &own);
        if !offers.is_empty() {
            products.push(Product {
                brand: key.brand,
                country: key.country,
                currency: key.currency,
                unit: key.unit,
                title,
                own,
                offers,
            });
        }
    }
    // Stable: products with equal gaps stay in the order of their keys.
    products.sort_by(|one, other| widest(other).total_cmp(&widest(one)));
    Comparison {
        products,
        compared,
        without_own_price,
        unreadable,
    }
}

/// What two offers have in common that are of one product.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    brand: BrandId,
    country: String,
    currency: &'static str,
    unit: String,
    name: BTreeSet<String>,
}

/// The offers of one product, each with its price in hundredths.
#[derive(Default)]
struct SeenOffers {
    own: Vec<(u64, Offered)>,
    others: Vec<(u64, Offered)>,
}

/// The latest title and the price by day of the brand's own offers; `None` without any.
fn own_price(offered: Vec<(u64, Offered)>) -> Option<(String, OwnPrice)> {
    let mut days: BTreeMap<NaiveDate, u64> = BTreeMap::new();
    for (price, one) in &offered {
        add_lowest(&mut days, &one.days, *price);
    }
    let (_, latest) = offered.into_iter().max_by_key(|(_, one)| one.days.last().copied())?;
    let own = OwnPrice {
        days,
        capture: latest.capture,
    };
    Some((latest.title, own))
}

/// The offers that were below the brand's own price on a day, the widest gap first.
fn offers_below(offered: Vec<(u64, Offered)>, own: &OwnPrice) -> Vec<Offer> {
    let mut by_seller: BTreeMap<(String, String), Vec<(u64, Offered)>> = BTreeMap::new();
    for (price, one) in offered {
        let seller = (one.host.clone(), one.comparator.clone());
        by_seller.entry(seller).or_default().push((price, one));
    }
    let mut offers: Vec<Offer> = by_seller
        .into_iter()
        .filter_map(|((host, comparator), offered)| offer_below(host, comparator, &offered, own))
        .collect();
    offers.sort_by(|one, other| other.gap().total_cmp(&one.gap()));
    offers
}

/// The offers of one seller through one service as one; `None` when it was never below the brand's own price.
fn offer_below(host: String, comparator: String, offered: &[(u64, Offered)], own: &OwnPrice) -> Option<Offer> {
    let mut days: BTreeMap<NaiveDate, u64> = BTreeMap::new();
    for (price, one) in offered {
        add_lowest(&mut days, &one.days, *price);
    }
    let below: Vec<(NaiveDate, u64, u64)> = days
        .iter()
        .filter_map(|(day, price)| Some((*day, *price, own.on(*day)?)))
        .filter(|(_, price, own)| price < own)
        .collect();
    let gap = |(_, price, own): &(NaiveDate, u64, u64)| share_below(*price, *own);
    let widest = below.iter().max_by(|one, other| gap(one).total_cmp(&gap(other)))?;
    let (widest_on, lowest, own_then) = *widest;
    let (_, shown) = offered
        .iter()
        .find(|(price, one)| *price == lowest && one.days.contains(&widest_on))?;
    let named = offered.iter().rev().find(|(_, one)| !one.merchant.is_empty());
    Some(Offer {
        merchant: named.map_or_else(|| host.clone(), |(_, one)| one.merchant.clone()),
        comparator,
        views: offered.iter().map(|(_, one)| one.views).sum(),
        widest_on,
        lowest,
        own_then,
        days_below: below.len(),
        capture: shown.capture,
        host,
        days,
    })
}

/// Lowers the price of these days to `price` where it is higher, or not known.
fn add_lowest(days: &mut BTreeMap<NaiveDate, u64>, seen: &BTreeSet<NaiveDate>, price: u64) {
    for day in seen {
        let lowest = days.entry(*day).or_insert(price);
        *lowest = price.min(*lowest);
    }
}

/// The widest gap of a product's offers.
fn widest(product: &Product) -> f64 {
    product.offers.first().map_or(0.0, Offer::gap)
}

/// How far a price is below another, as a share of that one.
fn share_below(price: u64, own: u64) -> f64 {
    // Prices have few digits: nothing is lost.
    #[allow(clippy::cast_precision_loss, reason = "prices have 15 digits at most")]
    let share = (own - price) as f64 / own as f64;
    share
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    fn day(number: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 3, 1).unwrap() + Days::new(number.into())
    }

    fn seen(host: &str, price: &str, days: &[u32]) -> Offered {
        Offered {
            brand: BrandId(1),
            country: "FR".to_owned(),
            title: "Cabas de cuir Brivault".to_owned(),
            price: price.to_owned(),
            merchant: String::new(),
            host: host.to_owned(),
            comparator: String::new(),
            is_own: host == "brivault.example",
            days: days.iter().copied().map(day).collect(),
            views: 1,
            capture: CaptureId(Uuid::from_u128(u128::from(days[0]) + 1)),
        }
    }

    #[test]
    fn an_offer_is_compared_with_the_price_of_its_own_day() {
        let offered = vec![
            seen("brivault.example", "100,00 €", &[0, 1]),
            seen("brivault.example", "80,00 €", &[5]),
            seen("zamboli.example", "90,00 €", &[2, 6]),
        ];
        let found = compare(offered, day(0));
        assert_eq!((found.compared, found.products.len()), (1, 1));
        let offer = &found.products[0].offers[0];
        // On the sixth day the brand itself asks for less.
        assert_eq!((offer.widest_on, offer.own_then, offer.days_below), (day(2), 10_000, 1));
        assert!((offer.gap() - 0.1).abs() < 1e-9);
    }

    #[test]
    fn an_own_price_that_was_not_seen_for_a_month_says_nothing() {
        let offered = vec![
            seen("brivault.example", "100,00 €", &[0]),
            seen("zamboli.example", "90,00 €", &[31]),
        ];
        assert_eq!(compare(offered, day(0)).products, []);
    }

    #[test]
    fn days_before_the_period_count_for_own_prices_alone() {
        let offered = vec![
            seen("brivault.example", "100,00 €", &[0]),
            seen("zamboli.example", "10,00 €", &[1]),
            seen("zamboli.example", "90,00 €", &[12]),
        ];
        let found = compare(offered, day(10));
        assert_eq!(found.products[0].offers[0].lowest, 9_000);
    }

    #[test]
    fn countries_currencies_units_and_brands_are_kept_apart() {
        let other = |change: fn(&mut Offered)| {
            let mut offer = seen("zamboli.example", "10,00 €", &[1]);
            change(&mut offer);
            offer
        };
        let offered = vec![
            seen("brivault.example", "100,00 €", &[0]),
            other(|offer| offer.country = "BE".to_owned()),
            other(|offer| offer.price = "£10.00".to_owned()),
            other(|offer| offer.price = "10,00 €/mois".to_owned()),
            other(|offer| offer.brand = BrandId(2)),
            other(|offer| offer.title = "Cabas de cuir Brivault noir".to_owned()),
            other(|offer| offer.price = "dès 10,00 €".to_owned()),
        ];
        let found = compare(offered, day(0));
        assert_eq!((found.products.len(), found.compared), (0, 0));
        assert_eq!((found.without_own_price, found.unreadable), (5, 1));
    }

    #[test]
    fn sellers_are_kept_apart_by_the_service_that_placed_their_ad() {
        let mut through = seen("zamboli.example", "70,00 €", &[1]);
        through.comparator = "Kompara".to_owned();
        let offered = vec![
            seen("brivault.example", "100,00 €", &[0]),
            seen("zamboli.example", "90,00 €", &[1]),
            through,
        ];
        let found = compare(offered, day(0));
        let offers: Vec<_> = found.products[0]
            .offers
            .iter()
            .map(|offer| (offer.comparator.as_str(), offer.lowest))
            .collect();
        assert_eq!(offers, [("Kompara", 7_000), ("", 9_000)]);
    }

    proptest! {
        #[test]
        fn what_is_said_to_be_below_is_below(
            prices in prop::collection::vec((0_u32..40, 1_u64..500, 0_usize..3), 0..60),
        ) {
            let hosts = ["brivault.example", "zamboli.example", "tradavia.example"];
            let offered = prices.iter().map(|(on, euros, host)| seen(hosts[*host], &format!("{euros},00 €"), &[*on])).collect();
            let found = compare(offered, day(0));
            for product in &found.products {
                for offer in &product.offers {
                    prop_assert!(offer.lowest < offer.own_then);
                    prop_assert_eq!(product.own.on(offer.widest_on), Some(offer.own_then));
                    prop_assert_eq!(offer.days.get(&offer.widest_on), Some(&offer.lowest));
                    prop_assert!(offer.days_below <= offer.days.len() && offer.days_below > 0);
                    prop_assert!(offer.host != hosts[0]);
                }
            }
        }
    }
}
