#!/bin/sh
# Type-checks MyDataHelpsKit with its view controllers against the stubs beside this file. See README.md.
set -eu
here=$(dirname "$0")
products=$(swift build --show-bin-path)
# A module in C is found by its map alone.
maps=$(for map in "$products"/Pledge*.build/module.modulemap; do echo "-Xcc -fmodule-map-file=$map"; done)
package=$(basename "$PWD" | tr 'A-Z' 'a-z' | tr -c 'a-z0-9_\n' '_')
stubs=$(mktemp -d)
trap 'rm -rf "$stubs"' EXIT

for module in UIKit WebKit SafariServices; do
    swiftc -emit-module -swift-version 6 -module-name "$module" -I "$stubs" \
        -emit-module-path "$stubs/$module.swiftmodule" "$here/$module.swift"
done
find Sources/MyDataHelpsKit/ -name '*.swift' -print0 | xargs -0 swiftc -typecheck -swift-version 6 \
    -warnings-as-errors -module-name MyDataHelpsKit -package-name "$package" -I "$products/Modules" $maps -I "$stubs"
echo "The survey screens type-check."
