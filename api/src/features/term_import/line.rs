//! One line of a file as a term.

use std::fmt::Display;

use postgres::term_import::{ImportedTerm, TermKey};
use strum::VariantArray;
use texts::text;
use vocabulary::{
    Device, Engine, Frequency, KeywordType, LONGEST_WORDS, Language, Locale, Region, TermId, TermState, regions, slug,
};

use super::columns::{Column, Layout};
use super::names::{NameProblem, PlaceProblem, References};
use super::shown::{hours, is_shown_as, shown};

/// Characters of a refused value that are repeated.
const LONGEST_VALUE: usize = 100;

/// Why a line is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) column: Column,
    /// What clients know it by.
    pub(super) code: &'static str,
    /// The value that is refused; for `duplicate` the number of the earlier line, for `exists` the id of the other term.
    pub(super) value: String,
    /// What may be meant.
    pub(super) nearest: Option<String>,
}

impl Problem {
    /// A problem of a value, which is cut where it is long.
    pub(super) fn new(column: Column, code: &'static str, value: &str) -> Self {
        Self {
            column,
            code,
            value: value.chars().take(LONGEST_VALUE).collect(),
            nearest: None,
        }
    }

    fn of_name(column: Column, value: &str, problem: NameProblem) -> Self {
        match problem {
            NameProblem::Unknown(nearest) => Self {
                nearest,
                ..Self::new(column, "unknown", value)
            },
            NameProblem::Ambiguous if value.is_empty() => Self::new(column, "required", value),
            NameProblem::Ambiguous => Self::new(column, "ambiguous", value),
        }
    }
}

/// The term that a line means.
pub(super) enum LineTarget {
    Id(TermId),
    Key(TermKey),
}

/// Reads the cells of a line.
pub(super) struct LineReader<'a> {
    layout: &'a Layout,
    cells: &'a [String],
    references: &'a References,
}

impl<'a> LineReader<'a> {
    pub(super) const fn new(layout: &'a Layout, cells: &'a [String], references: &'a References) -> Self {
        Self {
            layout,
            cells,
            references,
        }
    }

    fn cell(&self, column: Column) -> Option<String> {
        self.layout.cell(self.cells, column)
    }

    /// What the line means: a term by its id or, without one, by what no two terms have in common.
    pub(super) fn target(&self) -> Result<LineTarget, Vec<Problem>> {
        let id = self.cell(Column::Id).unwrap_or_default();
        if !id.is_empty() {
            let number = id.parse().ok().filter(|number| *number > 0);
            let number = number.ok_or_else(|| vec![Problem::new(Column::Id, "number", &id)])?;
            return Ok(LineTarget::Id(TermId(number)));
        }
        let mut term = ImportedTerm::default();
        let mut problems = Vec::new();
        self.read_words(&mut term, &mut problems);
        self.read_engine(&mut term, &mut problems);
        self.read_place(None, &mut term, &mut problems);
        require(&term, &[Column::Term, Column::Engine, Column::Locale], &mut problems);
        let (Some(words), Some(engine), Some(localization), []) = (
            term.words.clone(),
            term.engine.clone(),
            term.localization,
            problems.as_slice(),
        ) else {
            return Err(problems);
        };
        let region = self.cell(Column::Region).unwrap_or_default();
        Ok(LineTarget::Key(TermKey {
            words,
            engine,
            localization,
            region: self.known_region(&term, &region).map_or(region, str::to_owned),
        }))
    }

    /// The term that the line makes of a stored one, or of none; all problems of the line as the error. A cell that says what the export says of the
    /// stored term leaves it as it is, whatever that is.
    pub(super) fn read(&self, stored: Option<&ImportedTerm>) -> Result<ImportedTerm, Vec<Problem>> {
        let mut term = stored.cloned().unwrap_or_else(|| ImportedTerm {
            devices: Some(vec![Device::Desktop.to_string().to_uppercase()]),
            keyword_type: Some(KeywordType::default().to_string()),
            state: Some(TermState::default().to_string()),
            ..ImportedTerm::default()
        });
        let mut problems = Vec::new();
        let is_new = stored.is_none();
        let says_new = |column: Column| !leaves(self.cell(column).as_deref(), column, stored, self.references);
        if says_new(Column::Term) {
            self.read_words(&mut term, &mut problems);
        }
        if says_new(Column::Engine) {
            self.read_engine(&mut term, &mut problems);
        }
        let moves = says_new(Column::Locale) || says_new(Column::Localization);
        if moves {
            self.read_place(stored, &mut term, &mut problems);
        }
        if is_new {
            let needed = [Column::Term, Column::Engine, Column::Locale];
            require(&term, &needed, &mut problems);
        }
        if problems.is_empty() && (moves || says_new(Column::Engine) || says_new(Column::Region)) {
            self.read_region(&mut term, &mut problems);
        }
        if says_new(Column::Brand) {
            self.read_brand(&mut term, &mut problems);
        }
        if says_new(Column::Devices) {
            self.read_devices(is_new, &mut term, &mut problems);
        }
        if says_new(Column::KeywordType) {
            let read = self.read_word::<KeywordType>(Column::KeywordType, is_new, |word| word.parse().ok());
            set(&mut term.keyword_type, read, &mut problems);
        }
        if says_new(Column::State) {
            let read = self.read_word::<TermState>(Column::State, is_new, state_named);
            set(&mut term.state, read, &mut problems);
        }
        if is_new || says_new(Column::Hours) {
            set(&mut term.every, self.read_hours(), &mut problems);
        }
        if says_new(Column::Tags) {
            let list = self.cell(Column::Tags).unwrap_or_default();
            let present = stored.map_or(&[][..], |stored| &stored.tags);
            match self.references.find_tags(&list, present, term.brand) {
                Ok(tags) => term.tags = tags,
                Err((name, problem)) => problems.push(Problem::of_name(Column::Tags, &name, problem)),
            }
        }
        if says_new(Column::Companies) {
            let list = self.cell(Column::Companies).unwrap_or_default();
            match self.references.find_companies(&list) {
                Ok(companies) => term.companies = companies,
                Err((name, problem)) => problems.push(Problem::of_name(Column::Companies, &name, problem)),
            }
        }
        if problems.is_empty() { Ok(term) } else { Err(problems) }
    }

