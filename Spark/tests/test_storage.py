"""S3 as input and output, with moto on loopback."""

import logging
import os
import unittest
from unittest import mock

from sightline_spark.inputs import Found, found
from sightline_spark.manifest import Manifest
from sightline_spark.storage import Storage
from sightline_spark.work import Outcome, Piece, Settings, close_engines, is_done, work

from .support import FAKE, needs_spark, started, why_no_moto


@unittest.skipIf(why_no_moto() is not None, why_no_moto() or "")
class S3Tests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        from moto.moto_server.threaded_moto_server import ThreadedMotoServer

        keys = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_EC2_METADATA_DISABLED": "true"}
        cls.enterClassContext(mock.patch.dict(os.environ, keys))
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        server.start()
        cls.addClassCleanup(server.stop)
        cls.endpoint = f"http://127.0.0.1:{server.get_host_and_port()[1]}"
        cls.storage = Storage(cls.endpoint, "us-east-1")

    def setUp(self):
        import boto3

        self.bucket = f"bucket-{self._testMethodName.replace('_', '-')}"[:60].rstrip("-")
        self.client = boto3.client("s3", endpoint_url=self.endpoint, region_name="us-east-1")
        self.client.create_bucket(Bucket=self.bucket)
        self.addCleanup(close_engines)

    def put(self, name, content=b"x"):
        self.client.put_object(Bucket=self.bucket, Key=name, Body=content)

    def names(self, prefix=""):
        return [
            item["Key"] for item in self.client.list_objects_v2(Bucket=self.bucket, Prefix=prefix).get("Contents", [])
        ]

    def test_folders_patterns_and_lists(self):
        for name in ["in/b/1.jpg", "in/a.jpg", "in/a b/ä.png", "in/notes.txt", "in/empty.jpg"]:
            self.put(name, b"" if "empty" in name else b"xy")
        self.put("in/")
        root = f"s3://{self.bucket}"
        listed = [
            (file.address.removeprefix(f"{root}/in/"), file.size)
            for file in found(f"{root}/in", self.storage, "detect")
        ]
        self.assertEqual(listed, [("a b/ä.png", 2), ("a.jpg", 2), ("b/1.jpg", 2), ("empty.jpg", 0)])
        matched = [file.address for file in found(f"{root}/in/*/*.jpg", self.storage, "detect")]
        self.assertEqual(matched, [f"{root}/in/b/1.jpg"])
        self.put("list.txt", f"{root}/in/a.jpg\n".encode())
        self.assertEqual(
            [file.address for file in found(f"{root}/list.txt", self.storage, "detect")], [f"{root}/in/a.jpg"]
        )

    def test_piece_reads_and_writes(self):
        for number in range(60):
            self.put(f"in/{number:02}.jpg", b"x" * (number + 1))
        files = (*found(f"s3://{self.bucket}/in", self.storage, "detect"), Found(f"s3://{self.bucket}/in/none.jpg", -1))
        settings = Settings("detect", program=FAKE, storage=self.storage)
        piece, output = Piece(0, 0, files), f"s3://{self.bucket}/out"
        self.assertIsNone(is_done(piece, settings, output))
        self.assertEqual(work(piece, settings, output), Outcome(0, 0, 61, 1))
        self.assertEqual(is_done(piece, settings, output), Outcome(0, 0, 61, 1))
        # No remains of uploads in parts.
        self.assertEqual(self.names("out"), ["out/chunk=0/part-00000.parquet"])

    def test_archive(self):
        import io
        import zipfile

        data = io.BytesIO()
        with zipfile.ZipFile(data, "w") as archive:
            for number in range(30):
                archive.writestr(f"{number:02}.jpg", "x" * (number + 1))
        self.put("a.zip", data.getvalue())
        settings = Settings("label", program=FAKE, storage=self.storage)
        piece = Piece(0, 0, tuple(found(f"s3://{self.bucket}/a.zip", self.storage, "label")))
        self.assertEqual(work(piece, settings, f"s3://{self.bucket}/out").rows, 30)

    def test_video(self):
        self.put("in/a.mp4", b"TRACKS 4")
        settings = Settings("track", program=FAKE, storage=self.storage)
        piece = Piece(0, 0, tuple(found(f"s3://{self.bucket}/in", self.storage, "track")))
        self.assertEqual(work(piece, settings, f"s3://{self.bucket}/out"), Outcome(0, 0, 4, 0))

    def test_manifest(self):
        files, path = self.storage.files(f"s3://{self.bucket}/out")
        manifest = Manifest(files, path)
        manifest.check({"task": "detect"}, "out")
        manifest.add([Found("s3://b/1.jpg", 1), Found("s3://b/2.jpg", 1)], 1, True, lambda count: None)
        manifest.finish(0, [Outcome(0, 0, 1, 0)])
        again = Manifest(files, path)
        again.check({"task": "detect"}, "out")
        self.assertEqual((again.file_count, list(again.chunks), again.done), (2, [0, 1], {0}))

    @needs_spark
    def test_job(self):
        for number in range(40):
            self.put(f"in/{number:02}.jpg", b"x" * (number + 1))
        query = f"?endpoint={self.endpoint}&region=us-east-1"
        source, output = f"s3://{self.bucket}/in{query}", f"s3://{self.bucket}/out{query}"
        for did in (40, 0):
            # A Java that runs already would not have the keys.
            job = started("detect", source, output, "--program", FAKE, "--master", "local[2]")
            said, errors = job.communicate(timeout=300)
            self.assertEqual((job.returncode, errors), (0, ""))
            self.assertIn(f"40 pictures, 0 failed; this run did {did} ", said)


if __name__ == "__main__":
    unittest.main()
