use std::io::{self, Write};

use super::{Encoding, block};

/// Brotli's quality and window, for output that a client waits for.
const BROTLI_QUALITY: u32 = 4;
const BROTLI_WINDOW: u32 = 22;
const BROTLI_BUFFER: usize = 64 << 10;
/// The level of zstd and gzip; ClickHouse's `http_zlib_compression_level` is 3 too.
const LEVEL: u32 = 3;

/// Compresses an output piece by piece; each piece can be decoded as soon as it arrives. [`Encoder::finish`] returns what must follow the last.
pub(crate) enum Encoder {
    Identity,
    Blocks,
    Zstd(Box<zstd::stream::write::Encoder<'static, Vec<u8>>>),
    Lz4(Box<lz4_flex::frame::FrameEncoder<Vec<u8>>>),
    Brotli(Box<brotli::CompressorWriter<Vec<u8>>>),
    Gzip(Box<flate2::write::GzEncoder<Vec<u8>>>),
    Deflate(Box<flate2::write::ZlibEncoder<Vec<u8>>>),
}

impl Encoder {
    /// Creates an encoder for one output; for [`Encoding::Identity`] it passes pieces on unchanged.
    pub(crate) fn new(encoding: Encoding) -> io::Result<Self> {
        let level = flate2::Compression::new(LEVEL);
        Ok(match encoding {
            Encoding::Identity => Self::Identity,
            Encoding::Blocks => Self::Blocks,
            Encoding::Zstd => Self::Zstd(Box::new(zstd::stream::write::Encoder::new(
                Vec::new(),
                LEVEL.cast_signed(),
            )?)),
            Encoding::Lz4 => Self::Lz4(Box::new(lz4_flex::frame::FrameEncoder::new(Vec::new()))),
            Encoding::Brotli => Self::Brotli(Box::new(brotli::CompressorWriter::new(
                Vec::new(),
                BROTLI_BUFFER,
                BROTLI_QUALITY,
                BROTLI_WINDOW,
            ))),
            Encoding::Gzip => Self::Gzip(Box::new(flate2::write::GzEncoder::new(Vec::new(), level))),
            Encoding::Deflate => Self::Deflate(Box::new(flate2::write::ZlibEncoder::new(Vec::new(), level))),
        })
    }

    /// Whether pieces pass unchanged.
    pub(crate) fn is_identity(&self) -> bool {
        matches!(self, Self::Identity)
    }

    /// Compresses a piece and flushes, so that the returned bytes contain all of it. Does not end the stream.
    pub(crate) fn encode(&mut self, piece: &[u8]) -> io::Result<Vec<u8>> {
        // The encoders share no trait that exposes their buffer.
        macro_rules! through {
            ($encoder:ident) => {{
                $encoder.write_all(piece)?;
                $encoder.flush()?;
                Ok(std::mem::take($encoder.get_mut()))
            }};
        }
        match self {
            Self::Identity => Ok(piece.to_vec()),
            Self::Blocks => {
                let mut out = Vec::new();
                for content in piece.chunks(block::BLOCK_SIZE) {
                    block::write(content, &mut out)?;
                }
                Ok(out)
            }
            Self::Zstd(encoder) => through!(encoder),
            Self::Lz4(encoder) => through!(encoder),
            Self::Brotli(encoder) => through!(encoder),
            Self::Gzip(encoder) => through!(encoder),
            Self::Deflate(encoder) => through!(encoder),
        }
    }

    /// Ends the compressed output; returns the last bytes to send (a frame's end or a checksum), which may be none.
    pub(crate) fn finish(self) -> io::Result<Vec<u8>> {
        match self {
            Self::Identity | Self::Blocks => Ok(Vec::new()),
            Self::Zstd(encoder) => encoder.finish(),
            Self::Lz4(encoder) => encoder.finish().map_err(io::Error::other),
            Self::Brotli(encoder) => Ok(encoder.into_inner()),
            Self::Gzip(encoder) => encoder.finish(),
            Self::Deflate(encoder) => encoder.finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::Encoder;
    use crate::compression::{Encoding, decoder};

    const ALL: [Encoding; 7] = [
        Encoding::Identity,
        Encoding::Blocks,
        Encoding::Zstd,
        Encoding::Lz4,
        Encoding::Brotli,
        Encoding::Gzip,
        Encoding::Deflate,
    ];

    fn encoded(encoding: Encoding, pieces: &[Vec<u8>]) -> Vec<u8> {
        let mut encoder = Encoder::new(encoding).expect("an encoder");
        let mut out = Vec::new();
        for piece in pieces {
            out.extend(encoder.encode(piece).expect("encoded"));
        }
        out.extend(encoder.finish().expect("finished"));
        out
    }

    fn decoded(encoding: Encoding, bytes: &[u8]) -> std::io::Result<Vec<u8>> {
        let mut out = Vec::new();
        decoder(encoding, bytes)?.read_to_end(&mut out)?;
        Ok(out)
    }

    #[test]
    fn decodes_what_it_encodes() {
        let pieces: Vec<Vec<u8>> = (0..5_u8).map(|piece| vec![piece; 700_000]).collect();
        for encoding in ALL {
            let bytes = encoded(encoding, &pieces);
            assert_eq!(
                decoded(encoding, &bytes).expect("decoded"),
                pieces.concat(),
                "{encoding:?}"
            );
        }
    }

    #[test]
    fn reads_on_after_the_first_of_several_frames() {
        for encoding in [Encoding::Zstd, Encoding::Lz4, Encoding::Gzip, Encoding::Blocks] {
            let bytes = [
                encoded(encoding, &[b"one ".to_vec()]),
                encoded(encoding, &[b"two".to_vec()]),
            ]
            .concat();
            assert_eq!(decoded(encoding, &bytes).expect("decoded"), b"one two", "{encoding:?}");
        }
    }

    #[test]
    fn detects_a_cut_body() {
        for encoding in ALL.into_iter().filter(|&encoding| encoding != Encoding::Identity) {
            let bytes = encoded(encoding, &[(0..=255).collect()]);
            assert!(decoded(encoding, &bytes[..bytes.len() - 9]).is_err(), "{encoding:?}");
        }
    }
}
