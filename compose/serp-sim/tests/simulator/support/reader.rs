//! A minimal reader that checks whether a page shows its truth: one list of selectors per generation.

use scraper::{ElementRef, Html, Selector};
use serde_json::Value;

/// Selectors for the parts of text ads and shopping ads in a generation.
pub struct Layout {
    ad: &'static str,
    title: &'static str,
    display: &'static str,
    description: &'static str,
    product: &'static str,
    product_title: &'static str,
    price: &'static str,
    merchant: &'static str,
    comparator: &'static str,
    organic: &'static str,
}

const DESKTOP_UNIT: (&str, &str, &str, &str, &str) = (
    ".pla-unit",
    ".pla-unit-title-link .pymv4e",
    ".e10twf",
    ".LbUacb span",
    ".azW0ve .KbpByd",
);
const MOBILE_UNIT: (&str, &str, &str, &str, &str) = (
    "g-inner-card.pla-unit-container",
    "h4.pymv4e",
    ".dOp6Sc div",
    ".hBvPxd span",
    ".nmvaAf .KbpByd",
);
const BING_UNIT: (&str, &str, &str, &str, &str) = (
    ".pa_item",
    ".pa_title",
    ".pa_price strong",
    ".b_attribution cite",
    ".KbpByd",
);

/// The layout of a generation on a device.
pub fn layout(generation: &str, mobile: bool) -> Layout {
    let (ad, title, display, description, organic) = match (generation, mobile) {
        ("google-2013", _) => ("#tads li, #tadsb li, #mbEnd li", "h3 a", ".kv cite", ".ac", "li.g"),
        ("google-2019", false) => ("li.ads-ad", "h3", "cite", ".ads-creative", ".srg .g"),
        ("google-2019", true) => (
            "li.ads-fr",
            "[role=heading] div",
            ".qzEoUe",
            ".yDYNvb",
            ".srg [data-hveid]",
        ),
        ("google-2021", false) => (
            "[data-text-ad]",
            "[role=heading]",
            ".abuKkc .qzEoUe",
            ".cUezCb > div > .yDYNvb span",
            "#rso .g",
        ),
        ("google-2021", true) => (
            "[data-text-ad]",
            "[role=heading]",
            "[data-dtld]",
            ".yDYNvb div",
            ".kCrYT",
        ),
        (google, false) if google.starts_with("google") => (
            "[data-text-ad]",
            "[role=heading]",
            "[data-dtld]",
            ".p4wth",
            "#rso .tF2Cxc",
        ),
        (google, true) if google.starts_with("google") => (
            "[data-text-ad]",
            "[role=heading]",
            "[data-dtld]",
            ".w1C3Le .yDYNvb",
            "#rso .kvH3mc",
        ),
        ("bing-2019", true) => ("li.b_ad li.ad_sc", "h2 a", "cite", ".b_caption p", "li.b_algo"),
        (_, true) => ("li.b_ad .sb_add", "h2 a", "cite", ".b_caption p", "li.b_algo"),
        (_, false) => ("li.b_ad .sb_add", "h2 a", "cite a", ".b_caption p", "li.b_algo"),
    };
    let unit = match (generation.starts_with("bing"), mobile) {
        (true, _) => BING_UNIT,
        (false, true) => MOBILE_UNIT,
        (false, false) => DESKTOP_UNIT,
    };
    let (product, product_title, price, merchant, comparator) = unit;
    Layout {
        ad,
        title,
        display,
        description,
        product,
        product_title,
        price,
        merchant,
        comparator,
        organic,
    }
}

/// What a page shows, in document order.
#[derive(Debug, PartialEq)]
pub struct Shown {
    pub ads: Vec<Ad>,
    pub products: Vec<Product>,
    /// The kinds of all ads in document order: `t` for text, `s` for shopping.
    pub order: String,
    pub organic: usize,
}

#[derive(Debug, PartialEq)]
pub struct Ad {
    title: String,
    display_url: Option<String>,
    description: String,
    region: String,
}

