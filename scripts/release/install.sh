#!/bin/sh
# Installs atomic for the user who runs it, from the archives of a release. Nothing is unpacked before its checksum is
# right; no network is used where the archives lie beside this script.
set -eu

usage() {
  cat <<'TEXT'
Usage: sh install.sh [OPTIONS]

  --from DIR|URL   where the release's files are (default: the folder of this script, else $ATOMIC_RELEASE)
  --bin-dir DIR    where the program goes (default: ~/.local/bin)
  --data-dir DIR   where completions and manual pages go (default: $XDG_DATA_HOME, else ~/.local/share)
  --target NAME    install for another system than was found, such as linux-x64-musl
  --no-extras      only the program
  --force          replace a program of that name that is not from here
  --verify         check the archive for this system against SHA256SUMS, and install nothing
  --uninstall      remove what was installed
  --help           show this

It needs no rights of others, asks nothing, and changes no file of your shell.
TEXT
}

say() { printf '%s\n' "$*"; }
fail() {
  printf '%s\n' "$@" >&2
  exit 1
}

from='' bin='' data='' target='' extras=yes force='' action=install
while [ $# -gt 0 ]; do
  case $1 in
    --from | --bin-dir | --data-dir | --target)
      [ $# -ge 2 ] || fail "$1 needs a value. See --help."
      case $1 in
        --from) from=$2 ;;
        --bin-dir) bin=$2 ;;
        --data-dir) data=$2 ;;
        --target) target=$2 ;;
      esac
      shift 2
      ;;
    --no-extras) extras='' && shift ;;
    --force) force=yes && shift ;;
    --verify) action=verify && shift ;;
    --uninstall) action=uninstall && shift ;;
    --help | -h) usage && exit 0 ;;
    *) fail "Unknown option \"$1\". See --help." ;;
  esac
done

if [ -z "$bin" ] || [ -z "$data" ]; then
  [ -n "${HOME:-}" ] || fail "HOME is not set: name --bin-dir and --data-dir."
fi
[ -n "$bin" ] || bin=$HOME/.local/bin
[ -n "$data" ] || data=${XDG_DATA_HOME:-$HOME/.local/share}
list=$data/atomic/installed

# Every file that an installation made, one a line; only these are ever replaced or removed.
is_ours() { [ -f "$list" ] && grep -qxF -- "$1" "$list"; }

if [ "$action" = uninstall ]; then
  [ -f "$list" ] || fail "Nothing to remove: there is no list of installed files, $list."
  while IFS= read -r file; do
    rm -f -- "$file"
  done <"$list"
  rm -f -- "$list"
  rmdir -- "$data/atomic" 2>/dev/null || :
  say "Removed atomic. Its state, if any, is left where it is: see \`atomic help env\` of the removed version, ATOMIC_HOME."
  exit 0
fi

here=$(CDPATH='' cd -- "$(dirname -- "$0")" 2>/dev/null && pwd -P) || here=''
if [ -z "$from" ] && [ -n "$here" ] && [ -f "$here/SHA256SUMS" ]; then from=$here; fi
[ -n "$from" ] || from=${ATOMIC_RELEASE:-}
[ -n "$from" ] ||
  fail "Where is the release? Put this script beside its SHA256SUMS and archives, or name the place with --from."

find_target() {
  case $(uname -s) in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    *) fail "There is no build for \"$(uname -s)\" that this script could install; on Windows, unpack the zip." ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) cpu=x64 ;;
    aarch64 | arm64) cpu=arm64 ;;
    *) fail "There is no build for a \"$(uname -m)\" processor." ;;
  esac
  libc=
  # A shell under Rosetta calls an arm64 machine x86_64.
  if [ "$os" = darwin ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || :)" = 1 ]; then cpu=arm64; fi
  if [ "$os" = linux ] && ! getconf GNU_LIBC_VERSION >/dev/null 2>&1; then
    for loader in /lib/ld-musl-*; do
      if [ -e "$loader" ]; then libc=-musl; fi
    done
  fi
  printf '%s' "$os-$cpu$libc"
}

