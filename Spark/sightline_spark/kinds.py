"""The kind of a file by its first bytes, as sightline decides in a folder. A name counts where it saves reading
them.
"""

from __future__ import annotations

from collections.abc import Callable

from .storage import extension

# Files with these names are taken without a look: a look costs a request in object storage. The lists of pictures, of
# raw files and of frames are those of sightline, and the videos are a part of its list, as a test compares them.
PICTURES = frozenset(
    "jpg jpeg jpe jfif jif pjpeg mpo png apng webp gif bmp dib tif tiff heic heif hif heics heifs avif avifs".split()
)
VIDEOS = frozenset("mp4 m4v mov mkv webm avi mpg mpeg m2ts 3gp wmv flv vob mxf ogv".split())
# Files that people keep beside pictures and videos.
OTHERS = frozenset(
    "txt csv tsv json jsonl xml xmp yaml yml md html pdf parquet db ini log lst list mp3 wav srt".split()
)
# The raw files of cameras are TIFF files whose picture is only a small copy.
RAW = frozenset("dng cr2 nef nrw arw sr2 srf pef srw 3fr dcr kdc erf mef mos iiq rwl".split())
# Frames that follow one another as JPEG files.
FRAMES = frozenset(["mjpeg", "mjpg"])
# How much of a file shows its kind.
HEAD = 4096

_BRANDS = frozenset(b"heic heix heim heis hevc hevx mif1 msf1 avif avis".split())
_BMP_HEADERS = frozenset([12, 40, 52, 56, 64, 108, 124])


def is_picture(name: str, head: Callable[[], bytes]) -> bool:
    """Whether a file is a picture that sightline reads, or has the name of one.

    Args:
        name: the file's name.
        head: returns the first bytes, if the name is not enough.
    """
    kind = extension(name)
    if kind in PICTURES:
        return True
    return kind not in OTHERS | VIDEOS | RAW | FRAMES and begins_as_picture(head())


def is_video(name: str, head: Callable[[], bytes]) -> bool:
    """Whether a file is a video, or has the name of one."""
    kind = extension(name)
    if kind in VIDEOS:
        return True
    if kind in OTHERS | PICTURES | RAW:
        return False
    first = head()
    return begins_as_video(first) or (kind in FRAMES and first.startswith(b"\xff\xd8"))


def begins_as_picture(head: bytes) -> bool:
    """Whether bytes are the beginning of a picture in a format that sightline reads."""
    if head.startswith((b"\xff\xd8", b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a", b"II*\0", b"MM\0*")):
        return True
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return True
    if head[:2] == b"BM":
        return int.from_bytes(head[14:18], "little") in _BMP_HEADERS
    return head[4:8] == b"ftyp" and head[8:12] in _BRANDS


def begins_as_video(head: bytes) -> bool:
    """Whether bytes are the beginning of a video."""
    if begins_as_picture(head):
        return False
    if head[4:8] in (b"ftyp", b"moov", b"mdat", b"wide", b"pnot"):
        return head[8:12] not in (b"M4A ", b"M4B ", b"M4P ", b"crx ") or head[4:8] != b"ftyp"
    begins = (
        b"\x1a\x45\xdf\xa3", b"FLV\1", b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", b"\x06\x0e\x2b\x34\x02\x05\x01\x01",
        b"YUV4MPEG2 ", b"DKIF", b"nut/multimedia", b"DHAV", b"DAHUA", b"IMKH", b"\0\0\1\xba", b"\0\0\1\xb3",
    )  # fmt: skip
    if head.startswith(begins) or (head[:4] == b"RIFF" and head[8:12] == b"AVI "):
        return True
    if head.startswith(b"OggS"):
        return b"theora" in head or b"BBCD\0" in head
    for prefix in (b"\0\0\0\1", b"\0\0\1"):
        if head.startswith(prefix) and head[len(prefix) : len(prefix) + 1] in (
            b"\x67",
            b"\x47",
            b"\x27",
            b"\x09",
            b"\x40",
        ):
            return True
    return _has_packets(head)


def _has_packets(head: bytes) -> bool:
    """Whether bytes are packets of MPEG-TS, which begin with G; text may have that letter anywhere."""
    is_text = all(byte in b"\t\n\v\f\r" or 0x20 <= byte < 0x7F for byte in head[:512])
    return not is_text and any(
        head[start : start + 4 * length + 1 : length] == b"GGGGG"
        for length in (188, 192, 204)
        for start in range(length)
    )
