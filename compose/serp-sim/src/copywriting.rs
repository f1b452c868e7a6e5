//! The words of ads and results in each language. `{q}` is the query, `{Q}` the same with a capital, `{a}` the advertiser, `{c}` the town
//! or country, `{n}` a number.

use crate::faults::QUERY_MARK;
use crate::localization::Language;

/// The phrases of one language.
#[derive(Debug)]
pub(crate) struct Phrases {
    pub titles: &'static [&'static str],
    pub service_titles: &'static [&'static str],
    pub official_title: &'static str,
    pub call_title: &'static str,
    pub descriptions: &'static [&'static str],
    pub sitelinks: &'static [(&'static str, &'static str)],
    pub callouts: &'static [&'static str],
    pub models: &'static [&'static str],
    pub shipping: &'static [&'static str],
    pub organic_titles: &'static [&'static str],
    pub organic_texts: &'static [&'static str],
    pub related: &'static [&'static str],
    /// Words that show an intent to buy, which brings many ads.
    pub buying: &'static [&'static str],
    /// Words that suppress ads.
    pub no_ads: &'static str,
    /// A telephone number reserved for fiction; `{n}` is its last digits.
    pub telephone: &'static str,
}

/// Returns the phrases of a language.
pub(crate) const fn phrases(language: Language) -> &'static Phrases {
    match language {
        Language::English => &ENGLISH,
        Language::French => &FRENCH,
        Language::German => &GERMAN,
    }
}

/// Returns whether a query in lower case has a word that shows an intent to buy, in any of the languages.
pub(crate) fn means_to_buy(keyword: &str) -> bool {
    [&ENGLISH, &FRENCH, &GERMAN]
        .into_iter()
        .flat_map(|phrases| phrases.buying)
        .any(|word| has_words(keyword, word))
}

/// Returns what a query is about: the query without single words of buying and words that ask for a fault; the whole query where nothing else is
/// left.
pub(crate) fn wares(query: &str) -> String {
    let buying = |word: &str| {
        let word = word.to_lowercase();
        [&ENGLISH, &FRENCH, &GERMAN]
            .into_iter()
            .any(|phrases| phrases.buying.contains(&word.as_str()))
    };
    let left: Vec<&str> = query
        .split(' ')
        .filter(|word| !buying(word) && !word.starts_with(QUERY_MARK))
        .collect();
    if left.is_empty() {
        query.to_owned()
    } else {
        left.join(" ")
    }
}

/// Returns whether a query in lower case has the words that suppress ads, in any of the languages.
pub(crate) fn wants_no_ads(keyword: &str) -> bool {
    [&ENGLISH, &FRENCH, &GERMAN]
        .into_iter()
        .any(|phrases| has_words(keyword, phrases.no_ads))
}

/// Returns whether a query has these words next to each other, as whole words.
fn has_words(keyword: &str, words: &str) -> bool {
    format!(" {keyword} ").contains(&format!(" {words} "))
}

