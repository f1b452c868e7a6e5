//! What becomes of each line of a file: a new term, a change of one, nothing, or a refusal with its reasons.

use std::collections::HashMap;

use postgres::Connection;
use postgres::term_import::{self, FoundKey, ImportedTerm, StoredTerm, TermKey};
use vocabulary::{Scope, TermId};

use super::columns::{Column, Layout};
use super::line::{LineReader, LineTarget, Problem};
use super::names::References;
use super::sheet::{Sheet, SheetError};
use crate::failure::ApiError;
use crate::resources::match_words;

/// What becomes of a line.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "there are few lines, and most of a file change terms"
)]
pub(super) enum Outcome {
    Create(ImportedTerm),
    Change { stored: StoredTerm, becomes: ImportedTerm },
    Unchanged(TermId),
    Refused(Vec<Problem>),
}

impl Outcome {
    /// Refuses what would have been done, for one reason.
    fn refuse(&mut self, problem: Problem) {
        *self = Self::Refused(vec![problem]);
    }

    /// The term that the line is about, if it is one that is there.
    pub(super) fn term(&self) -> Option<TermId> {
        match self {
            Self::Change { stored, .. } => Some(stored.id),
            Self::Unchanged(id) => Some(*id),
            Self::Create(_) | Self::Refused(_) => None,
        }
    }

    /// The key of the term that the line creates, or the other key that it gives a stored one; `None` when the key stays, is incomplete or the line is
    /// refused.
    fn new_key(&self) -> Option<TermKey> {
        match self {
            Self::Create(term) => key(term),
            Self::Change { stored, becomes } => key(becomes).filter(|new| key(&stored.values).as_ref() != Some(new)),
            Self::Unchanged(_) | Self::Refused(_) => None,
        }
    }
}

/// A line, and what becomes of it.
#[derive(Debug)]
pub(super) struct PlannedLine {
    /// As spreadsheets and editors count.
    pub(super) number: u64,
    /// The words it has, for those who read the plan.
    pub(super) words: String,
    pub(super) outcome: Outcome,
}

/// What an import would do.
pub(super) struct Plan {
    pub(super) lines: Vec<PlannedLine>,
    /// Titles that name no column.
    pub(super) ignored: Vec<String>,
    pub(super) references: References,
}

/// Plans the import of a file, by one query for each kind of row. With `locks`, in a transaction, the terms that its lines mean are locked, so that the
/// plan holds until it ends. A file without titles that can be used is an error.
pub(super) async fn plan(
    connection: &mut Connection,
    scope: &Scope,
    sheet: Sheet,
    locks: bool,
) -> Result<Plan, ApiError> {
    let layout = Layout::of_titles(&sheet.titles).map_err(|_| SheetError::ColumnTwice)?;
    if !layout.names_terms() {
        return Err(SheetError::NoTerms.into());
    }
    let references = References::read(connection, scope).await?;
    let targets = sheet
        .lines
        .iter()
        .map(|line| LineReader::new(&layout, &line.cells, &references).target());
    let targets: Vec<Result<LineTarget, Vec<Problem>>> = targets.collect();
    let meant = meant(connection, scope, targets).await?;
    let mut ids: Vec<TermId> = meant.iter().filter_map(|meant| *meant.as_ref().ok()?).collect();
    ids.sort_unstable();
    ids.dedup();
    if locks {
        term_import::lock(connection, scope, &ids).await?;
    }
    let stored = term_import::load(&mut *connection, scope, &ids).await?;
    let stored: HashMap<TermId, StoredTerm> = stored.into_iter().map(|term| (term.id, term)).collect();
    let lines = sheet.lines.iter().zip(meant).map(|(line, meant)| {
        let reader = LineReader::new(&layout, &line.cells, &references);
        let term = meant.as_ref().ok().and_then(|id| stored.get(id.as_ref()?));
        let outcome = match meant {
            Err(problems) => Outcome::Refused(problems),
            Ok(Some(id)) if term.is_none() => {
                Outcome::Refused(vec![Problem::new(Column::Id, "unknown", &id.to_string())])
            }
            Ok(_) => outcome(&reader, term),
        };
        let words = layout.cell(&line.cells, Column::Term).filter(|words| !words.is_empty());
        PlannedLine {
            number: line.number,
            words: words.or_else(|| term?.values.words.clone()).unwrap_or_default(),
            outcome,
        }
    });
    let mut lines: Vec<PlannedLine> = lines.collect();
    refuse_clashes(connection, scope, &mut lines).await?;
    match_brands(connection, scope, &mut lines).await?;
    Ok(Plan {
        lines,
        ignored: layout.ignored,
        references,
    })
}

