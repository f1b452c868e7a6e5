//! Stops the stores of this user's test runs at once, instead of after an idle minute.

fn main() {
    testkit::stop();
}
