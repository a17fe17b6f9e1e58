# What the scripts beside it begin with: a folder that goes when they end, and the sandbox under way in it.
# Sourced with the path of the tool as the first argument; `start_sandbox` takes the sandbox's own.
set -euo pipefail
pledge=$(realpath "$1")
shift
folder=$(mktemp -d)
trap 'exec 3>&-; rm -rf "$folder"' EXIT
cd "$folder"
mkfifo input

start_sandbox() {
    "$pledge" sandbox "$@" <input >ready.json &
    exec 3>input
    while [ ! -s ready.json ]; do sleep 0.1; done
    EXIST_BASE_URL=$(grep -o 'http://[^"]*' ready.json | head -1)
    MYDATAHELPS_BASE_URL=$EXIST_BASE_URL
    export EXIST_BASE_URL MYDATAHELPS_BASE_URL
}

# So many accounts of Exist.
make_accounts() {
    seq 1 "$1" | sed 's/.*/{"service":"exist","account":"a&","token":"exist-&"}/' >accounts.jsonl
}
