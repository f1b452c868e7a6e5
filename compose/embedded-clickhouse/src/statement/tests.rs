use proptest::prelude::*;

use super::{Insert, Query, Statement, read};

fn insert(text: &str) -> Option<(String, String, String)> {
    match read(text.as_bytes(), true) {
        Ok(Some(Statement::Insert(Insert { head, format, data_at }))) => {
            let head = String::from_utf8(head).expect("text");
            Some((head.trim().to_owned(), format, text[data_at..].to_owned()))
        }
        _ => None,
    }
}

fn query(text: &str) -> Query {
    match read(text.as_bytes(), true) {
        Ok(Some(Statement::Query(query))) => query,
        other => panic!("not a query: {other:?}"),
    }
}

#[test]
fn splits_an_insert_from_its_data() {
    let split = |head: &str, format: &str, data: &str| Some((head.to_owned(), format.to_owned(), data.to_owned()));
    assert_eq!(
        insert("INSERT INTO t(a) FORMAT TSV\n1\n2\n"),
        split("INSERT INTO t(a)", "TSV", "1\n2\n")
    );
    assert_eq!(
        insert("insert into t values (1), (2)"),
        split("insert into t", "Values", " (1), (2)")
    );
    assert_eq!(
        insert("INSERT INTO t FORMAT Native"),
        split("INSERT INTO t", "Native", "")
    );
    assert_eq!(
        insert("INSERT INTO t FORMAT CSV; \r\n\n1"),
        split("INSERT INTO t", "CSV", "\n1")
    );
    assert_eq!(
        insert("INSERT INTO t SETTINGS a = 1 FORMAT JSONEachRow {\"a\":1}"),
        split("INSERT INTO t SETTINGS a = 1", "JSONEachRow", "{\"a\":1}")
    );
    assert_eq!(
        insert("INSERT INTO t FORMAT TSV SETTINGS a = -1, b = 'x;y'\nrow"),
        split("INSERT INTO t  SETTINGS a = -1, b = 'x;y'", "TSV", "row")
    );
}

#[test]
fn is_not_misled_by_names_texts_and_comments() {
    for text in [
        "/* FORMAT CSV */ INSERT INTO `values` (`format`, values) -- VALUES\n FORMAT TSV\nx",
        "INSERT INTO values FORMAT TSV\nx",
        "INSERT INTO format.values (a) FORMAT TSV\nx",
        "INSERT INTO t SETTINGS note = 'it''s FORMAT \\' CSV' FORMAT TSV\nx",
        "INSERT INTO t SETTINGS note = $a$ VALUES $a$ FORMAT TSV\nx",
        "INSERT INTO FUNCTION file('x', 'CSV', 'format String') FORMAT TSV\nx",
    ] {
        let (_, format, data) = insert(text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!((format.as_str(), data.as_str()), ("TSV", "x"), "{text}");
    }
}

#[test]
fn sends_an_insert_from_a_select_as_it_is() {
    assert_eq!(insert("INSERT INTO t SELECT 1 FORMAT TSV"), None);
    assert!(!query("INSERT INTO t SELECT number FROM numbers(3)").reads);
    assert!(!query("INSERT INTO t (a) (SELECT 1)").reads);
}

#[test]
fn waits_for_more_text_before_it_decides() {
    let text = b"INSERT INTO t FORMAT RowBinaryWithNames";
    for end in 0..=text.len() {
        assert_eq!(read(&text[..end], false), Ok(None), "{end}");
    }
    assert!(matches!(
        read(b"INSERT INTO t FORMAT RowBinary ", false),
        Ok(Some(Statement::Insert(_)))
    ));
}

#[test]
fn finds_the_format_of_an_output() {
    assert_eq!(query("SELECT 1 FORMAT JSON").format.as_deref(), Some("JSON"));
    assert_eq!(
        query("SELECT 1 format CSV settings max_threads = 1;").format.as_deref(),
        Some("CSV")
    );
    assert_eq!(
        query("SELECT 'FORMAT CSV', format FROM (SELECT 1 AS format FORMAT TSV)").format,
        None
    );
}

#[test]
fn distinguishes_reads_from_everything_else() {
    assert!(query("-- why\n(SELECT 1) UNION ALL (SELECT 2)").reads);
    assert!(query("WITH 1 AS x SELECT x").reads);
    assert!(!query("CREATE TABLE t (a UInt8) ENGINE = Memory").reads);
    assert!(query("SELECT a, count() FROM t GROUP BY a WITH TOTALS").has_foot);
}

#[test]
fn refuses_several_statements() {
    let refused = |text: &str| read(text.as_bytes(), true).expect_err(text).code;
    assert_eq!(refused("SELECT 1; SELECT 2"), 62);
    assert_eq!(refused("SELECT 1; DROP TABLE t"), 62);
    assert_eq!(query("SELECT ';' ; -- the end").format, None);
}

#[test]
fn refuses_files_of_the_server() {
    let refused = |text: &str| read(text.as_bytes(), true).expect_err(text).code;
    assert_eq!(refused("SELECT 1 INTO OUTFILE '/tmp/x'"), 358);
    assert_eq!(refused("INSERT INTO t FROM INFILE '/etc/passwd' FORMAT CSV"), 78);
    assert_eq!(refused("  -- nothing\n"), 393);
}

proptest! {
    #[test]
    fn reads_any_bytes_without_panicking(text: Vec<u8>, is_whole: bool) {
        let _ = read(&text, is_whole);
    }

    #[test]
    fn never_mistakes_quoted_text_for_a_clause(inner in "[ -~]{0,40}") {
        let quoted = crate::sql::text(&inner);
        let text = format!("INSERT INTO t SETTINGS note = {quoted} FORMAT TSV\n1");
        let (_, format, data) = insert(&text).expect("an insert");
        prop_assert_eq!((format.as_str(), data.as_str()), ("TSV", "1"));
    }
}
