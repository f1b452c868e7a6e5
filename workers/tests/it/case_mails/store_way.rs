//! The way to a database, which a test can cut and mend.

use std::path::PathBuf;

use postgres::Pool;
use tempfile::TempDir;
use tokio::io::copy_bidirectional;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;

const SOCKET: &str = ".s.PGSQL.5432";
const CONNECTIONS: u32 = 8;

/// A socket through which a database is reached as long as it is open.
pub(super) struct StoreWay {
    is_open: watch::Sender<bool>,
    _folder: TempDir,
}

impl StoreWay {
    /// A way to the database at `url`, and connections that take it.
    pub(super) fn to(url: &str) -> (Self, Pool) {
        let (before, host) = url.split_once("host=").unwrap();
        let target = PathBuf::from(host).join(SOCKET);
        let folder = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(folder.path().join(SOCKET)).unwrap();
        let (is_open, opened) = watch::channel(true);
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let (target, mut opened) = (target.clone(), opened.clone());
                tokio::spawn(async move {
                    if !*opened.borrow_and_update() {
                        return;
                    }
                    let mut server = UnixStream::connect(target).await.unwrap();
                    tokio::select! {
                        // Whichever end goes first.
                        _ = copy_bidirectional(&mut client, &mut server) => {}
                        _ = opened.wait_for(|open| !*open) => {}
                    }
                });
            }
        });
        let url = format!("{before}host={}", folder.path().display());
        let pool = postgres::connect(&url, CONNECTIONS, "test").unwrap();
        let way = Self {
            is_open,
            _folder: folder,
        };
        (way, pool)
    }

    /// Ends all connections, and lets none through from now on.
    pub(super) fn cut(&self) {
        self.is_open.send_replace(false);
    }

    /// Lets connections through again.
    pub(super) fn mend(&self) {
        self.is_open.send_replace(true);
    }
}