    fn read_words(&self, term: &mut ImportedTerm, problems: &mut Vec<Problem>) {
        let words = self.cell(Column::Term).unwrap_or_default();
        if words.is_empty() {
            problems.push(Problem::new(Column::Term, "required", ""));
        } else if words.chars().count() > LONGEST_WORDS {
            problems.push(Problem::new(Column::Term, "tooLong", &words));
        } else {
            term.words = Some(words);
        }
    }

    fn read_engine(&self, term: &mut ImportedTerm, problems: &mut Vec<Problem>) {
        let read = self.read_word::<Engine>(Column::Engine, false, |word| word.parse().ok());
        let read = read.map(|engine| engine.map(|engine| engine.to_uppercase()));
        set(&mut term.engine, read, problems);
    }

    /// Reads the place. The column that the file lacks says what the stored term has.
    fn read_place(&self, stored: Option<&ImportedTerm>, term: &mut ImportedTerm, problems: &mut Vec<Problem>) {
        let cell = |column: Column| {
            let now = || {
                stored
                    .map(|stored| shown(column, stored, self.references))
                    .unwrap_or_default()
            };
            self.cell(column).unwrap_or_else(now)
        };
        let (locale, city) = (cell(Column::Locale), cell(Column::Localization));
        if locale.is_empty() && city.is_empty() {
            problems.push(Problem::new(Column::Locale, "required", ""));
            return;
        }
        match self.references.find_place(&locale, &city) {
            Ok(place) => term.localization = Some(place),
            Err(PlaceProblem::Locale(problem)) => problems.push(Problem::of_name(Column::Locale, &locale, problem)),
            Err(PlaceProblem::Namesakes(nearest)) => problems.push(Problem {
                nearest: Some(nearest),
                ..Problem::new(Column::Localization, "ambiguous", &city)
            }),
            Err(PlaceProblem::City(problem)) => problems.push(Problem::of_name(Column::Localization, &city, problem)),
        }
    }

    /// Reads the region, and checks one that stays: it must be one that the engine can target in the country of the place.
    fn read_region(&self, term: &mut ImportedTerm, problems: &mut Vec<Problem>) {
        let given = self.cell(Column::Region).or_else(|| term.region.clone());
        let given = given.unwrap_or_default();
        if given.is_empty() {
            term.region = None;
            return;
        }
        let regions = self.regions_of(term);
        let is_google = term.engine.as_deref().and_then(|engine| engine.parse().ok()) == Some(Engine::Google);
        if regions.is_empty() || !is_google {
            problems.push(Problem::new(Column::Region, "noRegions", &given));
        } else if let Some(region) = self.known_region(term, &given) {
            term.region = Some(region.to_owned());
        } else {
            let nearest = self
                .references
                .nearest
                .among(&given, regions.iter().map(|region| region.name));
            problems.push(Problem::of_name(Column::Region, &given, NameProblem::Unknown(nearest)));
        }
    }

