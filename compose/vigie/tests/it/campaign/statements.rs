//! What a statement writes, in a few words that are the same each time.

use std::hash::{DefaultHasher, Hash, Hasher};

/// Whether a statement of SQL changes rows.
pub fn writes(sql: &str) -> bool {
    !targets(sql).is_empty()
}

/// Names what these statements write, which become visible at once: their tables, and a mark that tells them from others on the same tables.
pub fn name(statements: &[String]) -> String {
    let (mut tables, mut hasher): (Vec<String>, _) = (Vec::new(), DefaultHasher::new());
    let mut before: Option<&String> = None;
    for statement in statements {
        // A loop over rows is one write, however many rows there are.
        if before == Some(statement) {
            continue;
        }
        before = Some(statement);
        statement.hash(&mut hasher);
        for target in targets(statement) {
            if !tables.contains(&target) {
                tables.push(target);
            }
        }
    }
    format!("{} #{:04x}", tables.join(", "), hasher.finish() & 0xffff)
}

/// Names the tables that a statement of ClickHouse writes to. Its texts differ each time, as there are values in them.
pub fn name_of_tables(statement: &str) -> String {
    targets(statement).join(", ")
}

/// What a statement does to which tables, as in `update slot`.
fn targets(sql: &str) -> Vec<String> {
    let words: Vec<String> = sql
        .split(|letter: char| letter.is_whitespace() || "(),;".contains(letter))
        .filter(|word| !word.is_empty())
        .map(|word| word.trim_matches('`').to_lowercase())
        .collect();
    let mut targets = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let before = at
            .checked_sub(1)
            .and_then(|before| words.get(before))
            .map(String::as_str);
        let next = |ahead: usize| words.get(at + ahead).map_or("", String::as_str);
        let target = match word.as_str() {
            "insert" if next(1) == "into" => format!("insert {}", next(2)),
            "delete" if next(1) == "from" => format!("delete {}", next(2)),
            // `for update`, `for no key update`, `on conflict … do update`, `key update`.
            "update" if !matches!(before, Some("for" | "key" | "do")) => format!("update {}", next(1)),
            "alter" if next(1) == "table" => format!("alter {}", next(2)),
            _ => continue,
        };
        if !targets.contains(&target) {
            targets.push(target);
        }
    }
    targets
}

#[test]
fn a_write_is_named_by_its_tables_and_told_from_others() {
    let claim = "with due as (select id from slot for update skip locked) update slot set state = 'capturing' from due"
        .to_owned();
    let end = "UPDATE slot SET state = 'verified'".to_owned();
    let kept = "insert into capture (id) values ($1) on conflict (id) do update set id = excluded.id".to_owned();
    assert!(!writes("select * from slot for no key update"));
    assert!(name(std::slice::from_ref(&claim)).starts_with("update slot #"));
    assert_ne!(name(std::slice::from_ref(&claim)), name(std::slice::from_ref(&end)));
    assert!(name(&[end.clone(), kept.clone()]).starts_with("update slot, insert capture #"));
    assert_eq!(name(&[end.clone(), kept.clone(), kept.clone()]), name(&[end, kept]));
    assert_eq!(
        name_of_tables("INSERT INTO `ad_results`(`a`) FORMAT RowBinary"),
        "insert ad_results"
    );
}
