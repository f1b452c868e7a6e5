//! Measures the drift sentinel on saved pages: `measure_sentinel FOLDER` (with folders `google` and `bing` in it), at the root of the repository.
//!
//! Good pages are read as they are; a doubt about one is a false alarm. Then each name that the reader's tables anchor on is renamed: on
//! the whole page, on the second half of its occurrences, and all names at once. A page is misread when other titles are read, and has lost
//! or gained ads when fewer or more are read. Either is caught when the page is doubtful or no result page at all.

#![allow(clippy::print_stdout, reason = "a tool that prints")]

#[path = "../tests/reading/mutate.rs"]
mod mutate;

use std::collections::BTreeSet;
use std::path::Path;

use capture::{ReadPage, decode, read};
use mutate::{Changes, anchors, mutate};
use scraper::Html;
use vocabulary::{AdKind, Engine, Verdict};

#[derive(Default)]
struct Tally {
    misread: usize,
    caught: usize,
    other_count: usize,
    other_count_caught: usize,
    read_all_the_same: usize,
}

impl Tally {
    /// Counts one changed page by its titles: read all the same, else misread, and caught unless it is judged `Results`. Prints one that lost or
    /// gained ads and is not caught.
    fn add(&mut self, what: &str, before: &ReadPage, after: &ReadPage) {
        let titles = |read: &ReadPage| read.ads.iter().map(|ad| ad.title.clone()).collect::<Vec<_>>();
        if titles(before) == titles(after) {
            self.read_all_the_same += 1;
            return;
        }
        let caught = usize::from(after.verdict_to_store() != Verdict::Results);
        self.misread += 1;
        self.caught += caught;
        if count(before) != count(after) {
            self.other_count += 1;
            self.other_count_caught += caught;
            if caught == 0 {
                println!("not caught: {what}, {:?} read as {:?}", count(before), count(after));
            }
        }
    }

    /// Prints the counts as one line.
    fn print(&self, name: &str) {
        println!(
            "{name:34} read all the same {:5}  misread {:5}, caught {:5}  of these ads lost or gained {:5}, caught {:5}",
            self.read_all_the_same, self.misread, self.caught, self.other_count, self.other_count_caught
        );
    }
}

/// The numbers of text ads and of shopping ads.
fn count(read: &ReadPage) -> (usize, usize) {
    let of = |kind| read.ads.iter().filter(|ad| ad.kind == kind).count();
    (of(AdKind::Text), of(AdKind::Shopping))
}

fn main() {
    let folder = std::env::args().nth(1).expect("measure_sentinel FOLDER");
    let (mut good, mut flagged) = (0, 0);
    let (mut one, mut half, mut all) = (Tally::default(), Tally::default(), Tally::default());
    for engine in [Engine::Google, Engine::Bing] {
        let tables = files(Path::new("capture/src/reading/tables").join(engine.to_string()));
        let names = anchors(&tables.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>());
        for (file, page) in files(Path::new(&folder).join(engine.to_string())) {
            let before = read(&page, engine);
            if before.verdict != Verdict::Results {
                continue;
            }
            good += 1;
            if before.verdict_to_store() != Verdict::Results {
                flagged += 1;
                println!("flagged: {:?} {:?}", before.doubts, before.traces);
            }
            if before.ads.is_empty() {
                continue;
            }
            let changed = |renamed: BTreeSet<String>, renamed_after| {
                let changes = Changes {
                    renamed,
                    renamed_after,
                    ..Changes::default()
                };
                read(&mutate(&page, &changes), engine)
            };
            for name in &names {
                let renamed = BTreeSet::from([name.clone()]);
                let places = occurrences(&page, &renamed);
                let what = format!("{name} on {file}");
                if places > 0 {
                    one.add(&what, &before, &changed(renamed.clone(), 0));
                }
                if places > 1 {
                    half.add(&format!("half of {what}"), &before, &changed(renamed, places / 2));
                }
            }
            all.add(&file, &before, &changed(names.clone(), 0));
        }
    }
    println!("good pages {good}, flagged {flagged}");
    one.print("one name changed");
    half.print("one name changed on half its places");
    all.print("all names changed");
}

/// The names and decoded contents of the files in a folder, sorted by name. Panics when one cannot be read.
fn files(folder: impl AsRef<Path>) -> Vec<(String, String)> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder can be read")
        .map(|entry| entry.expect("the folder can be read"))
        .map(|entry| {
            let bytes = std::fs::read(entry.path()).expect("the file can be read");
            (entry.file_name().display().to_string(), decode(&bytes, None))
        })
        .collect();
    files.sort();
    files
}

/// How often any of the names occurs on a page as a class, an id or the name of an attribute.
fn occurrences(page: &str, names: &BTreeSet<String>) -> usize {
    let html = Html::parse_document(page);
    let elements = html
        .tree
        .root()
        .descendants()
        .filter_map(|node| node.value().as_element());
    elements
        .map(|element| {
            let listed = |text: &str| {
                text.split_ascii_whitespace()
                    .filter(|word| names.contains(*word))
                    .count()
            };
            let attributes = element.attrs().map(|(name, value)| {
                usize::from(names.contains(name))
                    + if matches!(name, "class" | "id") {
                        listed(value)
                    } else {
                        0
                    }
            });
            attributes.sum::<usize>()
        })
        .sum()
}
