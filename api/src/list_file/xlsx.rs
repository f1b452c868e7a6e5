//! XLSX workbooks. The rows of a sheet go to an unnamed file in the folder for temporary files, which lasts as long as the download, and from
//! there, packed, to the reader: memory stays flat, and the first piece is sent when the last row is there.

use std::io::{self, Write};

use axum::body::{Body, Bytes};
use chrono::DateTime;
use chrono_tz::Tz;
use futures::{Stream, StreamExt, stream};
use rust_xlsxwriter::{Format, Workbook, Worksheet, XlsxError};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::{Cell, PIECE, broken_off};
use crate::failure::ApiError;

pub(super) const MEDIA_TYPE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
/// Rows that a sheet holds, its titles among them; more go to another sheet.
const ROWS_OF_SHEET: u32 = 1_048_576;
/// Characters that a cell holds; a longer text is cut.
const LONGEST_TEXT: usize = 32_767;
/// Rows handed over at a time.
const ROWS_TOGETHER: usize = 500;
/// Chunks of rows, and pieces of the file, that wait at most.
const WAITING: usize = 4;
/// Of 0 to 9. More makes files of figures little smaller and takes far longer.
const COMPRESSION: u8 = 2;
/// Wide enough for a date with its time.
const WIDTH: u16 = 19;
const DATES: &str = "yyyy-mm-dd hh:mm:ss";

/// What the writer is handed. Rows that stop without an end make no file.
enum WriterMessage {
    Rows(Vec<Vec<Cell>>),
    End,
}

/// A piece of the file, or the error that breaks it off.
type Chunk = io::Result<Bytes>;

/// An XLSX file of these rows under their titles, in sheets of [`ROWS_OF_SHEET`]; times are shown in `zone`. The first bytes are sent when the last
/// row is there. An error among the rows is logged and breaks the body off.
pub(super) fn body<R>(titles: Vec<String>, rows: R, zone: Tz) -> Body
where
    R: Stream<Item = Result<Vec<Cell>, ApiError>> + Send + Unpin + 'static,
{
    let (to_writer, handed) = channel(WAITING);
    let (to_reader, mut pieces) = channel::<Chunk>(WAITING);
    tokio::spawn(hand_over(rows, to_writer));
    tokio::task::spawn_blocking(move || write_workbook(&titles, handed, &to_reader, zone));
    Body::from_stream(stream::poll_fn(move |context| pieces.poll_recv(context)))
}

/// Sends the rows to the writer in chunks, then the end. Stops without the end at the first error, which is logged, or when the writer is gone.
async fn hand_over<R>(rows: R, to_writer: Sender<WriterMessage>)
where
    R: Stream<Item = Result<Vec<Cell>, ApiError>> + Unpin,
{
    let mut chunks = rows.ready_chunks(ROWS_TOGETHER);
    while let Some(chunk) = chunks.next().await {
        match chunk.into_iter().collect::<Result<Vec<_>, _>>() {
            Ok(rows) => {
                // The writer is gone when its reader is.
                if to_writer.send(WriterMessage::Rows(rows)).await.is_err() {
                    return;
                }
            }
            Err(failure) => {
                failure.log();
                return;
            }
        }
    }
    drop(to_writer.send(WriterMessage::End).await);
}

/// Writes the workbook and sends it to the client in pieces; blocks. A failure is logged and sent as an error, unless the client is gone.
fn write_workbook(titles: &[String], handed: Receiver<WriterMessage>, to_reader: &Sender<Chunk>, zone: Tz) {
    let written = build_workbook(titles, handed, to_reader, zone).and_then(|book| match book {
        Some(mut book) => {
            let mut pieces = ChunkWriter {
                piece: Vec::with_capacity(PIECE),
                to_reader,
            };
            book.save_to_writer(&mut pieces)?;
            Ok(pieces.flush()?)
        }
        None => Err(broken_off().into()),
    });
    if let Err(error) = written
        && !to_reader.is_closed()
    {
        tracing::warn!(%error, "a workbook was not written to its end");
        drop(to_reader.blocking_send(Err(broken_off())));
    }
}

/// Builds the workbook of all rows that are handed over; blocks. `None` when the rows stop without their end, or the client is gone. Each sheet takes
/// up to `ROWS_OF_SHEET` rows with the titles; without rows there is one sheet with the titles alone.
fn build_workbook(
    titles: &[String],
    mut handed: Receiver<WriterMessage>,
    to_reader: &Sender<Chunk>,
    zone: Tz,
) -> Result<Option<Workbook>, XlsxError> {
    let mut book = Workbook::new();
    book.set_zip_compression_level(COMPRESSION);
    let dates = Format::new().set_num_format(DATES);
    let mut sheets = 0;
    let mut row = ROWS_OF_SHEET;
    loop {
        let rows = match handed.blocking_recv() {
            Some(WriterMessage::Rows(rows)) if !to_reader.is_closed() => rows,
            Some(WriterMessage::End) => {
                if sheets == 0 {
                    begin_sheet(&mut book, titles)?;
                }
                return Ok(Some(book));
            }
            Some(WriterMessage::Rows(_)) | None => return Ok(None),
        };
        for cells in rows {
            if row == ROWS_OF_SHEET {
                begin_sheet(&mut book, titles)?;
                sheets += 1;
                row = 1;
            }
            let sheet = book.worksheet_from_index(sheets - 1)?;
            for (column, cell) in (0..).zip(cells) {
                write_cell(sheet, (row, column), cell, &dates, zone)?;
            }
            row += 1;
        }
    }
}

