#!/bin/sh
# Compiles the topics beside this file, which are written as for PromiseKit, against PledgePromiseKit, each by itself and in
# both language modes; then all of them as one program, and runs it. Run it from the package's folder, after `swift build`.
set -eu
here=$(dirname "$0")
products=$(swift build --show-bin-path)
# A module in C is found by its map alone.
flags="-I $products/Modules $(for map in "$products"/Pledge*.build/module.modulemap; do echo "-Xcc -fmodule-map-file=$map"; done)"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# As far as where values that are sent elsewhere are seen to be safe. Warnings are meant to be there: see
# PledgePromiseKit.swift.
compiles() { swiftc -emit-sil -parse-as-library -swift-version "$1" $flags -o /dev/null "$2" >"$out/log" 2>&1; }

count=0 six=0
for topic in "$here"/*.swift; do
    case $topic in */main.swift | */ReadmeChainOnMainActor.swift) continue ;; esac
    count=$((count + 1))
    compiles 5 "$topic" || { echo "$topic, in the Swift 5 mode:"; cat "$out/log"; exit 1; }
    # What cannot is what says so.
    if compiles 6 "$topic"; then
        six=$((six + 1))
        ! grep -q '^// Not for the Swift 6 mode' "$topic" || { echo "$topic compiles in the Swift 6 mode"; exit 1; }
    else
        grep -q '^// Not for the Swift 6 mode' "$topic" || { echo "$topic, in the Swift 6 mode:"; cat "$out/log"; exit 1; }
    fi
done
echo "$count of $count topics compile in the Swift 5 mode, $six in the Swift 6 mode."

# The first of them as the Swift 6 mode would have it: there is nothing left to warn of.
for mode in 5 6; do
    swiftc -emit-sil -parse-as-library -swift-version $mode -warnings-as-errors $flags -o /dev/null \
        "$here/ReadmeChainOnMainActor.swift"
done

# What was compiled of the sources of a module that are there: other objects may be left from before.
objects() { sed "s|.*/\(.*\)|$products/$1.build/\1.o|" "$products/$1.build/sources"; }

# main.swift leaves out those that are not for the Swift 6 mode.
for mode in 5 6; do
    topics=$(if [ $mode = 5 ]; then ls "$here"/*.swift; else grep -L '^// Not for the Swift 6 mode' "$here"/*.swift; fi)
    swiftc -swift-version $mode -suppress-warnings $flags -o "$out/topics" $topics $(objects PledgePromiseKit) $(objects PledgePlainImport) \
        $(objects Pledge) \
        "$products"/PledgeLock.build/*.o
    "$out/topics"
done
