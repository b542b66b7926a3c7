"""Which files belong to an input, and the pictures in archives."""

import io
import os
import tarfile
import unittest
import zipfile
from pathlib import Path

from sightline.errors import printed
from sightline_spark.errors import InputError
from sightline_spark.inputs import Found, found, members, pattern, picture
from sightline_spark.kinds import HEAD, begins_as_picture, begins_as_video
from sightline_spark.storage import LocalFiles, Storage, separated

from .support import FolderTestCase

STORAGE = Storage()


class FoundTests(FolderTestCase):
    def names(self, source, task="detect"):
        names = [file.address for file in found(str(source), STORAGE, task)]
        return [os.path.relpath(name, self.folder) for name in names]

    def test_folder_has_pictures_and_archives_in_the_order_of_their_parts(self):
        for name in [
            "b/1.jpg",
            "a.jpg",
            "a/2.PNG",
            "a/b/3.webp",
            "c.zip",
            "d.tar.gz",
            "notes.md",
            "v.mp4",
            ".hidden/x.jpg",
        ]:
            self.write(name)
        self.assertEqual(self.names(self.folder), ["a/2.PNG", "a/b/3.webp", "a.jpg", "b/1.jpg", "c.zip", "d.tar.gz"])
        self.assertEqual(self.names(self.folder, "track"), ["v.mp4"])

    def test_bytes_decide_where_names_do_not(self):
        files = {
            "none": b"\x89PNG\r\n\x1a\n",
            "a.mpo": b"\xff\xd8\xff",
            "b.bin": b"GIF89a",
            "c.dng": b"II*\0",
            "d.json": b"{}",
            "README": b"text",
            "e.ts": b"".join(b"G" + b"\xff" * 187 for _ in range(6)),
            "f.ts": b"let a = 1",
            "g.mjpeg": b"\xff\xd8\xff",
            "h.dav": b"DHAV",
            "i.m4a": b"\0\0\0\x18ftypM4A ",
            "j": b"\0\0\0\x18ftypisom",
            "empty": b"",
        }
        for name, content in files.items():
            self.write(name, content)
        self.assertEqual(self.names(self.folder), ["a.mpo", "b.bin", "none"])
        self.assertEqual(self.names(self.folder, "track"), ["e.ts", "g.mjpeg", "h.dav", "j"])

    def test_kinds_agree_with_sightline_about_its_fixtures(self):
        fixtures = Path(__file__).resolve().parents[2] / "Tests/Fixtures"
        for path in sorted((fixtures / "images").iterdir()):
            if path.suffix != ".md":
                self.assertTrue(begins_as_picture(path.read_bytes()[:HEAD]), path.name)
        for path in sorted((fixtures / "videos").iterdir()):
            if path.suffix in (".mp4", ".mov", ".mkv", ".webm", ".avi", ".ts"):
                self.assertTrue(begins_as_video(path.read_bytes()[:HEAD]), path.name)

    def test_empty_and_old_files_are_found(self):
        self.write("empty.jpg", b"")
        os.utime(self.write("old.jpg"), (0, 0))
        self.assertEqual(self.names(self.folder), ["empty.jpg", "old.jpg"])

    def test_names_that_are_not_utf8(self):
        self.write(os.fsdecode(b"caf\xe9.jpg"))
        (only,) = found(str(self.folder), STORAGE, "detect")
        self.assertTrue(printed(only.address).endswith("caf\\xE9.jpg"))
        files, path = STORAGE.files(only.address)
        self.assertEqual(picture(files, path, only).content, b"x")

    def test_links(self):
        self.write("a/1.jpg")
        (self.folder / "b").symlink_to("a")
        (self.folder / "2.jpg").symlink_to("a/1.jpg")
        (self.folder / "3.jpg").symlink_to("nowhere")
        self.assertEqual(self.names(self.folder), ["2.jpg", "3.jpg", "a/1.jpg"])

    def test_patterns(self):
        for name in ["a/1.jpg", "a/b/2.jpg", "b/3.jpg", "b/3.png", "b/c/d/4.jpg"]:
            self.write(name)
        self.assertEqual(self.names(f"{self.folder}/*/*.jpg"), ["a/1.jpg", "b/3.jpg"])
        self.assertEqual(self.names(f"{self.folder}/**/*.jpg"), ["a/1.jpg", "a/b/2.jpg", "b/3.jpg", "b/c/d/4.jpg"])
        self.assertEqual(self.names(f"{self.folder}/b/[0-9].p?g"), ["b/3.png"])

    def test_pattern_keeps_dots_and_slashes(self):
        self.assertTrue(pattern("/a/*.jpg").fullmatch("/a/x.y.jpg"))
        self.assertFalse(pattern("/a/*.jpg").fullmatch("/a/xjpg"))
        self.assertFalse(pattern("/a/*.jpg").fullmatch("/a/b/x.jpg"))

    def test_list(self):
        self.write("a b.jpg")
        file = self.write("list.txt", f"\ufeff{self.folder}/a b.jpg\r\n\n{self.folder}/missing.jpg".encode())
        self.assertEqual(self.names(file), ["a b.jpg", "missing.jpg"])
        self.assertEqual(self.names(f"@{file}"), ["a b.jpg", "missing.jpg"])

    def test_nothing_there(self):
        with self.assertRaisesRegex(InputError, "there is no file or folder"):
            self.names(self.folder / "nowhere")

    @unittest.skipIf(os.geteuid() == 0, "root reads everything")
    def test_folder_that_cannot_be_listed_is_not_lost_silently(self):
        self.write("a/1.jpg")
        (self.folder / "a").chmod(0)
        self.addCleanup((self.folder / "a").chmod, 0o755)
        with self.assertRaisesRegex(InputError, "cannot be listed"):
            self.names(self.folder)

    def test_missing_file_is_a_picture_with_a_reason(self):
        shown = picture(LocalFiles(), "/no/such.jpg", Found("/no/such.jpg", 1))
        self.assertIn("there is no such file", shown.error)

    def test_too_large_files_are_not_read(self):
        shown = picture(LocalFiles(), "/no/such.jpg", Found("/no/such.jpg", 1 << 40))
        self.assertIn("1099511627776 bytes", shown.error)

    def test_query_of_s3(self):
        plain, storage = separated("s3://bucket/folder?endpoint=http://127.0.0.1:9000&region=eu-1")
        self.assertEqual((plain, storage), ("s3://bucket/folder", Storage("http://127.0.0.1:9000", "eu-1")))
        self.assertEqual(separated("/a/b?.jpg"), ("/a/b?.jpg", STORAGE))


