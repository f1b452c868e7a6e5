//! A Postgres database per test, cloned from a migrated template.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::process::{Command, Stdio};

use postgres::{DirectPool, Pool};
use tokio::process::Command as Process;

use crate::folder::Folder;
use crate::pooler::Pooler;
use crate::programs::{Runner, postgres};
use crate::running::{detach, is_alive, wait_for, watch};

const CONNECTIONS: u32 = 8;
const PID: &str = "postgres/postmaster.pid";

/// A database of one test; it is dropped with the value.
pub struct Postgres {
    /// Connections to the database.
    pub pool: Pool,
    /// The address, `postgres://…`.
    pub url: String,
    name: String,
    folder: Folder,
}

impl Postgres {
    /// A new database with the whole schema and no rows but those of the migrations. Starts Postgres if it is not running.
    pub async fn new() -> Self {
        let folder = Folder::of_this_user();
        let template = start_and_migrate(&folder).await;
        Self::create(folder, &format!("template {template} strategy file_copy"))
    }

    /// A new database without any schema. Starts Postgres if it is not running.
    pub async fn empty() -> Self {
        let folder = Folder::of_this_user();
        start_and_migrate(&folder).await;
        Self::create(folder, "")
    }

    fn create(folder: Folder, options: &str) -> Self {
        let name = format!("t_{}", uuid::Uuid::new_v4().simple());
        run(&folder, "postgres", &format!("create database {name} {options}"));
        let url = address(&folder, &name);
        let pool = postgres::connect(&url, CONNECTIONS, "test").expect("the address is ours");
        Self {
            pool,
            url,
            name,
            folder,
        }
    }

    /// A pooler in transaction mode in front of it, and the address of this database there.
    pub fn behind_pooler(&self) -> (Pooler, String) {
        let pooler = Pooler::in_front_of(self.folder.path());
        let url = format!(
            "postgres://vigie@127.0.0.1:{}/{}?sslmode=disable",
            pooler.server.address.port(),
            self.name
        );
        (pooler, url)
    }

    /// Connections that bypass any pooler.
    pub fn direct(&self) -> DirectPool {
        DirectPool::new(self.pool.clone())
    }

    /// Runs any statements, separated by semicolons; panics if one fails.
    pub async fn execute(&self, statement: &'static str) {
        sqlx::raw_sql(statement)
            .execute(&self.pool)
            .await
            .unwrap_or_else(|error| panic!("{statement}: {error}"));
    }

    /// The first column of the first row of any query; panics if there is no row or the query fails.
    pub async fn fetch<T>(&self, query: &'static str) -> T
    where
        T: Send + Unpin + sqlx::Type<sqlx::Postgres> + for<'r> sqlx::Decode<'r, sqlx::Postgres>,
    {
        sqlx::query_scalar(query)
            .fetch_one(&self.pool)
            .await
            .unwrap_or_else(|error| panic!("{query}: {error}"))
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let statement = format!("drop database if exists {} with (force)", self.name);
        // In the background, so that the test does not wait. What is left is deleted with the folder.
        let _ = Process::from(psql(&self.folder, "postgres", &statement)).spawn();
    }
}

/// Does as [`ready`] on a thread that may block.
async fn start_and_migrate(folder: &Folder) -> String {
    let folder = folder.clone();
    tokio::task::spawn_blocking(move || ready(&folder))
        .await
        .expect("the stores start")
}

/// Starts Postgres and the watchdog unless they are running, creates the template database with this version's schema unless it exists, and returns
/// its name.
fn ready(folder: &Folder) -> String {
    let runner = Runner::unprivileged();
    folder.with_lock(&runner, || {
        if !is_alive(folder, "postgres") {
            start(folder, &runner);
        }
        watch(folder, &runner);
        let template = template_name();
        let find = format!("select 1 from pg_database where datname = '{template}'");
        if run(folder, "postgres", &find).trim() != "1" {
            let unfinished = format!("{template}_unfinished");
            run(folder, "postgres", &format!("drop database if exists {unfinished}"));
            run(folder, "postgres", &format!("create database {unfinished}"));
            migrate(&address(folder, &unfinished));
            run(
                folder,
                "postgres",
                &format!("alter database {unfinished} rename to {template}"),
            );
        }
        template
    })
}

/// Starts an empty Postgres that listens only on a socket in the folder, and waits until it is ready. The caller holds the lock on the folder.
fn start(folder: &Folder, runner: &Runner) {
    let data = folder.join("postgres");
    let _ = fs::remove_dir_all(&data);
    let log = fs::File::create(folder.join("postgres.log")).expect("the folder is ours");
    let made = runner
        .command(&postgres("initdb"))
        .args([
            "--auth=trust",
            "--username=vigie",
            "--encoding=UTF8",
            "--locale=C.UTF-8",
            "--no-sync",
            "-D",
        ])
        .arg(&data)
        .stdout(log.try_clone().expect("a file handle can be copied"))
        .stderr(log.try_clone().expect("a file handle can be copied"))
        .status();
    assert!(
        made.is_ok_and(|status| status.success()),
        "testkit: initdb failed; see {}/postgres.log",
        folder.path().display()
    );
    let settings = [
        "listen_addresses=",
        "fsync=off",
        "synchronous_commit=off",
        "full_page_writes=off",
        "max_connections=300",
        "shared_buffers=64MB",
        // Two processors serve every test at once: a statement over a hundred small tables started processes for itself.
        "max_parallel_workers_per_gather=0",
        "jit=off",
        "timezone=UTC",
    ];
    let mut server = runner.command(&postgres("postgres"));
    server.arg("-D").arg(&data).arg("-k").arg(folder.path()).stderr(log);
    for setting in settings {
        server.args(["-c", setting]);
    }
    detach(folder, "postgres", &mut server);
    wait_for("Postgres", folder, || {
        fs::read_to_string(folder.join(PID)).is_ok_and(|status| status.contains("ready"))
    });
}

/// The name of the template database, with a hash of the schema's version: each change of a migration needs a new template.
fn template_name() -> String {
    let mut hasher = DefaultHasher::new();
    postgres::schema_version().hash(&mut hasher);
    format!("template_{:016x}", hasher.finish())
}

/// Creates the schema of the queue and that of the product in an empty database. Blocks, on a runtime of its own.
fn migrate(url: &str) {
    let url = url.to_owned();
    let work = async move {
        let pool = postgres::connect(&url, 2, "testkit").expect("the address is ours");
        schedules::migrate(&pool)
            .await
            .expect("the queue's schema applies to an empty database");
        postgres::migrate(&DirectPool::new(pool.clone()))
            .await
            .expect("the schema applies to an empty database");
        pool.close().await;
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime can be made");
    runtime.block_on(work);
}

/// The address of a database on the socket in the folder.
fn address(folder: &Folder, database: &str) -> String {
    format!("postgres://vigie@localhost/{database}?host={}", folder.path().display())
}

/// A `psql` that runs one statement as the user `vigie` and prints rows without decoration.
fn psql(folder: &Folder, database: &str, statement: &str) -> Command {
    let mut command = Command::new(postgres("psql"));
    command
        .args(["-XAtq", "-U", "vigie", "-d", database, "-c", statement, "-h"])
        .arg(folder.path());
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs one statement with `psql` and returns what it prints; panics if it fails.
fn run(folder: &Folder, database: &str, statement: &str) -> String {
    let output = psql(folder, database, statement)
        .output()
        .unwrap_or_else(|error| panic!("testkit: psql: {error}"));
    assert!(
        output.status.success(),
        "testkit: {statement}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}
