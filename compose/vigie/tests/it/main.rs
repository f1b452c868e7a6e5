//! `vigie up` and the other commands as users meet them: started, killed, refused and stopped.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bucket;
mod campaign;
mod client;
mod commands;
mod demonstration;
mod encryption;
mod faults;
mod faults_at_start;
mod ledger;
mod listener;
mod machines;
mod mail_server;
mod many_processes;
mod nemesis;
mod part;
mod processes;
mod reminder_kills;
mod rereading;
mod secrets;
mod silence;
mod supervision;
mod tally;
mod trap;
mod trial;
