//! The answer of an import.

use postgres::term_import::ImportedTerm;
use serde::Serialize;
use strum::VariantArray;
use utoipa::ToSchema;

use super::columns::Column;
use super::line::Problem;
use super::names::References;
use super::plan::{Outcome, Plan, PlannedLine};
use super::shown::{differs, shown};
use crate::plan_cost::PlanCostView;

/// What an import does.
#[derive(Serialize, ToSchema)]
pub(super) struct ImportView {
    data: ImportPlanView,
}

/// What an import does, as a whole and line by line.
#[derive(Serialize, ToSchema)]
struct ImportPlanView {
    /// Does what is said here, with the same file.
    token: String,
    counts: ImportCountsView,
    /// Titles that name no column.
    ignored: Vec<String>,
    /// Every line below the titles; none when it was done.
    lines: Vec<ImportLineView>,
    /// Captures of the new and changed terms before and after; absent when it was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    cost: Option<PlanCostView>,
}

/// How many lines do what.
#[derive(Default, Serialize, ToSchema)]
struct ImportCountsView {
    created: usize,
    changed: usize,
    unchanged: usize,
    refused: usize,
}

/// What one line does.
#[derive(Serialize, ToSchema)]
struct ImportLineView {
    /// Its number in the file, as spreadsheets and editors count.
    line: u64,
    /// `created`, `changed`, `unchanged` or `refused`.
    outcome: &'static str,
    /// The words of the term.
    term: String,
    /// The term that is there already.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<i32>,
    /// What the columns of a new or changed term become.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    changes: Vec<ImportChangeView>,
    /// Why the line is refused.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    problems: Vec<ImportProblemView>,
}

/// What a column of a term becomes.
#[derive(Serialize, ToSchema)]
struct ImportChangeView {
    /// Such as `keywordType`.
    column: String,
    /// Absent for a new term.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    to: String,
}

/// Why a line is refused.
#[derive(Serialize, ToSchema)]
struct ImportProblemView {
    /// Such as `keywordType`.
    column: String,
    /// `required`, `tooLong`, `number`, `unknown`, `ambiguous`, `noRegions`, `duplicate` or `exists`.
    code: &'static str,
    /// The value that is refused; for `duplicate` the number of the earlier line, for `exists` the id of the other term.
    value: String,
    /// What may be meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<String>,
}

impl ImportView {
    /// What a plan would do, line by line, and cost.
    pub(super) fn of_plan(token: String, plan: &Plan, cost: PlanCostView) -> Self {
        let lines = plan
            .lines
            .iter()
            .map(|line| ImportLineView::new(line, &plan.references));
        Self::new(token, plan, lines.collect(), Some(cost))
    }

    /// What was done, as a whole.
    pub(super) fn of_done(token: String, plan: &Plan) -> Self {
        Self::new(token, plan, Vec::new(), None)
    }

    fn new(token: String, plan: &Plan, lines: Vec<ImportLineView>, cost: Option<PlanCostView>) -> Self {
        let mut counts = ImportCountsView::default();
        for line in &plan.lines {
            match line.outcome {
                Outcome::Create(_) => counts.created += 1,
                Outcome::Change { .. } => counts.changed += 1,
                Outcome::Unchanged(_) => counts.unchanged += 1,
                Outcome::Refused(_) => counts.refused += 1,
            }
        }
        Self {
            data: ImportPlanView {
                token,
                counts,
                ignored: plan.ignored.clone(),
                lines,
                cost,
            },
        }
    }
}

impl ImportLineView {
    fn new(line: &PlannedLine, references: &References) -> Self {
        let (outcome, changes, problems) = match &line.outcome {
            Outcome::Create(term) => ("created", new_cells(term, references), Vec::new()),
            Outcome::Change { stored, becomes } => (
                "changed",
                changed_cells(&stored.values, becomes, references),
                Vec::new(),
            ),
            Outcome::Unchanged(_) => ("unchanged", Vec::new(), Vec::new()),
            Outcome::Refused(problems) => ("refused", Vec::new(), problems.iter().map(problem).collect()),
        };
        Self {
            line: line.number,
            outcome,
            term: line.words.clone(),
            id: line.outcome.term().map(|id| id.0),
            changes,
            problems,
        }
    }
}

/// The cells of a new term that are not empty.
fn new_cells(term: &ImportedTerm, references: &References) -> Vec<ImportChangeView> {
    let cells = Column::VARIANTS.iter().map(|column| ImportChangeView {
        column: column.to_string(),
        from: None,
        to: shown(*column, term, references),
    });
    cells.filter(|cell| !cell.to.is_empty()).collect()
}

/// The cells of a term that become others. A place that differs in one of its two columns shows that one.
fn changed_cells(before: &ImportedTerm, after: &ImportedTerm, references: &References) -> Vec<ImportChangeView> {
    let differing = Column::VARIANTS
        .iter()
        .filter(|column| differs(**column, before, after));
    let cells = differing.map(|column| ImportChangeView {
        column: column.to_string(),
        from: Some(shown(*column, before, references)),
        to: shown(*column, after, references),
    });
    let is_place = |column: &str| {
        [Column::Locale, Column::Localization]
            .iter()
            .any(|place| place.to_string() == column)
    };
    cells
        .filter(|cell| cell.from.as_deref() != Some(&cell.to) || !is_place(&cell.column))
        .collect()
}

fn problem(problem: &Problem) -> ImportProblemView {
    ImportProblemView {
        column: problem.column.to_string(),
        code: problem.code,
        value: problem.value.clone(),
        nearest: problem.nearest.clone(),
    }
}
