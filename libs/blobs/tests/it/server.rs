//! An S3 server with one bucket, before which requests can be broken.

use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use blobs::{Blobs, Bucket};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::service;

const BUCKET: &str = "captures";
const KEY: &str = "vigie";
const SECRET: &str = "not-a-secret";
const BUSY: &[u8] = b"HTTP/1.1 503 Slow Down\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// What happens to the next connections, the first one first; to later ones, nothing.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// The service says that it is busy.
    Busy,
    /// Closes the connection after this many bytes of the upload.
    CutAfter(usize),
    /// Whatever the client sends is read, and nothing is answered.
    Silent,
}

/// A running server. It ends with the test.
pub struct Server {
    address: String,
    folder: tempfile::TempDir,
    faults: Arc<Mutex<Vec<Fault>>>,
}

impl Server {
    pub async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(BUCKET)).unwrap();
        let behind = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let target = behind.local_addr().unwrap();
        let root = folder.path().to_owned();
        tokio::spawn(async move { service::serve(behind, &root, KEY, SECRET).await });
        let front = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", front.local_addr().unwrap());
        let faults: Arc<Mutex<Vec<Fault>>> = Arc::default();
        let next = Arc::clone(&faults);
        tokio::spawn(async move {
            loop {
                let (connection, _) = front.accept().await.unwrap();
                let fault = {
                    let mut faults = next.lock().unwrap();
                    (!faults.is_empty()).then(|| faults.remove(0))
                };
                tokio::spawn(async move {
                    let _ended = pass_on(connection, target, fault).await;
                });
            }
        });
        Self {
            address,
            folder,
            faults,
        }
    }

    pub fn blobs(&self) -> Blobs {
        self.opened(BUCKET, SECRET)
    }

    pub fn opened(&self, bucket: &str, secret: &str) -> Blobs {
        Blobs::bucket(&Bucket {
            name: bucket,
            endpoint: Some(&self.address),
            region: "us-east-1",
            access_key: KEY,
            secret_key: secret,
            authorities: None,
        })
        .unwrap()
    }

    /// Breaks the next connections.
    pub fn break_next(&self, faults: &[Fault]) {
        self.faults.lock().unwrap().extend_from_slice(faults);
    }

    /// Faults that have not happened.
    pub fn faults_left(&self) -> usize {
        self.faults.lock().unwrap().len()
    }

    pub fn root(&self) -> std::path::PathBuf {
        self.folder.path().join(BUCKET)
    }
}

async fn pass_on(mut client: TcpStream, target: std::net::SocketAddr, fault: Option<Fault>) -> std::io::Result<()> {
    match fault {
        None => {
            let mut server = TcpStream::connect(target).await?;
            tokio::io::copy_bidirectional(&mut client, &mut server).await?;
        }
        Some(Fault::Busy) => {
            let mut request = vec![0; 64 << 10];
            let _read = client.read(&mut request).await?;
            client.write_all(BUSY).await?;
        }
        Some(Fault::CutAfter(bytes)) => {
            let mut server = TcpStream::connect(target).await?;
            let mut first = vec![0; bytes];
            let _read = client.read_exact(&mut first).await?;
            server.write_all(&first).await?;
        }
        Some(Fault::Silent) => {
            let mut all = Vec::new();
            client.read_to_end(&mut all).await?;
        }
    }
    Ok(())
}

/// Makes what is stored at a path look as old as the epoch.
pub fn age(path: &std::path::Path) {
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
}
