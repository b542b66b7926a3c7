"""Pieces without Spark: rows, files that appear as a whole, videos, and models of a hub."""

import io
import json
import os
import tarfile
import threading
import unittest
import zipfile
from unittest import mock

import pyarrow.parquet
from sightline.errors import ProgramError, last_line
from sightline_spark import work as module
from sightline_spark.answers import line_schema, parsed, table_schema, track_rows
from sightline_spark.errors import InputError, ModelError, SightlineSparkError, sentence
from sightline_spark.inputs import Found
from sightline_spark.models import Hub, Model, current_sha256, downloaded, origin
from sightline_spark.progress import duration, line
from sightline_spark.work import Piece, Settings, close_engines, is_done, run_pieces, work

from .support import FAKE, VERSION, FolderTestCase, HubServer, table


class WorkTests(FolderTestCase):
    def setUp(self):
        super().setUp()
        self.addCleanup(close_engines)

    def run_piece(self, *paths, task="detect", **settings):
        settings = Settings(task, program=FAKE, **settings)
        found = tuple(Found(str(path), path.stat().st_size if path.exists() else -1) for path in paths)
        piece = Piece(3, 7, found)
        outcome = work(piece, settings, str(self.folder / "out"))
        self.assertEqual(is_done(piece, settings, str(self.folder / "out")), outcome)
        rows = table(self.folder / "out")
        self.assertEqual(len(rows), outcome.rows)
        return rows, outcome

    def test_rows_of_detect(self):
        rows, outcome = self.run_piece(
            self.write("a.jpg", b"12345"), self.write("b.jpg", b""), self.folder / "none.jpg"
        )
        self.assertEqual((outcome.rows, outcome.failures), (3, 2))
        self.assertEqual(rows[0]["path"], str(self.folder / "a.jpg"))
        self.assertEqual((rows[0]["width"], rows[0]["height"], rows[0]["error"]), (5, 1, None))
        label = {"text": "cup", "index": 3, "confidence": 0.9}
        frame = {"x": 1.0, "y": 2.0, "width": 3.5, "height": 4.0}
        found = {"frame": frame, "confidence": 0.5, "objectConfidence": 0.5, "classIndex": 7, "labels": [label]}
        self.assertEqual(rows[0]["objects"], [found])
        self.assertEqual(rows[0]["milliseconds"]["total"], 4.5)
        self.assertEqual((rows[0]["model"], rows[0]["sightline"], rows[0]["chunk"]), ("built-in", VERSION, 3))
        self.assertIn("no bytes", rows[1]["error"])
        self.assertIsNone(rows[1]["objects"])
        self.assertIn("no such file", rows[2]["error"])

    def test_names_that_are_not_utf8(self):
        archive = self.folder / "a.tar"
        with tarfile.open(archive, "w") as tar:
            for name in ("bad\udcff.jpg", "good\udcff.jpg"):
                info = tarfile.TarInfo(name)
                info.size = 3
                tar.addfile(info, io.BytesIO(name[:3].upper().encode()))
        rows, outcome = self.run_piece(self.folder / "none\udce9.jpg", archive, self.write("a\udce9.jpg"))
        names = [row["path"].removeprefix(f"{self.folder}/") for row in rows]
        self.assertEqual(names, ["a.tar/bad\\xFF.jpg", "a.tar/good\\xFF.jpg", "a\\xE9.jpg", "none\\xE9.jpg"])
        self.assertEqual([row["error"] is None for row in rows], [False, True, True, False])
        self.assertIn("none\\xE9.jpg cannot be read", rows[3]["error"])
        self.assertEqual(outcome.failures, 2)

    def test_video_whose_name_is_not_utf8(self):
        rows, _ = self.run_piece(self.write("bad\udce9.mp4", b"BAD"), task="track")
        self.assertTrue(rows[0]["path"].endswith("/bad\\xE9.mp4"))
        self.assertIn("has no video", rows[0]["error"])

    def test_rows_of_label(self):
        rows, _ = self.run_piece(self.write("a.jpg"), task="label")
        self.assertEqual(rows[0]["labels"], [{"text": "cup", "index": 3, "confidence": 0.9}])

    def test_many_rows(self):
        paths = [self.write(f"{number:04}.jpg", b"x" * (number % 50 + 1)) for number in range(1100)]
        rows, _ = self.run_piece(*paths)
        self.assertEqual([row["width"] for row in rows], [number % 50 + 1 for number in range(1100)])

    def test_archives(self):
        path = self.folder / "a.tar"
        with tarfile.open(path, "w") as archive:
            for number in range(20):
                info = tarfile.TarInfo(f"{number:02}.jpg")
                info.size = number + 1
                archive.addfile(info, io.BytesIO(b"x" * (number + 1)))
        rows, _ = self.run_piece(path)
        self.assertEqual([row["path"] for row in rows], [f"{path}/{number:02}.jpg" for number in range(20)])
        self.assertEqual([row["width"] for row in rows], list(range(1, 21)))

    def test_poison_pictures_are_rows(self):
        paths = [self.write(f"{n}.jpg", content) for n, content in enumerate([b"a", b"CRASH", b"HANG", b"BAD", b"bb"])]
        rows, outcome = self.run_piece(*paths, limit=0.5)
        self.assertEqual([row["width"] for row in rows], [1, None, None, None, 2])
        self.assertEqual(outcome.failures, 3)

    def test_machine_without_the_disk_is_no_pictures_fault(self):
        with self.assertRaisesRegex(InputError, "100 files in a row cannot be read on .*no such file"):
            self.run_piece(*(self.folder / f"{number}.jpg" for number in range(200)))

    def test_damaged_members_of_an_archive_do_not_end_the_job(self):
        path = self.folder / "a.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for number in range(250):
                archive.writestr(f"{number:03}.jpg", f"content {number:03}")
        path.write_bytes(path.read_bytes().replace(b"content", b"damaged"))
        rows, outcome = self.run_piece(path, self.write("z.jpg", b"1234"))
        self.assertEqual((outcome.rows, outcome.failures), (251, 250))
        self.assertIn("damaged", rows[0]["error"])
        self.assertEqual(rows[-1]["width"], 4)

    def test_too_large_files_do_not_end_the_job(self):
        files = tuple(Found(str(self.folder / f"{number}.jpg"), 1 << 40) for number in range(150))
        settings = Settings("detect", program=FAKE)
        self.assertEqual(work(Piece(0, 0, files), settings, str(self.folder / "out")).failures, 150)

    def test_archives_that_cannot_be_opened_are_the_machines_fault(self):
        with self.assertRaisesRegex(InputError, "100 files in a row cannot be read"):
            self.run_piece(*(self.folder / f"{number}.zip" for number in range(200)))

    def test_piece_is_whole_or_absent(self):
        piece, settings = Piece(0, 0, (Found(str(self.write("a.jpg")), 1),)), Settings("detect", program=FAKE)
        output = str(self.folder / "out")
        self.assertIsNone(is_done(piece, settings, output))
        with mock.patch.object(module.pa.parquet.ParquetWriter, "write_table", side_effect=OSError("disk")):
            self.assertRaises(OSError, work, piece, settings, output)
        self.assertFalse(os.path.exists(f"{output}/chunk=0"))
        work(piece, settings, output)
        self.assertEqual(os.listdir(f"{output}/chunk=0"), ["part-00000.parquet"])
        with open(f"{output}/chunk=0/part-00000.parquet", "r+b") as file:
            file.truncate(100)
        self.assertIsNone(is_done(piece, settings, output))

    def test_work_twice_is_there_once(self):
        path = self.write("a.jpg")
        self.run_piece(path)
        rows, _ = self.run_piece(path)
        self.assertEqual(len(rows), 1)

    def test_pieces_of_a_task_are_one_stream(self):
        settings, output = Settings("detect", program=FAKE), str(self.folder / "out")
        sizes, pieces, first = [3, 0, 1, 300, 2], [], 0
        for number, size in enumerate(sizes):
            paths = [self.write(f"{first + index:04}.jpg", b"x" * (first + index + 1)) for index in range(size)]
            pieces.append(Piece(0, number, tuple(Found(str(path), 1) for path in paths)))
            first += size
        found = list(run_pieces(pieces, settings, output))
        self.assertEqual([(one.number, one.rows) for one in found], list(enumerate(sizes)))
        for piece, size in zip(pieces, sizes):
            rows = pyarrow.parquet.read_table(f"{output}/{piece.name}", partitioning=None).to_pylist()
            self.assertEqual([row["path"] for row in rows], [file.address for file in piece.files])
            self.assertEqual(len(rows), size)
        self.assertEqual([row["width"] for row in table(output)], list(range(1, first + 1)))

    def test_large_pictures_at_the_ends_of_pieces(self):
        settings, output = Settings("detect", program=FAKE), str(self.folder / "out")
        path = str(self.write("large.jpg", bytes(17 << 20)))
        pieces = [Piece(0, number, (Found(path, 1), Found(path, 1))) for number in range(3)]
        self.assertEqual([one.rows for one in run_pieces(pieces, settings, output)], [2, 2, 2])

    def test_one_process_for_all_pieces(self):
        settings = Settings("detect", program=FAKE)
        for number in range(5):
            work(Piece(0, number, (Found(str(self.write("a.jpg")), 1),)), settings, str(self.folder / "out"))
        engine, _ = module.shared_engine(settings)
        self.assertEqual(engine.starts, 1)

    def test_missing_model(self):
        with self.assertRaisesRegex(ModelError, "there is no model .*missing.tflite on this machine"):
            self.run_piece(self.write("a.jpg"), model=Model("/no/missing.tflite"))

    def test_schema_has_the_types_of_the_page(self):
        self.assertEqual(
            table_schema("detect").names,
            [
                "path",
                "width",
                "height",
                "objects",
                "omitted",
                "unnamed",
                "error",
                "milliseconds",
                "model",
                "model_sha256",
                "sightline",
            ],
        )
        self.assertEqual(parsed([], line_schema("label")).schema, line_schema("label"))
        self.assertEqual(parsed([b'{"error":"x"}'], line_schema("detect")).schema, line_schema("detect"))

    def test_confidences_of_boxes_and_objects_without_a_name(self):
        frame = '"frame":{"x":1,"y":2,"width":3,"height":4},"labels":[]'
        both = f'{{{frame},"confidence":0.5,"objectConfidence":0.75}}'
        one = f'{{{frame},"confidence":0.25}}'
        lines = [
            '{"error":"x"}',
            f'{{"width":9,"height":9,"objects":[{both},{one}],"unnamed":3}}',
            '{"width":9,"height":9,"objects":[]}',
        ]
        rows = parsed([line.encode() for line in lines], line_schema("detect")).to_pylist()
        self.assertEqual([row["unnamed"] for row in rows], [None, 3, None])
        self.assertEqual([row["objects"] is not None and len(row["objects"]) for row in rows], [False, 2, 0])
        found = [(found["confidence"], found["objectConfidence"]) for found in rows[1]["objects"]]
        self.assertEqual(found, [(0.5, 0.75), (0.25, 0.25)])
        self.assertEqual(parsed([b'{"error":"x"}'], line_schema("detect")).to_pylist()[0]["objects"], None)


