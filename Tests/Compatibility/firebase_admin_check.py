#!/usr/bin/env python3
"""Drives a hub with Google's firebase_admin SDK, as pipelines that were written for Firebase ML do.

    python3 firebase_admin_check.py --key-file key.json --hub http://127.0.0.1:8080
    python3 firebase_admin_check.py --key-file key.json

With --hub the SDK's two URL constants and STORAGE_EMULATOR_HOST point at the hub. Without it the SDK is as Google ships
it and speaks to *.googleapis.com, which a proxy must lead to the hub (HTTPS_PROXY, REQUESTS_CA_BUNDLE): see
Scripts/tools check firebase-admin. Needs what requirements.txt lists, and the fixtures of this package.
"""

import argparse
import base64
import contextlib
import datetime
import hashlib
import os
import pathlib
import random
import string
import sys
import tempfile
import unittest

import google_crc32c
import requests

FIXTURES = pathlib.Path(__file__).resolve().parents[1] / "Fixtures" / "models"
VALID = FIXTURES / "add.tflite"
OTHER = FIXTURES / "classifier_float.tflite"
PATTERN_OF_NAMES = string.ascii_letters + string.digits


def fresh(prefix):
    return prefix + "_" + "".join(random.choice(PATTERN_OF_NAMES) for _ in range(8))


class Case(unittest.TestCase):
    def setUp(self):
        self.made = []

    def tearDown(self):
        for model_id in self.made:
            with contextlib.suppress(exceptions.NotFoundError):
                ml.delete_model(model_id)

    def create(self, name=None, tags=None, file=None):
        model_format = None
        if file:
            source = ml.TFLiteGCSModelSource.from_tflite_model_file(str(file))
            model_format = ml.TFLiteFormat(model_source=source)
        model = ml.create_model(ml.Model(display_name=name or fresh("Check"), tags=tags, model_format=model_format))
        self.made.append(model.model_id)
        return model

    def copy_of(self, data, name):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / name
        path.write_bytes(data)
        return path

    def fails(self, kind, message, body, status=None):
        with self.assertRaises(kind) as raised:
            body()
        self.assertEqual(str(raised.exception), message)
        if status:
            self.assertEqual(raised.exception.http_response.status_code, status)


class Creating(Case):
    def test_a_model_without_a_file_exists_unverified_and_unlocked(self):
        name = fresh("NoFile")
        model = self.create(name, tags=["one"])
        self.assertEqual((model.display_name, model.tags), (name, ["one"]))
        self.assertEqual(model.validation_error, "No model file has been uploaded.")
        self.assertIsNone(model.model_hash)
        self.assertIsNone(model.model_format)
        self.assertIs(model.published, False)
        self.assertIs(model.locked, False)
        self.assertTrue(model.etag)
        age = datetime.datetime.now(datetime.UTC).timestamp() * 1000 - model.create_time
        self.assertLess(abs(age), 60_000)
        self.assertEqual(model.create_time, model.update_time)

    def test_an_untagged_model_has_no_tags_at_all(self):
        self.assertIsNone(self.create().tags)

    def test_a_valid_file_gives_hash_size_and_an_unsigned_address(self):
        model = self.create(file=VALID)
        data = VALID.read_bytes()
        self.assertIsNone(model.validation_error)
        self.assertEqual(model.model_hash, hashlib.sha256(data).hexdigest())
        self.assertEqual(model.model_format.size_bytes, str(len(data)))
        self.assertEqual(
            model.model_format.model_source.gcs_tflite_uri, f"gs://{BUCKET}/Firebase/ML/Models/{VALID.name}"
        )

    def test_a_file_that_is_no_model_is_accepted_and_said_to_be_invalid(self):
        path = self.copy_of(b"this is not a model\n", "invalid.tflite")
        model = self.create(file=path)
        self.assertEqual(model.validation_error, "Invalid flatbuffer format")
        self.assertIsNone(model.model_hash)
        self.assertIsNone(model.model_format.size_bytes)

    def test_a_taken_name_is_refused(self):
        model = self.create(file=VALID)
        self.fails(
            exceptions.AlreadyExistsError,
            f"Model '{model.display_name}' already exists",
            lambda: ml.create_model(ml.Model(display_name=model.display_name)),
        )

    def test_a_name_with_other_letters_is_an_invalid_argument(self):
        client = ml._get_ml_service(None)._client
        for name in ["with space", "#*^!", "1digit", ""]:
            with self.assertRaises(requests.exceptions.HTTPError) as raised:
                client.body("post", url="models", json={"displayName": name})
            self.assertEqual(raised.exception.response.status_code, 400)
            self.assertEqual(raised.exception.response.json()["error"]["status"], "INVALID_ARGUMENT")

    def test_a_name_may_have_hyphens(self):
        name = fresh("with-hyphen_and")
        self.assertEqual(self.create(name).display_name, name)

    def test_an_overwritten_upload_is_not_noticed_until_the_model_is_changed(self):
        path = self.copy_of(VALID.read_bytes(), fresh("same") + ".tflite")
        model = self.create(file=path)
        path.write_bytes(OTHER.read_bytes())
        ml.TFLiteGCSModelSource.from_tflite_model_file(str(path))
        self.assertEqual(ml.get_model(model.model_id).model_hash, model.model_hash)
        changed = ml.update_model(ml.get_model(model.model_id))
        self.assertEqual(changed.model_hash, hashlib.sha256(OTHER.read_bytes()).hexdigest())


