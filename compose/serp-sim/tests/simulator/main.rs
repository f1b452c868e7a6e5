//! The simulator as its users see it: over HTTP, and as a program.

mod binary;
mod faults;
mod pages;
#[cfg(test)]
mod support;
#[cfg(test)]
mod volumes;
