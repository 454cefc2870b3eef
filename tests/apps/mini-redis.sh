#!/usr/bin/env bash
# Unpacks mini-redis, a sample app of tokio's authors, from the registry into the target folder,
# rewrites the lines of tokio in its manifest, and builds it. Its folder is printed last.
set -euo pipefail
cd "$(dirname "$0")"

version=0.4.1
lock=$PWD/Cargo.lock
facade=$(cd ../../facade && pwd)
target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target/mini-redis/wants/src"
target=$(cd "$target" && pwd)
export CARGO_TARGET_DIR=$target

# Cargo downloads what a package wants, and tells where it put it.
cd "$target/mini-redis"
cat > wants/Cargo.toml << END
[workspace]
[package]
name = "wants"
[dependencies]
mini-redis = "=$version"
END
touch wants/src/lib.rs
host=$(rustc -vV | sed -n 's/^host: //p')
manifest=$(cargo metadata -q --format-version 1 --filter-platform "$host" \
    --manifest-path wants/Cargo.toml |
    grep -o "\"[^\"]*/mini-redis-$version/Cargo.toml\"" | head -n 1 | tr -d '"')

rm -rf app
cp -r "$(dirname "$manifest")" app
swapped="package = \"greenroom-tokio\"\npath = \"$facade\""
sed "/^\[\(dev-\)\?dependencies\.tokio\]/,/^\$/ s|^version = .*|$swapped|" "$manifest" > app/Cargo.toml
printf '\n[workspace]\n[profile.dev]\ndebug = false\nincremental = false\n' >> app/Cargo.toml
# The same versions as the other apps, which are compiled already.
cp "$lock" app/

cargo build -q --manifest-path app/Cargo.toml
echo "$PWD/app"
