// Seeded numbers, so that random cases are the same in every run.
@_exported import struct SightlineImages.RepeatableRandom