#[derive(Debug, PartialEq)]
pub struct Product {
    title: String,
    price: String,
    merchant: String,
    comparator: Option<String>,
    region: String,
}

fn text(element: ElementRef<'_>, selector: &str) -> Option<String> {
    let found = element.select(&Selector::parse(selector).unwrap()).next()?;
    let text = found.text().collect::<String>();
    Some(text.split_whitespace().collect::<Vec<_>>().join(" ").trim().to_owned())
}

fn region(element: ElementRef<'_>) -> String {
    let up = |wanted: &dyn Fn(ElementRef<'_>) -> bool| element.ancestors().filter_map(ElementRef::wrap).any(wanted);
    let id = |names: &'static [&'static str]| {
        move |it: ElementRef<'_>| it.value().id().is_some_and(|id| names.contains(&id))
    };
    let class = |name: &'static str| move |it: ElementRef<'_>| it.value().classes().any(|class| class == name);
    let region = if up(&id(&["rhs", "rhs_block", "b_context"])) {
        "right"
    } else if up(&id(&["tadsb", "bottomads"])) || up(&class("b_adBottom")) {
        "bottom"
    } else if up(&class("b_adMiddle")) {
        "middle"
    } else {
        "top"
    };
    region.to_owned()
}

/// Reads the ads of a page.
pub fn read(html: &str, layout: &Layout) -> Shown {
    let page = Html::parse_document(html);
    let all = |selector: &str| -> Vec<ElementRef<'_>> { page.select(&Selector::parse(selector).unwrap()).collect() };
    let ads = all(layout.ad).into_iter().map(|ad| {
        let description = text(ad, layout.description).unwrap_or_default();
        let label = text(ad, ".b_adSlug").unwrap_or_default();
        Ad {
            title: text(ad, layout.title).unwrap_or_default(),
            display_url: text(ad, layout.display),
            description: description.strip_prefix(&label).unwrap_or(&description).to_owned(),
            region: region(ad),
        }
    });
    let products = all(layout.product).into_iter().map(|product| Product {
        title: text(product, layout.product_title).unwrap_or_default(),
        price: text(product, layout.price).unwrap_or_default(),
        merchant: text(product, layout.merchant).unwrap_or_default(),
        comparator: text(product, layout.comparator),
        region: region(product),
    });
    let products_found = all(layout.product);
    let order = all(&format!("{}, {}", layout.ad, layout.product))
        .into_iter()
        .map(|element| if products_found.contains(&element) { 's' } else { 't' })
        .collect();
    Shown {
        ads: ads.collect(),
        products: products.collect(),
        order,
        organic: all(layout.organic).len(),
    }
}

/// What the truth says a page shows.
pub fn from_truth(truth: &Value) -> Shown {
    let list = |name: &str| truth[name].as_array().unwrap().clone();
    let word = |value: &Value, name: &str| value[name].as_str().map(str::to_owned);
    let ads = list("ads");
    let products = list("shopping");
    let mut order: Vec<(u64, char)> = ads
        .iter()
        .map(|ad| (ad["realPosition"].as_u64().unwrap(), 't'))
        .collect();
    order.extend(
        products
            .iter()
            .map(|product| (product["realPosition"].as_u64().unwrap(), 's')),
    );
    order.sort_unstable();
    assert!(
        order.iter().map(|(rank, _)| *rank).eq(1..=order.len() as u64),
        "real positions have gaps: {order:?}"
    );
    Shown {
        ads: ads
            .iter()
            .map(|ad| Ad {
                title: word(ad, "title").unwrap(),
                display_url: word(ad, "displayUrl"),
                description: word(ad, "description").unwrap(),
                region: word(ad, "region").unwrap(),
            })
            .collect(),
        products: products
            .iter()
            .map(|product| Product {
                title: word(product, "title").unwrap(),
                price: word(product, "price").unwrap(),
                merchant: word(product, "merchant").unwrap(),
                comparator: word(product, "comparatorName"),
                region: word(product, "region").unwrap(),
            })
            .collect(),
        order: order.into_iter().map(|(_, kind)| kind).collect(),
        organic: list("organic").len(),
    }
}
