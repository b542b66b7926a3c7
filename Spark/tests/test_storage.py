"""S3 as input and output, with moto on loopback."""

import logging
import os
import shutil
import tempfile
import unittest
from unittest import mock

from sightline_spark.inputs import Found, found
from sightline_spark.manifest import Manifest
from sightline_spark.storage import ArrowFiles, Storage
from sightline_spark.work import Outcome, Piece, Settings, close_engines, is_done, work

from .support import FAKE, needs_spark, started, why_no_moto


class ReplacingTests(unittest.TestCase):
    """A file system that does not replace files, as HDFS."""

    def setUp(self):
        import pyarrow.fs

        self.folder = tempfile.mkdtemp(prefix="sightline-spark-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        test = self
        self.before_move = lambda source, target: None

        class Handler(pyarrow.fs.FSSpecHandler):
            def __init__(self):
                self.local = pyarrow.fs.LocalFileSystem()

            def get_type_name(self):
                return "like-hdfs"

            def move(self, src, dest):
                test.before_move(src, dest)
                if os.path.exists(dest):
                    raise OSError("there is such a file")
                self.local.move(src, dest)

            def get_file_info(self, paths):
                return self.local.get_file_info(paths)

            def create_dir(self, path, recursive):
                self.local.create_dir(path, recursive=recursive)

            def delete_file(self, path):
                self.local.delete_file(path)

            def open_output_stream(self, path, metadata):
                return self.local.open_output_stream(path)

        self.files = ArrowFiles(pyarrow.fs.PyFileSystem(Handler()), replaces=False)
        self.path = f"{self.folder}/a/part"

    def content(self):
        with open(self.path, "rb") as file:
            return file.read()

    def test_file_is_replaced_and_nothing_else_stays(self):
        for text in (b"one", b"two"):
            self.files.write(self.path, text)
        self.assertEqual((self.content(), os.listdir(f"{self.folder}/a")), (b"two", ["part"]))

    def test_finished_file_survives_a_failure(self):
        self.files.write(self.path, b"one")
        moves = []

        def fail_at_second(source, target):
            moves.append(target)
            if len(moves) == 3:
                raise OSError("the network is down")

        self.before_move = fail_at_second
        self.assertRaises(OSError, self.files.write, self.path, b"two")
        self.assertEqual(self.content(), b"one")

    def test_twin_that_was_faster_keeps_its_file(self):
        self.files.write(self.path, b"one")
        moves = []

        def twin(source, target):
            moves.append(target)
            if len(moves) == 3:
                with open(self.path, "wb") as file:
                    file.write(b"twin")

        self.before_move = twin
        self.files.write(self.path, b"two")
        self.assertEqual((self.content(), os.listdir(f"{self.folder}/a")), (b"twin", ["part"]))


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
