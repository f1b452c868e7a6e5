//! The regions a term can target inside a country, with their names in Google's list of places (decision D75).

/// A region that searches can be made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// As terms have it and screens show it.
    pub name: &'static str,
    /// In Google's list of places, as in `Brittany,France`; Google ignores a location under any other name.
    pub canonical_name: &'static str,
    /// Its number there, the criteria id.
    pub criteria_id: u32,
}

/// Makes an entry of a list; the arguments are the fields of [`Region`] in their order.
const fn region(name: &'static str, canonical_name: &'static str, criteria_id: u32) -> Region {
    Region {
        name,
        canonical_name,
        criteria_id,
    }
}

/// Thirteen regions, and the five overseas, which Google lists as countries.
const FRANCE: [Region; 18] = [
    region("Auvergne-Rhone-Alpes", "Auvergne-Rhone-Alpes,France", 9_069_525),
    region("Bourgogne-Franche-Comte", "Bourgogne-Franche-Comte,France", 9_068_895),
    region("Brittany", "Brittany,France", 20_316),
    region("Centre-Val de Loire", "Centre-Val de Loire,France", 20_317),
    region("Corsica", "Corsica,France", 20_319),
    region("French Guiana", "French Guiana", 2_254),
    region("Grand Est", "Grand Est,France", 9_068_896),
    region("Guadeloupe", "Guadeloupe", 2_312),
    region("Hauts-de-France", "Hauts-de-France,France", 9_068_898),
    region("Ile-de-France", "Ile-de-France,France", 20_321),
    region("Martinique", "Martinique", 2_474),
    region("Mayotte", "Mayotte", 2_175),
    region("Normandy", "Normandy,France", 9_068_565),
    region("Nouvelle-Aquitaine", "Nouvelle-Aquitaine,France", 9_069_522),
    region("Occitanie", "Occitanie,France", 9_068_897),
    region("Pays de la Loire", "Pays de la Loire,France", 20_329),
    region(
        "Provence-Alpes-Cote d'Azur",
        "Provence-Alpes-Cote d'Azur,France",
        20_332,
    ),
    region("Reunion", "Reunion", 2_638),
];
const BELGIUM: [Region; 11] = [
    region("Antwerp", "Antwerp,Flanders,Belgium", 20_053),
    region("Brussels", "Brussels,Belgium", 20_052),
    region("East Flanders", "East Flanders,Flanders,Belgium", 20_056),
    region("Flemish Brabant", "Flemish Brabant,Flanders,Belgium", 20_054),
    region("Hainaut", "Hainaut,Wallonia,Belgium", 20_059),
    region("Liege", "Liege,Wallonia,Belgium", 20_060),
    region("Limburg", "Limburg,Flanders,Belgium", 20_055),
    region("Luxembourg", "Luxembourg,Wallonia,Belgium", 20_061),
    region("Namur", "Namur,Wallonia,Belgium", 20_062),
    region("Walloon Brabant", "Walloon Brabant,Wallonia,Belgium", 20_058),
    region("West Flanders", "West Flanders,Flanders,Belgium", 20_057),
];
const PORTUGAL: [Region; 20] = [
    region("Aveiro District", "Aveiro District,Portugal", 20_865),
    region("Azores", "Azores,Portugal", 20_881),
    region("Beja District", "Beja District,Portugal", 21_255),
    region("Braga District", "Braga,Portugal", 20_866),
    region("Braganca District", "Braganca District,Portugal", 20_867),
    region("Castelo Branco District", "Castelo Branco District,Portugal", 20_868),
    region("Coimbra District", "Coimbra District,Portugal", 20_869),
    region("Evora District", "Evora District,Portugal", 20_870),
    region("Faro District", "Faro District,Portugal", 20_871),
    region("Guarda District", "Guarda District,Portugal", 20_872),
    region("Leiria District", "Leiria District,Portugal", 20_873),
    region("Lisbon District", "Lisbon,Portugal", 20_874),
    region("Madeira", "Madeira,Portugal", 20_882),
    region("Portalegre District", "Portalegre District,Portugal", 20_875),
    region("Porto District", "Porto District,Portugal", 20_876),
    region("Santarem District", "Santarem District,Portugal", 20_877),
    region("Setubal District", "Setubal,Portugal", 20_878),
    region(
        "Viana do Castelo District",
        "Viana do Castelo District,Portugal",
        20_879,
    ),
    region("Vila Real District", "Vila Real District,Portugal", 9_047_107),
    region("Viseu District", "Viseu District,Portugal", 20_880),
];

/// The regions that terms can target in a country, in alphabetical order; `country` is its two letters in any case. Empty for countries
/// in which searches target no region.
pub fn regions(country: &str) -> &'static [Region] {
    match country.to_ascii_uppercase().as_str() {
        "FR" => &FRANCE,
        "BE" => &BELGIUM,
        "PT" => &PORTUGAL,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn regions_are_listed_by_name_each_once() {
        let mut ids = HashSet::new();
        let mut canonical_names = HashSet::new();
        for (country, count) in [("FR", 18), ("be", 11), ("PT", 20)] {
            let listed = regions(country);
            assert_eq!(listed.len(), count, "{country}");
            assert!(listed.windows(2).all(|pair| pair[0].name < pair[1].name), "{country}");
            for region in listed {
                assert!(
                    ids.insert(region.criteria_id) && canonical_names.insert(region.canonical_name),
                    "{region:?}"
                );
            }
        }
        assert!(regions("GB").is_empty());
    }

    #[test]
    fn a_region_is_named_as_google_lists_it() {
        let canonical = |country, name: &str| {
            regions(country)
                .iter()
                .find(|region| region.name == name)
                .unwrap()
                .canonical_name
        };
        assert_eq!(canonical("PT", "Lisbon District"), "Lisbon,Portugal");
        assert_eq!(canonical("BE", "Hainaut"), "Hainaut,Wallonia,Belgium");
        assert_eq!(canonical("FR", "Reunion"), "Reunion");
    }
}
