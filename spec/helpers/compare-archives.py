"""Says what differs between two archives besides one member: BEFORE (AFTER MEMBER)... Prints nothing where nothing does."""

import gzip, io, struct, sys, tarfile, zipfile


def zip_parts(path):
    data = open(path, "rb").read()
    archive = zipfile.ZipFile(path)
    if archive.testzip() is not None:
        print("damaged", path, archive.testzip())
    parts, at = [], archive.start_dir
    shift = at and min((i.header_offset for i in archive.infolist()), default=0)
    for info in archive.infolist():
        name, extra, comment = struct.unpack("<HHH", data[at + 28 : at + 34])
        length = 46 + name + extra + comment
        record = bytearray(data[at : at + length])
        record[42:46] = b"\0\0\0\0"
        start = info.header_offset
        n, m = struct.unpack("<HH", data[start + 26 : start + 30])
        end = start + 30 + n + m + info.compress_size
        if info.flag_bits & 8:
            end += 16
        parts.append((info.orig_filename, bytes(record), data[start:end]))
        at += length
    return parts, archive.comment, data[:shift]


def tar_parts(path):
    data = open(path, "rb").read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    archive = tarfile.open(fileobj=io.BytesIO(data), errorlevel=2)
    members = archive.getmembers()
    starts = [member.offset for member in members] + [archive.offset]
    parts = []
    for i, member in enumerate(members):
        about = (member.mode, member.uid, member.gid, member.uname, member.gname)
        kept = {k: v for k, v in member.pax_headers.items() if k not in ("mtime", "size", "linkpath") and not k.startswith("GNU.sparse")}
        parts.append((member.name, (about, kept), data[starts[i] : starts[i + 1]]))
    return parts, None, None


def main(before, after, changed):
    read = zip_parts if before.endswith((".zip", ".jar")) else tar_parts
    (old, *old_rest), (new, *new_rest) = read(before), read(after)
    if old_rest != new_rest:
        print("comment or what stands in front", old_rest, new_rest)
    # Of several members with one name the last is meant.
    at = max((i for i, part in enumerate(old) if part[0] == changed), default=None)
    names = [part[0] for part in old] + ([changed] if at is None else [])
    if names != [part[0] for part in new]:
        print("names", names, [part[0] for part in new])
        return
    for i, part in enumerate(old):
        if i != at and part != new[i]:
            print("member", part[0], part[1:], new[i][1:])
        if i == at and read is tar_parts and part[1] != new[i][1]:
            print("attributes", part[1], new[i][1])


for i in range(2, len(sys.argv), 2):
    main(sys.argv[1], *sys.argv[i : i + 2])
