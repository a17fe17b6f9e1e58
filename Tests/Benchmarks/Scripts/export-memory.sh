#!/usr/bin/env bash
# Memory of the export over a hundred thousand accounts, every five seconds: it should stay where it is.
#     swift build -c release --product pledge && Tests/Benchmarks/Scripts/export-memory.sh .build/release/pledge
# Linux: it reads /proc.
set -euo pipefail
pledge=$(realpath "$1")
shift
folder=$(mktemp -d)
trap 'exec 3>&-; rm -rf "$folder"' EXIT
cd "$folder"
mkfifo input
"$pledge" sandbox --accounts 100000 <input >ready.json &
exec 3>input
while [ ! -s ready.json ]; do sleep 0.1; done
EXIST_BASE_URL=$(grep -o 'http://[^"]*' ready.json | head -1)
export EXIST_BASE_URL
seq 1 100000 | sed 's/.*/{"service":"exist","account":"a&","token":"exist-&"}/' >accounts.jsonl
"$pledge" export accounts.jsonl --output results.jsonl --in-flight 64 --sections profile,averages "$@" 2>progress &
export=$!
while memory=$(grep VmRSS /proc/$export/status 2>/dev/null); do
    echo "$(echo "$memory" | tr -d '\t ' | cut -d: -f2)  $(tail -1 progress)"
    sleep 5
done
wait $export
tail -1 progress
