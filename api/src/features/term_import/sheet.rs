//! A file as the cells of its lines, whatever it is written in: CSV in the encodings and separators that spreadsheets write, or a workbook.

mod delimited;
mod workbook;

use axum::http::StatusCode;
use thiserror::Error;

use crate::failure::ApiError;

/// Bytes of a file.
pub(super) const MOST_FILE_BYTES: usize = 8 << 20;
/// Lines below the titles: what one change of terms takes at most.
const MOST_LINES: usize = 10_000;
/// Cells of a line that are looked at.
const MOST_COLUMNS: usize = 64;

/// What an XLSX file, being an archive, begins with.
const ARCHIVE: &[u8] = b"PK\x03\x04";
/// What a workbook of before 2007, or one with a password, begins with.
const COMPOUND_FILE: &[u8] = &[0xd0, 0xcf, 0x11, 0xe0];

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SheetLine {
    /// Its number, as spreadsheets and editors count.
    pub(super) number: u64,
    pub(super) cells: Vec<String>,
}

/// The cells of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sheet {
    pub(super) titles: Vec<String>,
    /// The lines below the titles that are not blank.
    pub(super) lines: Vec<SheetLine>,
}

/// Why a file is not read at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum SheetError {
    #[error("the file is neither CSV nor an XLSX workbook that can be read")]
    Unreadable,
    #[error("the file is a workbook of another form, or has a password; save it as XLSX without one")]
    OtherWorkbook,
    #[error("the workbook unpacks to far more than terms need")]
    UnpacksTooLarge,
    #[error("the file has more than {MOST_LINES} lines")]
    TooManyLines,
    #[error("the file has no lines below its titles")]
    NoLines,
    #[error("the file has no column of ids or terms; its first line has the titles")]
    NoTerms,
    #[error("a column is there twice")]
    ColumnTwice,
}

impl SheetError {
    const fn code(self) -> &'static str {
        match self {
            Self::Unreadable => "IMPORT_UNREADABLE",
            Self::OtherWorkbook => "IMPORT_OTHER_WORKBOOK",
            Self::UnpacksTooLarge => "IMPORT_UNPACKS_TOO_LARGE",
            Self::TooManyLines => "IMPORT_TOO_MANY_LINES",
            Self::NoLines => "IMPORT_NO_LINES",
            Self::NoTerms => "IMPORT_NO_TERMS",
            Self::ColumnTwice => "IMPORT_COLUMN_TWICE",
        }
    }
}

impl From<SheetError> for ApiError {
    fn from(error: SheetError) -> Self {
        Self::Coded(StatusCode::UNPROCESSABLE_ENTITY, error.code(), error.to_string())
    }
}

impl Sheet {
    /// Reads the cells of a file; takes as long as unpacking it does. `is_title` says what a title of a column is, by which the separator of CSV is
    /// found.
    pub(super) fn read(content: &[u8], is_title: fn(&str) -> bool) -> Result<Self, SheetError> {
        let sheet = if content.starts_with(ARCHIVE) {
            workbook::read(content)?
        } else if content.starts_with(COMPOUND_FILE) {
            return Err(SheetError::OtherWorkbook);
        } else {
            delimited::read(content, is_title)?
        };
        if sheet.lines.is_empty() {
            return Err(SheetError::NoLines);
        }
        Ok(sheet)
    }

    /// Adds a line: the first one that is not blank is that of the titles.
    fn push(&mut self, number: u64, cells: Vec<String>) -> Result<(), SheetError> {
        if cells.iter().all(|cell| cell.trim().is_empty()) {
            return Ok(());
        }
        if self.titles.is_empty() {
            self.titles = cells;
            return Ok(());
        }
        if self.lines.len() == MOST_LINES {
            return Err(SheetError::TooManyLines);
        }
        self.lines.push(SheetLine { number, cells });
        Ok(())
    }
}
