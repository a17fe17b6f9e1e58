#!/bin/sh
# Compiles the topics beside this file against PledgePromiseKit. They are written as they would be for PromiseKit. Each topic is
# compiled by itself, in both language modes. Then all topics are compiled as one program, which is run.
# Run this script from the package's folder, after `swift build`.
set -eu
here=$(dirname "$0")
products=$(swift build --show-bin-path)
# The compiler finds a module written in C only by its module map.
flags="-I $products/Modules $(for map in "$products"/Pledge*.build/module.modulemap; do echo "-Xcc -fmodule-map-file=$map"; done)"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# Compiles a file up to the stage that checks values which are sent to other threads. Warnings are expected: see
# PledgePromiseKit.swift.
compiles() { swiftc -emit-sil -parse-as-library -swift-version "$1" $flags -o /dev/null "$2" >"$out/log" 2>&1; }

count=0 six=0
for topic in "$here"/*.swift; do
    case $topic in */main.swift | */ReadmeChainOnMainActor.swift) continue ;; esac
    count=$((count + 1))
    compiles 5 "$topic" || { echo "$topic, in the Swift 5 mode:"; cat "$out/log"; exit 1; }
    # A topic must say so if it doesn't compile in the Swift 6 mode, and only then.
    if compiles 6 "$topic"; then
        six=$((six + 1))
        ! grep -q '^// Not for the Swift 6 mode' "$topic" || { echo "$topic compiles in the Swift 6 mode"; exit 1; }
    else
        grep -q '^// Not for the Swift 6 mode' "$topic" || { echo "$topic, in the Swift 6 mode:"; cat "$out/log"; exit 1; }
    fi
done
echo "$count of $count topics compile in the Swift 5 mode, $six in the Swift 6 mode."

# The version of the first topic that is written for the Swift 6 mode must compile without any warning.
for mode in 5 6; do
    swiftc -emit-sil -parse-as-library -swift-version $mode -warnings-as-errors $flags -o /dev/null \
        "$here/ReadmeChainOnMainActor.swift"
done

# Lists the object files of a module's present sources. The folder may also contain objects of sources that were removed.
objects() { sed "s|.*/\(.*\)|$products/$1.build/\1.o|" "$products/$1.build/sources"; }

# In the Swift 6 mode, main.swift leaves out the topics that are not for this mode.
for mode in 5 6; do
    topics=$(if [ $mode = 5 ]; then ls "$here"/*.swift; else grep -L '^// Not for the Swift 6 mode' "$here"/*.swift; fi)
    swiftc -swift-version $mode -suppress-warnings $flags -o "$out/topics" $topics $(objects PledgePromiseKit) $(objects PledgePlainImport) \
        $(objects Pledge) \
        "$products"/PledgeLock.build/*.o
    "$out/topics"
done
