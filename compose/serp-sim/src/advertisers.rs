//! The advertisers: fictional companies, trackers and comparison services, all under `.example`.

/// A company that buys ads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Advertiser {
    pub name: &'static str,
    /// The host of its site as displayed, with `www.` where it has one.
    pub host: &'static str,
    /// The countries it sells in, codes of two letters separated by spaces; empty for all.
    countries: &'static str,
    /// The tracker in front of its landing pages.
    pub tracker: Option<&'static Tracker>,
    /// Goods get shopping ads, services get call ads.
    pub trade: Trade,
    /// The company behind it: its own name, unless it is one of several shops of one company. These have one merchant id, one account with each tracker,
    /// and the same pictures and texts.
    pub owner: &'static str,
    /// The site that its ads lead to, where that is another than it displays.
    pub landing_host: Option<&'static str>,
}

impl Advertiser {
    /// Whether a query in lower case names the company.
    pub(crate) fn is_named_in(&self, keyword: &str) -> bool {
        keyword.contains(&self.name.to_lowercase())
    }
}

/// What a company sells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trade {
    Goods,
    Services,
}

/// A service that counts clicks on their way to a landing page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tracker {
    /// The address with `{id}`, the advertiser's `{account}`, and the landing page as `{url}` (percent-encoded) or `{raw}`.
    pub address: &'static str,
}

static DELIVERY: Tracker = Tracker {
    address: "http://clickserve.traceline.example/link/click?lid={id}&ds_account={account}&ds_s_kwgid=58{id}&&ds_url_v=2&ds_dest_url={raw}",
};
static PIXEL: Tracker = Tracker {
    address: "https://pixel.mirelay.example/7629/cq?ev_sid=10&account={account}&ev_lx=kwd-{id}&ev_mt=p&url={url}",
};
static RELAY: Tracker = Tracker {
    address: "https://ad.sonarclick.example/s/go?adv={account}&ad={id}&h=https%3A%2F%2Fpixel.mirelay.example%2Fcq%3Fev_sid%3D10%26url%3D{url2}",
};
/// A network of affiliates: one account for all that it serves.
static AFFILIATES: Tracker = Tracker {
    address: "https://go.partnerloom.example/c?accountid=4400&click={id}&url={url}",
};

/// Makes a company that sells goods, without a tracker, in `countries`: codes of two letters separated by spaces, empty for all.
const fn goods(name: &'static str, host: &'static str, countries: &'static str) -> Advertiser {
    Advertiser {
        name,
        host,
        countries,
        tracker: None,
        trade: Trade::Goods,
        owner: name,
        landing_host: None,
    }
}

/// Makes a company that sells services, without a tracker, in `countries`: codes of two letters separated by spaces, empty for all.
const fn services(name: &'static str, host: &'static str, countries: &'static str) -> Advertiser {
    Advertiser {
        name,
        host,
        countries,
        tracker: None,
        trade: Trade::Services,
        owner: name,
        landing_host: None,
    }
}

/// Puts a tracker in front of a company's landing pages.
const fn tracked(advertiser: Advertiser, tracker: &'static Tracker) -> Advertiser {
    Advertiser {
        tracker: Some(tracker),
        ..advertiser
    }
}

/// Makes a company one of several shops of `owner`.
const fn owned(advertiser: Advertiser, owner: &'static str) -> Advertiser {
    Advertiser { owner, ..advertiser }
}

/// Makes a company's ads lead to the site of another.
const fn landing_on(advertiser: Advertiser, host: &'static str) -> Advertiser {
    Advertiser {
        landing_host: Some(host),
        ..advertiser
    }
}

