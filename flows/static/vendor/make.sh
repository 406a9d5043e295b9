#!/bin/sh
# Fetch the vendored JavaScript from the npm registry again. Needs npm; run by developers, never at installation.
set -eu
cd "$(dirname "$0")"

# fetch PACKAGE VERSION FOLDER FILE...: copy the licence and the files of one package, without source maps.
fetch() {
  package=$1 version=$2 folder=$3-$2
  shift 3
  work=$(mktemp -d)
  (cd "$work" && tar xzf "$(npm pack --silent "$package@$version")")
  rm -rf "$folder" && mkdir "$folder"
  cp "$work/package/LICENSE" "$folder/"
  for file in "$@"; do
    sed '/^\/\/# sourceMappingURL/d' "$work/package/$file" > "$folder/$(basename "$file")"
  done
  rm -rf "$work"
}

fetch @dagrejs/dagre 3.1.3 dagre dist/dagre.esm.js
