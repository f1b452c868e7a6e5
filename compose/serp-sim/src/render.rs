//! Renders result pages with the template of their generation.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{AutoEscape, Environment, context};
use serde::Serialize;

use crate::engine::Engine;
use crate::labels;
use crate::links::{AdLinks, Links};
use crate::money::grouped;
use crate::results::{Product, Region, ResultPage, TextAd};

/// Every template, by its file name.
macro_rules! templates {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../templates/", $name)))),*]
    };
}

const TEMPLATES: [(&str, &str); 24] = templates![
    "google-home.html",
    "google-frame.html",
    "google-units.html",
    "google-2013.html",
    "google-2019.html",
    "google-2019-mobile.html",
    "google-2021.html",
    "google-2021-mobile.html",
    "google-2023.html",
    "google-2023-mobile.html",
    "google-2025.html",
    "google-2025-mobile.html",
    "google-consent.html",
    "google-captcha.html",
    "google-unusual-traffic.html",
    "google-shell.html",
    "google-soft-block.html",
    "bing-home.html",
    "bing-frame.html",
    "bing-2019.html",
    "bing-2019-mobile.html",
    "bing-2022.html",
    "bing-2022-mobile.html",
    "bing-faults.html",
];

/// Renders pages from templates.
pub(crate) struct Renderer {
    environment: Environment<'static>,
    /// Inert script that makes pages as large as real ones.
    ballast: Value,
}

/// A text ad with the links that its template needs.
#[derive(Serialize)]
struct ShownAd<'a> {
    #[serde(flatten)]
    ad: &'a TextAd,
    #[serde(flatten)]
    links: AdLinks,
    sitelinks: Vec<ShownSitelink<'a>>,
}

#[derive(Serialize)]
struct ShownSitelink<'a> {
    title: &'a str,
    text: &'a str,
    #[serde(flatten)]
    links: AdLinks,
}

#[derive(Serialize)]
struct ShownProduct<'a> {
    #[serde(flatten)]
    product: &'a Product,
    #[serde(flatten)]
    links: AdLinks,
}

impl Renderer {
    /// Parses the templates; `weight` is the ballast of a page, at least so many bytes. Fails when a template is wrong.
    pub(crate) fn new(weight: usize) -> Result<Self, minijinja::Error> {
        let mut environment = Environment::new();
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
        environment.add_filter("marked", mark_words);
        for (name, source) in TEMPLATES {
            environment.add_template(name, source)?;
        }
        Ok(Self {
            environment,
            ballast: make_ballast(weight),
        })
    }

    /// Renders a result page in the layout of its generation and device, and in its language. `origin` is the scheme and host the browser used. Fails
    /// only when a template is wrong.
    pub(crate) fn results(&self, page: &ResultPage, origin: &str) -> Result<String, minijinja::Error> {
        let base = format!("{origin}/{}", page.engine);
        let links = Links {
            base: &base,
            generation: page.generation,
        };
        let ads = |region: Region| -> Vec<ShownAd<'_>> {
            page.ads
                .iter()
                .filter(|ad| ad.region == region)
                .map(|ad| shown_ad(ad, &links))
                .collect()
        };
        let products: Vec<ShownProduct<'_>> = page
            .products
            .iter()
            .map(|product| ShownProduct {
                product,
                links: links.of_product(product),
            })
            .collect();
        let organic_links: Vec<String> = page
            .organic
            .iter()
            .map(|result| links.of_organic(&result.url))
            .collect();
        let thousands = match page.language {
            crate::localization::Language::English => ',',
            crate::localization::Language::French => '\u{a0}',
            crate::localization::Language::German => '.',
        };
        self.environment
            .get_template(&page.generation.template(page.device))?
            .render(context! {
                t => Serde(labels::labels(page.language)),
                lang => page.language.code(),
                device => page.device.to_string(),
                query => page.query.as_str(),
                origin,
                base => base.as_str(),
                top => Serde(ads(Region::Top)),
                middle => Serde(ads(Region::Middle)),
                bottom => Serde(ads(Region::Bottom)),
                right => Serde(ads(Region::Right)),
                products => Serde(products),
                products_right => page.products.first().is_some_and(|product| product.region == Region::Right),
                organic => Serde(&page.organic),
                organic_links,
                related => page.related.clone(),
                found => grouped(page.found, thousands),
                ballast => self.ballast.clone(),
            })
    }

    /// Renders a page other than a result page: a template by its file name, with these values.
    pub(crate) fn other(&self, template: &str, values: Value) -> Result<String, minijinja::Error> {
        self.environment
            .get_template(template)?
            .render(context! { ballast => self.ballast.clone(), ..values })
    }

    /// Renders an engine's home page in a language (`fr`).
    pub(crate) fn home(&self, engine: Engine, origin: &str, lang: &str) -> Result<String, minijinja::Error> {
        self.other(
            &format!("{engine}-home.html"),
            context! { base => format!("{origin}/{engine}"), lang },
        )
    }
}

/// Combines an ad with its links and sitelinks, each with its own links, for the template.
fn shown_ad<'a>(ad: &'a TextAd, links: &Links<'_>) -> ShownAd<'a> {
    let sitelinks = ad.sitelinks.iter().enumerate().map(|(at, link)| ShownSitelink {
        title: link.title,
        text: link.text,
        links: links.of_sitelink(ad, at, &link.landing_url),
    });
    ShownAd {
        ad,
        links: links.of_ad(ad),
        sitelinks: sitelinks.collect(),
    }
}

/// Template filter: escapes a text and encloses the query's words of three letters and more in `tag`, as the engines highlight them: whole words
/// between spaces, in any case.
fn mark_words(text: &str, query: &str, tag: &str) -> Value {
    let searched: Vec<String> = query.to_lowercase().split(' ').map(str::to_owned).collect();
    let escaped = |word: &str| minijinja::HtmlEscape(word).to_string();
    let words = text.split(' ').map(|word| {
        let found = word.chars().count() > 2 && searched.contains(&word.to_lowercase());
        if found {
            format!("<{tag}>{}</{tag}>", escaped(word))
        } else {
            escaped(word)
        }
    });
    Value::from_safe_string(words.collect::<Vec<_>>().join(" "))
}

/// Makes inert script of at least `weight` bytes.
fn make_ballast(weight: usize) -> Value {
    const LINE: &str = "_.q(\"k7f3zQ\",[1,0,2,5],{\"a\":\"xjs.s.en_US\",\"b\":null,\"c\":!0});\n";
    Value::from_safe_string(LINE.repeat(weight.div_ceil(LINE.len())))
}
