//! Pictures of users: whatever was uploaded is decoded within limits and encoded again, so that nothing but its pixels is kept.

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits, Rgb, RgbImage};
use tokio::sync::Semaphore;

/// The sides of a kept picture.
const SIDE: u32 = 80;
/// Good enough that no edge shows at this size; some 3 kB.
const QUALITY: u8 = 88;
/// More pixels a side than any camera's, and less than what a small file can claim to unpack to.
const MAX_SIDE: u32 = 10_000;
/// What decoding may take, the decoder's own copies with it: 12 million pixels of most pictures.
const MAX_DECODED_BYTES: u64 = 48 << 20;
/// Pictures decoded at the same time: other requests need the memory.
static AT_ONCE: Semaphore = Semaphore::const_new(1);

/// The forms that are read.
pub(super) const FORMATS: [ImageFormat; 4] = [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP, ImageFormat::Gif];

/// Why no picture was made.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum PictureError {
    /// It is none, or broken.
    #[error("This is not an image.")]
    NoPicture,
    /// It has too many pixels.
    #[error(
        "The image has too many pixels: at most {MAX_SIDE} a side, and 12 million in all (5 million of a GIF, 4 million of a progressive JPEG, 3 million of a WebP)."
    )]
    TooLarge,
    /// The server is stopping.
    #[error("The image could not be read.")]
    Stopped,
}

/// The image format of a file, by its first bytes; `None` unless it is one of [`FORMATS`].
pub(super) fn format(content: &[u8]) -> Option<ImageFormat> {
    let format = image::guess_format(content).ok()?;
    FORMATS.contains(&format).then_some(format)
}

/// Makes a JPEG of [`SIDE`] by [`SIDE`] pixels of the middle of an image, turned upright. At most as many images as [`AT_ONCE`] has permits are
/// decoded at a time; others wait. Dropping the future does not stop the decoding. Fails when it is no image or has too many pixels.
pub(super) async fn avatar(content: Vec<u8>) -> Result<Vec<u8>, PictureError> {
    let permit = AT_ONCE.acquire().await;
    // Decoding goes on when nobody waits for it any more, and so keeps its permit.
    let drawing = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        redraw(&content)
    });
    drawing.await.map_err(|_| PictureError::Stopped)?
}

/// Decodes an image, crops the middle square, turned upright and with transparency on white, and encodes it as a JPEG of `SIDE` × `SIDE` pixels;
/// blocks. Fails with `TooLarge` beyond the limits of this file and with `NoPicture` for what is no picture.
fn redraw(content: &[u8]) -> Result<Vec<u8>, PictureError> {
    let format = format(content).ok_or(PictureError::NoPicture)?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(MAX_DECODED_BYTES);
    let mut reader = ImageReader::with_format(Cursor::new(content), format);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(|error| refused(&error))?;
    let (width, height) = decoder.dimensions();
    let pixels = u64::from(width).saturating_mul(height.into());
    let beside = pixels.saturating_mul(held_beside(format, content));
    if decoder.total_bytes().saturating_add(beside) > MAX_DECODED_BYTES {
        return Err(PictureError::TooLarge);
    }
    let orientation = decoder.orientation().map_err(|error| refused(&error))?;
    let picture = DynamicImage::from_decoder(decoder).map_err(|error| refused(&error))?;
    let mut square = picture.resize_to_fill(SIDE, SIDE, FilterType::Lanczos3);
    drop(picture);
    // Of the square: turning all of it would take its memory twice. The middle is the middle either way.
    square.apply_orientation(orientation);
    let mut written = Vec::new();
    JpegEncoder::new_with_quality(&mut written, QUALITY)
        .encode_image(&on_white(&square))
        .map_err(|_| PictureError::NoPicture)?;
    Ok(written)
}

/// The bytes per pixel that decoding takes at most beyond the picture itself, by the format and, for a JPEG, by its content; 0 for other formats.
fn held_beside(format: ImageFormat, content: &[u8]) -> u64 {
    match format {
        // The coefficients of three components, and the samples made of them.
        ImageFormat::Jpeg if is_progressive(content) => 9,
        // The same picture once more, as it is coded, and what leads to it.
        ImageFormat::Gif => 6,
        // Three times where nothing is lost.
        ImageFormat::WebP => 12,
        _ => 0,
    }
}