class Reading(Case):
    def test_get_gives_what_create_gave(self):
        model = self.create(tags=["x"], file=VALID)
        self.assertEqual(ml.get_model(model.model_id), model)

    def test_a_deleted_model_is_not_found(self):
        model = self.create()
        ml.delete_model(model.model_id)
        message = "Requested entity was not found."
        self.fails(exceptions.NotFoundError, message, lambda: ml.get_model(model.model_id), 404)
        self.fails(exceptions.NotFoundError, message, lambda: ml.delete_model(model.model_id), 404)

    def test_an_id_that_is_none_is_an_invalid_argument(self):
        with self.assertRaises(exceptions.InvalidArgumentError):
            ml.get_model("invalid-model-id")
        with self.assertRaises(exceptions.NotFoundError):
            ml.get_model("00000000")

    def test_an_operation_can_be_asked_for_by_its_name(self):
        service = ml._get_ml_service(None)
        reply = service._client.body("post", url="models", json={"displayName": fresh("Operation")})
        self.made.append(reply["response"]["name"].split("/")[-1])
        self.assertTrue(reply["metadata"]["@type"].endswith("ModelOperationMetadata"))
        again = service._operation_client.body("get", url=reply["name"])
        self.assertEqual(again, reply)


class Changing(Case):
    def test_a_new_name_and_new_tags(self):
        model = self.create(file=VALID)
        old_etag = model.etag
        model.display_name = fresh("Renamed")
        model.tags = ["new"]
        changed = ml.update_model(model)
        self.assertEqual((changed.display_name, changed.tags), (model.display_name, ["new"]))
        self.assertNotEqual(changed.etag, old_etag)
        self.assertEqual(changed.model_hash, model.model_hash)
        self.assertGreaterEqual(changed.update_time, changed.create_time)
        self.assertEqual(ml.update_model(changed).display_name, model.display_name)

    def test_another_name_with_other_letters_is_an_invalid_argument(self):
        model = self.create()
        client = ml._get_ml_service(None)._client
        for query in ["", "?updateMask=displayName"]:
            with self.assertRaises(requests.exceptions.HTTPError) as raised:
                client.body("patch", url=f"models/{model.model_id}{query}", json={"displayName": "#*^!"})
            self.assertEqual(raised.exception.response.json()["error"]["status"], "INVALID_ARGUMENT")
        self.assertEqual(ml.get_model(model.model_id), model)

    def test_a_new_file_changes_the_hash_and_stays_published(self):
        model = ml.publish_model(self.create(file=VALID).model_id)
        source = ml.TFLiteGCSModelSource.from_tflite_model_file(str(OTHER))
        model.model_format = ml.TFLiteFormat(model_source=source)
        changed = ml.update_model(model)
        self.assertIs(changed.published, True)
        self.assertEqual(changed.model_hash, hashlib.sha256(OTHER.read_bytes()).hexdigest())

    def test_an_unknown_model_is_not_found(self):
        model = self.create(file=VALID)
        ml.delete_model(model.model_id)
        message = f"Model '{model.as_dict()['name']}' was not found"
        model.tags = ["later"]
        self.fails(exceptions.NotFoundError, message, lambda: ml.update_model(model))
        self.fails(exceptions.NotFoundError, message, lambda: ml.publish_model(model.model_id))
        self.fails(exceptions.NotFoundError, message, lambda: ml.unpublish_model(model.model_id))

    def test_publish_and_unpublish(self):
        model = self.create(file=VALID)
        self.assertIs(ml.publish_model(model.model_id).published, True)
        self.assertIs(ml.publish_model(model.model_id).published, True)
        self.assertIs(ml.unpublish_model(model.model_id).published, False)

    def test_a_model_without_a_valid_file_cannot_be_published(self):
        model = self.create()
        self.fails(
            exceptions.FailedPreconditionError,
            "Cannot publish a model that is not verified.",
            lambda: ml.publish_model(model.model_id),
        )

    def test_a_metadata_change_does_not_touch_the_publication(self):
        stale = self.create(file=VALID)
        ml.publish_model(stale.model_id)
        stale.tags = ["t"]
        self.assertIs(ml.update_model(stale).published, True)

    def test_an_unlocked_model_need_not_be_waited_for(self):
        self.create(file=VALID).wait_for_unlocked(1)


