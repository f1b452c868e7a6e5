//! PgBouncer in transaction mode in front of a PostgreSQL: for one test, with fewer connections than it has clients.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::encrypted::{Certificates, Server, free_port};
use crate::programs::{Runner, on_path};

/// Connections to the server, on which the transactions of many clients take turns.
pub const POOLER_CONNECTIONS: usize = 3;
const SETTINGS: &str = "pgbouncer.ini";

/// A pooler; it is killed when dropped.
pub struct Pooler {
    /// Where it listens.
    pub server: Server,
    /// The socket of the same name and port.
    pub socket: PathBuf,
    folder: TempDir,
}

impl Pooler {
    /// A pooler in front of the server of the testkit whose socket is in this folder.
    pub(crate) fn in_front_of(folder: &Path) -> Self {
        Self::start(&format!("host={} port=5432", folder.display()), "")
    }

    /// A pooler in front of a server over TLS, which trusts only the authority of these certificates and whose clients have to use TLS.
    pub fn in_front_of_encrypted(server: &Server, certificates: &Certificates) -> Self {
        let (certificate, key) = certificates.of_server();
        let tls = format!(
            "server_tls_sslmode = verify-full\nserver_tls_ca_file = {}\nclient_tls_sslmode = require\nclient_tls_cert_file = {}\nclient_tls_key_file = {}\n",
            certificates.authority().display(),
            certificate.display(),
            key.display()
        );
        Self::start(
            &format!("host={} port={}", server.address.ip(), server.address.port()),
            &tls,
        )
    }

    fn start(server: &str, tls: &str) -> Self {
        let runner = Runner::unprivileged();
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let address = free_port();
        let users = folder.path().join("users.txt");
        fs::write(&users, "\"vigie\" \"\"\n").expect("the folder is ours");
        let lines = format!(
            "[databases]\n* = {server}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir = {folder}\nauth_type = trust\n\
             auth_file = {users}\npool_mode = transaction\nmax_prepared_statements = 200\ndefault_pool_size = {POOLER_CONNECTIONS}\n\
             max_client_conn = 500\n{tls}",
            port = address.port(),
            folder = folder.path().display(),
            users = users.display(),
        );
        fs::write(folder.path().join(SETTINGS), lines).expect("the folder is ours");
        if let Some((user, group)) = runner.switch {
            chown(folder.path(), Some(user), Some(group)).expect("root may give a folder away");
        }
        Self {
            server: launch(&runner, &folder, address),
            socket: folder.path().join(format!(".s.PGSQL.{}", address.port())),
            folder,
        }
    }

    /// Kills it, with all its connections, and starts it again at the same address.
    pub fn restart(&mut self) {
        self.server.kill();
        self.server = launch(&Runner::unprivileged(), &self.folder, self.server.address);
    }
}

fn launch(runner: &Runner, folder: &TempDir, address: SocketAddr) -> Server {
    let mut command = runner.command(&on_path("pgbouncer"));
    command.arg(folder.path().join(SETTINGS));
    Server::start("PgBouncer", &mut command, address)
}
