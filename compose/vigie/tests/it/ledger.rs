//! The ledger and the store of ads of a running stack, as an auditor sees them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use analytics::ingest::{MADE_UP_BATCHES, batches};
use chrono::DateTime;
use postgres::Pool;
use postgres::manifests::{self, ManifestId};
use tokio::task::JoinHandle;

/// Time until all that is due has ended, after the last part recovered.
const DRAIN: Duration = Duration::from_secs(150);
const BETWEEN_LOOKS: Duration = Duration::from_millis(300);

/// Terms that are due every minute, with words for which the simulated engine always shows ads.
const TERMS: &str = "insert into term (term, engine, localization_id, devices, every, state, keyword_type, options)
    select 'acheter alba running shoes ' || n, 'GOOGLE', (select id from localization where locale = 'fr_FR' and city = 'Paris'),
        '{DESKTOP}', 60000, 'enabled', 'GENERIC', '{\"saveShoppingAds\": true}'
    from generate_series(1, $1::int) n on conflict do nothing";

/// Shortens waits: leases that a dead worker does not renew run out, retries are due, lost jobs are missed. A live worker renews its leases
/// to between 20 s and a minute from now, so one that ends within 35 s is a dead worker's.
const PASS_TIME: [&str; 4] = [
    "update slot set lease_until = now() - interval '1 second' where lease_until < now() + interval '35 seconds'",
    "update manifest set lease_until = now() - interval '1 second' where lease_until < now() + interval '35 seconds'",
    "update slot set run_at = run_at - interval '20 minutes'
     where lease_until is null and settled_at is null and run_at > now() - interval '3 minutes'",
    "update apalis.jobs set run_at = now() - interval '1 second' where status = 'Pending' and run_at > now()",
];

pub struct Ledger {
    pub postgres: Pool,
    ads: analytics::Client,
}

/// Batches that were ever verified, with their rows.
pub struct Acknowledged {
    batches: Arc<Mutex<BTreeMap<ManifestId, u32>>>,
    watching: JoinHandle<()>,
}

impl Acknowledged {
    pub fn so_far(&self) -> BTreeMap<ManifestId, u32> {
        self.batches.lock().unwrap().clone()
    }

    pub fn end(self) -> BTreeMap<ManifestId, u32> {
        self.watching.abort();
        self.so_far()
    }
}

