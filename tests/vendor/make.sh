#!/bin/sh
# Fetch the vendored parts of the tests from the npm registry again. Needs npm; run by developers.
set -eu
cd "$(dirname "$0")"

version=4.14.1
folder=axe-core-$version
work=$(mktemp -d)
(cd "$work" && tar xzf "$(npm pack --silent "axe-core@$version")")
rm -rf "$folder" && mkdir "$folder"
cp "$work/package/LICENSE" "$work/package/axe.min.js" "$folder/"
rm -rf "$work"