/// The term that each line means: by its id, or by what no two terms have in common (decision D90); `None` for a new one.
async fn meant(
    connection: &mut Connection,
    scope: &Scope,
    targets: Vec<Result<LineTarget, Vec<Problem>>>,
) -> Result<Vec<Result<Option<TermId>, Vec<Problem>>>, ApiError> {
    let keys = targets.iter().filter_map(|target| match target {
        Ok(LineTarget::Key(key)) => Some(key.clone()),
        _ => None,
    });
    let keys: Vec<TermKey> = keys.collect();
    let mut found = term_import::find_keys(&mut *connection, scope, &keys)
        .await?
        .into_iter();
    let meant = targets.into_iter().map(|target| match target? {
        LineTarget::Id(id) => Ok(Some(id)),
        LineTarget::Key(_) => Ok(found.next().and_then(|found| found.term)),
    });
    Ok(meant.collect())
}

/// What a line does to a term, or makes of none.
fn outcome(reader: &LineReader<'_>, stored: Option<&StoredTerm>) -> Outcome {
    match (reader.read(stored.map(|stored| &stored.values)), stored) {
        (Err(problems), _) => Outcome::Refused(problems),
        (Ok(becomes), None) => Outcome::Create(becomes),
        (Ok(becomes), Some(stored)) if becomes == stored.values => Outcome::Unchanged(stored.id),
        (Ok(becomes), Some(stored)) => Outcome::Change {
            stored: stored.clone(),
            becomes,
        },
    }
}

/// Refuses lines about a term that an earlier line is about, and those that would give a term what another one has, in the ledger or by an earlier
/// line (decision D90).
async fn refuse_clashes(connection: &mut Connection, scope: &Scope, lines: &mut [PlannedLine]) -> Result<(), ApiError> {
    let mut first_of_term: HashMap<TermId, u64> = HashMap::new();
    for line in &mut *lines {
        let Some(term) = line.outcome.term() else { continue };
        let first = *first_of_term.entry(term).or_insert(line.number);
        if first != line.number {
            line.outcome
                .refuse(Problem::new(Column::Term, "duplicate", &first.to_string()));
        }
    }
    let keyed: Vec<(usize, TermKey)> = lines
        .iter()
        .enumerate()
        .filter_map(|(place, line)| Some((place, line.outcome.new_key()?)))
        .collect();
    let keys: Vec<TermKey> = keyed.iter().map(|(_, key)| key.clone()).collect();
    let found = term_import::find_keys(&mut *connection, scope, &keys).await?;
    let mut first_of_key: HashMap<TermKey, u64> = HashMap::new();
    for ((place, key), FoundKey { folded, term }) in keyed.into_iter().zip(found) {
        let line = &mut lines[place];
        if let Some(other) = term.filter(|other| line.outcome.term() != Some(*other)) {
            line.outcome
                .refuse(Problem::new(Column::Term, "exists", &other.to_string()));
            continue;
        }
        let folded = TermKey { words: folded, ..key };
        let first = *first_of_key.entry(folded).or_insert(line.number);
        if first != line.number {
            line.outcome
                .refuse(Problem::new(Column::Term, "duplicate", &first.to_string()));
        }
    }
    Ok(())
}

/// Gives new terms without a brand the validated brand whose patterns match their words best, as other new terms get it (decision D95).
async fn match_brands(connection: &mut Connection, scope: &Scope, lines: &mut [PlannedLine]) -> Result<(), ApiError> {
    let open = lines
        .iter()
        .enumerate()
        .filter_map(|(place, line)| match &line.outcome {
            Outcome::Create(term) if term.brand.is_none() => Some((place, term.words.clone()?)),
            _ => None,
        });
    let open: Vec<(usize, String)> = open.collect();
    for (place, brand) in match_words(connection, scope, open).await? {
        if let Outcome::Create(term) = &mut lines[place].outcome {
            term.brand = Some(brand);
        }
    }
    Ok(())
}

/// The key of a term; `None` for one that lacks words, engine or place and so is like no other.
fn key(term: &ImportedTerm) -> Option<TermKey> {
    Some(TermKey {
        words: term.words.clone()?,
        engine: term.engine.clone()?,
        localization: term.localization?,
        region: term.region.clone().unwrap_or_default(),
    })
}
