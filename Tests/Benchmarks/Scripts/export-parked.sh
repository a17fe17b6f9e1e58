#!/usr/bin/env bash
# Memory of the export while ten thousand accounts wait for a limit, most of them in the middle of their work.
#     swift build -c release --product pledge && Tests/Benchmarks/Scripts/export-parked.sh .build/release/pledge
# Linux: it reads /proc.
. "$(dirname "$0")/start-sandbox.sh"
start_sandbox --accounts 10200 --faults 429-bare=0.5
make_accounts 10200
"$pledge" export accounts.jsonl --output results.jsonl --in-flight 64 --metrics metrics.prom "$@" 2>/dev/null &
export=$!
before=
while sleep 10; do
    waiting=$(grep '^pledge_accounts_waiting ' metrics.prom | cut -d' ' -f2)
    echo "$waiting waiting: $(grep VmHWM /proc/$export/status | tr -d '\t ' | cut -d: -f2) at most"
    [ "$waiting" != "$before" ] || break
    before=$waiting
done
kill -TERM $export
wait $export || test $? -eq 130