static ENGLISH: Phrases = Phrases {
    titles: &[
        "{Q} - Up to {n}% Off - {a}",
        "Shop {Q} Online | Free Delivery | {a}",
        "{Q} at Low Prices - {a}",
        "{a}™ - New {Q} in Stock",
        "Buy {Q} & Save {n}% Today | {a}",
        "The {Q} Sale is On at {a}",
    ],
    service_titles: &[
        "{Q} in {c} - Free Quote - {a}",
        "{a} | {Q} From {n} a Month",
        "Compare {Q} in 5 Minutes - {a}",
        "Need {Q}? Ask {a} - 24/7 in {c}",
    ],
    official_title: "{a} Official Site - {Q}",
    call_title: "Call {a} - {Q}",
    descriptions: &[
        "Find {q} for every budget. Free returns within 30 days. Order before 6 pm, delivered tomorrow.",
        "Over {n}00 offers on {q}, updated every day. Secure payment and friendly advice.",
        "Top brands & small makers: {q} picked by people who know. Pay in 3 instalments.",
        "Looking for {q}? See prices, reviews and what is left in stock. Only while supplies last!",
    ],
    sitelinks: &[
        ("New Arrivals", "See what came in this week"),
        ("Clearance", "Last pieces, last prices"),
        ("Gift Cards", "From 10 to 500"),
        ("Store Finder", "Opening hours and directions"),
        ("Customer Reviews", "Rated 4.6 of 5"),
        ("Help & Contact", "We answer within the hour"),
    ],
    callouts: &["Free Returns", "24/7 Support", "Price Promise", "Next Day Delivery"],
    models: &[
        "Classic 2",
        "Lumen",
        "Nimbus XL",
        "Junior",
        "Pro 400",
        "Everyday Set",
        "Trail",
        "No. 7",
        "Deluxe Box",
        "Mini",
    ],
    shipping: &["Free shipping", "Free by Tuesday", "+ 4.90 shipping"],
    organic_titles: &[
        "{Q}: everything you need to know",
        "{Q} - {a}",
        "The best {q} of the year, tested",
        "How to choose {q}",
        "{Q} explained in plain words",
    ],
    organic_texts: &[
        "We looked at {n} kinds of {q} so that you do not have to. Here is what we found, and what it costs.",
        "{Q} has a long history. This page tells where it comes from, who uses it and why.",
        "Questions about {q}? Read what others have asked, and the answers they were given.",
    ],
    related: &[
        "{q} near me",
        "best {q}",
        "{q} reviews",
        "cheap {q}",
        "{q} second hand",
        "{q} online",
    ],
    buying: &["buy", "cheap", "price", "sale", "shop"],
    no_ads: "no ads",
    telephone: "020 7946 0{n}",
};

static FRENCH: Phrases = Phrases {
    titles: &[
        "{Q} - Jusqu’à -{n} % - {a}",
        "{Q} en ligne | Livraison offerte | {a}",
        "{Q} pas cher - {a}",
        "{a}™ - Nouveautés {q} en stock",
        "Achetez {q} & économisez {n} % | {a}",
        "Soldes {q} : profitez-en chez {a}",
    ],
    service_titles: &[
        "{Q} à {c} - Devis gratuit - {a}",
        "{a} | {Q} dès {n} € par mois",
        "Comparez {q} en 5 minutes - {a}",
        "Besoin de {q} ? {a} à {c}, 7j/7",
    ],
    official_title: "{a} - Site officiel - {Q}",
    call_title: "Appelez {a} - {Q}",
    descriptions: &[
        "Trouvez {q} à tous les prix. Retours gratuits sous 30 jours. Commandé avant 18 h, livré demain.",
        "Plus de {n}00 offres de {q}, mises à jour chaque jour. Paiement sécurisé et conseils d’experts.",
        "Grandes marques & petits créateurs : {q} choisis par des passionnés. Payez en 3 fois sans frais.",
        "Vous cherchez {q} ? Comparez les prix, les avis et les stocks. Dans la limite des stocks disponibles !",
    ],
    sitelinks: &[
        ("Nouveautés", "Les arrivages de la semaine"),
        ("Dernière démarque", "Derniers articles, derniers prix"),
        ("Cartes cadeaux", "De 10 à 500 €"),
        ("Nos magasins", "Horaires et itinéraires"),
        ("Avis clients", "Noté 4,6 sur 5"),
        ("Aide & contact", "Réponse dans l’heure"),
    ],
    callouts: &["Retours gratuits", "Service 7j/7", "Prix garantis", "Livraison demain"],
    models: &[
        "Classique 2",
        "Lumen",
        "Nimbus XL",
        "Junior",
        "Pro 400",
        "Coffret duo",
        "Sentier",
        "N° 7",
        "Luxe",
        "Mini",
    ],
    shipping: &["Livraison gratuite", "Offerte dès 49 €", "+ 4,90 € de port"],
    organic_titles: &[
        "{Q} : tout ce qu’il faut savoir",
        "{Q} - {a}",
        "Les meilleurs {q} de l’année, testés",
        "Comment choisir {q} ?",
        "{Q} expliqué simplement",
    ],
    organic_texts: &[
        "Nous avons comparé {n} sortes de {q} pour vous. Voici ce que nous avons trouvé, et ce que cela coûte.",
        "{Q} a une longue histoire. Cette page dit d’où cela vient, qui s’en sert et pourquoi.",
        "Des questions sur {q} ? Lisez celles des autres, et les réponses qu’ils ont reçues.",
    ],
    related: &[
        "{q} près de chez moi",
        "meilleur {q}",
        "{q} avis",
        "{q} pas cher",
        "{q} occasion",
        "{q} en ligne",
    ],
    buying: &["acheter", "achat", "pas cher", "prix", "soldes", "boutique"],
    no_ads: "sans annonces",
    telephone: "01 99 00 {n}",
};

