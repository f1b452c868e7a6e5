//! What official clients may rely on, requested as they request it.

mod bodies;
mod cancelling;
mod compression;
mod durability;
mod errors;
mod inserts;
mod server;
mod sessions;
mod shutdown;
mod statements;
mod streaming;