class Listing(Case):
    def setUp(self):
        super().setUp()
        self.word = fresh("t")
        self.models = [self.create(f"{self.word}{index}", tags=[self.word, f"n{index}"]) for index in range(5)]
        self.names = [model.display_name for model in self.models]

    def listed(self, text, page_size=None):
        page = ml.list_models(list_filter=text, page_size=page_size)
        return [model.display_name for model in page.iterate_all()]

    def test_by_name_tag_prefix_and_combinations(self):
        self.assertEqual(self.listed(f"tags:{self.word}"), self.names)
        self.assertEqual(self.listed(f"displayName:{self.word}*"), self.names)
        self.assertEqual(self.listed(f"display_name = '{self.names[2]}'"), [self.names[2]])
        self.assertEqual(self.listed(f"displayName={self.names[0]} OR tags:n1 AND tags:{self.word}"), self.names[:2])
        self.assertEqual(self.listed(f'tags:"{self.word}" AND NOT (tags:n0 OR tags:n4)'), self.names[1:4])
        self.assertEqual(self.listed(f"tags:{self.word} AND displayName != {self.names[0]}"), self.names[1:])
        self.assertEqual(self.listed(f"tags:{self.word} AND state.published = true"), [])

    def test_page_by_page(self):
        first = ml.list_models(list_filter=f"tags:{self.word}", page_size=2)
        self.assertEqual([model.display_name for model in first.models], self.names[:2])
        self.assertTrue(first.has_next_page)
        self.assertEqual(self.listed(f"tags:{self.word}", page_size=2), self.names)
        self.assertFalse(ml.list_models(list_filter=f"tags:{self.word}").has_next_page)

    def test_a_page_token_belongs_to_its_filter(self):
        token = ml.list_models(list_filter=f"tags:{self.word}", page_size=2).next_page_token
        with self.assertRaises(exceptions.InvalidArgumentError):
            ml.list_models(list_filter="tags:other", page_token=token)

    def test_what_is_listed_is_what_get_gives(self):
        page = ml.list_models(list_filter=f"displayName={self.names[0]}")
        self.assertEqual(page.models, [ml.get_model(self.models[0].model_id)])

    def test_an_unknown_field_is_an_invalid_argument(self):
        self.fails(
            exceptions.InvalidArgumentError,
            "Request contains an invalid argument.",
            lambda: ml.list_models(list_filter="InvalidFilterParam=123"),
            400,
        )


