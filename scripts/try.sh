#!/bin/sh
# Builds dist/atomic where that is needed, and runs it.
#   sh scripts/try.sh ARGS     runs `atomic ARGS` in the folder it was called from
#   sh scripts/try.sh          shows a short demo on a file in a temporary folder
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)

sh "$root/scripts/bun.sh" "$root/scripts/build.ts" --if-stale >&2 </dev/null
if [ $# -gt 0 ]; then exec "$root/dist/atomic" "$@"; fi
exec sh "$root/scripts/demo.sh" "$root/dist/atomic"
