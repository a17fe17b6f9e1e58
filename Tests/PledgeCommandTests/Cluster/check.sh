#!/bin/sh
# Checks the example files of the runbook with the programs that use them: the systemd units with systemd-analyze, the
# Kubernetes manifests against their schema, and the Prometheus rules with simulated nights that must or must not raise an
# alarm. If a program isn't installed, the script says so and skips its files.
#
#   check.sh [PLEDGE]      PLEDGE is the built tool, which the units start
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
tool=${1:-$folder/../../../.build/debug/pledge}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if command -v systemd-analyze >/dev/null; then
    for unit in pledge-sync.service pledge-sync.timer; do
        sed -e "s|/usr/local/bin/pledge|$tool|" -e "s|^User=.*|User=root|" "$folder/$unit" >"$scratch/$unit"
    done
    systemd-analyze verify "$scratch"/pledge-sync.service "$scratch"/pledge-sync.timer
    echo "systemd: the units are valid."
else
    echo "skipped: systemd-analyze is not installed"
fi

python=${PLEDGE_PYTHON:-python3}
if "$python" -c 'import kubernetes_validate' 2>/dev/null; then
    for manifest in indexed-job nightly-cronjob; do
        "$python" -m kubernetes_validate -k 1.30 --strict "$folder/$manifest.yaml"
    done
else
    echo "skipped: kubernetes-validate is not installed"
fi

if command -v promtool >/dev/null; then
    promtool check rules "$folder/pledge-rules.yaml"
    promtool test rules "$folder/pledge-rules-test.yaml"
else
    echo "skipped: promtool is not installed"
fi
