//! ClickHouse's compressed blocks: a 16-byte CityHash128 (version 1.0.2) of what follows, the method, the size with
//! these nine bytes, the size of the content, the compressed content.

use std::io::{self, Read};

use crate::exception::{ServerError, code};

const CHECKSUM_SIZE: usize = 16;
const HEADER_SIZE: usize = 9;
const METHOD_NONE: u8 = 0x02;
const METHOD_LZ4: u8 = 0x82;
const METHOD_ZSTD: u8 = 0x90;
/// Most content of a block; the default of the server's `max_compress_block_size`.
pub(super) const BLOCK_SIZE: usize = 1 << 20;
/// The largest block accepted, compressed or not: ClickHouse's own limit.
const LARGEST_BLOCK: usize = 1 << 30;

/// Appends `content` to `out` as one block of LZ4. Keep it within [`BLOCK_SIZE`]; fails only for sizes that four bytes cannot hold.
pub(super) fn write(content: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
    let start = out.len();
    out.resize(
        start + CHECKSUM_SIZE + HEADER_SIZE + lz4_flex::block::get_maximum_output_size(content.len()),
        0,
    );
    let block = &mut out[start + CHECKSUM_SIZE..];
    let compressed = lz4_flex::block::compress_into(content, &mut block[HEADER_SIZE..]).map_err(io::Error::other)?;
    block[0] = METHOD_LZ4;
    block[1..5].copy_from_slice(&encode_size(HEADER_SIZE + compressed)?);
    block[5..9].copy_from_slice(&encode_size(content.len())?);
    let checksum = checksum(&block[..HEADER_SIZE + compressed]);
    out[start..start + CHECKSUM_SIZE].copy_from_slice(&checksum);
    out.truncate(start + CHECKSUM_SIZE + HEADER_SIZE + compressed);
    Ok(())
}

/// Encodes a size for a block's header, as four bytes in little-endian order.
fn encode_size(bytes: usize) -> io::Result<[u8; 4]> {
    u32::try_from(bytes).map(u32::to_le_bytes).map_err(io::Error::other)
}

/// Decodes a size of a block's header, in little-endian order.
fn decode_size(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .rev()
        .fold(0, |number, &byte| number << 8 | usize::from(byte))
}

/// Returns the CityHash128 of the bytes, its halves in ClickHouse's order.
fn checksum(bytes: &[u8]) -> [u8; CHECKSUM_SIZE] {
    cityhash_rs::cityhash_102_128(bytes).rotate_right(64).to_le_bytes()
}

/// Reads the content of consecutive blocks.
pub(super) struct BlockReader<R> {
    source: R,
    content: Vec<u8>,
    at: usize,
}

impl<R: Read> BlockReader<R> {
    /// Reads blocks from the current position of `source`.
    pub(super) fn new(source: R) -> Self {
        Self {
            source,
            content: Vec::new(),
            at: 0,
        }
    }

