//! The files a page loaded, inlined in place of their addresses.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use regex::Regex;
use url::Url;

/// A larger file is left out of the copy.
pub const INLINED_FILE_BYTES: usize = 2_000_000;
/// Most bytes inlined into one copy, counted at every use.
pub const INLINED_BYTES: usize = 12_000_000;

/// A file that a page has loaded.
#[derive(Clone, Copy, Debug)]
pub struct PageFile<'a> {
    /// Its absolute address as the page asked for it.
    pub url: &'a str,
    /// As in `image/webp`, without parameters.
    pub mime: &'a str,
    /// Content of the file.
    pub bytes: &'a [u8],
}

/// A file that a viewing copy contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopiedFile {
    /// The absolute address it came from.
    pub url: String,
    /// As in `image/webp`.
    pub mime: String,
    /// Its content; a style sheet as it is in the copy.
    pub bytes: Vec<u8>,
}

impl CopiedFile {
    /// The same file as input for another copy.
    pub fn as_page_file(&self) -> PageFile<'_> {
        PageFile {
            url: &self.url,
            mime: &self.mime,
            bytes: &self.bytes,
        }
    }
}

/// Addresses that hold their content and name where it came from.
static HELD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new("data:([a-z0-9.+/-]+);from=([A-Za-z0-9%]+);base64,([A-Za-z0-9+/]*={0,2})").expect("a constant pattern")
});

/// Extracts the files inlined in an attribute or style sheet of a copy, from addresses that name where they came from. An address that cannot be
/// decoded is skipped.
pub(super) fn files_within(text: &str) -> impl Iterator<Item = CopiedFile> {
    let addresses = if text.contains(";from=") {
        Some(HELD.captures_iter(text))
    } else {
        None
    };
    addresses.into_iter().flatten().filter_map(|found| {
        Some(CopiedFile {
            url: percent_decode_str(&found[2]).decode_utf8().ok()?.into_owned(),
            mime: found[1].to_owned(),
            bytes: STANDARD.decode(&found[3]).ok()?,
        })
    })
}

/// The files of one page by address, and how many bytes may still be inlined.
pub(super) struct Files<'a> {
    by_address: HashMap<&'a str, PageFile<'a>>,
    room: Cell<usize>,
}

impl<'a> Files<'a> {
    /// Indexes the files by address, with room for [`INLINED_BYTES`]; of several with the same address the last counts.
    pub fn new(files: &[PageFile<'a>]) -> Self {
        Self {
            by_address: files.iter().map(|file| (file.url, *file)).collect(),
            room: Cell::new(INLINED_BYTES),
        }
    }

    /// Returns an image or font as a `data:` address that also names where it came from. `None` when the page did not load it, it is of another type,
    /// or there is no room left for it. The file's size is taken off the room, also when it is of another type.
    pub fn data(&self, address: &Url) -> Option<String> {
        let file = self.take(address)?;
        let mime = file.mime.to_ascii_lowercase();
        let from = utf8_percent_encode(file.url, NON_ALPHANUMERIC);
        is_picture_or_font(&mime).then(|| format!("data:{mime};from={from};base64,{}", STANDARD.encode(file.bytes)))
    }

    /// Returns the text of a style sheet and takes its size off the room. `None` when the page did not load it, it is not UTF-8, or there is no room
    /// left for it.
    pub fn style_sheet(&self, address: &Url) -> Option<&'a str> {
        let file = self.take(address)?;
        std::str::from_utf8(file.bytes).ok()
    }

    /// Finds a file by its address, without the fragment, and takes its size off the room left. `None` when it is unknown, larger than
    /// [`INLINED_FILE_BYTES`], or exceeds the room.
    fn take(&self, address: &Url) -> Option<PageFile<'a>> {
        let mut plain = address.clone();
        plain.set_fragment(None);
        let file = *self.by_address.get(plain.as_str())?;
        let room = self.room.get();
        if file.bytes.len() > room.min(INLINED_FILE_BYTES) {
            return None;
        }
        self.room.set(room - file.bytes.len());
        Some(file)
    }
}

/// Returns whether an address is a `data:` address of a picture or font, or an empty one, so that it makes no request.
pub(super) fn holds_its_content(address: &str) -> bool {
    let start: String = address.chars().take(40).collect::<String>().to_ascii_lowercase();
    start
        .strip_prefix("data:")
        .is_some_and(|rest| rest.starts_with(',') || is_picture_or_font(rest))
}

/// Returns whether a text, in lower case, begins with a media type of pictures or fonts.
fn is_picture_or_font(mime: &str) -> bool {
    [
        "image/",
        "font/",
        "application/font",
        "application/x-font",
        "application/vnd.ms-fontobject",
    ]
    .iter()
    .any(|known| mime.starts_with(known))
}
