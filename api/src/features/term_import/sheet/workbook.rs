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
            brackets += piece[..read].split(|byte| *byte == b'<').count() - 1;
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

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    const TYPES: &str =
        r#"<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>"#;
    const ROOT: &str = r#"<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;
    const BOOK: &str = r#"<?xml version="1.0"?><workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Terms" sheetId="1" r:id="rId1"/></sheets></workbook>"#;
    const LINKS: &str = r#"<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#;

    /// An archive of these parts.
    fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in parts {
            archive.start_file(*name, SimpleFileOptions::default()).unwrap();
            archive.write_all(content).unwrap();
        }
        archive.finish().unwrap().into_inner()
    }

    /// A workbook of one sheet, written by hand.
    fn book(before: &str, rows: &str) -> Vec<u8> {
        let sheet = format!(
            r#"<?xml version="1.0"?>{before}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{rows}</sheetData></worksheet>"#
        );
        archive(&[
            ("[Content_Types].xml", TYPES.as_bytes()),
            ("_rels/.rels", ROOT.as_bytes()),
            ("xl/workbook.xml", BOOK.as_bytes()),
            ("xl/_rels/workbook.xml.rels", LINKS.as_bytes()),
            ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
        ])
    }

    fn text(place: &str, text: &str) -> String {
        format!(r#"<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>"#)
    }

    #[test]
    fn cells_are_texts_and_rows_keep_their_numbers() {
        let rows = format!(
            r#"<row r="1">{}{}</row><row r="9">{}<c r="C9"><v>24</v></c><c r="E9" t="b"><v>1</v></c><c r="F9"><f>1+1</f><v>0.5</v></c></row>"#,
            text("A1", "Term"),
            text("C1", "Hours"),
            text("A9", "=1+1 &amp; caf&#233;"),
        );
        let sheet = read(&book("", &rows)).unwrap();
        assert_eq!(sheet.titles, ["Term", "", "Hours"]);
        assert_eq!(sheet.lines[0].number, 9);
        assert_eq!(sheet.lines[0].cells, ["=1+1 & café", "", "24", "", "true", "0.5"]);
    }

    #[test]
    fn a_cell_in_the_last_row_and_column_costs_nothing() {
        let rows = format!(
            r#"<row r="1">{}</row><row r="1048576">{}{}</row>"#,
            text("A1", "Term"),
            text("A1048576", "red shoes"),
            text("XFD1048576", "far")
        );
        let sheet = read(&book("", &rows)).unwrap();
        assert_eq!(sheet.lines.len(), 1);
        assert_eq!(sheet.lines[0].number, 1_048_576);
        assert_eq!(sheet.lines[0].cells, ["red shoes"]);
    }

    #[test]
    fn entities_are_not_expanded() {
        let bomb = r#"<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>"#;
        let plain = format!(r#"<row r="1">{}</row>"#, text("A1", "Term"));
        assert_eq!(read(&book(bomb, &plain)).unwrap().titles, ["Term"]);
        for entity in ["&b;", "&c;"] {
            let rows = format!(
                r#"<row r="1">{}</row><row r="2">{}</row>"#,
                text("A1", "Term"),
                text("A2", &format!("x{entity}"))
            );
            if let Ok(sheet) = read(&book(bomb, &rows)) {
                let cell = &sheet.lines[0].cells[0];
                assert!(!cell.contains("aaaa") && !cell.contains("root"), "{cell}");
            }
        }
    }

    #[test]
    fn what_unpacks_to_too_much_is_refused_whatever_the_archive_says() {
        let zeros = vec![0; usize::try_from(MOST_UNPACKED).unwrap() + 1];
        let honest = archive(&[("xl/media/zeros", &zeros)]);
        assert!(honest.len() < 1 << 20, "a bomb is small");
        assert_eq!(read(&honest), Err(SheetError::UnpacksTooLarge));
        // The same with other sizes in the header of the part and in the directory at the end.
        let size = u32::try_from(zeros.len()).unwrap().to_le_bytes();
        let mut lying = honest;
        let places: Vec<usize> = (0..lying.len() - 4)
            .filter(|place| lying[*place..*place + 4] == size)
            .collect();
        assert_eq!(places.len(), 2, "{places:?}");
        for place in places {
            lying[place..place + 4].copy_from_slice(&100_u32.to_le_bytes());
        }
        assert!(read(&lying).is_err());
        let elements = "<si/>".repeat(MOST_BRACKETS + 1);
        assert_eq!(
            read(&archive(&[("xl/sharedStrings.xml", elements.as_bytes())])),
            Err(SheetError::UnpacksTooLarge)
        );
        let names: Vec<String> = (0..=MOST_PARTS).map(|number| number.to_string()).collect();
        let parts: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
        assert_eq!(read(&archive(&parts)), Err(SheetError::UnpacksTooLarge));
    }

    #[test]
    fn deep_elements_and_rows_out_of_order_are_no_harm() {
        let deep = format!("{}{}", "<a>".repeat(100_000), "</a>".repeat(100_000));
        let sheet = read(&book("", &format!(r#"<row r="1">{}</row>{deep}"#, text("A1", "Term"))));
        assert!(sheet.is_err() || sheet.unwrap().lines.is_empty());
        let rows = format!(
            r#"<row r="3">{}</row><row r="1">{}</row>"#,
            text("A3", "b"),
            text("A1", "a")
        );
        assert_eq!(read(&book("", &rows)), Err(SheetError::Unreadable));
    }

    #[test]
    fn more_lines_than_one_import_takes_are_refused() {
        let rows = (1..=10_002)
            .map(|row| format!(r#"<row r="{row}">{}</row>"#, text(&format!("A{row}"), "x")))
            .collect::<Vec<_>>()
            .concat();
        assert_eq!(read(&book("", &rows)), Err(SheetError::TooManyLines));
    }
}