class ArchiveTests(FolderTestCase):
    def pictures(self, path):
        return [(one.name.removeprefix(f"{path}/"), one.content, one.error) for one in members(STORAGE, str(path))]

    def tar(self, name, mode, files):
        path = self.folder / name
        with tarfile.open(path, mode) as archive:
            for file, content in files.items():
                info = tarfile.TarInfo(file)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
        return path

    def test_zip(self):
        path = self.folder / "a.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for name in ["x/1.jpg", "x/1.txt", "__MACOSX/x/._1.jpg", "2.png"]:
                archive.writestr(name, name)
            archive.writestr("3", "GIF89a")
        found = [("x/1.jpg", b"x/1.jpg", None), ("2.png", b"2.png", None), ("3", b"GIF89a", None)]
        self.assertEqual(self.pictures(path), found)

    def test_tar_and_compressed_tar(self):
        files = {"1.jpg": b"one", "1.json": b"{}", "1": b"text", "2.jpg": b"", "d/3.webp": b"three"}
        for name, mode in [("a.tar", "w"), ("a.tar.gz", "w:gz"), ("a.tgz", "w:gz"), ("a.tar.xz", "w:xz")]:
            found = self.pictures(self.tar(name, mode, files))
            self.assertEqual(found, [("1.jpg", b"one", None), ("2.jpg", b"", None), ("d/3.webp", b"three", None)], name)

    def test_damaged_archives_end_with_a_reason(self):
        whole = self.tar("a.tar", "w", {f"{number}.jpg": bytes(3000) for number in range(9)}).read_bytes()
        for length in [0, 100, 700, 5000, 8000]:
            path = self.write("cut.tar", whole[:length])
            pictures = self.pictures(path)
            self.assertIsNotNone(pictures[-1][2], length)
            self.assertTrue(all(error is None for _, _, error in pictures[:-1]))
        self.assertIsNotNone(self.pictures(self.write("noise.zip", b"noise"))[-1][2])
        self.assertIsNotNone(self.pictures(self.folder / "missing.tar")[-1][2])

    def test_damaged_member_of_a_zip_costs_itself(self):
        path = self.folder / "a.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("1.jpg", b"first" * 100)
            archive.writestr("2.jpg", b"second" * 100)
        path.write_bytes(path.read_bytes().replace(b"firstfirst", b"firstFIRST", 1))
        (one, two) = self.pictures(path)
        self.assertIn("damaged", one[2])
        self.assertEqual(two, ("2.jpg", b"second" * 100, None))


if __name__ == "__main__":
    unittest.main()
