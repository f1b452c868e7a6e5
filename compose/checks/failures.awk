# What failed in the log of a step: tests by name, each with the first lines of its error. To be read at the end of a long run.
# nextest: "FAIL [1.2s] crate::it test"; panics: "panicked at …" and its message; Playwright: "1) e2e/….e2e.ts:1:2 › …"; vitest: " FAIL  file > test".
function say(line) { if (said < 150 && !(line in seen)) { seen[line] = 1; said++; print "  " substr(line, 1, 240) } }
{ gsub(/\033\[[0-9;]*m/, "") }
/^ *(FAIL|TIMEOUT|SIGABRT|SIGSEGV|ABORT|LEAK-FAIL) +\[/ { sub(/\([0-9 ]+\/[0-9]+\) */, ""); sub(/\[[^]]*\] */, ""); say($0); next }
/panicked at / { say($0); lines = 2; next }
/^ +[0-9]+\) [^ ]+\.e2e\.ts:/ { say($0); lines = 14; next }
/^ *FAIL  / { say($0); lines = 6; next }
/^error(\[[A-Z0-9]+\])?: / { say($0); lines = 4; next }
/^ *[0-9]+ (failed|flaky)$/ { say($0); lines = 12; next }
lines > 0 && /[^ ]/ { say($0); lines-- }
# A check that names no test: its last lines say it.
/[^ ]/ { latest[++count % 5] = $0 }
END { if (said == 0) for (line = count - 4; line <= count; line++) if (line > 0) say(latest[line % 5]) }
