//! Compression of bodies: ClickHouse's own blocks (`compress=1`, `decompress=1`) and HTTP's content encodings.
//!
//! tower-http's layers do not replace the HTTP half: they lack LZ4, which official clients use, and would compress blocks once more.
//! `async-compression` wraps the same codecs for async tasks, where this work belongs on the thread that runs the statement.

mod block;
mod decoder;
mod encoder;
mod encoding;

pub(crate) use decoder::decoder;
pub(crate) use encoder::Encoder;
pub(crate) use encoding::Encoding;
