//! What the cells of a file may name: places, brands, tags and company accounts, each read once for the whole file.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU32, Ordering};

use postgres::localizations::{self, Localization};
use postgres::term_import;
use vocabulary::{BrandId, CategoryId, CompanyAccountId, LocalizationId, Scope, slug};

use crate::failure::ApiError;

/// Characters of the longest name: longer cells have no nearest one.
const LONGEST_NAME: usize = 255;
/// Names that a nearest one is looked for, of all lines: it takes a comparison with each name there is.
const MOST_LOOKED_FOR: u32 = 300;
/// How alike two names are at least, from 0 to 1, for one to be a slip of the other.
const ALIKE: f64 = 0.6;

/// A name without case, accents and signs; a name of signs alone keeps them.
fn folded(name: &str) -> String {
    let slug = slug(name);
    if slug.is_empty() {
        name.trim().to_lowercase()
    } else {
        slug
    }
}

/// Why a name means no row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NameProblem {
    /// None has this name; with the one that is meant perhaps.
    Unknown(Option<String>),
    /// Several have it.
    Ambiguous,
}

/// A row that cells may name.
struct Named<Id> {
    id: Id,
    /// As files show it.
    label: String,
    /// The brand of a tag.
    brand: Option<BrandId>,
}

/// Rows by their names.
struct Names<Id> {
    rows: Vec<Named<Id>>,
    /// Places in `rows` by the slug of a name.
    by_name: HashMap<String, Vec<usize>>,
}

impl<Id: Copy + PartialEq> Names<Id> {
    fn new(rows: Vec<Named<Id>>) -> Self {
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (place, row) in rows.iter().enumerate() {
            by_name.entry(folded(&row.label)).or_default().push(place);
        }
        Self { rows, by_name }
    }

    /// Lets a row be known by another name, where no row has that name as its label.
    fn also(&mut self, place: usize, name: &str) {
        self.by_name.entry(folded(name)).or_insert_with(|| vec![place]);
    }

    fn named(&self, name: &str) -> Vec<&Named<Id>> {
        let places = self.by_name.get(&folded(name)).into_iter().flatten();
        places.map(|place| &self.rows[*place]).collect()
    }

    /// The only row of this name; of several the only one whose label is spelled exactly so.
    fn only(&self, name: &str, nearest: &Nearest) -> Result<Id, NameProblem> {
        let found = self.named(name);
        match found.as_slice() {
            [] => Err(NameProblem::Unknown(
                nearest.among(name, self.rows.iter().map(|row| row.label.as_str())),
            )),
            [only] => Ok(only.id),
            several => {
                let mut exact = several.iter().filter(|row| row.label == name);
                match (exact.next(), exact.next()) {
                    (Some(only), None) => Ok(only.id),
                    _ => Err(NameProblem::Ambiguous),
                }
            }
        }
    }

    fn label(&self, id: Id) -> &str {
        let row = self.rows.iter().find(|row| row.id == id);
        row.map_or("", |row| row.label.as_str())
    }
}

/// Finds the name that a misspelled one may mean, so often at most.
#[derive(Default)]
pub(super) struct Nearest {
    looked_for: AtomicU32,
}

impl Nearest {
    /// The name most like this one; `None` where none is alike, or after too many searches.
    pub(super) fn among<'a>(&self, name: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
        if name.chars().count() > LONGEST_NAME || self.looked_for.fetch_add(1, Ordering::Relaxed) >= MOST_LOOKED_FOR {
            return None;
        }
        let given = slug(name);
        let alike = |other: &str| strsim::normalized_damerau_levenshtein(&given, &slug(other));
        let scored = names.map(|other| (alike(other), other));
        let best = scored.max_by(|(one, _), (other, _)| one.total_cmp(other));
        best.filter(|(score, _)| *score >= ALIKE)
            .map(|(_, name)| name.to_owned())
    }
}

/// All rows that the cells of a file may name, as far as the reader sees them.
pub(super) struct References {
    places: Vec<Localization>,
    /// What files call the places, such as `Bergen (Limburg)` where there are several of that name.
    whole_names: HashMap<LocalizationId, String>,
    /// The slugs of their locales and cities.
    names_of_places: Vec<(String, String)>,
    /// Places of `places` by the slugs of their locale and of what files call them, or of city and region; of equal ones the oldest.
    by_place: HashMap<(String, String), usize>,
    brands: Names<BrandId>,
    tags: Names<CategoryId>,
    /// Labels of all tags, those of advertisers among them.
    tag_labels: HashMap<CategoryId, String>,
    companies: Names<CompanyAccountId>,
    labels_of_brands: HashMap<BrandId, String>,
    place_of_id: HashMap<LocalizationId, usize>,
    pub(super) nearest: Nearest,
}

/// Which of the two columns of a place is wrong, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PlaceProblem {
    Locale(NameProblem),
    City(NameProblem),
    /// Several cities of the locale have this name; with the whole name of one of them.
    Namesakes(String),
}