/// Adds a sheet with the titles in bold in a first row that stays in view.
fn begin_sheet(book: &mut Workbook, titles: &[String]) -> Result<(), XlsxError> {
    let bold = Format::new().set_bold();
    let sheet = book.add_worksheet_with_constant_memory()?;
    sheet.set_freeze_panes(1, 0)?;
    for (column, title) in (0..).zip(titles) {
        sheet.set_column_width(column, WIDTH)?;
        sheet.write_string_with_format(0, column, title, &bold)?;
    }
    Ok(())
}

/// Writes a cell: numbers as numbers, times in `zone`, texts as texts even if they look like formulas, cut after [`LONGEST_TEXT`] characters. A
/// number or time that cannot be read is written as text, an empty cell not at all.
fn write_cell(
    sheet: &mut Worksheet,
    (row, column): (u32, u16),
    cell: Cell,
    dates: &Format,
    zone: Tz,
) -> Result<(), XlsxError> {
    match cell {
        Cell::Text(text) | Cell::Number(text) | Cell::Time(text) if text.is_empty() => {}
        Cell::Number(number) => match number.parse::<f64>() {
            Ok(number) => drop(sheet.write_number(row, column, number)?),
            Err(_) => drop(sheet.write_string(row, column, number)?),
        },
        Cell::Time(time) => match DateTime::parse_from_rfc3339(&time) {
            Ok(time) => {
                let here = time.with_timezone(&zone).naive_local();
                sheet.write_datetime_with_format(row, column, here, dates)?;
            }
            Err(_) => drop(sheet.write_string(row, column, time)?),
        },
        Cell::Text(text) => drop(sheet.write_string(row, column, cut_to_cell(text))?),
    }
    Ok(())
}

/// The text, cut after [`LONGEST_TEXT`] characters.
fn cut_to_cell(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(LONGEST_TEXT) {
        text.truncate(end);
    }
    text
}

/// Sends what is written on in pieces of at least [`PIECE`] bytes; blocks.
struct ChunkWriter<'a> {
    piece: Vec<u8>,
    to_reader: &'a Sender<Chunk>,
}

impl Write for ChunkWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    /// Sends what was written since the last piece, if anything; blocks while [`WAITING`] pieces are unread. `BrokenPipe` when the client is gone.
    fn flush(&mut self) -> io::Result<()> {
        if self.piece.is_empty() {
            return Ok(());
        }
        let piece = std::mem::replace(&mut self.piece, Vec::with_capacity(PIECE));
        self.to_reader
            .blocking_send(Ok(piece.into()))
            .map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use axum::body::to_bytes;
    use calamine::{Data, Reader, Xlsx};

    use super::*;

    async fn file(rows: Vec<Result<Vec<Cell>, ApiError>>) -> Result<Bytes, axum::Error> {
        let body = body(
            vec!["Domain".to_owned(), "Views".to_owned()],
            stream::iter(rows),
            chrono_tz::Europe::Paris,
        );
        to_bytes(body, usize::MAX).await
    }

    fn text(value: &str) -> Cell {
        Cell::Text(value.to_owned())
    }

    #[tokio::test]
    async fn texts_stay_texts_and_long_ones_are_cut() {
        let long = "é".repeat(LONGEST_TEXT + 1);
        let rows = vec![
            Ok(vec![text("=1+1"), Cell::number(&-3)]),
            Ok(vec![text(&long), Cell::Number(String::new())]),
        ];
        let file = file(rows).await.unwrap();
        let mut book: Xlsx<_> = calamine::open_workbook_from_rs(Cursor::new(file)).unwrap();
        let (name, cells) = book.worksheets().remove(0);
        assert_eq!(cells.get((1, 0)), Some(&Data::String("=1+1".to_owned())));
        assert_eq!(cells.get((1, 1)), Some(&Data::Float(-3.0)));
        assert_eq!(cells.get((2, 0)).unwrap().to_string().chars().count(), LONGEST_TEXT);
        assert_eq!(cells.get((2, 1)), Some(&Data::Empty));
        assert_eq!(book.worksheet_formula(&name).unwrap().used_cells().count(), 0);
    }

    #[tokio::test]
    async fn a_list_without_rows_is_a_sheet_of_titles() {
        let file = file(Vec::new()).await.unwrap();
        let mut book: Xlsx<_> = calamine::open_workbook_from_rs(Cursor::new(file)).unwrap();
        assert_eq!(book.worksheets()[0].1.get_size(), (1, 2));
    }

    #[tokio::test]
    async fn rows_that_break_off_make_no_file() {
        let rows = vec![Ok(vec![text("a"), Cell::number(&1)]), Err(ApiError::TooManyResults)];
        assert!(file(rows).await.is_err());
    }
}
