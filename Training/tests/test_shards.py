import errno
import pathlib
import tempfile
import unittest
from unittest import mock

import numpy as np
from sightline_training import errors, files, shards
from sightline_training.errors import TrainingError

from . import support  # noqa: F401


class ShardTests(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def test_rows_come_in_order_across_shards(self):
        for number, values in enumerate(([0, 1, 2], [3, 4])):
            shards.write(self.folder / f"shard-{number:04d}", {"x": np.array(values)})
        whole = shards.Shards(self.folder, ["x"])
        self.assertEqual(len(whole), 5)
        self.assertEqual(whole.rows(np.array([4, 0, 3]))["x"].tolist(), [0, 3, 4])

    def test_an_unfinished_shard_does_not_count(self):
        (self.folder / "shard-0000.part").mkdir()
        with self.assertRaisesRegex(TrainingError, "run prepare first"):
            shards.Shards(self.folder, ["x"])

    def test_a_damaged_shard_is_named(self):
        shards.write(self.folder / "shard-0000", {"x": np.arange(3)})
        (self.folder / "shard-0000" / "x.npy").write_bytes(b"no array")
        with self.assertRaisesRegex(TrainingError, "shard-0000 is damaged"):
            shards.Shards(self.folder, ["x"])

    def test_a_full_disk_leaves_nothing_half_written_and_says_so(self):
        full = OSError(errno.ENOSPC, "No space left on device", "x")
        with mock.patch("os.fsync", side_effect=full), self.assertRaises(OSError):
            shards.write(self.folder / "shard-0000", {"x": np.arange(3)})
        path = self.folder / "model.pt"
        path.write_bytes(b"before")
        with mock.patch("os.fsync", side_effect=full), self.assertRaises(OSError):
            files.write(path, b"after")
        self.assertEqual([entry.name for entry in self.folder.iterdir()], ["model.pt"])
        self.assertEqual(path.read_bytes(), b"before")

        message = "error: The disk is full while writing x: free some space"
        with self.assertRaisesRegex(SystemExit, message), errors.exit_on_failure():
            raise full
