#!/usr/bin/env bash
# Ten thousand accounts with five calls or more each; 5 % of the replies are faults of every kind, another 10 % say to
# wait. Every account must end in a result or in an error that can be told apart, once.
#     swift build -c release --product pledge && Tests/Benchmarks/Scripts/export-faults.sh .build/release/pledge
. "$(dirname "$0")/start-sandbox.sh"
start_sandbox --accounts 10000 --accounts-file accounts.jsonl --faults all=0.05,429=0.10
"$pledge" export accounts.jsonl --output results.jsonl --in-flight 128 --wait 60 "$@" || test $? -eq 2
echo "$(wc -l <results.jsonl) lines, $(cut -d, -f1,2 results.jsonl | sort -u | wc -l) accounts"
grep -c -v '^{"service":"[a-z]*","account":"[^"]*",\("address":"[^"]*",\)\?"error":' results.jsonl | sed 's/$/ results/'
grep -o '"error":{"kind":"[a-zA-Z]*"\(,"status":[0-9]*\)\?' results.jsonl | sed 's/"error":{"kind"://' | sort | uniq -c | sort -rn
