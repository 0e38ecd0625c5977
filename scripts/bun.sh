#!/bin/sh
# The pinned Bun, with every package of the lockfile in place.
#   sh scripts/bun.sh          prints its path
#   sh scripts/bun.sh ARGS     runs it, in the folder it was called from
# Needs npm or that very Bun; what it does on the way is told on standard error.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
version=$(sed -n 's/^ *"bun": *"\([0-9][0-9.]*\)".*/\1/p' "$root/package.json")

# A caller's settings must not change what is installed, built or tested.
unset BUN_OPTIONS BUN_BE_BUN BUN_INSPECT BUN_INSPECT_CONNECT_TO BUN_INSPECT_NOTIFY

say() { printf '%s\n' "$@" >&2; }
fail() {
  say "$@"
  exit 1
}

# As in the names of the packages @oven/bun-<platform>.
platform() {
  case $(uname -s) in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    *) fail "Cannot set up Bun on \"$(uname -s)\": these scripts know Linux and macOS." ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) cpu=x64 ;;
    aarch64 | arm64) cpu=aarch64 ;;
    *) fail "Cannot set up Bun on a \"$(uname -m)\" processor: there are builds for x64 and arm64." ;;
  esac
  libc=
  baseline=
  if [ "$os" = darwin ]; then
    # A shell under Rosetta calls an arm64 machine x86_64.
    if [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || :)" = 1 ]; then
      cpu=aarch64
    elif [ "$cpu" = x64 ] && ! sysctl -n machdep.cpu.leaf7_features 2>/dev/null | grep -q AVX2; then
      baseline=-baseline
    fi
  else
    for loader in /lib/ld-musl-*; do
      # Alpine has no other loader; elsewhere musl may be installed beside glibc.
      if [ -e "$loader" ] && ! getconf GNU_LIBC_VERSION >/dev/null 2>&1; then libc=-musl; fi
    done
    if [ "$cpu" = x64 ] && ! grep -qw avx2 /proc/cpuinfo; then baseline=-baseline; fi
  fi
  printf '%s' "$os-$cpu$libc$baseline"
}

# Is there a program that runs here and is the pinned version? npm's stub `bun` fails this.
is_pinned() {
  [ -x "$1" ] && [ "$("$1" --version 2>/dev/null </dev/null || :)" = "$version" ]
}

find_bun() {
  for candidate in \
    "$root/node_modules/@oven/bun-$platform/bin/bun" \
    "$store/node_modules/@oven/bun-$platform/bin/bun" \
    "$(command -v bun || :)"; do
    if is_pinned "$candidate"; then
      printf '%s' "$candidate"
      return
    fi
  done
}

install_bun() {
  command -v npm >/dev/null 2>&1 ||
    fail "Bun $version builds and tests atomic, but neither npm nor Bun $version was found." \
      "Install Node.js (it brings npm) or Bun $version, then run this again."
  say "Installing Bun $version for $platform with npm"
  mkdir -p "$root/.cache"
  staging=$(mktemp -d "$root/.cache/bun.XXXXXX")
  trap 'rm -rf "$staging"' EXIT
  # The package with the program itself: the package "bun" is a stub until its install script has run.
  npm install --no-save --no-package-lock --ignore-scripts --no-audit --no-fund --loglevel=error \
    --prefix "$staging" "@oven/bun-$platform@$version" >&2 </dev/null ||
    fail "npm could not install @oven/bun-$platform@$version; its message is above."
  is_pinned "$staging/node_modules/@oven/bun-$platform/bin/bun" ||
    fail "@oven/bun-$platform@$version was installed, but does not run on this machine."
  # Another start may have been faster.
  if ! is_pinned "$store/node_modules/@oven/bun-$platform/bin/bun"; then
    rm -rf "$store"
    mv "$staging" "$store"
  fi
  rm -rf "$staging"
}

platform=$(platform)
store=$root/.cache/bun-$version-$platform
bun=$(find_bun)
if [ -z "$bun" ]; then
  install_bun
  bun=$(find_bun)
fi

stamp=$root/node_modules/.installed
wanted="$platform $(cat "$root/package.json" "$root/bun.lock" | cksum)"
if [ "$(cat "$stamp" 2>/dev/null || :)" != "$wanted" ]; then
  say "Installing the packages of bun.lock"
  if ! told=$(cd "$root" && "$bun" install --frozen-lockfile --ignore-scripts --no-progress 2>&1 </dev/null); then
    fail "$told" "The packages could not be installed; Bun's message is above."
  fi
  printf '%s\n' "$wanted" >"$stamp"
fi

if [ $# -eq 0 ]; then
  printf '%s\n' "$bun"
else
  exec "$bun" "$@"
fi
