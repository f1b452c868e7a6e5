//! The stores over TLS: servers for one test, with a certificate signed by an authority of that test.

use std::fs::{self, Permissions};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::PathBuf;
use std::process::Child;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tempfile::TempDir;
use tokio::net;
use tokio_rustls::TlsAcceptor;

use crate::ClickHouse;
use crate::programs::{Runner, on_path, postgres};

const START_LIMIT: Duration = Duration::from_secs(30);
/// The names in the servers' certificate.
const HOSTS: [&str; 2] = ["localhost", "127.0.0.1"];

/// A certificate authority, with a certificate and key for the servers.
pub struct Certificates {
    folder: TempDir,
    runner: Runner,
}

impl Certificates {
    /// Creates an authority with a certificate for `localhost` and its address, and another authority that has signed nothing, in a temporary folder.
    pub fn new() -> Self {
        let runner = Runner::unprivileged();
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let made = Self { folder, runner };
        made.give(made.folder.path().to_owned(), 0o755);
        let (authority, issuer) = authority();
        let key = KeyPair::generate().expect("a key can be made");
        let server = CertificateParams::new(HOSTS.map(str::to_owned))
            .and_then(|parameters| parameters.signed_by(&key, &issuer))
            .expect("a certificate can be signed");
        made.write("authority.pem", &authority, 0o644);
        made.write("stranger.pem", &self::authority().0, 0o644);
        made.write("server.pem", &server.pem(), 0o644);
        made.write("server.key", &key.serialize_pem(), 0o600);
        made
    }

    /// The file of the authority that signed the servers' certificate, in PEM.
    pub fn authority(&self) -> PathBuf {
        self.folder.path().join("authority.pem")
    }

    /// The file of an authority that has signed nothing, in PEM.
    pub fn stranger(&self) -> PathBuf {
        self.folder.path().join("stranger.pem")
    }

    /// The files of the servers' certificate and its key, in PEM.
    pub(crate) fn of_server(&self) -> (PathBuf, PathBuf) {
        (self.path("server.pem"), self.path("server.key"))
    }

    /// The path of a file in the folder of the certificates.
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file with this mode into the folder, for the user that runs the servers.
    fn write(&self, name: &str, text: &str, mode: u32) {
        fs::write(self.path(name), text).expect("the folder is ours");
        self.give(self.path(name), mode);
    }

    /// Sets the mode of a path and gives it to the user that runs the servers.
    fn give(&self, path: PathBuf, mode: u32) {
        fs::set_permissions(&path, Permissions::from_mode(mode)).expect("the file is ours");
        if let Some((user, group)) = self.runner.switch {
            chown(path, Some(user), Some(group)).expect("root may give a file away");
        }
    }

    /// Starts an empty PostgreSQL that accepts only TLS over the network, with the user `vigie` and no password.
    pub fn postgres(&self) -> Server {
        let data = self.path("postgres");
        let made = self
            .runner
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
            .status();
        assert!(made.is_ok_and(|status| status.success()), "testkit: initdb failed");
        fs::write(data.join("pg_hba.conf"), "hostssl all all all trust\n").expect("the folder is ours");
        let address = free_port();
        let mut server = self.runner.command(&postgres("postgres"));
        server.arg("-D").arg(&data).arg("-k").arg(self.folder.path());
        for setting in [
            format!("port={}", address.port()),
            "listen_addresses=127.0.0.1".to_owned(),
            "fsync=off".to_owned(),
            "ssl=on".to_owned(),
            format!("ssl_cert_file={}", self.path("server.pem").display()),
            format!("ssl_key_file={}", self.path("server.key").display()),
        ] {
            server.args(["-c", &setting]);
        }
        Server::start("PostgreSQL", &mut server, address)
    }

    /// Starts an empty Redis that accepts only TLS and asks for no client certificate.
    pub fn redis(&self) -> Server {
        let address = free_port();
        let mut server = self.runner.command(&on_path("redis-server"));
        server
            .args([
                "--port",
                "0",
                "--save",
                "",
                "--appendonly",
                "no",
                "--tls-auth-clients",
                "no",
            ])
            .args(["--tls-port", &address.port().to_string()])
            .arg("--tls-cert-file")
            .arg(self.path("server.pem"))
            .arg("--tls-key-file")
            .arg(self.path("server.key"))
            .arg("--tls-ca-cert-file")
            .arg(self.authority());
        Server::start("Redis", &mut server, address)
    }

    /// Starts a TLS terminator in front of the embedded ClickHouse, which itself speaks plain HTTP, and returns its address. It ends with the
    /// runtime.
    pub async fn clickhouse(&self, behind: &ClickHouse) -> SocketAddr {
        let certificates = CertificateDer::pem_file_iter(self.path("server.pem")).expect("we wrote it");
        let key = PrivateKeyDer::from_pem_file(self.path("server.key")).expect("we wrote it");
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(certificates.map(|one| one.expect("we wrote it")).collect(), key)
            .expect("key and certificate belong together");
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("it listens");
        let port = behind.url.port().expect("the engine listens on a port of its own");
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    // Fails for a client that does not trust the certificate.
                    let Ok(mut outside) = acceptor.accept(stream).await else {
                        return;
                    };
                    let Ok(mut inside) = net::TcpStream::connect(("127.0.0.1", port)).await else {
                        return;
                    };
                    let _ = tokio::io::copy_bidirectional(&mut outside, &mut inside).await;
                });
            }
        });
        address
    }
}

impl Default for Certificates {
    fn default() -> Self {
        Self::new()
    }
}

/// A new authority: its certificate in PEM, and what signs with it.
fn authority() -> (String, Issuer<'static, KeyPair>) {
    let key = KeyPair::generate().expect("a key can be made");
    let mut parameters = CertificateParams::new(Vec::new()).expect("no name is no wrong name");
    // OpenSSL takes a certificate whose issuer has its own name for one that signed itself.
    parameters
        .distinguished_name
        .push(DnType::CommonName, "authority of a test");
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let certificate = parameters.self_signed(&key).expect("an authority signs itself");
    (certificate.pem(), Issuer::new(parameters, key))
}

/// A server for one test; it is killed when dropped.
pub struct Server {
    /// Where it listens, on this machine.
    pub address: SocketAddr,
    child: Child,
}

impl Server {
    /// Starts a server and waits until it listens at `address`; panics after [`START_LIMIT`].
    pub(crate) fn start(name: &str, command: &mut std::process::Command, address: SocketAddr) -> Self {
        let child = command
            .spawn()
            .unwrap_or_else(|error| panic!("testkit: {name}: {error}"));
        let server = Self { address, child };
        let end = Instant::now() + START_LIMIT;
        while TcpStream::connect(address).is_err() {
            assert!(
                Instant::now() < end,
                "testkit: {name} does not listen within {START_LIMIT:?}"
            );
            sleep(Duration::from_millis(20));
        }
        server
    }

    /// Kills it and waits until it is gone.
    pub(crate) fn kill(&mut self) {
        // The child processes of Postgres end with it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// An address on this machine with a port that was free a moment ago.
pub(crate) fn free_port() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.local_addr().expect("it listens")
}