class VideoTests(FolderTestCase):
    run_piece = WorkTests.run_piece

    def video(self, name, text):
        return self.write(name, text.encode())

    def test_row_for_each_track_and_frame(self):
        rows, outcome = self.run_piece(self.video("a.mp4", "TRACKS 5000"), task="track")
        self.assertEqual(outcome.rows, 5000)
        self.assertEqual(sorted(row["index"] for row in rows), list(range(5000)))
        first = min(rows, key=lambda row: row["index"])
        self.assertEqual((first["id"], first["width"], first["time"], first["detected"]), (1, 64, 0.0, True))
        self.assertEqual(first["frame"], {"x": 1.0, "y": 2.0, "width": 3.5, "height": 4.0})

    def test_no_video_is_lost(self):
        names = [("a", "EMPTY 9"), ("b", "BAD"), ("c", "CRASH"), ("d", "TRACKS 3 CUT"), ("e", "HANG")]
        rows, outcome = self.run_piece(*(self.video(f"{n}.mp4", text) for n, text in names), task="track", limit=3)
        by_name = {name: [row for row in rows if row["path"].endswith(f"{name}.mp4")] for name, _ in names}
        self.assertEqual([(row["id"], row["error"]) for row in by_name["a"]], [(None, None)])
        self.assertIn("has no video", by_name["b"][0]["error"])
        self.assertIn("signal 11", by_name["c"][0]["error"])
        self.assertEqual(sum(row["id"] == 1 for row in by_name["d"]), 3)
        self.assertIn("is cut off after frame 3", next(row["error"] for row in by_name["d"] if row["error"]))
        self.assertIn("no frame for 3 s", by_name["e"][0]["error"])
        self.assertEqual(outcome.failures, 4)

    def test_frames_with_several_objects(self):
        objects = [{"id": 1, "confidence": 0.5}, {"id": 2, "confidence": 0.6}]
        lines = [json.dumps({"index": n, "time": n / 2, "objects": objects[: n % 3]}).encode() for n in range(6)]
        rows = track_rows(lines).to_pylist()
        self.assertEqual([(row["index"], row["id"]) for row in rows], [(1, 1), (2, 1), (2, 2), (4, 1), (5, 1), (5, 2)])


