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
fetch uplot 1.6.32 uplot dist/uPlot.esm.js dist/uPlot.min.css

# bundle NAME VERSION PACKAGE@VERSION...: a module for each NAME*.js, what they share in shared.js, and the licences
# in one file. All packages are named, also those that others need, so that the result is always the same.
bundle() {
  name=$1 folder=$1-$2
  shift 2
  work=$(mktemp -d)
  cp "$name"*.js "$work/"
  (cd "$work" && npm init --yes > /dev/null && npm install --silent --save-exact esbuild@0.28.2 "$@")
  # As a style element the styles would need an exception of the Content Security Policy.
  sed -i 's/!root.head && root.adoptedStyleSheets/root.adoptedStyleSheets/' "$work/node_modules/style-mod/src/style-mod.js"
  grep -q '(root.adoptedStyleSheets && ' "$work/node_modules/style-mod/src/style-mod.js"
  rm -rf "$folder" && mkdir "$folder"
  "$work/node_modules/.bin/esbuild" "$work/$name"*.js --bundle --splitting --format=esm --minify --target=es2022 \
    --legal-comments=none --log-level=warning --chunk-names=shared --outdir="$folder"
  for package in "$@"; do
    printf '%s\n\n' "$package"
    cat "$work/node_modules/${package%@*}/LICENSE"
    echo
  done > "$folder/LICENSE"
  rm -rf "$work"
}

# The folder is named after the version of @codemirror/view.
bundle codemirror 6.43.15 @codemirror/view@6.43.15 @codemirror/state@6.7.6 @codemirror/language@6.13.1 \
  @codemirror/autocomplete@6.20.4 @codemirror/commands@6.11.1 @codemirror/lang-yaml@6.1.3 @lezer/common@1.5.5 \
  @lezer/highlight@1.2.5 @lezer/lr@1.4.12 @lezer/yaml@1.0.4 @marijn/find-cluster-break@1.0.4 crelt@1.0.7 \
  style-mod@4.1.4 w3c-keyname@2.2.8