static ADVERTISERS: &[Advertiser] = &[
    tracked(goods("Okimarket", "www.okimarket.example", ""), &AFFILIATES),
    tracked(goods("Kestrel Outlet", "www.kestrel-outlet.example", ""), &DELIVERY),
    goods("Zamboli", "www.zamboli.example", ""),
    tracked(goods("Tradavia", "shop.tradavia.example", ""), &PIXEL),
    services("Pronto & Filament", "pronto-filament.example", ""),
    services("Vellumo", "www.vellumo.example", ""),
    goods("Maison Brivault", "www.brivault.example", "FR BE LU CH"),
    goods("Galeries d’Orsenne", "www.galeries-orsenne.example", "FR LU"),
    tracked(
        goods("L’Atelier Corvane", "boutique.corvane.example", "FR BE CH"),
        &RELAY,
    ),
    goods("Trouvaille du Nord", "www.trouvaille-du-nord.example", "FR BE"),
    tracked(goods("Prixmalin", "www.prixmalin.example", "FR"), &AFFILIATES),
    goods("Sabotine", "soldes.sabotine.example", "FR CH LU BE"),
    services("Dépann’Aubrac", "www.depann-aubrac.example", "FR"),
    services("Assurances Fontelle", "www.fontelle.example", "FR BE LU"),
    services("Devis Éclair", "devis-eclair.example", "FR BE"),
    goods("Möbelhaus Brandis", "www.möbelhaus-brandis.example", "DE AT CH"),
    goods("Kaufhof Lindenau", "www.lindenau-kaufhaus.example", "DE AT"),
    tracked(goods("Schnappfuchs", "www.schnappfuchs.example", "DE AT CH"), &PIXEL),
    tracked(goods("Alpenkram", "alpenkram.example", "DE AT CH"), &AFFILIATES),
    tracked(
        goods("Nordlicht Versand", "www.nordlicht-versand.example", "DE"),
        &AFFILIATES,
    ),
    services("Notdienst Wackerle", "www.notdienst-wackerle.example", "DE AT"),
    services("Sparbär Vergleich", "vergleich.sparbaer.example", "DE AT CH"),
    goods("Harbury & Finch", "www.harbury-finch.example", "GB IE"),
    tracked(goods("Copperlane", "www.copperlane.example", "GB IE AU"), &AFFILIATES),
    tracked(goods("Bramblegate", "shop.bramblegate.example", "GB"), &DELIVERY),
    services("Thistle Trades", "www.thistle-trades.example", "GB IE"),
    services("Quillon Cover", "www.quilloncover.example", "GB IE AU CA"),
    goods("Larkspur Supply Co.", "www.larkspur-supply.example", "US CA"),
    tracked(goods("Ridgeway Depot", "www.ridgeway-depot.example", "US"), &AFFILIATES),
    tracked(
        goods("Bluefin Bargains", "deals.bluefin-bargains.example", "US CA AU"),
        &RELAY,
    ),
    tracked(goods("Prairie Goods", "prairiegoods.example", "US CA"), &AFFILIATES),
    services("Handy Hollis", "www.handy-hollis.example", "US CA"),
    tracked(goods("Wattle & Pine", "www.wattleandpine.example", "AU"), &AFFILIATES),
    goods("Érablière Express", "www.erabliere-express.example", "CA"),
    goods("Tulpenmarkt", "www.tulpenmarkt.example", "NL BE"),
    goods("Casa Milpiedras", "www.milpiedras.example", "ES"),
    goods("Bottega Serrano", "www.bottega-serrano.example", "IT"),
    // One company behind several shops, each with a face of its own.
    tracked(goods("Nordmart", "www.nordmart.example", "FR BE GB IE DE AT"), &RELAY),
    owned(
        tracked(goods("Nord Outlet", "www.nord-outlet.example", "FR BE DE"), &RELAY),
        "Nordmart",
    ),
    owned(goods("Luxadepot", "www.luxadepot.example", "FR BE LU"), "Nordmart"),
    owned(
        tracked(goods("Solveo Bags", "solveo-bags.example", "GB IE"), &RELAY),
        "Nordmart",
    ),
    landing_on(
        owned(services("Miradeal", "miradeal.example", "GB"), "Bramblegate"),
        "shop.bramblegate.example",
    ),
    owned(
        tracked(goods("Tovahouse", "www.tovahouse.example", "DE AT CH"), &PIXEL),
        "Schnappfuchs",
    ),
];

/// The company behind a host, spelled as displayed and without `www.`; `None` for a host that advertises nowhere.
pub fn owner_of(host: &str) -> Option<&'static str> {
    let is_host = |advertiser: &&Advertiser| advertiser.host.trim_start_matches("www.") == host;
    ADVERTISERS.iter().find(is_host).map(|advertiser| advertiser.owner)
}

/// A comparison service that places shopping ads for merchants.
#[derive(Debug)]
pub(crate) struct Comparator {
    pub name: &'static str,
    /// Its address up to the search words.
    pub address: &'static str,
}

pub(crate) static COMPARATORS: &[Comparator] = &[
    Comparator {
        name: "Kompara",
        address: "https://www.kompara.example/search/",
    },
    Comparator {
        name: "Prixoscope",
        address: "https://prixoscope.example/recherche/",
    },
    Comparator {
        name: "Shopwise Compare",
        address: "https://www.shopwise-compare.example/s?q=",
    },
    Comparator {
        name: "Feedspark",
        address: "https://feedspark.example/search/",
    },
    Comparator {
        name: "Preisfalke",
        address: "https://www.preisfalke.example/suche/",
    },
];

/// Sites with organic results only: name and start of the address.
pub(crate) static PUBLISHERS: &[(&str, &str)] = &[
    ("Opendex", "https://www.opendex.example/wiki/"),
    ("Le Journal d’Avelines", "https://www.journal-avelines.example/conso/"),
    ("The Marlow Gazette", "https://gazette-marlow.example/guides/"),
    ("Rundblick Online", "https://www.rundblick.example/ratgeber/"),
    ("Avis Sincères", "https://avis-sinceres.example/comparatif/"),
    ("Forum Bricolune", "https://forum.bricolune.example/t/"),
    ("Videolo", "https://www.videolo.example/watch?v="),
    ("Testhaus Kramm", "https://testhaus-kramm.example/test/"),
    ("Honest Shelf", "https://www.honestshelf.example/best-"),
    ("Carnet de Bord", "https://carnetdebord.example/blog/"),
    ("Askaroo", "https://www.askaroo.example/q/"),
    ("Ville de Montrevel", "https://www.ville-montrevel.example/services/"),
];

/// Iterates over the companies that sell in a country, by its code of two capital letters.
pub(crate) fn selling_in(country: &str) -> impl Iterator<Item = &'static Advertiser> {
    ADVERTISERS.iter().filter(move |advertiser| {
        advertiser.countries.is_empty() || advertiser.countries.split(' ').any(|code| code == country)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_country_has_goods_and_services_on_offer() {
        for country in [
            "FR", "DE", "GB", "US", "BE", "CH", "AT", "LU", "IE", "NL", "ES", "IT", "CA", "AU",
        ] {
            for trade in [Trade::Goods, Trade::Services] {
                assert!(
                    selling_in(country).any(|advertiser| advertiser.trade == trade),
                    "{country} {trade:?}"
                );
            }
        }
    }

    #[test]
    fn every_address_is_a_reserved_one() {
        for advertiser in ADVERTISERS {
            assert!(advertiser.host.ends_with(".example"), "{}", advertiser.host);
        }
        for address in COMPARATORS
            .iter()
            .map(|it| it.address)
            .chain(PUBLISHERS.iter().map(|it| it.1))
        {
            let host = url::Url::parse(address).unwrap().host_str().unwrap().to_owned();
            assert!(host.ends_with(".example"), "{host}");
        }
    }
}