class Uploading(Case):
    def bucket(self):
        return storage.bucket()

    def test_a_large_file_comes_in_pieces_and_comes_back_whole(self):
        data = os.urandom(9 << 20)
        blob = self.bucket().blob(fresh("large"))
        blob.chunk_size = 1 << 20
        blob.upload_from_filename(str(self.copy_of(data, "large.bin")))
        self.assertEqual(blob.size, len(data))
        digest = google_crc32c.Checksum(data).digest()
        self.assertEqual(blob.crc32c, base64.b64encode(digest).decode())
        self.assertEqual(blob.md5_hash, base64.b64encode(hashlib.md5(data).digest()).decode())
        self.assertEqual(blob.download_as_bytes(), data)
        self.assertEqual(blob.download_as_bytes(start=5, end=9), data[5:10])
        blob.delete()
        self.assertFalse(blob.exists())

    def test_a_small_file_comes_in_one_request(self):
        blob = self.bucket().blob(fresh("folder/with space and ü"))
        blob.upload_from_string(b"--x\r\n\r\n--x--")
        self.assertEqual(blob.download_as_bytes(), b"--x\r\n\r\n--x--")

    def test_a_signed_address_opens_its_object_and_no_other(self):
        bucket = self.bucket()
        blob = bucket.blob(fresh("folder/signed and ü"))
        blob.upload_from_string(b"for those who have the address")
        endpoint = ARGUMENTS.hub or "https://storage.googleapis.com"
        lifetime = datetime.timedelta(minutes=10)
        address = blob.generate_signed_url(lifetime, version="v4", api_access_endpoint=endpoint)
        self.assertEqual(requests.get(address).content, b"for those who have the address")
        self.assertEqual(requests.get(address, headers={"Range": "bytes=0-2"}).content, b"for")
        self.assertEqual(requests.get(address.replace("signed", "other")).status_code, 403)
        self.assertEqual(requests.get(address.replace("X-Goog-Expires=600", "X-Goog-Expires=601")).status_code, 403)
        self.assertEqual(requests.put(address, data=b"x").status_code, 405)
        blob.delete()
        self.assertEqual(requests.get(address).status_code, 404)


class Downloading(Case):
    def test_a_published_model_is_downloaded_and_an_unpublished_one_is_not_found(self):
        model = self.create(file=VALID)
        token = credentials.Certificate(ARGUMENTS.key_file).get_access_token().access_token
        base = ARGUMENTS.hub or "https://firebaseml.googleapis.com"
        address = f"{base}/v1beta2/projects/{PROJECT}/models/{model.display_name}:download"
        headers = {"Authorization": f"Bearer {token}"}
        self.assertEqual(requests.get(address, headers=headers).status_code, 404)
        ml.publish_model(model.model_id)
        reply = requests.get(address, headers=headers)
        self.assertEqual(reply.headers["ETag"], model.model_hash)
        self.assertEqual(requests.get(reply.json()["downloadUri"]).content, VALID.read_bytes())
        same = requests.get(address, headers=headers | {"If-None-Match": model.model_hash})
        self.assertEqual((same.status_code, same.headers["ETag"], same.content), (304, model.model_hash, b""))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--key-file", required=True)
    parser.add_argument("--hub")
    ARGUMENTS, rest = parser.parse_known_args()
    if ARGUMENTS.hub:
        os.environ["STORAGE_EMULATOR_HOST"] = ARGUMENTS.hub

    import firebase_admin
    from firebase_admin import credentials, exceptions, ml, storage

    if ARGUMENTS.hub:
        ml._MLService.PROJECT_URL = f"{ARGUMENTS.hub}/v1beta2/projects/{{0}}/"
        ml._MLService.OPERATION_URL = f"{ARGUMENTS.hub}/v1beta2/"
    certificate = credentials.Certificate(ARGUMENTS.key_file)
    PROJECT = certificate.project_id
    BUCKET = f"{PROJECT}.appspot.com"
    firebase_admin.initialize_app(certificate, {"storageBucket": BUCKET})
    unittest.main(argv=[sys.argv[0]] + rest)
