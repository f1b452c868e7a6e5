//! Compression of bodies: ClickHouse's own blocks (`compress=1`, `decompress=1`) and HTTP's content encodings.

mod block;
mod decoder;
mod encoder;
mod encoding;

pub(crate) use decoder::decoder;
pub(crate) use encoder::Encoder;
pub(crate) use encoding::Encoding;
