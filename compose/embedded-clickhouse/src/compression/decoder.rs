use std::io::{self, BufRead, BufReader, Read};

use super::Encoding;
use super::block::BlockReader;

/// Bytes read from a request's body at a time.
const BUFFER: usize = 128 << 10;

/// Wraps a compressed body in a reader of its content; [`Encoding::Identity`] leaves the body as it is. Reading fails where the body is not in this
/// encoding.
pub(crate) fn decoder<'a>(encoding: Encoding, body: impl Read + Send + 'a) -> io::Result<Box<dyn Read + Send + 'a>> {
    Ok(match encoding {
        Encoding::Identity => Box::new(body),
        Encoding::Blocks => Box::new(BlockReader::new(body)),
        Encoding::Zstd => Box::new(zstd::stream::read::Decoder::new(body)?),
        Encoding::Lz4 => Box::new(Lz4Frames(lz4_flex::frame::FrameDecoder::new(BufReader::with_capacity(
            BUFFER, body,
        )))),
        Encoding::Brotli => Box::new(brotli::Decompressor::new(body, BUFFER)),
        Encoding::Gzip => Box::new(flate2::read::MultiGzDecoder::new(body)),
        Encoding::Deflate => Box::new(flate2::read::ZlibDecoder::new(body)),
    })
}

/// Consecutive LZ4 frames: the decoder signals the end of each by an empty read.
struct Lz4Frames<R: Read>(lz4_flex::frame::FrameDecoder<BufReader<R>>);

impl<R: Read> Read for Lz4Frames<R> {
    /// Reads on into the next frame where one ends; 0 only at the end of the last, or for an empty buffer.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.0.read(buffer)?;
            if count > 0 || buffer.is_empty() || self.0.get_mut().fill_buf()?.is_empty() {
                return Ok(count);
            }
        }
    }
}
