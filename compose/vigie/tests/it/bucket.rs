//! A real S3 server for one test.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

const NAME: &str = "vigie";
const KEY: &str = "vigie";
const SECRET: &str = "trial";

/// A bucket and the server that keeps it; the server is killed when dropped.
pub struct Bucket {
    pub address: SocketAddr,
    server: Child,
    folder: TempDir,
}

impl Bucket {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(NAME)).unwrap();
        let mut server = Command::new(program())
            .arg("127.0.0.1:0")
            .arg(folder.path())
            .args([KEY, SECRET])
            .stdout(Stdio::piped())
            .spawn()
            .expect("`cargo build -p blobs --example s3_server` has built it");
        let mut said = String::new();
        BufReader::new(server.stdout.take().unwrap())
            .read_line(&mut said)
            .unwrap();
        Self {
            address: said.trim().parse().unwrap(),
            server,
            folder,
        }
    }

    /// Whether nothing was put in the bucket.
    pub fn is_empty(&self) -> bool {
        fs::read_dir(self.folder.path().join(NAME)).unwrap().next().is_none()
    }
}

/// The settings of processes that reach the server of the bucket at `address`.
pub fn settings(address: SocketAddr) -> [(&'static str, String); 4] {
    [
        ("VIGIE__BLOBS__S3__BUCKET", NAME.to_owned()),
        ("VIGIE__BLOBS__S3__ENDPOINT", format!("http://{address}")),
        ("VIGIE__BLOBS__S3__ACCESS_KEY", KEY.to_owned()),
        ("VIGIE__BLOBS__S3__SECRET_KEY", SECRET.to_owned()),
    ]
}

impl Drop for Bucket {
    fn drop(&mut self) {
        // One that has ended already needs no signal.
        let _ended = self.server.kill();
        self.server.wait().unwrap();
    }
}

/// The example of `blobs`, which is built with the tests.
fn program() -> PathBuf {
    let built = Path::new(env!("CARGO_BIN_EXE_vigie"));
    built.with_file_name("examples").join("s3_server")
}
