//! What small files that unpack to much cost. Each is drawn in a process of its own, so that the memory measured is its own.

use std::io::Cursor;
use std::process::Command;

use image::{RgbImage, RgbaImage};

use super::*;

/// The file that the other process is to draw.
const BOMB: &str = "VIGIE_TEST_BOMB";
const SAID: &str = "memory in KiB: ";
/// Uploads of it at the same time.
const UPLOADS: usize = 3;
/// What they may take together beyond the files themselves.
const MOST_KIB: u64 = 64 << 10;

#[test]
fn no_picture_takes_much_memory_however_many_are_sent_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bomb");
    for (name, content, is_drawn) in [
        (
            "PNG of 100 million pixels",
            png_of(10_000, 10_000, png::ColorType::Grayscale),
            false,
        ),
        (
            "PNG over the longest side",
            png_of(1, 20_000, png::ColorType::Rgba),
            false,
        ),
        (
            "PNG of 12 million pixels",
            png_of(4_000, 3_000, png::ColorType::Rgba),
            true,
        ),
        (
            "JPEG of 12 million pixels",
            written(&RgbImage::new(4_000, 3_000).into(), ImageFormat::Jpeg),
            true,
        ),
        (
            "progressive JPEG of 100 million pixels",
            progressive_jpeg(10_000, 10_000),
            false,
        ),
        (
            "progressive JPEG of 12 million pixels",
            progressive_jpeg(4_000, 3_000),
            false,
        ),
        (
            "progressive JPEG of 4 million pixels",
            progressive_jpeg(2_000, 2_000),
            true,
        ),
        ("GIF of 400 million pixels", gif_that_claims(20_000), false),
        (
            "GIF of 12 million pixels",
            written(&RgbaImage::new(4_000, 3_000).into(), ImageFormat::Gif),
            false,
        ),
        (
            "GIF of 5 million pixels",
            written(&RgbaImage::new(2_500, 2_000).into(), ImageFormat::Gif),
            true,
        ),
        (
            "WebP of 12 million pixels",
            written(&RgbImage::new(4_000, 3_000).into(), ImageFormat::WebP),
            false,
        ),
        (
            "WebP of 3 million pixels",
            written(&RgbImage::new(2_000, 1_500).into(), ImageFormat::WebP),
            true,
        ),
    ] {
        assert!(content.len() < 1 << 20, "{name}: {} bytes are no bomb", content.len());
        std::fs::write(&path, content).unwrap();
        let module = module_path!().trim_start_matches(concat!(env!("CARGO_CRATE_NAME"), "::"));
        let drawn = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "--ignored",
                "--nocapture",
                &format!("{module}::draws_in_a_process_of_its_own"),
            ])
            .env(BOMB, &path)
            .output()
            .unwrap();
        let said = String::from_utf8(drawn.stdout).unwrap();
        let told = said
            .lines()
            .find_map(|line| line.split_once(SAID)?.1.split_once(", drawn: "));
        let (kib, made) = told.unwrap_or_else(|| panic!("{name}: {said}"));
        println!("{name}: {kib} KiB");
        assert_eq!(made.trim(), is_drawn.to_string(), "{name}");
        let kib: u64 = kib.parse().unwrap();
        assert!(kib < MOST_KIB, "{name}: {kib} KiB");
    }
}

/// Draws the file that [`BOMB`] names, [`UPLOADS`] times at once, and prints the memory that this took and whether all were drawn. Does nothing
/// without [`BOMB`].
#[test]
#[ignore = "the other process of the test above"]
fn draws_in_a_process_of_its_own() {
    let Some(path) = std::env::var_os(BOMB) else { return };
    let content = std::fs::read(path).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    // What the process itself takes, once it draws.
    let small = png_of(1, 1, png::ColorType::Rgb);
    assert!(runtime.block_on(avatar(small)).is_ok());
    let before = memory_kib("VmHWM:");
    let drawn = runtime.block_on(async {
        let uploads = (0..UPLOADS).map(|_| avatar(content.clone()));
        futures::future::join_all(uploads).await
    });
    let taken = memory_kib("VmHWM:").saturating_sub(before);
    println!("\n{SAID}{taken}, drawn: {}", drawn.iter().all(Result::is_ok));
}

/// The number of a line of `/proc/self/status`, which begins with `what`.
fn memory_kib(what: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(what)).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

/// A PNG of one value throughout: a small file that unpacks to `width` × `height` pixels.
fn png_of(width: u32, height: u32, color: png::ColorType) -> Vec<u8> {
    let mut written = Vec::new();
    let mut encoder = png::Encoder::new(&mut written, width, height);
    encoder.set_color(color);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header().unwrap();
    let mut rows = writer.stream_writer().unwrap();
    let row = vec![90; width as usize * color.samples()];
    for _ in 0..height {
        std::io::Write::write_all(&mut rows, &row).unwrap();
    }
    rows.finish().unwrap();
    writer.finish().unwrap();
    written
}

fn written(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut written = Cursor::new(Vec::new());
    picture.write_to(&mut written, format).unwrap();
    written.into_inner()
}

/// A GIF whose screen has sides of this length.
fn gif_that_claims(side: u16) -> Vec<u8> {
    let mut gif = written(&RgbaImage::new(1, 1).into(), ImageFormat::Gif);
    gif[6..8].copy_from_slice(&side.to_le_bytes());
    gif[8..10].copy_from_slice(&side.to_le_bytes());
    gif
}

/// A JPEG in the form that keeps all its coefficients in memory until its end. Each of its blocks is one bit: the same grey as the one before.
fn progressive_jpeg(width: u16, height: u16) -> Vec<u8> {
    const COMPONENTS: [u8; 3] = [1, 2, 3];
    let mut jpeg = vec![0xFF, 0xD8];
    let mut segment = |marker: u8, content: &[u8]| {
        jpeg.extend([0xFF, marker]);
        jpeg.extend(u16::try_from(content.len() + 2).unwrap().to_be_bytes());
        jpeg.extend(content);
    };
    segment(0xDB, &[&[0][..], &[1; 64]].concat());
    let mut frame = vec![8];
    frame.extend(height.to_be_bytes());
    frame.extend(width.to_be_bytes());
    frame.push(3);
    frame.extend(COMPONENTS.iter().flat_map(|id| [*id, 0x11, 0]));
    segment(0xC2, &frame);
    // One code, of one bit: no difference.
    let mut lengths = [0; 16];
    lengths[0] = 1;
    segment(0xC4, &[&[0][..], &lengths, &[0]].concat());
    let mut scan = vec![3];
    scan.extend(COMPONENTS.iter().flat_map(|id| [*id, 0]));
    scan.extend([0, 0, 0]);
    segment(0xDA, &scan);
    let blocks = usize::from(width.div_ceil(8)) * usize::from(height.div_ceil(8)) * COMPONENTS.len();
    jpeg.resize(jpeg.len() + blocks.div_ceil(8), 0);
    jpeg.extend([0xFF, 0xD9]);
    jpeg
}
