//! CSV: UTF-8 with and without a mark, UTF-16 with one, else Windows-1252; separated by commas, semicolons or tabs.

use std::borrow::Cow;

use csv::{Reader, ReaderBuilder, StringRecord};
use encoding_rs::{Encoding, WINDOWS_1252};

use super::{MOST_COLUMNS, Sheet, SheetError};
use crate::list_file;

const SEPARATORS: [u8; 3] = [b',', b';', b'\t'];

/// The cells of a CSV file. `Unreadable` for what is no text.
pub(super) fn read(content: &[u8], is_title: fn(&str) -> bool) -> Result<Sheet, SheetError> {
    let text = decode(content)?;
    let separator = separator(&text, is_title);
    let mut sheet = Sheet::default();
    let (mut number, mut counted) = (1, 0);
    for record in reader(&text, separator).records() {
        let record = record.map_err(|_| SheetError::Unreadable)?;
        let start = record.position().map_or(0, csv::Position::byte);
        let rest = usize::try_from(start).ok().and_then(|start| text.get(start..));
        // Where the line before it ends, and blank lines.
        let line = rest.unwrap_or_default().trim_start_matches(['\r', '\n']);
        let start = text.len() - line.len();
        number += line_breaks(&text[counted..start]);
        counted = start;
        sheet.push(number, cells(&record))?;
    }
    Ok(sheet)
}

/// How many lines end in a text, by any of the line breaks that files have.
fn line_breaks(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let ends = bytes.iter().enumerate().filter(|(place, byte)| match byte {
        b'\n' => true,
        b'\r' => bytes.get(place + 1) != Some(&b'\n'),
        _ => false,
    });
    ends.count().try_into().unwrap_or(u64::MAX)
}

/// The text of a file. Without a mark it is UTF-8 where it can be, else what Excel writes in western Europe. `Unreadable` for a NUL, which no text has.
fn decode(content: &[u8]) -> Result<Cow<'_, str>, SheetError> {
    let text = match Encoding::for_bom(content) {
        Some((encoding, mark)) => {
            let (text, has_errors) = encoding.decode_without_bom_handling(&content[mark..]);
            if has_errors {
                return Err(SheetError::Unreadable);
            }
            text
        }
        None => match std::str::from_utf8(content) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => WINDOWS_1252.decode_without_bom_handling(content).0,
        },
    };
    if text.contains('\0') {
        return Err(SheetError::Unreadable);
    }
    Ok(text)
}

/// The separator under which most titles of the first line are known; the first of equal ones.
fn separator(text: &str, is_title: fn(&str) -> bool) -> u8 {
    let known = |separator: u8| {
        let first = reader(text, separator).into_records().find_map(|record| {
            record
                .ok()
                .filter(|record| !record.iter().all(|cell| cell.trim().is_empty()))
        });
        first.map_or(0, |titles| {
            cells(&titles).iter().filter(|title| is_title(title)).count()
        })
    };
    let best = SEPARATORS.into_iter().rev().max_by_key(|separator| known(*separator));
    best.unwrap_or(SEPARATORS[0])
}

fn reader(text: &str, separator: u8) -> Reader<&[u8]> {
    ReaderBuilder::new()
        .delimiter(separator)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes())
}

/// The cells of a line, with what the export put there against formulas taken away.
fn cells(record: &StringRecord) -> Vec<String> {
    record.iter().take(MOST_COLUMNS).map(list_file::with_formulas).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(content: &[u8]) -> Vec<(u64, Vec<String>)> {
        let sheet = read(content, |title| ["Term", "Région"].contains(&title)).unwrap();
        assert_eq!(sheet.titles, ["Term", "Région"]);
        sheet.lines.into_iter().map(|line| (line.number, line.cells)).collect()
    }

    #[test]
    fn encodings_and_separators_are_found() {
        let expected = vec![(2, vec!["été, déjà".to_owned(), "x;\ty".to_owned()])];
        for separator in [",", ";", "\t"] {
            let text = format!("Term{separator}Région\r\n\"été, déjà\"{separator}\"x;\ty\"\r\n");
            assert_eq!(lines(text.as_bytes()), expected);
            assert_eq!(lines(format!("\u{feff}{text}").as_bytes()), expected);
            assert_eq!(lines(&WINDOWS_1252.encode(&text).0), expected);
            let units = || std::iter::once(0xfeff).chain(text.encode_utf16());
            let little: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
            let big: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
            assert_eq!(lines(&little), expected);
            assert_eq!(lines(&big), expected);
        }
    }

    #[test]
    fn blank_lines_count_and_are_passed_over() {
        let found = lines("\nTerm,Région\n\n , \nred,\"a\nb\"\nblue\n".as_bytes());
        let expected = [
            (5, vec!["red".to_owned(), "a\nb".to_owned()]),
            (7, vec!["blue".to_owned()]),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn what_is_no_text_is_refused() {
        for content in [
            &b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..],
            b"\xff\xfeT\0\xd8",
            b"%PDF-1.7\n\0",
        ] {
            assert_eq!(read(content, |_| true), Err(SheetError::Unreadable));
        }
    }
}
