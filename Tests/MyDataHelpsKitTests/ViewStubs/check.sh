#!/bin/sh
# Compiles MyDataHelpsKit with its view controllers against the stubs beside this file, and compares what it then offers with
# the official SDK. See README.md.
set -eu
here=$(dirname "$0")
products=$(swift build --show-bin-path)
# The compiler finds a C module only by its module map.
maps=$(for map in "$products"/Pledge*.build/module.modulemap; do echo "-Xcc -fmodule-map-file=$map"; done)
package=$(basename "$PWD" | tr 'A-Z' 'a-z' | tr -c 'a-z0-9_\n' '_')
stubs=$(mktemp -d)
trap 'rm -rf "$stubs"' EXIT

for module in UIKit WebKit SafariServices; do
    swiftc -emit-module -swift-version 6 -module-name "$module" -I "$stubs" \
        -emit-module-path "$stubs/$module.swiftmodule" "$here/$module.swift"
done
# Copies only the other modules: the compiler must not find the kit that was built without the stubs.
mkdir "$stubs/modules"
cp -R "$products"/Modules/Pledge* "$stubs/modules"
find Sources/MyDataHelpsKit/ -name '*.swift' -print0 | xargs -0 swiftc -emit-module -swift-version 6 \
    -warnings-as-errors -module-name MyDataHelpsKit -package-name "$package" -I "$stubs/modules" $maps -I "$stubs" \
    -emit-module-path "$stubs/MyDataHelpsKit.swiftmodule"
echo "The survey screens type-check."

mkdir "$stubs/graphs"
swift symbolgraph-extract -module-name MyDataHelpsKit -minimum-access-level public -output-dir "$stubs/graphs" \
    -target "$(swiftc -print-target-info | sed -n 's/.*"triple": "\(.*\)",/\1/p' | head -1)" \
    -I "$stubs/modules" $maps -I "$stubs"
swiftc -typecheck -swift-version 5 -warnings-as-errors "$here/ParticipantApp.swift" -I "$stubs/modules" $maps -I "$stubs"
echo "The article's app compiles."
python3 "$here/../Vendor/use.py" Sources/MyDataHelpsKit/MyDataHelpsKit.docc/ComingFromTheOfficialSDK.md \
    -I "$stubs/modules" $maps -I "$stubs"

# Only here does the documentation include the screens, whose declarations need UIKit.
docc convert Sources/MyDataHelpsKit/MyDataHelpsKit.docc --additional-symbol-graph-dir "$stubs/graphs" \
    --fallback-display-name MyDataHelpsKit --fallback-bundle-identifier pledge.MyDataHelpsKit --warnings-as-errors \
    --output-path "$stubs/documentation" >/dev/null
echo "The documentation's links lead somewhere."
