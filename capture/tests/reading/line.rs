use std::path::{Path, PathBuf};

use capture::read_saved_page;
use serde_json::Value;

use super::page;

fn saved(folder: &str, name: &str, page: &[u8]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(folder);
    std::fs::create_dir_all(&folder).expect("a folder for pages");
    let file = folder.join(name);
    std::fs::write(&file, page).expect("a page");
    file
}

fn line(file: &Path) -> Value {
    serde_json::to_value(read_saved_page(file).expect("a readable page")).expect("JSON")
}

#[test]
fn the_folder_names_the_engine_and_starts_the_name_of_the_page() {
    let line = line(&saved("bing", "kettles.html", page!("bing-desktop").as_bytes()));
    assert_eq!(line["file"], "bing/kettles.html");
    assert_eq!((&line["engine"], &line["outcome"]), (&"bing".into(), &"results".into()));
    assert_eq!(line["ads"][0]["region"], "top");
    assert_eq!(line["ads"][0]["domain"], "kettle.example");
    assert_eq!(line["shopping"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_page_in_any_other_folder_names_its_engine_itself() {
    let line = line(&saved("pages", "pret.html", page!("bing-mobile").as_bytes()));
    assert_eq!(
        (&line["engine"], &line["file"]),
        (&"bing".into(), &"pages/pret.html".into())
    );
}

#[test]
fn international_domains_are_printed_as_people_write_them() {
    let line = line(&saved("google", "uhren.html", page!("google-2020").as_bytes()));
    assert_eq!(line["ads"][1]["domain"], "zeiträume.example");
}

#[test]
fn other_encodings_are_read() {
    let page = page!("google-2014")
        .replace("<body", "<head><meta charset=iso-8859-1></head><body")
        .replace('€', "&euro;");
    let latin: Vec<u8> = page
        .chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?'))
        .collect();
    let line = line(&saved("google", "soldes.html", &latin));
    assert_eq!(line["ads"][0]["description"], "Nouvelle démarque. Livraison offerte.");
}
