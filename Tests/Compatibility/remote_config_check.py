#!/usr/bin/env python3
"""Loads server templates of a hub with Google's firebase_admin SDK as it is, and compares its evaluation with the
hub's.

    python3 remote_config_check.py --key-file key.json --api-key KEY

The SDK speaks to *.googleapis.com, which a proxy must lead to the hub (HTTPS_PROXY, REQUESTS_CA_BUNDLE): see
Scripts/tools check firebase-admin. Needs what requirements.txt lists.
"""

import argparse
import asyncio
import hashlib
import logging
import sys
import unittest

import requests

HOST = "https://firebaseremoteconfig.googleapis.com"
# SHA-256 of the places of 3 × 100,000 ids, which RemoteConfigExpressionTests has too.
PLACES = "b125459e62814c22d00463e5715e06dc7ef1a57af78eb6ccbee22c333797cdca"
EXPRESSIONS = [
    "percent('model_ab_1') <= 50",
    "percent('x') > 99.5",
    "percent <= 0.123456",
    "percent('a-b_c.d') between 10 and 35.5",
    "percent('x') between 0 and 100 && percent('y') <= 50",
    "app.customSignal['city'].contains(['ra'])",
    "app.customSignal['city'].notContains(['x', 'y'])",
    "app.customSignal['city'].exactlyMatches([' Graz'])",
    "app.customSignal['age'] >= 18 && app.customSignal['age'] != 20",
    "app.customSignal['age'] < 18.5",
    "version(app.customSignal['firmware']) >= '1.2'",
    "version(app.customSignal['firmware']) == '1.10.0.0'",
    "version(app.customSignal['city']) != '1'",
    "app.customSignal['none'] <= 1",
    "true",
    "false",
    "app.customSignal['city'].matches(['^[GX]', 'raz$'])",
]
SIGNALS = [
    {"city": "Graz", "age": 18, "firmware": "1.2.3"},
    {"city": "Xanten", "age": 20, "firmware": "1.10"},
    {"age": 17.5},
    {"city": "y", "age": 99, "firmware": "0.9.9.9.9"},
]


def template():
    conditions = [{"name": f"c{index}", "expression": text} for index, text in enumerate(EXPRESSIONS)]
    parameters = {
        f"p{index}": {"defaultValue": {"value": "no"}, "conditionalValues": {f"c{index}": {"value": "yes"}}}
        for index in range(len(EXPRESSIONS))
    }
    parameters["first"] = {
        "conditionalValues": {"c3": {"value": "3"}, "c0": {"value": "0"}, "c14": {"useInAppDefault": True}}
    }
    return {"conditions": conditions, "parameters": parameters}


class RemoteConfig(unittest.TestCase):
    def setUp(self):
        token = credentials.Certificate(ARGUMENTS.key_file).get_access_token().access_token
        self.headers = {"Authorization": f"Bearer {token}", "If-Match": "*"}
        self.session = requests.Session()

    def put(self, path):
        reply = self.session.put(f"{HOST}/v1/projects/{PROJECT}/{path}", json=template(), headers=self.headers)
        self.assertEqual(reply.status_code, 200, reply.text)
        return reply

    def loaded(self):
        return asyncio.run(remote_config.get_server_template())

    def test_places_of_300000_ids_are_those_of_the_sdk(self):
        evaluator = remote_config._ConditionEvaluator([], {}, {}, {})
        digest = hashlib.sha256()
        for seed in ["", "model_ab_1", "Exp-2.x"]:
            for number in range(100_000):
                text = (seed + "." if seed else "") + f"id-{number}"
                digest.update((evaluator.hash_seeded_randomization_id(text) % 100_000_000).to_bytes(4, "big"))
        self.assertEqual(digest.hexdigest(), PLACES)

    def test_a_server_template_has_its_etag_and_version(self):
        self.put("namespaces/firebase-server/remoteConfig")
        loaded = self.loaded()
        self.assertTrue(loaded._cache.etag.startswith("etag-"))
        self.assertEqual(loaded._cache.version["updateType"], "FORCED_UPDATE")

    def test_the_sdk_decides_as_the_hub_does(self):
        self.put("namespaces/firebase-server/remoteConfig")
        self.put("remoteConfig")
        loaded = self.loaded()
        fetch = f"{HOST}/v1/projects/{PROJECT}/namespaces/firebase:fetch?key={ARGUMENTS.api_key}"
        for number in range(400):
            signals = SIGNALS[number % len(SIGNALS)]
            body = {"app_instance_id": f"id-{number}", "app_id": "1:1:web:1", "custom_signals": signals}
            entries = self.session.post(fetch, json=body).json()["entries"]
            config = loaded.evaluate({"randomization_id": f"id-{number}", **signals})
            theirs = {key: config.get_string(key) for key in config._config_values}
            self.assertEqual(entries, theirs, signals)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--key-file", required=True)
    parser.add_argument("--api-key", required=True)
    ARGUMENTS, rest = parser.parse_known_args()

    import firebase_admin
    from firebase_admin import credentials, remote_config

    logging.getLogger().setLevel(logging.CRITICAL)
    certificate = credentials.Certificate(ARGUMENTS.key_file)
    PROJECT = certificate.project_id
    firebase_admin.initialize_app(certificate)
    unittest.main(argv=[sys.argv[0]] + rest)
