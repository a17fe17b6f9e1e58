#!/usr/bin/env bash
# Memory of the export over a hundred thousand accounts, every five seconds: it should stay where it is.
#     swift build -c release --product pledge && Tests/Benchmarks/Scripts/export-memory.sh .build/release/pledge
# Linux: it reads /proc.
. "$(dirname "$0")/start-sandbox.sh"
start_sandbox --accounts 100000
make_accounts 100000
"$pledge" export accounts.jsonl --output results.jsonl --in-flight 64 --sections profile,averages "$@" 2>progress &
export=$!
while memory=$(grep VmRSS /proc/$export/status 2>/dev/null); do
    echo "$(echo "$memory" | tr -d '\t ' | cut -d: -f2)  $(tail -1 progress)"
    sleep 5
done
wait $export
tail -1 progress
