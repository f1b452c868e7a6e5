//! Machines of their own for the processes of a stack: each has its own network, whose only cable leads to a switch of the test.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use testkit::Runner;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpStream, UnixStream};

use crate::listener::serve_each_on;

/// The network that RFC 2544 keeps for trials; the third byte is the test's.
const NETWORK: [u8; 2] = [198, 18];
/// The test's own address; those of the machines follow.
const SWITCH: u8 = 1;
/// What `ip` says to who may not.
const NOT_PERMITTED: &str = "Operation not permitted";
/// Switches and machines are called so, followed by the process of their test.
const PREFIX: &str = "vg";
/// The name of each machine's end of its cable.
const CABLE: &str = "eth0";

/// A server of the test run, as the test itself reaches it.
#[derive(Clone, Debug)]
pub enum Server {
    Port(SocketAddr),
    Socket(PathBuf),
}

/// Machines on one switch, until it is dropped.
pub struct Machines {
    /// The name of the switch, which those of the machines begin with.
    name: String,
    third: u8,
    count: usize,
}

impl Machines {
    /// So many machines; `None` where this user may make none, as any but root.
    pub fn new(count: usize) -> Option<Self> {
        remove_of_ended_tests();
        let process = std::process::id();
        let machines = Self {
            name: format!("{PREFIX}{process}"),
            third: process.to_le_bytes()[0],
            count,
        };
        match machines.connect() {
            Ok(()) => Some(machines),
            Err(why) if why.contains(NOT_PERMITTED) => None,
            Err(why) => panic!("ip: {why}"),
        }
    }

    fn connect(&self) -> Result<(), String> {
        let switch = self.name.as_str();
        ip(&["link", "add", switch, "type", "bridge"])?;
        ip(&["addr", "add", &format!("{}/24", self.switch()), "dev", switch])?;
        ip(&["link", "set", switch, "up"])?;
        for number in 0..self.count {
            let (machine, plug) = (self.machine(number), self.plug(number));
            ip(&["netns", "add", &machine])?;
            ip(&[
                "link", "add", &plug, "type", "veth", "peer", "name", CABLE, "netns", &machine,
            ])?;
            ip(&["link", "set", &plug, "master", switch, "up"])?;
            let address = format!("{}/24", self.address(number));
            ip(&["-n", &machine, "addr", "add", &address, "dev", CABLE])?;
            for device in ["lo", CABLE] {
                ip(&["-n", &machine, "link", "set", device, "up"])?;
            }
        }
        Ok(())
    }

    /// The address of a machine on the switch.
    pub fn address(&self, number: usize) -> Ipv4Addr {
        self.at(SWITCH + 1 + u8::try_from(number).unwrap())
    }

    /// A command that runs the program on a machine, as the user of the stores. It keeps the id of the process that it starts.
    pub fn command(&self, number: usize, runner: &Runner, program: &Path) -> Command {
        let mut command = Runner { switch: None }.command(Path::new("ip"));
        command.args(["netns", "exec", &self.machine(number)]);
        if let Some((user, group)) = runner.switch {
            let (user, group) = (user.to_string(), group.to_string());
            command.args(["setpriv", "--reuid", &user, "--regid", &group, "--clear-groups"]);
        }
        command.arg(program);
        command
    }

    /// Where the machines reach a server of the test run.
    pub async fn address_of(&self, server: Server) -> SocketAddr {
        let port = serve_each_on(self.switch(), move |connection| pass_on(connection, server.clone())).await;
        (self.switch(), port).into()
    }

    /// Pulls out the cable of a machine.
    pub fn unplug(&self, number: usize) {
        ip(&["link", "set", &self.plug(number), "down"]).unwrap();
    }

    fn switch(&self) -> Ipv4Addr {
        self.at(SWITCH)
    }

    fn at(&self, last: u8) -> Ipv4Addr {
        Ipv4Addr::new(NETWORK[0], NETWORK[1], self.third, last)
    }

    fn machine(&self, number: usize) -> String {
        format!("{}-m{number}", self.name)
    }

    /// The switch's end of a machine's cable.
    fn plug(&self, number: usize) -> String {
        format!("{}-p{number}", self.name)
    }
}

impl Drop for Machines {
    fn drop(&mut self) {
        // Cables go with their machines. Those that were not made yet cannot be removed.
        for number in 0..self.count {
            let _missing = ip(&["netns", "del", &self.machine(number)]);
        }
        let _missing = ip(&["link", "del", &self.name]);
    }
}

/// Removes the machines and switches of tests that were killed.
fn remove_of_ended_tests() {
    let left = |folder: &str, kind: [&str; 2]| {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let process = name.strip_prefix(PREFIX).and_then(|rest| rest.split('-').next());
            let is_left = process.is_some_and(|id| id.parse::<u32>().is_ok() && !Path::new("/proc").join(id).exists());
            if is_left {
                let _gone_already = ip(&[kind[0], kind[1], &name]);
            }
        }
    };
    left("/run/netns", ["netns", "del"]);
    left("/sys/class/net", ["link", "del"]);
}

/// Runs `ip`; the error is what it says.
fn ip(arguments: &[&str]) -> Result<(), String> {
    let output = Command::new("ip").args(arguments).output();
    let output = output.map_err(|error| format!("ip: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
}

async fn pass_on(mut client: TcpStream, server: Server) -> io::Result<()> {
    match server {
        Server::Port(address) => {
            let mut server = TcpStream::connect(address).await?;
            server.set_nodelay(true)?;
            client.set_nodelay(true)?;
            copy_bidirectional(&mut client, &mut server).await?;
        }
        Server::Socket(path) => {
            client.set_nodelay(true)?;
            copy_bidirectional(&mut client, &mut UnixStream::connect(path).await?).await?;
        }
    }
    Ok(())
}