class ModelTests(FolderTestCase):
    def setUp(self):
        super().setUp()
        self.enterContext(mock.patch.dict(os.environ, {"XDG_CACHE_HOME": str(self.folder / "cache")}))
        origin.cache_clear()

    def test_file_and_folder(self):
        path = self.write("m/model.tflite", b"model")
        for name in (path, path.parent):
            found = origin(FAKE, "detect", Model(str(name)))
            self.assertEqual(found.arguments, ("--model", str(name)))
            self.assertEqual(found.sha256, "9372c470eeadd5ecd9c3c74c2b3cb633f8e2f2fad799250a0f70d652b6b825e4")

    def test_hub_model_is_downloaded_once_and_verified(self):
        with HubServer(b"the model") as hub:
            model = Model("hub:plants", Hub(hub.address, "my-plants", "key"))
            model = Model(model.name, model.hub, current_sha256(model))
            threads = [threading.Thread(target=downloaded, args=(model, hub.sha256)) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(hub.downloads, 1)
            found = origin(FAKE, "detect", model)
            self.assertEqual((found.model, found.sha256), ("hub:plants", hub.sha256))
            with open(found.arguments[1], "rb") as file:
                self.assertEqual(file.read(), b"the model")
            # A damaged copy is replaced.
            with open(found.arguments[1], "wb") as file:
                file.write(b"noise")
            downloaded(model, hub.sha256)
            self.assertEqual(hub.downloads, 2)

    def test_etag_that_is_not_a_sha256(self):
        for tag in ("../../etc/x", "None", "", "0" * 63, None):
            with HubServer(b"the model", tag=tag) as hub:
                model = Model("hub:plants", Hub(hub.address, "my-plants", "key"))
                with self.assertRaisesRegex(ModelError, "cannot be downloaded: .*ETag"):
                    current_sha256(model)

    def test_key_goes_to_no_other_server(self):
        with HubServer(b"the model") as other, HubServer(b"the model", redirect=other.address) as hub:
            other.key = None
            model = Model("hub:plants", Hub(hub.address, "my-plants", "key"))
            self.assertEqual(current_sha256(model), other.sha256)
            self.assertEqual((hub.keys, other.keys), (["key"], [None]))

    def test_addresses_of_files_are_refused(self):
        secret = self.write("secret", b"the model")
        with HubServer(b"the model", file_address=secret.as_uri()) as hub:
            model = Model("hub:plants", Hub(hub.address, "my-plants", "key"))
            with self.assertRaisesRegex(ModelError, "not an http or https address"):
                downloaded(model, hub.sha256)
        with HubServer(b"the model", redirect=secret.as_uri().removesuffix("/secret")) as hub:
            model = Model("hub:plants", Hub(hub.address, "my-plants", "key"))
            self.assertRaises(ModelError, current_sha256, model)

    def test_hub_that_lies_or_changes_or_refuses(self):
        with HubServer(b"the model") as hub:
            model = Model("hub:plants", Hub(hub.address, "my-plants", "key"))
            with self.assertRaisesRegex(ModelError, "serves another version"):
                downloaded(model, "0" * 64)
            expected, hub.content = hub.sha256, b"other bytes"
            with self.assertRaisesRegex(ModelError, "has the SHA-256"):
                downloaded(model, expected)
            with self.assertRaisesRegex(ModelError, "refuses the key"):
                current_sha256(Model("hub:plants", Hub(hub.address, "my-plants", "wrong")))
            with self.assertRaisesRegex(ModelError, "no such published model"):
                current_sha256(Model("hub:roses", Hub(hub.address, "my-plants", "key")))
        with self.assertRaisesRegex(ModelError, "is the hub reachable"):
            current_sha256(model)

    def test_key_is_in_no_text(self):
        self.assertNotIn("secret", repr(Model("hub:plants", Hub("http://hub", "p", "secret"))))


class TextTests(unittest.TestCase):
    def test_progress(self):
        self.assertEqual(line("pictures", 50, 200, 1, 10), "50 of 200 pictures, 1 failed, 5/s, 30 s left")
        self.assertEqual(line("pictures", 50, 200, 1, 10, before=40), "50 of 200 pictures, 1 failed, 1/s, 2 min left")
        self.assertEqual(line("pictures", 0, 10, 0, 0), "0 of 10 pictures, 0 failed, 0/s")
        self.assertEqual((duration(10_000), duration(600)), ("2.8 h", "10 min"))

    def test_sentences(self):
        self.assertEqual(sentence(OSError(2, "No such file or directory")), "no such file or directory.")
        self.assertEqual(sentence(ValueError("one\ntwo")), "one")
        self.assertEqual(sentence(ProgramError("x")), "x")
        self.assertEqual([last_line(text) for text in ("", "a\nerror: b\n", "sightline: c")], ["", "b", "c"])
        self.assertTrue(issubclass(ModelError, SightlineSparkError))


if __name__ == "__main__":
    unittest.main()
