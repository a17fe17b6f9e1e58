#!/bin/sh
# Compares the numbers in pledge_curl.h with curl's own headers, which only this check needs.
set -eu
cd "$(dirname "$0")"
cc -std=c11 -Wno-deprecated-declarations -fsyntax-only -I../../../Sources/PledgeLibraries/include check.c
echo "the numbers are curl's"
