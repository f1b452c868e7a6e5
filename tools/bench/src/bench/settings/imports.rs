//! The import of a file of terms.

use std::fmt::Write as _;
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use vigie::terminal::say;

use crate::bench::BenchError;
use crate::bench::peers::{Api, Psql, unexpected};
use crate::memory::{forget_most_resident, most_resident, resident};

const PATH: &str = "api/Terms/import";
const CREATED: u64 = 8_000;
const CHANGED: u64 = 1_900;
const REFUSED: u64 = 100;
const BOUNDARY: &str = "vigie-bench";

/// What an import of 10,000 lines took.
pub(super) struct Import {
    pub(super) dry_run: Duration,
    pub(super) apply: Duration,
    /// The most memory that the API had beyond what it had before, in MB.
    pub(super) grown_mb: u64,
}

/// Imports a CSV file of new, changed and refused terms, first as a dry run; `process` is the API's. Fails when lines end otherwise.
pub(super) async fn measure(admin: &Api, psql: &Psql, process: u32) -> Result<Import, BenchError> {
    let file = file(psql).await?;
    let before = resident(process)?;
    forget_most_resident(process)?;
    let (dry_run, plan) = send(admin, PATH, &file).await?;
    let token = plan["token"].as_str().unwrap_or_default();
    let planned_mb = most_resident(process)?.saturating_sub(before);
    let (apply, done) = send(admin, &format!("{PATH}?token={token}"), &file).await?;
    let grown_mb = most_resident(process)?.saturating_sub(before);
    let expected = json!({ "created": CREATED, "changed": CHANGED, "unchanged": 0, "refused": REFUSED });
    if plan["counts"] != expected || done["counts"] != expected {
        return Err(unexpected(
            &json!({ "planned": plan["counts"], "done": done["counts"] }),
        ));
    }
    say(format!(
        "Import of {} lines, {} kB: dry run {} ms, apply {} ms, the API grew by {grown_mb} MB at most, by {planned_mb} in the dry run",
        CREATED + CHANGED + REFUSED,
        file.len() / 1_000,
        dry_run.as_millis(),
        apply.as_millis()
    ));
    Ok(Import {
        dry_run,
        apply,
        grown_mb,
    })
}

/// Sends a file as a form and returns the time until the response was read, and its data.
async fn send(admin: &Api, path: &str, file: &str) -> Result<(Duration, Value), BenchError> {
    let body = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"terms.csv\"\r\n\r\n{file}\r\n--{BOUNDARY}--\r\n"
    );
    let kind = format!("multipart/form-data; boundary={BOUNDARY}");
    let (took, status, mut reply) = admin.send(Method::POST, path, (&kind, body.into_bytes())).await?;
    if status.is_success() {
        Ok((took, reply["data"].take()))
    } else {
        Err(unexpected(&reply))
    }
}

/// The file: new terms, whose brand is to be found by their words; archived terms, which are to be disabled, in places of a name of their own; and terms
/// in a place that is not known.
async fn file(psql: &Psql) -> Result<String, BenchError> {
    let archived = format!(
        "select concat_ws(',', t.id, t.term, l.locale, l.city, lower(t.engine), t.every / 3600000, 'disabled', '')
         from term t join localization l on l.id = t.localization_id
         where t.state = 'archived' and not exists (select from localization o where o.locale = l.locale and o.city = l.city and o.id <> l.id)
         order by t.id limit {CHANGED}"
    );
    let mut file = String::from("Id,Term,Locale,Location,Engine,Hours between captures,State,Tag\n");
    for n in 1..=CREATED {
        let brand = match n % 4 {
            0 => "balado ",
            1 => "cordaleshop ",
            2 => "feneloshop ",
            _ => "",
        };
        let _ = writeln!(
            file,
            ",{brand}garden chair {n},fr_FR,Paris,google,24,disabled,Tag 3; Tag 4"
        );
    }
    file.push_str(&psql.run(&[archived]).await?);
    for n in 1..=REFUSED {
        let _ = writeln!(file, ",garden table {n},fr_FR,Atlantis,google,24,disabled,");
    }
    Ok(file)
}
