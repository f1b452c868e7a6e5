//! The command line.

use clap::{Parser, Subcommand};
use url::Url;

use crate::commands::backup::Backup;
use crate::commands::create_admin::CreateAdmin;
use crate::commands::demo_data::DemoData;
use crate::commands::detect::Detect;
use crate::commands::doctor::Doctor;
use crate::commands::evidence::Evidence;
use crate::commands::read_page::ReadPage;
use crate::commands::reattribute::Reattribute;
use crate::commands::reread::Reread;
use crate::commands::restore::Restore;
use crate::commands::try_capture::TryCapture;

const SETTINGS_HELP: &str = "\
Settings come from built-in defaults, then from the TOML file that VIGIE_SETTINGS names, then from variables VIGIE__SECTION__KEY;
VIGIE__SECTION__KEY_FILE reads the value from a file. docs/OPERATIONS.md lists them.";

/// Watches paid search: captures result pages on schedule, reads their ads and shows who advertises on your brands.
#[derive(Debug, Parser)]
#[command(version, after_help = SETTINGS_HELP)]
pub struct Cli {
    /// The command to run.
    #[command(subcommand)]
    pub command: Command,
}

/// The command to run.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run everything on this machine: private stores, a simulated search engine and Google account, a mail catcher, the API with the web client, the workers
    ///
    /// Needs PostgreSQL 15 or later, redis-server, Chromium or Chrome and the embedded ClickHouse's library (`make install` brings
    /// them), and a data folder (VIGIE__DATA, default ./data). A store whose address is set (VIGIE__POSTGRES__URL,
    /// VIGIE__REDIS__URL, VIGIE__CLICKHOUSE__URL) is used instead of a private one. As root it becomes the system user `vigie`.
    Up,
    /// Serve the API and the web client
    ///
    /// Needs the addresses of PostgreSQL, Redis and ClickHouse (VIGIE__POSTGRES__URL, VIGIE__REDIS__URL, VIGIE__CLICKHOUSE__URL),
    /// migrated by `vigie migrate`, and the folder of captured pages (VIGIE__BLOBS__FOLDER) that the workers write. Listens on
    /// VIGIE__API__LISTEN; health checks and metrics on VIGIE__API__OPERATIONS_LISTEN.
    Api,
    /// Capture what is due, read it and store it
    ///
    /// Needs the same stores and folder of captured pages as `api`, and Chromium or Chrome. Any number of processes may run. Must not run
    /// as root unless VIGIE__CAPTURE__SANDBOX=off. Health checks and metrics on VIGIE__WORKERS__OPERATIONS_LISTEN.
    Workers,
    /// Run browsers for the workers, under a separate user
    ///
    /// Needs Chromium or Chrome, a user other than the workers', and VIGIE__CAPTURE__HOST, the path of the socket on which the workers ask
    /// for browsers: they need the same path, and access to it through their group. Takes no other setting than VIGIE__CAPTURE__CHROMIUM
    /// and VIGIE__CAPTURE__WORK_FOLDER; give it no address or password of a store. `up` as root starts it.
    Browsers,
    /// Bring the schemas of PostgreSQL and ClickHouse up to date
    ///
    /// Needs VIGIE__POSTGRES__URL and VIGIE__CLICKHOUSE__URL, or a running `vigie up` on the data folder. The Postgres user needs
    /// CREATE on the database (the queue uses the hstore extension). May be run again at any time.
    Migrate,
    /// Copy everything that cannot be made again into a folder of backups
    ///
    /// Needs VIGIE__POSTGRES__URL, VIGIE__CLICKHOUSE__URL and the folder of captured pages, or a running `vigie up` on the data folder, and
    /// `pg_dump` of the server's version or a later one. Everything goes on meanwhile. What an earlier backup in the folder has is not written
    /// again.
    Backup(Backup),
    /// Restore a backup into empty stores, or check or list the backups of a folder
    ///
    /// Needs empty stores: those of VIGIE__POSTGRES__URL and VIGIE__CLICKHOUSE__URL, or else private ones in an empty data folder (VIGIE__DATA),
    /// which it starts itself. The keys of stored credentials (VIGIE__SECRETS__KEYS, or `secrets.key` in the data folder) are in no backup.
    Restore(Restore),
    /// Check every part that Vigie needs and say how to fix what is wrong
    ///
    /// Needs nothing. Checks the stores that are set, those of a running `vigie up` on the data folder, or the programs for private ones,
    /// and starts Chromium once. With --engines it searches once by each proxy of each engine instead. The exit code is 1 if a part is bad.
    Doctor(Doctor),
    /// Make an administrator's account
    ///
    /// Needs VIGIE__POSTGRES__URL, or a running `vigie up` on the data folder. The password is read from standard input; on a
    /// terminal one is made up and printed once.
    CreateAdmin(CreateAdmin),
    /// Load fictional companies, brands, users and terms, and made-up ad results for them
    ///
    /// Needs the stores of `api`, migrated, or a running `vigie up` on the data folder. What is there is kept; may be run again at any
    /// time. Prints who can sign in.
    DemoData(DemoData),
    /// Make the cases of advertisers out of ads that are stored already
    ///
    /// Needs VIGIE__POSTGRES__URL and VIGIE__CLICKHOUSE__URL, or a running `vigie up` on the data folder. New captures do it by themselves;
    /// this is for ads stored before, or for a brand that was validated later. May be interrupted and run again at any time.
    Detect(Detect),
    /// Give ads that earlier versions stored the time their page was received, instead of the time of their slot
    ///
    /// Needs VIGIE__POSTGRES__URL and VIGIE__CLICKHOUSE__URL, or a running `vigie up` on the data folder. Run it once, after an upgrade
    /// from a version in which an ad had one time. While a month is rewritten no ad is stored: captures wait. May be interrupted and run
    /// again at any time.
    Backfill,
    /// Search once and say what the engine answered, which ads were read and what is in doubt
    ///
    /// Needs Chromium or Chrome. Searches the engines of VIGIE__ENGINES__…, or the simulator of a running `vigie up` on the data folder.
    /// Writes the page, a copy to look at and a picture into a folder, and stores nothing else. The exit code is 1 unless a result page was
    /// read without doubt.
    TryCapture(TryCapture),
    /// Check the evidence, or pack one capture with all that proves it
    ///
    /// Needs VIGIE__POSTGRES__URL and the folder of captured pages, or a running `vigie up` on the data folder.
    Evidence(Evidence),
    /// Read saved result pages and print their ads, one line of JSON a page
    ///
    /// Needs nothing but the files.
    ReadPage(ReadPage),
    /// Give all that was captured of a term to the brand it has now
    ///
    /// Needs VIGIE__POSTGRES__URL and VIGIE__CLICKHOUSE__URL, or a running `vigie up` on the data folder. Without it, captures stay with
    /// the brand the term had then. The audit log records who did it. May be interrupted: the workers complete it.
    Reattribute(Reattribute),
    /// Read stored pages again with the present reader, show what differs, and store it on demand
    ///
    /// Needs VIGIE__POSTGRES__URL, VIGIE__CLICKHOUSE__URL and the folder of captured pages, or a running `vigie up` on the data folder.
    Reread(Reread),
    /// Print the description of the API (OpenAPI, JSON)
    ///
    /// Needs nothing.
    Openapi,
    /// Run one capture through a separate stack and compare the API with the truth
    ///
    /// Needs what `up` needs. Uses a temporary folder and free ports; the last line has the figures.
    Smoke {
        /// Keeps files in the buckets `lost` and `restored` of the S3 service at this address, `http://KEY:SECRET@HOST:PORT`, in place of folders.
        #[arg(long, value_name = "ADDRESS")]
        s3: Option<Url>,
    },
    /// The embedded ClickHouse, as `up` starts it
    #[command(hide = true)]
    EmbeddedClickhouse,
    /// The simulated search engine, as `up` starts it
    #[command(hide = true)]
    SerpSim,
    /// The simulated Google of advertisers, as `up` starts it
    #[command(hide = true)]
    GoogleSim,
    /// The mail catcher, as `up` starts it
    #[command(hide = true)]
    MailCatcher,
}
