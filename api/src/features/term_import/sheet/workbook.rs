//! XLSX: the first sheet of a workbook. Nothing of the archive is believed before it was unpacked once to nowhere, and cells are taken as they come, so
//! that neither a bomb nor a cell in the last row costs memory.

use std::io::{Cursor, Read};

use calamine::{DataRef, Reader, Xlsx};
use zip::ZipArchive;

use super::{MOST_COLUMNS, Sheet, SheetError};

/// Bytes of all parts of a workbook, unpacked: three times what the most lines of terms take.
const MOST_UNPACKED: u64 = 32 << 20;
/// Parts of a workbook.
const MOST_PARTS: usize = 1_000;
/// Elements begin and end so often: each may cost far more memory than its few bytes.
const MOST_BRACKETS: usize = 2_000_000;

/// The cells of the first sheet. Lines are numbered as the rows of the sheet.
pub(super) fn read(content: &[u8]) -> Result<Sheet, SheetError> {
    measure(content)?;
    let mut book: Xlsx<_> =
        calamine::open_workbook_from_rs(Cursor::new(content)).map_err(|_| SheetError::Unreadable)?;
    let first = book.sheet_names().into_iter().next().ok_or(SheetError::Unreadable)?;
    let mut reader = book
        .worksheet_cells_reader(&first)
        .map_err(|_| SheetError::Unreadable)?;
    let mut sheet = Sheet::default();
    let (mut row, mut cells) = (0, Vec::new());
    while let Some(cell) = reader.next_cell().map_err(|_| SheetError::Unreadable)? {
        let (at, column) = cell.get_position();
        if at < row {
            return Err(SheetError::Unreadable);
        }
        if at > row {
            sheet.push(u64::from(row) + 1, std::mem::take(&mut cells))?;
            row = at;
        }
        let column = usize::try_from(column).unwrap_or(usize::MAX);
        let text = text(cell.get_value());
        if column < MOST_COLUMNS && !text.is_empty() {
            if cells.len() <= column {
                cells.resize(column + 1, String::new());
            }
            cells[column] = text;
        }
    }
    sheet.push(u64::from(row) + 1, cells)?;
    Ok(sheet)
}

/// Unpacks each part of an archive without keeping any of it, and refuses what is more than the limits, whatever the archive says about itself.
fn measure(content: &[u8]) -> Result<(), SheetError> {
    let mut archive = ZipArchive::new(Cursor::new(content)).map_err(|_| SheetError::Unreadable)?;
    if archive.len() > MOST_PARTS {
        return Err(SheetError::UnpacksTooLarge);
    }
    let mut declared = 0_u64;
    for place in 0..archive.len() {
        let part = archive.by_index_raw(place).map_err(|_| SheetError::Unreadable)?;
        declared = declared.saturating_add(part.size());
    }
    if declared > MOST_UNPACKED {
        return Err(SheetError::UnpacksTooLarge);
    }
    let (mut unpacked, mut brackets) = (0_u64, 0_usize);
    let mut piece = vec![0; 64 << 10];
    for place in 0..archive.len() {
        let mut part = archive.by_index(place).map_err(|_| SheetError::Unreadable)?;
        loop {
            let read = part.read(&mut piece).map_err(|_| SheetError::Unreadable)?;
            if read == 0 {
                break;
            }
            unpacked += u64::try_from(read).unwrap_or(u64::MAX);
            brackets += piece[..read].iter().filter(|byte| **byte == b'<').count();
            if unpacked > MOST_UNPACKED || brackets > MOST_BRACKETS {
                return Err(SheetError::UnpacksTooLarge);
            }
        }
    }
    Ok(())
}

/// A cell as text: whole numbers without a fraction, a formula as its last result.
fn text(value: &DataRef<'_>) -> String {
    match value {
        DataRef::Empty => String::new(),
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => number.to_string(),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.clone(),
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::Bool(flag) => flag.to_string(),
        DataRef::DateTime(time) => time.as_f64().to_string(),
        DataRef::Error(error) => error.to_string(),
    }
}
