//! The columns of a file of terms, which are those of its export, and how they are recognised by their titles.

use std::collections::BTreeMap;

use strum::VariantArray;
use texts::text;
use vocabulary::{Language, slug};

/// A column of a file of terms. Clients know it by its name in camel case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::Display, VariantArray)]
#[strum(serialize_all = "camelCase")]
pub(super) enum Column {
    Id,
    Term,
    Locale,
    Localization,
    Region,
    Engine,
    Devices,
    Brand,
    KeywordType,
    Tags,
    Hours,
    State,
    Companies,
}

impl Column {
    const fn title_key(self) -> &'static str {
        match self {
            Self::Id => "settingTerms:column.id",
            Self::Term => "settingTerms:column.term",
            Self::Locale => "settingTerms:column.locale",
            Self::Localization => "settingTerms:column.localization",
            Self::Region => "settingTerms:column.region",
            Self::Engine => "settingTerms:column.engine",
            Self::Devices => "settingTerms:column.devices",
            Self::Brand => "settingTerms:column.brand",
            Self::KeywordType => "settingTerms:column.keywordType",
            Self::Tags => "settingTerms:column.tags",
            Self::Hours => "settingTerms:column.hours",
            Self::State => "settingTerms:column.state",
            Self::Companies => "settingTerms:column.companies",
        }
    }

    /// The column with this title in either language, whatever its case, accents and spacing.
    pub(super) fn titled(title: &str) -> Option<Self> {
        let given = slug(title);
        Self::VARIANTS.iter().copied().find(|column| {
            let mut titles = Language::VARIANTS
                .iter()
                .map(|language| slug(text(*language, column.title_key())));
            titles.any(|title| title == given)
        })
    }
}

/// Where the columns of a file are.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    places: BTreeMap<Column, usize>,
    /// The titles that name no column.
    pub(super) ignored: Vec<String>,
}

impl Layout {
    /// The layout of a line of titles; the column that is there twice as the error.
    pub(super) fn of_titles(titles: &[String]) -> Result<Self, Column> {
        let mut layout = Self::default();
        for (place, title) in titles.iter().enumerate().filter(|(_, title)| !title.trim().is_empty()) {
            match Column::titled(title) {
                None => layout.ignored.push(title.trim().to_owned()),
                Some(column) => {
                    if layout.places.insert(column, place).is_some() {
                        return Err(column);
                    }
                }
            }
        }
        Ok(layout)
    }

    /// Whether lines can be known for a term: by its id or its words.
    pub(super) fn names_terms(&self) -> bool {
        [Column::Id, Column::Term]
            .iter()
            .any(|column| self.places.contains_key(column))
    }

    /// The text of a cell with single spaces and no control characters; `None` where the file has no such column.
    pub(super) fn cell(&self, cells: &[String], column: Column) -> Option<String> {
        let place = self.places.get(&column)?;
        Some(cells.get(*place).map(|cell| plain(cell)).unwrap_or_default())
    }
}

/// A text on one line: blanks and control characters become single spaces, those at its ends nothing.
pub(super) fn plain(text: &str) -> String {
    let words = text.split(|letter: char| letter.is_whitespace() || letter.is_control());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(titles: &[&str]) -> Result<Layout, Column> {
        let titles: Vec<String> = titles.iter().map(|title| (*title).to_owned()).collect();
        Layout::of_titles(&titles)
    }

    #[test]
    fn titles_of_both_languages_name_the_same_columns() {
        for language in Language::VARIANTS {
            for column in Column::VARIANTS {
                assert_eq!(Column::titled(text(*language, column.title_key())), Some(*column));
            }
        }
        assert_eq!(Column::titled(" etat "), Some(Column::State));
        assert_eq!(Column::titled(""), None);
    }

    #[test]
    fn a_layout_finds_cells_and_says_what_it_does_not_know() {
        let layout = layout(&["Mot-clé", "", "Notes", "REGION"]).unwrap();
        assert_eq!(layout.ignored, ["Notes"]);
        let cells = ["  red\n shoes\0".to_owned()];
        assert_eq!(layout.cell(&cells, Column::Term).as_deref(), Some("red shoes"));
        assert_eq!(layout.cell(&cells, Column::Region).as_deref(), Some(""));
        assert_eq!(layout.cell(&cells, Column::Brand), None);
    }

    #[test]
    fn a_column_is_there_once() {
        assert_eq!(layout(&["Term", "Engine", "Moteur"]), Err(Column::Engine));
        assert!(!layout(&["Engine"]).unwrap().names_terms());
    }
}