impl References {
    /// Reads them by one query for each kind.
    pub(super) async fn read(connection: &mut postgres::Connection, scope: &Scope) -> Result<Self, ApiError> {
        let mut places = localizations::in_order(&mut *connection).await?;
        places.sort_by_key(|place| place.id);
        let brands = postgres::brands::search(&mut *connection, scope, "", i64::MAX).await?;
        let tags = term_import::tags(&mut *connection, scope).await?;
        let companies = term_import::companies(&mut *connection, scope).await?;
        let names_of_places: Vec<(String, String)> = places.iter().map(place_name).collect();
        let mut by_place = HashMap::new();
        let whole_names = localizations::names(&places);
        for (place, found) in places.iter().enumerate() {
            let (city, region) = (found.city.as_deref(), found.region.as_deref());
            let with_region = [city, region].map(Option::unwrap_or_default).join(" ");
            for name in [&whole_names[&found.id], &with_region] {
                let key = (names_of_places[place].0.clone(), slug(name));
                by_place.entry(key).or_insert(place);
            }
        }
        let place_of_id = places
            .iter()
            .enumerate()
            .map(|(place, found)| (found.id, place))
            .collect();
        let names: Vec<Option<String>> = brands.iter().map(|brand| brand.name.clone()).collect();
        let rows = brands.into_iter().map(|brand| {
            let label = brand.label.filter(|label| !label.is_empty());
            Named {
                id: brand.id,
                label: label.or(brand.name).unwrap_or_default(),
                brand: None,
            }
        });
        let mut brands = Names::new(rows.collect());
        for (place, name) in names.iter().enumerate() {
            if let Some(name) = name {
                brands.also(place, name);
            }
        }
        Ok(Self {
            by_place,
            place_of_id,
            places,
            whole_names,
            names_of_places,
            labels_of_brands: brands.rows.iter().map(|row| (row.id, row.label.clone())).collect(),
            brands,
            tag_labels: tags.iter().map(|tag| (tag.id, tag.label.clone())).collect(),
            tags: Names::new(
                tags.into_iter()
                    .filter(|tag| tag.is_of_terms)
                    .map(|tag| Named {
                        id: tag.id,
                        label: tag.label,
                        brand: tag.brand,
                    })
                    .collect(),
            ),
            companies: Names::new(
                companies
                    .into_iter()
                    .map(|company| Named {
                        id: company.id,
                        label: company.label,
                        brand: None,
                    })
                    .collect(),
            ),
            nearest: Nearest::default(),
        })
    }

    /// The place of this id, if there is one.
    pub(super) fn place(&self, id: Option<LocalizationId>) -> Option<&Localization> {
        Some(&self.places[*self.place_of_id.get(&id?)?])
    }

    /// The label of a brand; empty for none.
    pub(super) fn brand_label(&self, id: Option<BrandId>) -> &str {
        let label = id.and_then(|id| self.labels_of_brands.get(&id));
        label.map_or("", String::as_str)
    }

    /// The label of a tag.
    pub(super) fn tag_label(&self, id: CategoryId) -> &str {
        self.tag_labels.get(&id).map_or("", String::as_str)
    }

    /// The label of a company account.
    pub(super) fn company_label(&self, id: CompanyAccountId) -> &str {
        self.companies.label(id)
    }

    /// What files call a place: its city, with the region where there are several of that name; empty for none.
    pub(super) fn place_name(&self, id: Option<LocalizationId>) -> &str {
        let name = id.and_then(|id| self.whole_names.get(&id));
        name.map_or("", String::as_str)
    }

    /// The place of a locale and a city, which may have its region behind it; either may be empty where the other names one place alone.
    pub(super) fn find_place(&self, locale: &str, city: &str) -> Result<LocalizationId, PlaceProblem> {
        let (in_locale, in_city) = (slug(locale), slug(city));
        if let Some(place) = self.by_place.get(&(in_locale.clone(), in_city.clone())) {
            return Ok(self.places[*place].id);
        }
        let in_named_locale = |(locale, _): &(String, String)| in_locale.is_empty() || *locale == in_locale;
        let fits = |name: &(String, String)| in_named_locale(name) && (in_city.is_empty() || name.1 == in_city);
        let all = || self.places.iter().zip(&self.names_of_places);
        let found: Vec<_> = all().filter(|(_, name)| fits(name)).collect();
        match found.as_slice() {
            [] => {}
            [(only, _)] => return Ok(only.id),
            [(one, name), others @ ..] if !in_city.is_empty() && others.iter().all(|(_, other)| other == name) => {
                return Err(PlaceProblem::Namesakes(self.whole_names[&one.id].clone()));
            }
            _ if in_locale.is_empty() => return Err(PlaceProblem::Locale(NameProblem::Ambiguous)),
            _ => return Err(PlaceProblem::City(NameProblem::Ambiguous)),
        }
        if self.names_of_places.iter().any(in_named_locale) {
            let of_locale = all().filter(|(_, name)| in_named_locale(name));
            let cities = of_locale.filter_map(|(place, _)| place.city.as_deref());
            return Err(PlaceProblem::City(NameProblem::Unknown(
                self.nearest.among(city, cities),
            )));
        }
        let locales = self.places.iter().filter_map(|place| place.locale.as_deref());
        Err(PlaceProblem::Locale(NameProblem::Unknown(
            self.nearest.among(locale, locales),
        )))
    }

