#!/bin/sh
# Everything that CI runs, with all the set-up it needs. Names of checks as arguments run only those.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
cd "$root"
exec sh scripts/bun.sh scripts/check.ts "$@"
