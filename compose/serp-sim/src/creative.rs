//! Writes the ads: what an advertiser shows for a search.

use percent_encoding::utf8_percent_encode;
use url::Url;

use crate::advertisers::{Advertiser, COMPARATORS, Trade};
use crate::copywriting::{self, Phrases};
use crate::draw::{Draw, DrawKey};
use crate::engine::Engine;
use crate::generation::{Generation, ShoppingBlock};
use crate::labels;
use crate::links::COMPONENT;
use crate::money::price;
use crate::occasion::Occasion;
use crate::results::{Product, Region, Sitelink, TextAd};
use crate::search::Search;

/// Versions of its ad that an advertiser has for a query.
const VERSIONS: usize = 3;

/// Writes an advertiser's text ad for a search; which of its [`VERSIONS`] it shows changes with the rotation. On recent pages of Google, services
/// sometimes get a call ad: a telephone number, no displayed address, no sitelinks. Its positions are still 0.
pub(crate) fn text_ad(
    search: &Search,
    generation: Generation,
    occasion: Occasion,
    advertiser: &'static Advertiser,
    region: Region,
) -> TextAd {
    let phrases = copywriting::phrases(search.language);
    // The shops of one company have the same texts but for their names.
    let mine = occasion.always.with(advertiser.owner).with(search.language.code());
    let version = occasion
        .now
        .with(advertiser.owner)
        .with("version")
        .draw()
        .number(1, VERSIONS);
    let mut draw = mine.with(version).draw();
    let calls = advertiser.trade == Trade::Services
        && generation >= Generation::Google2021
        && search.engine == Engine::Google
        && occasion.now.with(advertiser.host).with("calls").draw().happens(15);
    let title = if calls {
        phrases.call_title
    } else if advertiser.is_named_in(&search.keyword()) && version == 1 {
        phrases.official_title
    } else if advertiser.trade == Trade::Services {
        draw.one_of(phrases.service_titles)
    } else {
        draw.one_of(phrases.titles)
    };
    let number = draw.number(2, 14) * 5;
    let fill = |phrase: &str| filled(phrase, search, advertiser.name, number);
    let landing = landing_page(search, advertiser, &mut draw);
    let display_path = display_path(generation, search, &mut draw);
    let display_host = display_host(generation, advertiser.host);
    let sitelinks = if calls {
        Vec::new()
    } else {
        draw_sitelinks(phrases, advertiser, &mut draw)
    };
    let callouts: Vec<&'static str> = if draw.happens(40) {
        draw.some_of(phrases.callouts, 3).into_iter().copied().collect()
    } else {
        Vec::new()
    };
    let description = *draw.one_of(phrases.descriptions);
    let mut description = fill(description);
    // Google appends callouts to the description; Bing gives them a paragraph.
    if search.engine == Engine::Google && !callouts.is_empty() {
        description = format!("{description} {}.", callouts.join(". "));
    }
    TextAd {
        region,
        position: 0,
        real_position: 0,
        title: fill(title),
        description,
        advertiser: advertiser.name,
        display_url: (!calls).then(|| format!("{display_host}{display_path}")),
        display_host,
        display_path,
        domain: domain_of(&format!("https://{}/", advertiser.host)),
        redirect_target: through_tracker(advertiser, &landing, &mut draw),
        landing_url: landing,
        telephone: calls.then(|| phrases.telephone.replace("{n}", &format!("{:03}", draw.number(0, 999)))),
        sitelinks,
        callouts,
        token: occasion.now.with(advertiser.host).with(region as u8).draw().token(22),
    }
}

/// Draws no sitelinks (half of the time), two or four, to pages of the advertiser.
fn draw_sitelinks(phrases: &'static Phrases, advertiser: &Advertiser, draw: &mut Draw) -> Vec<Sitelink> {
    let count = [0, 0, 2, 4][draw.number(0, 3)];
    draw.some_of(phrases.sitelinks, count)
        .into_iter()
        .map(|(title, text)| Sitelink {
            title,
            text,
            landing_url: address(advertiser.host, &format!("/{}", slug(title, '-')), ""),
        })
        .collect()
}