    /// The brand of this label or, where no label is so, of this slug.
    pub(super) fn find_brand(&self, name: &str) -> Result<BrandId, NameProblem> {
        self.brands.only(name, &self.nearest)
    }

    /// The tags that a cell lists by their labels, ascending. Of several tags of one label it is the one that the term has, else that of its brand,
    /// else the one that belongs to no brand. The first name that means none, or several, is the error.
    pub(super) fn find_tags(
        &self,
        list: &str,
        present: &[CategoryId],
        brand: Option<BrandId>,
    ) -> Result<Vec<CategoryId>, (String, NameProblem)> {
        let choose = |name: &str| {
            let found = self.tags.named(name);
            let only = |fits: &dyn Fn(&Named<CategoryId>) -> bool| {
                let mut fitting = found.iter().filter(|tag| fits(tag));
                fitting.next().filter(|_| fitting.next().is_none())
            };
            let preferred = only(&|tag| present.contains(&tag.id))
                .or_else(|| only(&|tag| brand.is_some() && tag.brand == brand))
                .or_else(|| only(&|tag| tag.brand.is_none()));
            preferred.map_or_else(|| self.tags.only(name, &self.nearest), |tag| Ok(tag.id))
        };
        listed(list, |name| !self.tags.named(name).is_empty(), choose)
    }

    /// The company accounts that a cell lists by their labels, ascending; the first name that means none, or several, is the error.
    pub(super) fn find_companies(&self, list: &str) -> Result<Vec<CompanyAccountId>, (String, NameProblem)> {
        listed(
            list,
            |name| !self.companies.named(name).is_empty(),
            |name| self.companies.only(name, &self.nearest),
        )
    }
}

/// The slugs of a place's locale and city.
fn place_name(place: &Localization) -> (String, String) {
    let part = |text: &Option<String>| slug(text.as_deref().unwrap_or_default());
    (part(&place.locale), part(&place.city))
}

/// The rows that a list of names means, ascending. Names are separated by commas or semicolons, and may have commas themselves: the longest known one
/// counts.
fn listed<Id: Ord>(
    list: &str,
    is_known: impl Fn(&str) -> bool,
    find: impl Fn(&str) -> Result<Id, NameProblem>,
) -> Result<Vec<Id>, (String, NameProblem)> {
    let pieces: Vec<&str> = list.split_inclusive([',', ';']).collect();
    let name_of = |pieces: &[&str]| pieces.concat().trim_end_matches([',', ';']).trim().to_owned();
    let mut found = BTreeSet::new();
    let mut start = 0;
    while start < pieces.len() {
        let ends = (start + 1..=pieces.len().min(start + MOST_COMMAS + 1)).rev();
        let end = ends.into_iter().find(|end| is_known(&name_of(&pieces[start..*end])));
        let end = end.unwrap_or(start + 1);
        let name = name_of(&pieces[start..end]);
        if !name.is_empty() {
            found.insert(find(&name).map_err(|problem| (name, problem))?);
        }
        start = end;
    }
    Ok(found.into_iter().collect())
}

/// Commas within a name that are looked for.
const MOST_COMMAS: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    fn found(list: &str) -> Result<Vec<usize>, (String, NameProblem)> {
        let names = ["a", "b", "a, b & co"];
        let place = |name: &str| names.iter().position(|known| *known == name);
        listed(
            list,
            |name| place(name).is_some(),
            |name| place(name).ok_or(NameProblem::Unknown(None)),
        )
    }

    #[test]
    fn a_list_knows_names_with_commas_and_names_each_once() {
        assert_eq!(found(""), Ok(vec![]));
        assert_eq!(found(" b ;a,, a "), Ok(vec![0, 1]));
        assert_eq!(found("a, b & co, b"), Ok(vec![1, 2]));
        assert_eq!(found("b, c"), Err(("c".to_owned(), NameProblem::Unknown(None))));
    }

    #[test]
    fn the_nearest_name_is_one_that_is_alike() {
        let nearest = Nearest::default();
        let names = || ["Maison Brivault", "Corvane"].into_iter();
        assert_eq!(
            nearest.among("maison brivaut", names()).as_deref(),
            Some("Maison Brivault")
        );
        assert_eq!(nearest.among("Kestrel", names()), None);
        assert_eq!(nearest.among(&"x".repeat(LONGEST_NAME + 1), names()), None);
    }
}