static GERMAN: Phrases = Phrases {
    titles: &[
        "{Q} - Bis zu {n} % sparen - {a}",
        "{Q} online kaufen | Gratis Versand | {a}",
        "{Q} günstig bei {a}",
        "{a}™ - Neu: {Q} auf Lager",
        "{Q} bestellen & {n} % sparen | {a}",
        "{Q} im Sale bei {a}",
    ],
    service_titles: &[
        "{Q} in {c} - Kostenloses Angebot - {a}",
        "{a} | {Q} ab {n} € im Monat",
        "{Q} in 5 Minuten vergleichen - {a}",
        "{Q} gesucht? {a} hilft in {c}",
    ],
    official_title: "{a} - Offizielle Seite - {Q}",
    call_title: "{a} anrufen - {Q}",
    descriptions: &[
        "{Q} für jedes Budget. 30 Tage kostenlose Rückgabe. Bis 18 Uhr bestellt, morgen geliefert.",
        "Über {n}00 Angebote für {q}, täglich aktualisiert. Sichere Zahlung & freundliche Beratung.",
        "Große Marken, kleine Werkstätten: {q} mit Liebe ausgesucht. Zahlung in 3 Raten möglich.",
        "{Q} gesucht? Preise, Bewertungen und Bestand auf einen Blick. Nur solange der Vorrat reicht!",
    ],
    sitelinks: &[
        ("Neuheiten", "Frisch eingetroffen"),
        ("Restposten", "Letzte Stücke, letzte Preise"),
        ("Geschenkkarten", "Von 10 bis 500 €"),
        ("Filialen finden", "Öffnungszeiten und Anfahrt"),
        ("Kundenmeinungen", "4,6 von 5 Sternen"),
        ("Hilfe & Kontakt", "Antwort in einer Stunde"),
    ],
    callouts: &[
        "Gratis Rückgabe",
        "Rund um die Uhr",
        "Preisgarantie",
        "Lieferung morgen",
    ],
    models: &[
        "Klassik 2",
        "Lumen",
        "Nimbus XL",
        "Junior",
        "Pro 400",
        "Doppelpack",
        "Pfad",
        "Nr. 7",
        "Luxus",
        "Mini",
    ],
    shipping: &["Versand gratis", "Gratis ab 49 €", "+ 4,90 € Versand"],
    organic_titles: &[
        "{Q}: alles Wissenswerte",
        "{Q} - {a}",
        "Die besten {q} des Jahres im Test",
        "So finden Sie {q}",
        "{Q} einfach erklärt",
    ],
    organic_texts: &[
        "Wir haben {n} Arten von {q} verglichen. Das haben wir gefunden, und das kostet es.",
        "{Q} hat eine lange Geschichte. Hier steht, woher es kommt, wer es nutzt und warum.",
        "Fragen zu {q}? Lesen Sie, was andere gefragt haben und welche Antworten sie bekamen.",
    ],
    related: &[
        "{q} in der Nähe",
        "beste {q}",
        "{q} Bewertungen",
        "{q} günstig",
        "{q} gebraucht",
        "{q} online",
    ],
    buying: &["kaufen", "günstig", "preis", "angebot", "billig"],
    no_ads: "ohne anzeigen",
    telephone: "030 23125 {n}",
};