/// Whether a JPEG comes in several passes, as the segment that begins its frame says; true when in doubt, because that form takes more memory.
fn is_progressive(jpeg: &[u8]) -> bool {
    let mut rest = jpeg.get(2..).unwrap_or_default();
    while let [0xFF, marker, high, low, ..] = *rest {
        match marker {
            // Bytes that fill.
            0xFF => rest = &rest[1..],
            0xC0 | 0xC1 => return false,
            0xC2..=0xCF if !matches!(marker, 0xC4 | 0xC8 | 0xCC) => return true,
            _ => {
                let length = usize::from(u16::from_be_bytes([high, low]));
                rest = rest.get(2 + length..).unwrap_or_default();
            }
        }
    }
    // If in doubt, assume the form that takes more memory.
    true
}

/// The picture on a white background, mixed by its transparency: JPEG knows none. The size stays.
fn on_white(picture: &DynamicImage) -> RgbImage {
    let pixels = picture.to_rgba8();
    RgbImage::from_fn(pixels.width(), pixels.height(), |x, y| {
        let [red, green, blue, alpha] = pixels.get_pixel(x, y).0.map(u16::from);
        let mix = |colour: u16| u8::try_from((colour * alpha + 255 * (255 - alpha)) / 255).unwrap_or(u8::MAX);
        Rgb([mix(red), mix(green), mix(blue)])
    })
}

/// The error for an image that cannot be decoded: `TooLarge` when it is over the limits of the decoder, else `NoPicture`.
fn refused(error: &image::ImageError) -> PictureError {
    match error {
        image::ImageError::Limits(_) => PictureError::TooLarge,
        _ => PictureError::NoPicture,
    }
}

#[cfg(test)]
mod bombs;

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        RgbImage::from_pixel(width, height, Rgb([200, 30, 60]))
            .write_to(&mut bytes, ImageFormat::Png)
            .unwrap();
        bytes.into_inner()
    }

    #[tokio::test]
    async fn any_picture_becomes_a_small_square_jpeg() {
        for (width, height) in [(1, 1), (300, 200), (60, 900)] {
            let made = avatar(png(width, height)).await.unwrap();
            let read = image::load_from_memory_with_format(&made, ImageFormat::Jpeg).unwrap();
            assert_eq!((read.width(), read.height()), (80, 80));
        }
    }

    #[tokio::test]
    async fn an_upload_that_breaks_off_makes_no_room_for_another_decoder() {
        let mut upload = Box::pin(avatar(png(2_000, 2_000)));
        assert!(futures::poll!(&mut upload).is_pending());
        drop(upload);
        assert_eq!(AT_ONCE.available_permits(), 0);
    }

    #[tokio::test]
    async fn what_follows_or_comments_a_picture_is_not_kept() {
        let mut polyglot = png(100, 100);
        polyglot.extend_from_slice(b"<script>alert(1)</script>");
        let made = avatar(polyglot).await.unwrap();
        assert!(!made.windows(8).any(|bytes| bytes == b"<script>"));
    }

    #[tokio::test]
    async fn a_header_that_claims_a_flood_of_pixels_is_refused_unread() {
        let mut flood = png(1, 1);
        flood[16..20].copy_from_slice(&50_000_u32.to_be_bytes());
        flood[20..24].copy_from_slice(&50_000_u32.to_be_bytes());
        let checksum = crc(&flood[12..29]);
        flood[29..33].copy_from_slice(&checksum.to_be_bytes());
        assert_eq!(avatar(flood).await, Err(PictureError::TooLarge));
    }

    #[tokio::test]
    async fn text_is_no_picture_whatever_it_calls_itself() {
        for content in [
            &b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>"[..],
            b"<html></html>",
            b"",
            b"\x89PNG\r\n\x1a\n",
        ] {
            assert_eq!(avatar(content.to_vec()).await, Err(PictureError::NoPicture));
        }
    }

    /// The check of a PNG chunk.
    fn crc(bytes: &[u8]) -> u32 {
        let step = |crc: u32, byte: &u8| {
            (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
                if crc & 1 == 1 {
                    (crc >> 1) ^ 0xEDB8_8320
                } else {
                    crc >> 1
                }
            })
        };
        !bytes.iter().fold(!0, step)
    }
}