    /// The regions that can be targeted where a term is searched.
    fn regions_of(&self, term: &ImportedTerm) -> &'static [Region] {
        let place = self.references.place(term.localization);
        let locale: Option<Locale> = place.and_then(|place| place.locale.as_deref()?.parse().ok());
        locale.map_or(&[], |locale| regions(locale.country()))
    }

    /// The listed spelling of a region.
    fn known_region(&self, term: &ImportedTerm, region: &str) -> Option<&'static str> {
        let named = slug(region);
        self.regions_of(term)
            .iter()
            .map(|known| known.name)
            .find(|known| slug(known) == named)
    }

    fn read_brand(&self, term: &mut ImportedTerm, problems: &mut Vec<Problem>) {
        let name = self.cell(Column::Brand).unwrap_or_default();
        if name.is_empty() {
            term.brand = None;
            return;
        }
        match self.references.find_brand(&name) {
            Ok(brand) => term.brand = Some(brand),
            Err(problem) => problems.push(Problem::of_name(Column::Brand, &name, problem)),
        }
    }

    fn read_devices(&self, may_be_empty: bool, term: &mut ImportedTerm, problems: &mut Vec<Problem>) {
        let list = self.cell(Column::Devices).unwrap_or_default();
        let mut devices: Vec<String> = Vec::new();
        for name in list.split([',', ';', '|', ' ']).filter(|name| !name.is_empty()) {
            let Ok(device) = name.parse::<Device>() else {
                problems.push(self.unknown_word::<Device>(Column::Devices, name));
                return;
            };
            let device = device.to_string().to_uppercase();
            if !devices.contains(&device) {
                devices.push(device);
            }
        }
        if !devices.is_empty() {
            term.devices = Some(devices);
        } else if !may_be_empty {
            problems.push(Problem::new(Column::Devices, "required", ""));
        }
    }

    /// The hours between captures as milliseconds: one of the frequencies that users choose from.
    fn read_hours(&self) -> Result<Option<i64>, Problem> {
        let given = self.cell(Column::Hours).unwrap_or_default();
        if given.is_empty() {
            return Err(Problem::new(Column::Hours, "required", ""));
        }
        let given_hours = hours(&given).ok_or_else(|| Problem::new(Column::Hours, "number", &given))?;
        let every = Frequency::of_listed_hours(given_hours).ok_or_else(|| Problem {
            nearest: Some(Frequency::nearest_listed_hours(given_hours).to_string()),
            ..Problem::new(Column::Hours, "unknown", &given)
        })?;
        Ok(Some(every.as_millis()))
    }

    /// A word of a list, as it is stored; `None` for an empty cell that leaves the default.
    fn read_word<Word: Display + VariantArray>(
        &self,
        column: Column,
        may_be_empty: bool,
        named: impl Fn(&str) -> Option<Word>,
    ) -> Result<Option<String>, Problem> {
        let word = self.cell(column).unwrap_or_default();
        if word.is_empty() {
            return if may_be_empty {
                Ok(None)
            } else {
                Err(Problem::new(column, "required", ""))
            };
        }
        let found = named(&word).ok_or_else(|| self.unknown_word::<Word>(column, &word))?;
        Ok(Some(found.to_string()))
    }

    fn unknown_word<Word: Display + VariantArray>(&self, column: Column, word: &str) -> Problem {
        let words: Vec<String> = Word::VARIANTS.iter().map(ToString::to_string).collect();
        let nearest = self.references.nearest.among(word, words.iter().map(String::as_str));
        Problem::of_name(column, word, NameProblem::Unknown(nearest))
    }
}

/// Whether a cell leaves what there is: the file has no such column, the cell says what the stored term has, or it is empty and there is no stored term.
fn leaves(cell: Option<&str>, column: Column, stored: Option<&ImportedTerm>, references: &References) -> bool {
    match (cell, stored) {
        (None, _) => true,
        (Some(cell), None) => cell.is_empty(),
        (Some(cell), Some(stored)) => is_shown_as(column, &shown(column, stored, references), cell),
    }
}

/// Sets a value that was read, and leaves the default where none was.
fn set<T>(value: &mut Option<T>, read: Result<Option<T>, Problem>, problems: &mut Vec<Problem>) {
    match read {
        Ok(None) => {}
        Ok(read) => *value = read,
        Err(problem) => problems.push(problem),
    }
}

/// Adds a problem for each of these columns that a new term lacks and that no problem is known of yet.
fn require(term: &ImportedTerm, columns: &[Column], problems: &mut Vec<Problem>) {
    for column in columns {
        let lacks = match column {
            Column::Term => term.words.is_none(),
            Column::Engine => term.engine.is_none(),
            _ => term.localization.is_none(),
        };
        let is_known = problems.iter().any(|problem| {
            problem.column == *column || (*column == Column::Locale && problem.column == Column::Localization)
        });
        if lacks && !is_known {
            problems.push(Problem::new(*column, "required", ""));
        }
    }
}

/// The state of this name, as stored or in the words of either language.
fn state_named(name: &str) -> Option<TermState> {
    let given = slug(name);
    let named = |state: &TermState| {
        let key = format!("settingTerms:state.{state}");
        let mut words = Language::VARIANTS.iter().map(|language| slug(text(*language, &key)));
        state.to_string() == given || words.any(|word| word == given)
    };
    TermState::VARIANTS.iter().copied().find(named)
}
