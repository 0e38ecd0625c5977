#!/bin/sh
# Thirty seconds of atomic on a real file: read, edit, a stale edit refused, and the way back.
#   sh scripts/demo.sh PROGRAM
# Everything is in a temporary folder, the state as well. Ends with status 1 where atomic does not do as told here.
set -eu

program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT
export ATOMIC_HOME="$folder/state" ATOMIC_SESSION=demo
mkdir "$folder/work"
cd "$folder/work"

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
  bold=$(printf '\033[1m') dim=$(printf '\033[2m') plain=$(printf '\033[0m')
else
  bold='' dim='' plain=''
fi
tell() { printf '\n%s# %s%s\n' "$dim" "$*" "$plain"; }
unexpected() {
  printf '\nThe demo expected %s\n' "$*" >&2
  exit 1
}
# The tag in the header that read and edit print: [greet.py#1A2B]
tag_of() { printf '%s\n' "$1" | sed -n 's/^\[greet\.py#\([0-9A-F]\{4\}\)\].*/\1/p' | head -n 1; }

read_file() {
  printf '%s$ atomic read greet.py%s\n' "$bold" "$plain"
  text=$("$program" read greet.py) || unexpected 'the read to succeed'
  printf '%s\n' "$text"
  tag=$(tag_of "$text")
  [ -n "$tag" ] || unexpected 'a header with a tag'
}

# Sets status, and tag to that of the new version.
edit() {
  printf "%s$ atomic edit <<'PATCH'\n%s\nPATCH%s\n" "$bold" "$1" "$plain"
  status=0
  text=$(printf '%s\n' "$1" | "$program" edit) || status=$?
  [ -z "$text" ] || printf '%s\n' "$text"
  tag=$(tag_of "$text")
}

cat >greet.py <<'PYTHON'
def greet(name):
    message = "Hello, " + name
    print(message)

greet("world")
PYTHON

tell 'Reading gives numbered lines, and a tag that names this version of the file.'
read_file
old_tag=$tag

tell 'An edit says which lines of which version it means.'
edit "[greet.py#$tag]
replace 2..2:
+    message = f\"Hello, {name}!\""
[ "$status" -eq 0 ] || unexpected "the edit to succeed, not status $status"
grep -q 'f"Hello, {name}!"' greet.py || unexpected 'the new line in the file'

tell 'Another program changes the same line.'
sed 's/Hello/Good evening/' greet.py >"$folder/theirs"
cp "$folder/theirs" greet.py
sed -n '2s/^/2:/p' greet.py
before=$(cat greet.py)

tell 'An edit made for the first version would undo that. It is refused, and nothing is written.'
edit "[greet.py#$old_tag]
replace 2..2:
+    message = \"Hi \" + name"
printf '%s(status %s)%s\n' "$dim" "$status" "$plain"
[ "$status" -eq 3 ] || unexpected "the stale edit to be refused with status 3, not $status"
[ "$(cat greet.py)" = "$before" ] || unexpected 'the refused edit to leave the file alone'

tell 'Read again, and edit what is there now.'
read_file
edit "[greet.py#$tag]
replace 2..2:
+    message = f\"Hi, {name}!\""
[ "$status" -eq 0 ] || unexpected "the edit to succeed, not status $status"

tell 'To take that back, put the old line in again: the edit showed it, with the tag to use.'
edit "[greet.py#$tag]
replace 2..2:
+$(printf '%s\n' "$before" | sed -n 2p)"
[ "$status" -eq 0 ] || unexpected "the way back to succeed, not status $status"
[ "$(cat greet.py)" = "$before" ] || unexpected 'the file to be as it was'

tell 'Now on a file of yours: sh scripts/try.sh read FILE'
