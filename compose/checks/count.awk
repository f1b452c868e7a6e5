# Prints how many tests passed and failed, out of the closing lines of nextest, cargo test, Vitest, Playwright, node --test, unittest and Schemathesis.

{ gsub(/\033\[[0-9;]*m/, "") }

/^ *Summary \[/ || /^test result:/ || /^ *Tests  / || /^ *[0-9]+ (passed|failed|flaky)( \(.*\))?$/ {
    passed += before("passed")
    failed += before("failed")
}
/^ *[0-9]+ generated, / { passed += before("passed") }
/^(#|ℹ) pass [0-9]+$/ { passed += $3 }
/^(#|ℹ) fail [0-9]+$/ { failed += $3 }
/^Ran [0-9]+ tests? in / { passed += $2 }
/^FAILED \((failures|errors)=/ {
    line = $0
    while (match(line, /=[0-9]+/)) {
        bad = substr(line, RSTART + 1, RLENGTH - 1)
        failed += bad
        passed -= bad
        line = substr(line, RSTART + RLENGTH)
    }
}
END { print passed + 0, failed + 0 }

# The number that stands before a word.
function before(word,    at) {
    if (!match($0, "[0-9]+ " word)) return 0
    at = substr($0, RSTART, RLENGTH)
    sub(" .*", "", at)
    return at
}