/// The settings that the stack on `data` passes to its parts.
pub fn announcement(data: &Path) -> BTreeMap<String, String> {
    let announced = std::fs::read_to_string(data.join("running.env")).unwrap();
    let lines = announced.lines().filter_map(|line| line.split_once('='));
    lines.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

impl Ledger {
    /// The ledger and the store of ads of a stack whose stores are its own.
    pub fn on(postgres: Pool, ads: analytics::Client) -> Self {
        Self { postgres, ads }
    }

    /// The ledger of the stack on `data`.
    pub fn open(data: &Path) -> Self {
        let announced = announcement(data);
        let store = analytics::ConnectOptions {
            url: announced["VIGIE__CLICKHOUSE__URL"].parse().unwrap(),
            user: "default".to_owned(),
            password: announced["VIGIE__CLICKHOUSE__PASSWORD"].clone(),
            database: "vigie".to_owned(),
            authorities: None,
            cluster: None,
        };
        Self {
            postgres: postgres::connect(&announced["VIGIE__POSTGRES__URL"], 4, "fault test").unwrap(),
            ads: analytics::Client::new(&store).unwrap(),
        }
    }

    /// Adds terms until there are `count` in total.
    pub async fn watch_terms(&self, count: i32) {
        sqlx::query(TERMS).bind(count).execute(&self.postgres).await.unwrap();
    }

    /// Records verified batches from now on.
    pub fn note_acknowledged(&self) -> Acknowledged {
        let batches: Arc<Mutex<BTreeMap<ManifestId, u32>>> = Arc::default();
        let (noted, postgres) = (Arc::clone(&batches), self.postgres.clone());
        let watching = tokio::spawn(async move {
            loop {
                // Fails while Postgres is down.
                if let Ok(verified) = manifests::verified_between(&postgres, ManifestId(0), ManifestId(i64::MAX)).await
                {
                    noted.lock().unwrap().extend(verified);
                }
                tokio::time::sleep(BETWEEN_LOOKS).await;
            }
        });
        Acknowledged { batches, watching }
    }

    /// Waits until all that was already due has ended, then ends the terms and waits for the rest.
    pub async fn drain(&self) {
        let deadline = Instant::now() + DRAIN;
        let cutoff: DateTime<chrono::Utc> = self.patiently(deadline, "select now()").await;
        let waiting = "select count(*) from slot where settled_at is null and slot_ts <= $1";
        while sqlx::query_scalar::<_, i64>(waiting)
            .bind(cutoff)
            .fetch_one(&self.postgres)
            .await
            .map_or(true, |left| left > 0)
        {
            self.pass_time(deadline).await;
        }
        let end = "update term set state = 'disabled' returning 1";
        let _: i32 = self.patiently(deadline, end).await;
        while self
            .patiently::<i64>(
                deadline,
                "select (select count(*) from slot where settled_at is null) + (select count(*) from term_due)
                    + (select count(*) from manifest where state = 'storing')",
            )
            .await
            > 0
        {
            self.pass_time(deadline).await;
        }
    }

    async fn pass_time(&self, deadline: Instant) {
        for statement in PASS_TIME {
            // Fails while Postgres starts; the next round tries again.
            let _ = sqlx::query(statement).execute(&self.postgres).await;
        }
        if Instant::now() > deadline {
            let left: String = self
                .patiently(
                    deadline + DRAIN,
                    "select coalesce(string_agg(concat_ws(' ', id, slot_ts, state, attempt, leased_by, lease_until - now(), reason,
                        last_failure, run_at - now()), e'\\n'), '') from slot where settled_at is null",
                )
                .await;
            panic!("not settled after {DRAIN:?}:\n{left}");
        }
        tokio::time::sleep(BETWEEN_LOOKS).await;
    }

    /// Lets the leases of all slots run out.
    pub async fn end_leases(&self) {
        let end = "update slot set lease_until = now() - interval '1 second' where lease_until is not null";
        sqlx::query(end).execute(&self.postgres).await.unwrap();
    }

    /// Waits until at least `count` captures are stored.
    pub async fn stored(&self, count: i64) {
        let deadline = Instant::now() + DRAIN;
        let verified = "select count(*) from slot where state = 'verified'";
        while self.patiently::<i64>(deadline, verified).await < count {
            assert!(Instant::now() < deadline, "{}", self.states().await.0);
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
    }

    /// Whether a query returns true within this time.
    pub async fn until(&self, query: &'static str, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        while !self.patiently::<bool>(deadline + DRAIN, query).await {
            if Instant::now() > deadline {
                return false;
            }
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
        true
    }

    async fn patiently<T>(&self, deadline: Instant, query: &'static str) -> T
    where
        T: Send + Unpin + sqlx::Type<sqlx::Postgres> + for<'r> sqlx::Decode<'r, sqlx::Postgres>,
    {
        loop {
            match sqlx::query_scalar(query).fetch_one(&self.postgres).await {
                Ok(response) => return response,
                Err(error) => assert!(Instant::now() < deadline, "{query}: {error}"),
            }
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
    }

    /// Fails unless it is [`Ledger::unsound`] in nothing.
    pub async fn assert_sound(&self, acknowledged: &BTreeMap<ManifestId, u32>, blobs: &Path) {
        assert_eq!(self.unsound(acknowledged, blobs).await, [] as [String; 0]);
    }

    /// What is wrong: invariants that do not hold, batches of which the store of ads has other rows than the ledger says, or that the ledger does not
    /// know, acknowledged batches that are gone, and pages that are not kept.
    pub async fn unsound(&self, acknowledged: &BTreeMap<ManifestId, u32>, blobs: &Path) -> Vec<String> {
        let violations = postgres::invariants::violations(&self.postgres, DateTime::UNIX_EPOCH, DRAIN)
            .await
            .unwrap();
        let mut wrong: Vec<String> = violations.iter().map(|violation| format!("{violation:?}")).collect();
        let verified = manifests::verified_between(&self.postgres, ManifestId(0), ManifestId(i64::MAX))
            .await
            .unwrap();
        let verified: BTreeMap<ManifestId, u32> = verified.into_iter().collect();
        let stored = batches(&self.ads, 0..=MADE_UP_BATCHES).await.unwrap();
        let mut stored: BTreeMap<u64, u64> = stored.into_iter().collect();
        for (id, rows) in &verified {
            let there = stored.remove(&id.0.cast_unsigned()).unwrap_or_default();
            if there != u64::from(*rows) {
                wrong.push(format!("batch {id} has {there} of {rows} rows in the store of ads"));
            }
        }
        wrong.extend(
            stored
                .iter()
                .map(|(id, rows)| format!("batch {id} with {rows} rows is not verified")),
        );
        for (id, rows) in acknowledged {
            if verified.get(id) != Some(rows) {
                wrong.push(format!("batch {id} with {rows} rows was acknowledged and is gone"));
            }
        }
        let blobs = blobs::Blobs::folder(blobs).unwrap();
        let pages = "select page_sha256 from capture union select view_sha256 from capture";
        for page in sqlx::query_scalar::<_, Vec<u8>>(pages)
            .fetch_all(&self.postgres)
            .await
            .unwrap()
        {
            if !blobs.contains(&page.clone().try_into().unwrap()).await.unwrap() {
                wrong.push(format!("page {page:?} is not kept"));
            }
        }
        wrong
    }

    /// The states of the slots, as text, and how many were stored.
    pub async fn states(&self) -> (String, i64) {
        let words = "select string_agg(count || ' ' || what, ', ') from (
            select concat_ws(' ', state, reason) as what, count(*) from slot group by 1 order by 1) counts";
        let verified = "select count(*) from slot where state = 'verified'";
        (
            sqlx::query_scalar(words).fetch_one(&self.postgres).await.unwrap(),
            sqlx::query_scalar(verified).fetch_one(&self.postgres).await.unwrap(),
        )
    }
}
