#!/bin/sh
# Compiles the command's Keychain store with the stub beside this file instead of Apple's framework, and runs it. Run this
# script from the root of the package: Tests/PledgeCommandTests/KeychainStub/check.sh
set -eu
here=$(dirname "$0")
source=Sources/PledgeCommand/SignIn
stubs=$(mktemp -d)
trap 'rm -rf "$stubs"' EXIT
swiftc -emit-module -emit-object -parse-as-library -swift-version 6 -module-name Security \
    -emit-module-path "$stubs/Security.swiftmodule" -o "$stubs/Security.o" "$here/Security.swift"
swiftc -swift-version 6 -warnings-as-errors -module-name Check -I "$stubs" -o "$stubs/check" \
    "$source/ProfileLocation.swift" "$here/main.swift" "$stubs/Security.o"
"$stubs/check"
