"""Jobs on local[2]: every picture once, whatever is killed, and the settings that would lose files."""

import os
import shutil
import signal
import sys
import time
import unittest
import warnings
import zipfile
from unittest import mock

from sightline_spark.job import _identity
from sightline_spark.models import Model, origin
from sightline_spark.work import Settings

from .support import FAKE, FolderTestCase, command, needs_spark, started, table

LOCAL = ["--program", FAKE, "--master", "local[2]"]


class IdentityTests(FolderTestCase):
    def identity(self, *options):
        origin.cache_clear()
        settings = Settings("detect", program=FAKE, model=Model(str(self.folder / "m.tflite")), options=options)
        return _identity("in", settings, origin(FAKE, "detect", settings.model))

    def test_replaced_model_or_label_file_is_another_job(self):
        self.write("m.tflite", b"model")
        labels = self.write("labels.txt", b"cat")
        options = [
            "--labels",
            str(labels),
            f"--classifier={self.write('c.tflite', b'classifier')}",
            "--threshold",
            "0.5",
        ]
        first = self.identity(*options)
        self.assertEqual(self.identity(*options), first)
        for name in ["m.tflite", "labels.txt", "c.tflite"]:
            before = (self.folder / name).read_bytes()
            self.write(name, b"other")
            self.assertNotEqual(self.identity(*options), first, name)
            self.write(name, before)
        self.assertEqual(self.identity(*options), first)


@needs_spark
class JobTests(FolderTestCase):
    def test_job_again_and_with_new_pictures(self):
        source, output = self.folder / "in", self.folder / "out"
        contents = {f"{number // 50}/{number:03}.jpg": b"x" * (number + 1) for number in range(150)}
        contents |= {"crash.jpg": b"CRASH", "bad.jpg": b"BAD", "empty.jpg": b""}
        for name, content in contents.items():
            os.utime(self.write(f"in/{name}", content), (0, 0))
        with zipfile.ZipFile(source / "more.zip", "w") as archive:
            for number in range(10):
                archive.writestr(f"{number}.jpg", "x" * (number + 1))
        code, said, errors = command("detect", source, output, *LOCAL, "--chunk", 60)
        self.assertEqual((code, errors), (1, ""))
        self.assertIn("163 pictures, 3 failed; this run did 163 ", said)
        rows = table(output)
        wanted = sorted(str(source / name) for name in [*contents, *(f"more.zip/{number}.jpg" for number in range(10))])
        self.assertEqual([row["path"] for row in rows], wanted)
        self.assertEqual({row["chunk"] for row in rows}, {0, 1, 2})
        self.assertEqual(sum(row["width"] or 0 for row in rows), sum(range(1, 151)) + sum(range(1, 11)))
        self.assertEqual(command("detect", source, output, *LOCAL, "--keep-going")[0], 0)
        self.write("in/0/new.jpg", b"xyz")
        self.assertIn("164 pictures, 3 failed; this run did 1 ", command("detect", source, output, *LOCAL)[1])
        self.assertEqual(len({row["path"] for row in table(output)}), 164)
        code, _, errors = command("label", source, output, *LOCAL)
        self.assertEqual((code, errors.count("\n")), (2, 1))
        self.assertIn("results of another job", errors)

    def test_unusable_options_are_one_sentence(self):
        self.write("in/a.jpg")
        code, _, errors = command("detect", self.folder / "in", self.folder / "out", *LOCAL, "--", "missing.tflite")
        self.assertEqual((code, errors.count("\n")), (2, 1))
        self.assertIn("there is no model missing.tflite.", errors)

    def test_killed_driver(self):
        for number in range(400):
            self.write(f"in/{number:03}.jpg", b"x" * (number + 1))
        # Each of these takes 0.4 s.
        for number in range(0, 400, 20):
            self.write(f"in/{number:03}h.jpg", b"HANG")
        output = self.folder / "out"
        words = ["detect", self.folder / "in", output, *LOCAL, "--limit", "0.2"]
        driver = started(*words)
        for _ in range(1200):
            first = sorted(output.glob("chunk=0/part-*"))
            if len(first) >= 3:
                break
            time.sleep(0.05)
        times = {path: path.stat().st_mtime_ns for path in first}
        os.killpg(driver.pid, signal.SIGKILL)
        driver.communicate()
        self.assertGreaterEqual(len(times), 3)
        before = len(list(output.glob("chunk=0/part-*")))
        self.assertLess(before, 50)
        time.sleep(1)
        self.assertEqual(command(*words)[0], 1)
        rows = table(output)
        self.assertEqual([row["path"] for row in rows], sorted(str(path) for path in (self.folder / "in").iterdir()))
        self.assertEqual(sum(row["width"] or 0 for row in rows), sum(range(1, 401)))
        self.assertEqual({path: path.stat().st_mtime_ns for path in first}, times, "pieces were done again")
        self.assertEqual(list(output.rglob(".*")), [])

    def test_stopped_job_goes_on(self):
        for number in range(20):
            self.write(f"in/{number:03}.jpg", b"HANG")
        driver = started("detect", self.folder / "in", self.folder / "out", *LOCAL, "--limit", "30")
        while not (self.folder / "out/_sightline/listings").exists():
            time.sleep(0.05)
        time.sleep(8)
        driver.terminate()
        _, errors = driver.communicate(timeout=60)
        self.assertEqual((driver.returncode, errors), (143, "error: stopped; the same command continues.\n"))

    def test_track(self):
        for name, text in [("a", "TRACKS 30"), ("b", "EMPTY 3"), ("c", "BAD")]:
            self.write(f"in/{name}.mp4", text.encode())
        code, said, _ = command("track", self.folder / "in", self.folder / "out", *LOCAL)
        self.assertEqual(code, 1)
        self.assertIn("32 rows of tracks, 1 failed", said)


