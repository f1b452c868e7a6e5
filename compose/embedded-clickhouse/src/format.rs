//! Output formats: how pieces of a streamed output are joined, and content types.

/// The header that every piece of a streamed output starts with. It is sent with the first piece and removed from the following ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RepeatedHeader {
    /// No header: pieces are joined as they are.
    Absent,
    /// This many lines; where `quoted`, line ends within `"` do not count (CSV).
    Lines { count: usize, quoted: bool },
    /// RowBinary's column names, then their types where `types` is set: a count and length-prefixed texts.
    Binary { types: bool },
}

const LINES: fn(usize) -> RepeatedHeader = |count| RepeatedHeader::Lines { count, quoted: false };
const CSV_LINES: fn(usize) -> RepeatedHeader = |count| RepeatedHeader::Lines { count, quoted: true };

/// Returns the header of a format (its name in any case) whose pieces can be joined; `None` for formats that are one document, and for unknown ones.
pub(crate) fn repeated_header(format: &str) -> Option<RepeatedHeader> {
    Some(match format.to_ascii_lowercase().as_str() {
        "tabseparated"
        | "tsv"
        | "tabseparatedraw"
        | "tsvraw"
        | "raw"
        | "csv"
        | "tskv"
        | "jsoneachrow"
        | "jsonlines"
        | "ndjson"
        | "jsonstringseachrow"
        | "jsoncompacteachrow"
        | "jsoncompactstringseachrow"
        | "rowbinary"
        | "native"
        | "lineasstring"
        | "rawblob"
        | "null" => RepeatedHeader::Absent,
        "tabseparatedwithnames"
        | "tsvwithnames"
        | "tabseparatedrawwithnames"
        | "tsvrawwithnames"
        | "jsoncompacteachrowwithnames"
        | "jsoncompactstringseachrowwithnames" => LINES(1),
        "tabseparatedwithnamesandtypes"
        | "tsvwithnamesandtypes"
        | "tabseparatedrawwithnamesandtypes"
        | "tsvrawwithnamesandtypes"
        | "jsoncompacteachrowwithnamesandtypes"
        | "jsoncompactstringseachrowwithnamesandtypes" => LINES(2),
        "csvwithnames" => CSV_LINES(1),
        "csvwithnamesandtypes" => CSV_LINES(2),
        "rowbinarywithnames" => RepeatedHeader::Binary { types: false },
        "rowbinarywithnamesandtypes" => RepeatedHeader::Binary { types: true },
        _ => return None,
    })
}

impl RepeatedHeader {
    /// Returns the length in bytes of this header at the start of `piece`, a piece of output; `None` when the piece does not contain all of it.
    pub(crate) fn length(self, piece: &[u8]) -> Option<usize> {
        match self {
            Self::Absent => Some(0),
            Self::Lines { count, quoted } => {
                let mut is_quoted = false;
                let ends = piece.iter().enumerate().filter(|&(_, &byte)| {
                    is_quoted ^= quoted && byte == b'"';
                    byte == b'\n' && !is_quoted
                });
                ends.map(|(at, _)| at + 1).nth(count - 1)
            }
            Self::Binary { types } => {
                let mut rest = piece;
                let columns = variable_length(&mut rest)?;
                let texts = if types { columns.checked_mul(2)? } else { columns };
                for _ in 0..texts {
                    let length = usize::try_from(variable_length(&mut rest)?).ok()?;
                    rest = rest.get(length..)?;
                }
                Some(piece.len() - rest.len())
            }
        }
    }
}

/// Reads an unsigned LEB128 number and advances past it; `None` when it is cut off or over 64 bits long.
fn variable_length(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..u64::BITS).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// Returns the content type that a server sends for the format (its name in any case); `application/octet-stream` for unknown formats.
pub(crate) fn content_type(format: &str) -> &'static str {
    let format = format.to_ascii_lowercase();
    let has = |prefix: &str| format.starts_with(prefix);
    if format.contains("json") && (format.contains("eachrow") || has("jsonlines")) || has("ndjson") {
        "application/x-ndjson; charset=UTF-8"
    } else if has("json") {
        "application/json; charset=UTF-8"
    } else if has("csvwithnames") {
        "text/csv; charset=UTF-8; header=present"
    } else if has("csv") {
        "text/csv; charset=UTF-8; header=absent"
    } else if has("tabseparated") || has("tsv") || has("tskv") || has("raw") && format == "raw" {
        "text/tab-separated-values; charset=UTF-8"
    } else if has("xml") {
        "application/xml; charset=UTF-8"
    } else if ["pretty", "vertical", "values", "markdown", "lineasstring", "sqlinsert"]
        .iter()
        .any(|text| has(text))
    {
        "text/plain; charset=UTF-8"
    } else {
        "application/octet-stream"
    }
}

#[cfg(test)]
mod tests {
    use super::{RepeatedHeader, repeated_header};

    fn head(format: &str, piece: &[u8]) -> Option<usize> {
        repeated_header(format).expect(format).length(piece)
    }

    #[test]
    fn measures_the_head_of_each_kind() {
        assert_eq!(head("TSVWithNamesAndTypes", b"a\tb\nUInt8\tString\n1\tx\n"), Some(17));
        assert_eq!(head("CSVWithNames", b"\"a\n,\"\"b\"\n1\n"), Some(9));
        assert_eq!(head("TabSeparatedWithNames", b"a\"b\n1\n"), Some(4));
        assert_eq!(
            head("RowBinaryWithNamesAndTypes", b"\x01\x01n\x05UInt8\x07\x08"),
            Some(9)
        );
        assert_eq!(head("RowBinaryWithNames", b"\x01\x01n\x07"), Some(3));
        assert_eq!(head("JSONEachRow", b"{}"), Some(0));
    }

    #[test]
    fn finds_no_head_in_a_cut_piece() {
        assert_eq!(head("TSVWithNamesAndTypes", b"a\tb\nUInt8"), None);
        assert_eq!(head("RowBinaryWithNamesAndTypes", b"\x01\x01n\x05UI"), None);
        assert_eq!(
            RepeatedHeader::Binary { types: true }.length(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
            None
        );
    }

    #[test]
    fn keeps_documents_whole() {
        for format in [
            "JSON",
            "JSONCompact",
            "Parquet",
            "ArrowStream",
            "XML",
            "PrettyCompact",
            "Values",
        ] {
            assert_eq!(repeated_header(format), None, "{format}");
        }
    }
}