work=$(mktemp -d)
staged=''
trap 'rm -rf "$work"; if [ -n "$staged" ]; then rm -f -- "$staged"; fi' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fetch() {
  case $from in
    http://* | https://*)
      if command -v curl >/dev/null 2>&1; then
        curl -fsSL -o "$work/$1" "${from%/}/$1" || fail "Could not fetch ${from%/}/$1."
      elif command -v wget >/dev/null 2>&1; then
        wget -q -O "$work/$1" "${from%/}/$1" || fail "Could not fetch ${from%/}/$1."
      else
        fail "Neither curl nor wget is there to fetch ${from%/}/$1."
      fi
      ;;
    *)
      [ -f "$from/$1" ] || fail "There is no $1 in $from."
      cp -- "$from/$1" "$work/$1"
      ;;
  esac
}

digest() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum <"$1"
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256 <"$1"
  elif command -v openssl >/dev/null 2>&1; then
    openssl dgst -sha256 -r <"$1"
  else
    fail "None of sha256sum, shasum and openssl is there, so the archive cannot be verified. Nothing was installed."
  fi | cut -d' ' -f1
}

[ -n "$target" ] || target=$(find_target)
fetch SHA256SUMS
archive=$(sed -n "s/^[0-9a-f]\{64\}  \(atomic-[0-9][^/]*-$target\.tar\.gz\)\$/\1/p" "$work/SHA256SUMS" | head -n 1)
[ -n "$archive" ] || fail "The release in $from has no archive for $target."
wanted=$(sed -n "s/^\([0-9a-f]\{64\}\)  $archive\$/\1/p" "$work/SHA256SUMS" | head -n 1)
fetch "$archive"
found=$(digest "$work/$archive")
[ "$found" = "$wanted" ] ||
  fail "$archive is damaged or not what was released:" "  SHA256SUMS says $wanted" "  the file has    $found" "Nothing was installed."
if [ "$action" = verify ]; then
  say "$archive is what SHA256SUMS says."
  exit 0
fi

mkdir "$work/unpacked"
tar -xzf "$work/$archive" -C "$work/unpacked"
root=$work/unpacked/${archive%.tar.gz}
[ -f "$root/atomic" ] || fail "$archive holds no program. Nothing was installed."

place=$bin/atomic
if { [ -e "$place" ] || [ -L "$place" ]; } && ! is_ours "$place" && [ -z "$force" ]; then
  fail "$place exists and was not installed by this script." "Use --force to replace it, or --bin-dir for another folder. Nothing was installed."
fi
mkdir -p -- "$bin" "$data/atomic"

# It takes its name only when it is whole, and has shown that it runs here.
staged=$bin/.atomic.$$
cp -- "$root/atomic" "$staged"
chmod 755 "$staged"
version=$("$staged" --version 2>&1) ||
  fail "The program for $target does not run on this machine:" "  $(printf '%s\n' "$version" | head -n 1)" "Name another build with --target. Nothing was installed."
mv -f -- "$staged" "$place"
staged=''

installed=$place
put() {
  if [ -e "$2" ] && ! is_ours "$2" && [ -z "$force" ]; then
    say "Left alone: $2 is there already, and not from here."
    return
  fi
  mkdir -p -- "$(dirname -- "$2")"
  cp -- "$1" "$2.new.$$"
  mv -f -- "$2.new.$$" "$2"
  installed="$installed
$2"
}
if [ -n "$extras" ]; then
  put "$root/completions/atomic.bash" "$data/bash-completion/completions/atomic"
  put "$root/completions/_atomic" "$data/zsh/site-functions/_atomic"
  put "$root/completions/atomic.fish" "$data/fish/vendor_completions.d/atomic.fish"
  for page in "$root"/man/man?/*; do
    chapter=$(basename -- "$(dirname -- "$page")")
    put "$page" "$data/man/$chapter/$(basename -- "$page")"
  done
fi
printf '%s\n' "$installed" >"$list.new"
mv -f -- "$list.new" "$list"

say "Installed $version as $place."
case ":${PATH:-}:" in
  *":$bin:"*)
    first=$(command -v atomic || :)
    if [ -n "$first" ] && [ "$first" != "$place" ]; then
      say "Another atomic comes first on your PATH: $first."
    fi
    ;;
  *) say "$bin is not on your PATH. Add it: export PATH=\"$bin:\$PATH\"" ;;
esac