@needs_spark
class DataFrameTests(FolderTestCase):
    @classmethod
    def setUpClass(cls):
        import sightline_spark
        from pyspark.sql import SparkSession

        cls.package = sightline_spark
        # Workers need pyarrow too.
        cls.enterClassContext(mock.patch.dict(os.environ, {"PYSPARK_PYTHON": sys.executable}))
        builder = SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false")
        builder = builder.config("spark.ui.showConsoleProgress", "false")
        cls.spark = builder.config("spark.driver.host", "127.0.0.1").getOrCreate()
        cls.addClassCleanup(cls.spark.stop)
        sightline_spark.configure(cls.spark)

    def pictures(self, count=200):
        for number in range(count):
            os.utime(self.write(f"in/{number:03}.jpg", b"x" * (number + 1)), (0, 0))
        return self.spark.read.format("binaryFile").load(str(self.folder / "in"))

    def test_detect_on_bytes(self):
        found = self.package.detect(self.pictures(), program=FAKE)
        self.assertNotIn("content", found.columns)
        rows = found.orderBy("path").collect()
        self.assertEqual([row.width for row in rows], list(range(1, 201)))
        self.assertEqual(rows[0].objects[0].labels[0].text, "cup")
        self.assertEqual(rows[0].length, 1)
        types = dict(found.dtypes)
        self.assertEqual(types["milliseconds"].split(":")[0], "struct<decoding")
        self.assertTrue(types["objects"].startswith("array<struct<frame:struct<x:double,"))

    def test_label_on_paths(self):
        self.pictures(20)
        paths = [(str(self.folder / f"in/{number:03}.jpg"), number) for number in range(21)]
        found = self.package.label(self.spark.createDataFrame(paths, "path string, number int"), program=FAKE)
        rows = found.orderBy("number").collect()
        self.assertEqual([row.width for row in rows], [*range(1, 21), None])
        self.assertIn("no such file", rows[-1].error)
        self.assertEqual(rows[3]["labels"][0].text, "cup")

    def test_track(self):
        self.write("a.mp4", b"TRACKS 3")
        videos = self.spark.createDataFrame([(str(self.folder / "a.mp4"), "gate")], "path string, camera string")
        rows = self.package.track(videos, program=FAKE).collect()
        self.assertEqual([(row["camera"], row["index"], row["id"]) for row in rows], [("gate", n, 1) for n in range(3)])

    def test_limited_frame_leaves_no_answers_behind(self):
        frame = self.package.detect(self.pictures(), program=FAKE)
        self.assertEqual(len(frame.limit(3).collect()), 3)
        self.assertEqual([row.width for row in frame.orderBy("path").collect()], list(range(1, 201)))

    def test_messages_are_small(self):
        def sizes(batches):
            for batch in batches:
                yield type(batch).from_pydict({"rows": [batch.num_rows], "bytes": [batch.nbytes]})

        messages = self.pictures().coalesce(1).mapInArrow(sizes, "rows long, bytes long").collect()
        self.assertEqual(sum(row.rows for row in messages), 200)
        self.assertLessEqual(max(row.rows for row in messages), 64)
        shutil.rmtree(self.folder / "in")
        for number in range(8):
            self.write(f"in/{number}.jpg", bytes(12 << 20))
        large = self.spark.read.format("binaryFile").load(str(self.folder / "in")).coalesce(1)
        messages = large.mapInArrow(sizes, "rows long, bytes long").collect()
        self.assertLessEqual(max(row.bytes for row in messages), 48 << 20)

    def test_warning_about_large_messages(self):
        name = "spark.sql.execution.arrow.maxRecordsPerBatch"
        self.spark.conf.set(name, "10000")
        self.addCleanup(self.spark.conf.set, name, "64")
        with self.assertWarnsRegex(UserWarning, "10000 pictures in one message"):
            self.package.detect(self.pictures(3), program=FAKE)
        self.spark.conf.set(name, "64")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.package.detect(self.pictures(3), program=FAKE)

    def test_small_files_share_tasks(self):
        name = "spark.sql.files.openCostInBytes"
        count = self.pictures(600).rdd.getNumPartitions()
        self.spark.conf.set(name, str(4 << 20))
        self.addCleanup(self.spark.conf.set, name, self.package.SETTINGS[name])
        before = self.spark.read.format("binaryFile").load(str(self.folder / "in")).rdd.getNumPartitions()
        self.assertLess(count, 10)
        self.assertGreater(before, 5 * count)

    def test_folder_is_listed_in_few_tasks(self):
        name = "spark.sql.sources.parallelPartitionDiscovery.parallelism"
        self.assertEqual(self.spark.conf.get(name), "16")

    def test_stream_takes_old_files(self):
        def count(name, options):
            schema = "path STRING, modificationTime TIMESTAMP, length LONG, content BINARY"
            reader = self.spark.readStream.format("binaryFile").schema(schema).options(**options)
            found = []
            query = (
                reader.load(str(self.folder / name))
                .writeStream.option("checkpointLocation", str(self.folder / f"checkpoint-{name}"))
                .foreachBatch(lambda frame, _: found.append(self.package.detect(frame, program=FAKE).count()))
            )
            query.trigger(availableNow=True).start().awaitTermination()
            return sum(found)

        for name, options, expected in [("usual", {}, 0), ("ours", self.package.STREAM_OPTIONS, 5)]:
            self.write(f"{name}/new.jpg")
            self.assertEqual(count(name, options), 1)
            for number in range(5):
                os.utime(self.write(f"{name}/{number}.jpg"), (0, 0))
            self.assertEqual(count(name, options), expected, name)


if __name__ == "__main__":
    unittest.main()
