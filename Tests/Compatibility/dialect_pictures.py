"""Pictures whose answers are known, for the programs that speak to a server of answers."""

import struct
import zlib

RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)


def png(size, blocks, ground=(128, 128, 128)):
    """A picture as a PNG file, with blocks (color, left, top, right, bottom) in pixels on a plain ground."""
    width, height = size
    rows = bytearray()
    for y in range(height):
        rows.append(0)
        for x in range(width):
            color = ground
            for block, left, top, right, bottom in blocks:
                if left <= x < right and top <= y < bottom:
                    color = block
            rows.extend(color)

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(rows))) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


# What the model block_detector of the module SightlineTesting finds.
TWO_BLOCKS = [(RED, 40, 60, 120, 120), (BLUE, 180, 120, 240, 180)]
TWO_BLOCKS_PNG = png((320, 240), TWO_BLOCKS)
EXPECTED = {"red": [40, 60, 120, 120], "blue": [180, 120, 240, 180]}