    /// Replaces the content by that of the next block; returns false, with the content unchanged, at the end of the source. Fails when the source
    /// ends within the block, its size is impossible, its checksum is wrong, or it cannot be decompressed.
    fn advance(&mut self) -> io::Result<bool> {
        let mut head = [0; CHECKSUM_SIZE + HEADER_SIZE];
        let first = loop {
            match self.source.read(&mut head) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        if first == 0 {
            return Ok(false);
        }
        self.source.read_exact(&mut head[first..])?;
        let header = &head[CHECKSUM_SIZE..];
        let method = header[0];
        let compressed = decode_size(&header[1..5]);
        let plain = decode_size(&header[5..9]);
        if !(HEADER_SIZE..=LARGEST_BLOCK).contains(&compressed) || plain > LARGEST_BLOCK {
            return Err(cannot_decompress(
                "its size is impossible: are the data really compressed?",
            ));
        }
        let mut block = Vec::with_capacity(compressed.min(BLOCK_SIZE));
        block.extend_from_slice(&head[CHECKSUM_SIZE..]);
        let length = (compressed - HEADER_SIZE) as u64;
        if self.source.by_ref().take(length).read_to_end(&mut block)? as u64 != length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if checksum(&block) != head[..CHECKSUM_SIZE] {
            let message = "Checksum doesn't match: corrupted data";
            return Err(ServerError::new(code::CHECKSUM_DOESNT_MATCH, "CHECKSUM_DOESNT_MATCH", message).into());
        }
        self.content = unpack(method, &block[HEADER_SIZE..], plain)?;
        self.at = 0;
        Ok(true)
    }
}

/// Decompresses a block's content by its method: none, LZ4 or ZSTD. Fails for any other method, damaged data, or content that does not have `plain`
/// bytes.
fn unpack(method: u8, data: &[u8], plain: usize) -> io::Result<Vec<u8>> {
    let content = match method {
        METHOD_NONE => data.to_vec(),
        METHOD_LZ4 => {
            lz4_flex::block::decompress(data, plain).map_err(|error| cannot_decompress(&error.to_string()))?
        }
        METHOD_ZSTD => zstd::bulk::decompress(data, plain)?,
        other => {
            let message = format!("Unknown compression method 0x{other:02x}: use LZ4 or ZSTD blocks");
            return Err(
                ServerError::new(code::UNKNOWN_COMPRESSION_METHOD, "UNKNOWN_COMPRESSION_METHOD", message).into(),
            );
        }
    };
    if content.len() == plain {
        Ok(content)
    } else {
        Err(cannot_decompress("its content has another size than it says"))
    }
}

/// ClickHouse's error CANNOT_DECOMPRESS with this reason, as the `io::Error` that a `Read` returns.
fn cannot_decompress(why: &str) -> io::Error {
    ServerError::new(
        code::CANNOT_DECOMPRESS,
        "CANNOT_DECOMPRESS",
        format!("Cannot decompress a block: {why}"),
    )
    .into()
}

impl<R: Read> Read for BlockReader<R> {
    /// Reads from the current block, or from the next one that has content; 0 at the end of the source. Fails for a block that is cut off or damaged.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.content.len() {
            if !self.advance()? {
                return Ok(0);
            }
        }
        let count = buffer.len().min(self.content.len() - self.at);
        buffer[..count].copy_from_slice(&self.content[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use proptest::prelude::*;

    use super::{BlockReader, write};
    use crate::exception::ServerError;

    fn read(bytes: &[u8]) -> Result<Vec<u8>, ServerError> {
        let mut out = Vec::new();
        BlockReader::new(bytes).read_to_end(&mut out)?;
        Ok(out)
    }

    proptest! {
        #[test]
        fn gives_back_what_was_written(parts: Vec<Vec<u8>>) {
            let mut bytes = Vec::new();
            for part in &parts {
                write(part, &mut bytes).expect("written");
            }
            prop_assert_eq!(read(&bytes).expect("read"), parts.concat());
        }

        #[test]
        fn detects_every_changed_byte(content in prop::collection::vec(any::<u8>(), 1..300), at: prop::sample::Index, by in 1..=255_u8) {
            let mut bytes = Vec::new();
            write(&content, &mut bytes).expect("written");
            let at = at.index(bytes.len());
            bytes[at] ^= by;
            prop_assert!(read(&bytes).is_err());
        }

        #[test]
        fn reads_any_bytes_without_panicking(bytes: Vec<u8>) {
            let _ = read(&bytes);
        }
    }

    #[test]
    fn names_a_wrong_checksum() {
        let mut bytes = Vec::new();
        write(b"content", &mut bytes).expect("written");
        bytes[0] ^= 1;
        assert_eq!(read(&bytes).map_err(|exception| exception.code), Err(40));
    }

    #[test]
    fn detects_a_cut_block() {
        let mut bytes = Vec::new();
        write(b"content", &mut bytes).expect("written");
        for end in 1..bytes.len() {
            assert!(read(&bytes[..end]).is_err(), "{end}");
        }
    }
}