/// Writes up to `count` shopping ads of the advertisers in `ranking` that sell goods, in a drawn order, no product twice; all in the right column if
/// `block` is `Right`, else at the top. Their positions are still 0.
pub(crate) fn products(
    search: &Search,
    occasion: Occasion,
    ranking: &[&'static Advertiser],
    count: usize,
    block: ShoppingBlock,
) -> Vec<Product> {
    let models = copywriting::phrases(search.language).models;
    let offers: Vec<(&'static Advertiser, &'static str)> = ranking
        .iter()
        .filter(|advertiser| advertiser.trade == Trade::Goods)
        .flat_map(|advertiser| models.iter().map(move |model| (*advertiser, *model)))
        .collect();
    let region = if block == ShoppingBlock::Right {
        Region::Right
    } else {
        Region::Top
    };
    let chosen = occasion
        .now
        .with("products")
        .draw()
        .some_of(&offers, count)
        .into_iter()
        .copied()
        .collect::<Vec<_>>();
    chosen
        .into_iter()
        .map(|(merchant, model)| write_product(search, occasion, merchant, model, region))
        .collect()
}

/// Writes the shopping ad for a merchant's model: always the same for a search, but for its price, which changes daily, and the token of its click,
/// which changes with the rotation. Its positions are still 0.
fn write_product(
    search: &Search,
    occasion: Occasion,
    merchant: &'static Advertiser,
    model: &'static str,
    region: Region,
) -> Product {
    let phrases = copywriting::phrases(search.language);
    let offer = occasion.always.with(merchant.host).with(model);
    let mut draw = offer.draw();
    // One product costs about the same everywhere.
    let mut usual = occasion.always.with("price").with(model).draw();
    let usual = [19, 49, 129, 249, 899][usual.number(0, 4)] + usual.number(0, 30);
    let euros = usual * draw.number(80, 120) / 100;
    let ending = occasion.today.with(merchant.host).with(model).draw().number(0, 3);
    let cents = euros * 100 + [0, 50, 90, 99][ending];
    let landing = address(
        merchant.host,
        &format!("/{}-{}", slug(&search.keyword(), '-'), slug(model, '-')),
        &format!("utm_source={}&utm_medium=shopping&pid={}", search.engine, draw.token(8)),
    );
    let compared = search.engine == Engine::Google && search.country.has_comparison_services && draw.happens(90);
    let comparator = compared.then(|| draw.one_of(COMPARATORS));
    let words = utf8_percent_encode(&search.query, COMPONENT).to_string();
    Product {
        region,
        position: 0,
        real_position: 0,
        title: format!("{} {model}", capitalised(&copywriting::wares(&search.query))),
        price: price(cents, search.country.currency, search.language),
        merchant: merchant.name,
        domain: domain_of(&landing),
        redirect_target: through_tracker(merchant, &landing, &mut draw),
        landing_url: landing,
        comparator_name: comparator.map(|it| format!("{} {}", labels::labels(search.language).by, it.name)),
        comparator_url: comparator.map(|it| format!("{}{words}", it.address)),
        shipping: draw.happens(50).then(|| *draw.one_of(phrases.shipping)),
        image: format!(
            "/images/product/{}.webp",
            occasion
                .always
                .with("picture")
                .with(merchant.owner)
                .with(model)
                .draw()
                .token(12)
        ),
        merchant_id: number_of(merchant.owner, "merchant"),
        offer_id: draw.token(10),
        token: occasion.now.with(merchant.host).with(model).draw().token(22),
    }
}

/// Builds the address of the advertiser's page for a search, with the engine and a drawn campaign in its query.
fn landing_page(search: &Search, advertiser: &Advertiser, draw: &mut Draw) -> String {
    let campaign = draw.number(100_000, 999_999);
    address(
        advertiser.landing_host.unwrap_or(advertiser.host),
        &format!("/{}", slug(&search.keyword(), '-')),
        &format!("utm_source={}&utm_medium=cpc&utm_campaign={campaign}", search.engine),
    )
}

/// Returns the address that leads through the advertiser's tracker to the landing page; the landing page itself without a tracker.
fn through_tracker(advertiser: &Advertiser, landing: &str, draw: &mut Draw) -> String {
    let Some(tracker) = advertiser.tracker else {
        return landing.to_owned();
    };
    let encoded = |text: &str| utf8_percent_encode(text, COMPONENT).to_string();
    tracker
        .address
        .replace("{id}", &draw.number(100_000_000, 999_999_999).to_string())
        .replace("{account}", &number_of(advertiser.owner, tracker.address))
        .replace("{raw}", landing)
        .replace("{url2}", &encoded(&encoded(landing)))
        .replace("{url}", &encoded(landing))
}

/// Draws the number of a company for a use, the same in every world.
fn number_of(owner: &str, what: &str) -> String {
    let key = DrawKey::of_seed(0).with(owner).with(what);
    key.draw().number(1_000_000, 199_999_999).to_string()
}

/// Returns a host in the form in which a generation displays it: as it is (Google to 2019), without `www.` (Bing 2022), else behind `https://`.
fn display_host(generation: Generation, host: &str) -> String {
    match generation {
        Generation::Google2013 | Generation::Google2019 => host.to_owned(),
        Generation::Bing2022 => host.trim_start_matches("www.").to_owned(),
        _ => format!("https://{host}"),
    }
}

/// Returns the path that a generation displays behind the host, made of the query's first two words; for some ads, as drawn, `/` or empty.
fn display_path(generation: Generation, search: &Search, draw: &mut Draw) -> String {
    let words = search.query.split(' ').take(2).collect::<Vec<_>>().join(" ");
    let plain = draw.happens(40);
    match generation {
        Generation::Google2013 | Generation::Google2019 | Generation::Google2021 if plain => "/".to_owned(),
        Generation::Google2013 | Generation::Google2019 | Generation::Bing2019 => {
            format!("/{}", slug(&capitalised(&words), '-'))
        }
        Generation::Google2021 => format!("/{}", slug(&words.to_lowercase(), '_')),
        _ if plain => String::new(),
        _ => format!(" › {}", slug(&words.to_lowercase(), '-')),
    }
}

/// Builds an https address on a site: the host in punycode, the rest percent-encoded where needed; unchanged text when that is no address. `path`
/// begins with `/`; `query` may be empty.
pub(crate) fn address(host: &str, path: &str, query: &str) -> String {
    let text = if query.is_empty() {
        format!("https://{host}{path}")
    } else {
        format!("https://{host}{path}?{query}")
    };
    Url::parse(&text).map_or(text, String::from)
}

/// Returns the host of an address in lower case, in punycode, without `www.`; empty for what is no address.
pub(crate) fn domain_of(address: &str) -> String {
    let host = Url::parse(address)
        .ok()
        .and_then(|url| url.host_str().map(str::to_owned))
        .unwrap_or_default();
    host.strip_prefix("www.").unwrap_or(&host).to_owned()
}

/// Returns the words of a text, letters and digits only, joined by one `joint`; the case stays.
pub(crate) fn slug(text: &str, joint: char) -> String {
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    words.join(&joint.to_string())
}

/// Returns a text with its first letter as a capital.
pub(crate) fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Fills in a phrase's placeholders: `{n}` the number, `{a}` the name, `{c}` the town of the search (else of its country), `{q}` what the query is
/// about, `{Q}` the same with a capital.
pub(crate) fn filled(phrase: &str, search: &Search, name: &str, number: usize) -> String {
    let wares = copywriting::wares(&search.query);
    let town = search.town.as_deref().unwrap_or(search.country.town);
    phrase
        .replace("{n}", &number.to_string())
        .replace("{a}", name)
        .replace("{c}", town)
        .replace("{Q}", &capitalised(&wares))
        .replace("{q}", &wares)
}
