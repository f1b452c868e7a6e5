//! Step 4: the files of a result page go to the file store, and the ledger records the capture.

use postgres::captures;
use vocabulary::Verdict;

use super::admit::AdmittedSearch;
use super::judge::ResultPage;
use super::{Attempts, Outcome, Step, emptiness};
use crate::pages::record::{self, ReceivedDocument};
use crate::pages::{ReadCapture, files, merchants, organic};

/// Stores the files of a result page, then its record with merchants' known domains and the organic results that are due, and continues or ends its
/// term's empty spell. Then may count a refusal, notes its ads as pictured and remembers its merchants. Ends the attempt if the files cannot be
/// stored (its slot waits) or another worker holds the slot by now (the files stay).
pub async fn keep(attempts: &Attempts, search: &AdmittedSearch<'_>, page: ResultPage) -> Step<ReadCapture> {
    let ResultPage {
        page,
        mut read,
        view,
        screenshot,
        taken_at,
    } = page;
    let AdmittedSearch { claim, term, .. } = search;
    let postgres = &attempts.context.postgres;
    merchants::fill(postgres, &mut read).await?;
    let organic = organic::to_save(postgres, term, claim.device, &read.organic, taken_at).await?;
    let files = match files::store(&attempts.context.blobs, page.html, view, screenshot).await {
        Ok(files) => files,
        Err(error) => return Err(Outcome::Later(attempts.disk.refused_page(&error)).into()),
    };
    attempts.disk.kept_page();

    let mut tx = postgres::begin(postgres).await?;
    let spell = emptiness::record_spell(&mut tx, &attempts.engines, search, taken_at, &mut read).await?;
    if read.verdict_to_store() == Verdict::Doubtful {
        metrics::counter!("vigie_captures_doubtful_total", "engine" => term.engine.to_string()).increment(1);
    }
    let document = ReceivedDocument {
        final_url: page.final_url,
        status: page.status,
        headers: page.headers,
        taken_at,
    };
    let capture = record::capture_record(claim, term, document, &read, &files, organic.as_deref());
    if !captures::store(&mut tx, claim.held, &capture, &organic.unwrap_or_default()).await? {
        return Err(Outcome::Lost.into());
    }
    tx.commit().await.map_err(postgres::Error::from)?;

    if let Some(spell) = spell {
        emptiness::note_if_refusal(postgres, &attempts.engines, search, taken_at, &read, spell).await?;
    }
    attempts.pictures.note(&search.origin(), &read).await;
    merchants::learn(postgres, &read, taken_at).await?;
    Ok(ReadCapture { capture, read })
}
