//! A mail server of one test: a real Dovecot with one mailbox, into which mails are delivered as a relay would.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, Instant};

use crate::programs::Runner;

/// The program, where Debian installs it.
const PROGRAM: &str = "/usr/sbin/dovecot";
const PATIENCE: Duration = Duration::from_secs(20);

/// A running server; it ends with the value.
pub struct Dovecot {
    /// The port of IMAP on the loopback interface, without encryption.
    pub imap: u16,
    lmtp: u16,
    folder: tempfile::TempDir,
    child: Child,
}

impl Dovecot {
    /// The user of the mailbox.
    pub const USER: &str = "vigie";
    /// The password of that user.
    pub const PASSWORD: &str = "secret";

    /// Starts a server with an empty mailbox, as an ordinary user and on ports of its own. Panics if it does not answer.
    pub fn start() -> Self {
        assert!(
            Path::new(PROGRAM).exists(),
            "testkit: {PROGRAM} is missing; run compose/install/install.sh, which installs what the tests need"
        );
        let runner = Runner::unprivileged();
        let folder = tempfile::tempdir().expect("a folder for the mail server");
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("the folder is ours");
        let (uid, gid) = runner
            .switch
            .unwrap_or_else(|| (nix::unistd::geteuid().as_raw(), nix::unistd::getegid().as_raw()));
        for name in ["run", "state", "mail", "home"] {
            let path = folder.path().join(name);
            fs::create_dir(&path).expect("the folder is ours");
            if runner.switch.is_some() {
                chown(&path, Some(uid), Some(gid)).expect("root may give the folder away");
            }
        }
        if runner.switch.is_some() {
            chown(folder.path(), Some(uid), Some(gid)).expect("root may give the folder away");
        }
        let (imap, lmtp) = (free_port(), free_port());
        let settings = folder.path().join("dovecot.conf");
        fs::write(&settings, configuration(folder.path(), (uid, gid), (imap, lmtp))).expect("the folder is ours");
        let mut command = runner.command(Path::new(PROGRAM));
        command.arg("-F").arg("-c").arg(&settings);
        let child = command.spawn().expect("Dovecot starts");
        let server = Self {
            imap,
            lmtp,
            folder,
            child,
        };
        server.wait();
        server
    }

    /// Delivers a mail into the mailbox with this envelope, as a relay does (LMTP).
    pub fn deliver(&self, from: &str, to: &str, raw: &[u8]) {
        let stream = TcpStream::connect(("127.0.0.1", self.lmtp)).expect("LMTP answers");
        let mut replies = BufReader::new(stream.try_clone().expect("a socket is cloned"));
        let mut stream = stream;
        let mut expect = |code: &str| {
            let mut line = String::new();
            loop {
                line.clear();
                replies.read_line(&mut line).expect("LMTP answers");
                assert!(line.starts_with(code), "LMTP: {line}");
                if line.as_bytes().get(3) != Some(&b'-') {
                    break;
                }
            }
        };
        expect("220");
        for (command, code) in [
            ("LHLO test.example".to_owned(), "250"),
            (format!("MAIL FROM:<{from}>"), "250"),
            (format!("RCPT TO:<{to}>"), "250"),
            ("DATA".to_owned(), "354"),
        ] {
            write!(stream, "{command}\r\n").expect("LMTP listens");
            expect(code);
        }
        let text = raw.split(|byte| *byte == b'\n').flat_map(|line| {
            let stuffed: &[u8] = if line.first() == Some(&b'.') { b"." } else { b"" };
            [stuffed, line, b"\n"].concat()
        });
        let text: Vec<u8> = text.collect();
        stream.write_all(&text).expect("LMTP listens");
        stream.write_all(b".\r\n").expect("LMTP listens");
        expect("250");
        write!(stream, "QUIT\r\n").expect("LMTP listens");
    }

    /// Numbers the mailbox again, as a server does that was restored: all its mails stay, and their numbers mean nothing any more.
    pub fn number_again(&self) {
        let mailbox = self.folder.path().join("mail");
        let list = mailbox.join("dovecot-uidlist");
        let text = fs::read_to_string(&list).expect("the mailbox has numbers");
        let validity = text
            .split_whitespace()
            .find_map(|word| word.strip_prefix('V'))
            .and_then(|number| number.parse::<u32>().ok())
            .expect("the mailbox has numbers");
        fs::write(
            &list,
            text.replace(&format!("V{validity}"), &format!("V{}", validity + 7)),
        )
        .expect("it is a file");
        for entry in fs::read_dir(&mailbox).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with("dovecot.index") {
                fs::remove_file(entry.path()).expect("it is a file");
            }
        }
    }

    /// The names of the files of mails, which end in their marks.
    pub fn files(&self) -> Vec<PathBuf> {
        ["new", "cur"]
            .iter()
            .flat_map(|folder| {
                fs::read_dir(self.folder.path().join("mail").join(folder))
                    .into_iter()
                    .flatten()
                    .flatten()
            })
            .map(|entry| entry.path())
            .collect()
    }

    fn wait(&self) {
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.imap)).is_err()
            || TcpStream::connect(("127.0.0.1", self.lmtp)).is_err()
        {
            if begun.elapsed() > PATIENCE {
                let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
                panic!("testkit: Dovecot does not answer:\n{log}");
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Dovecot {
    fn drop(&mut self) {
        // It ends its own processes when it is asked to; killed, it would leave them.
        let _ = nix::sys::signal::kill(
            nix::unistd::Pid::from_raw(i32::try_from(self.child.id()).unwrap_or(i32::MAX)),
            nix::sys::signal::Signal::SIGTERM,
        );
        let _ = self.child.wait();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.local_addr().expect("it has an address").port()
}

/// The settings of a server that an ordinary user runs: every process is of that user, and none is shut into a folder.
fn configuration(folder: &Path, (uid, gid): (u32, u32), (imap, lmtp): (u16, u16)) -> String {
    let folder = folder.display();
    let name = |found: Option<String>, id: u32| found.unwrap_or_else(|| id.to_string());
    let user = nix::unistd::User::from_uid(uid.into())
        .ok()
        .flatten()
        .map(|user| user.name);
    let group = nix::unistd::Group::from_gid(gid.into())
        .ok()
        .flatten()
        .map(|group| group.name);
    let (user, group) = (name(user, uid), name(group, gid));
    format!(
        "protocols = imap lmtp
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/log
ssl = no
disable_plaintext_auth = no
default_internal_user = {user}
default_internal_group = {group}
default_login_user = {user}
mail_location = maildir:{folder}/mail
auth_mechanisms = plain login
first_valid_uid = 1
first_valid_gid = 1
recipient_delimiter = +
postmaster_address = postmaster@mail.example
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={folder}/home allow_all_users=yes
}}
service anvil {{
  chroot =
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    address = 127.0.0.1
    port = {imap}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
service lmtp {{
  inet_listener lmtp {{
    address = 127.0.0.1
    port = {lmtp}
  }}
}}
",
        password = Dovecot::PASSWORD
    )
}
