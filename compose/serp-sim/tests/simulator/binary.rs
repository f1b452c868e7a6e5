//! The program prints its address and ends on a signal.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Command, Stdio};

#[test]
fn prints_its_address_alone_on_a_line_and_ends_on_sigterm() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_serp-sim"))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(program.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let address: SocketAddr = line.trim_end().parse().unwrap();
    assert_ne!(address.port(), 0);
    std::net::TcpStream::connect(address).unwrap();
    let killed = Command::new("kill").arg(program.id().to_string()).status().unwrap();
    assert!(killed.success());
    assert!(program.wait().unwrap().success());
}

#[test]
fn names_the_address_it_cannot_have() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = Command::new(env!("CARGO_BIN_EXE_serp-sim"))
        .args(["--listen", &address])
        .output()
        .unwrap();
    assert!(!output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains(&address) && said.contains("port 0"), "{said}");
}
