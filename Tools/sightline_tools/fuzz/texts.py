"""First inputs for readers of text: one of each kind of phrase, so that a search need not guess keywords."""

import json

FORM = (
    b'\x05--b\r\nContent-Disposition: form-data; name="a"\r\n\r\none\r\n--b\r\nContent-Disposition: form-data; '
    b'name="f"; filename="p.jpg"\r\nContent-Type: image/jpeg\r\n\r\n\xff\xd8\r\n--bb\r\n--b--\r\n'
)
UPLOAD = (
    b"\x05--b\r\nContent-Type: application/json\r\n\r\n{}\r\n--b\r\nContent-Type: application/octet-stream\r\n\r\n"
    b"content\r\n--b-\r\n--b--\r\n"
)
CONDITIONS = [
    "device.os in ['android', 'ios'] && device.country in ['DE']",
    "app.version.>=(['2.9']) && app.build.exactlyMatches(['77'])",
    "app.version.matches(['^2\\\\.1\\\\d', '(?i)x*'])",
    "app.customSignal['age'] != 17.5 && app.userProperty['plan'].notContains(['beta'])",
    "percent('seed') between 13.91039 and 20 && (true)",
    "app.firstOpenTimestamp <= ('2027-01-15T08:00:00')",
]
PATTERNS = ["^a(b|c)*[d-f]+?\\bx{2,3}$\nabcdefxx", "(?i)\\w+\\.[^\\s]\n Graz.x"]
# The version and the size of pieces, an accepted connection, and packets of a broker.
BROKERS = [
    b"\x20\x20\x02\x00\x00\x90\x03\x00\x01\x00\x40\x02\x00\x02\xd0\x00\x31\x15\x00\x10homeassistant/abc{}\x20\x02\x00\x05",
    b"\x21\x20\x0b\x00\x00\x08\x21\x00\x02\x27\x00\x00\x01\x00\x40\x04\x00\x02\x87\x00\x90\x04\x00\x01\x00\x00",
    b"\x09\x20\x0d\x00\x00\x0a\x13\x00\x09\x24\x01\x25\x00\x22\x00\x00\x31\x08\x00\x03a/b\x00{}\xe0\x02\x8b\x00",
    b"\x01\x20\x12\x00\x00\x0f\x1f\x00\x01a\x26\x00\x01a\x00\x01b\x12\x00\x01c",
    b"\x10\x20\x02\x00\x00\x31\xff\xff\x04\x00\x01a",
]
HEADERS = [
    "bytes=0-99",
    "bytes 0-99/100",
    "Sun, 06 Nov 1994 08:49:37 GMT",
    '"a", W/"b", *',
    'multipart/form-data; boundary="b c"',
    "eyJhIjoxfQ",
    "120",
]
TEMPLATE = {
    "conditions": [{"name": "beta", "expression": "percent <= 10", "tagColor": "BLUE"}],
    "parameters": {
        "model": {
            "defaultValue": {"value": "plants"},
            "conditionalValues": {"beta": {"value": "plants2"}},
            "valueType": "STRING",
            "description": "a",
        },
        "limit": {"defaultValue": {"useInAppDefault": True}, "valueType": "NUMBER"},
    },
    "parameterGroups": {"all": {"parameters": {"json": {"defaultValue": {"value": "{}"}, "valueType": "JSON"}}}},
}
BODIES = [
    {"appId": "1:1:ios:1", "fid": "cccccccccccccccccccccc", "authVersion": "FIS_v2", "sdkVersion": "a"},
    {"displayName": "plants", "tags": ["a"], "state": {"published": True}, "etag": "1", "name": "projects/1/models/2"},
    {"model": "plants", "version": 2, "steps": [5, 100], "every": "86400s", "guards": ["failures"]},
    {"url": "https://a.example/", "events": ["rollout.halted"]},
]
COCO = {
    "images": [{"id": 1, "file_name": "a.jpg", "width": 9, "height": 9}],
    "categories": [{"id": 1, "name": "cup", "keypoints": ["lip"]}],
    "annotations": [
        {"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 1, 4, 4], "segmentation": [[1, 1, 5, 1, 5, 5]]},
        {"id": 2, "image_id": 1, "category_id": 1, "bbox": [1, 1, 4, 4], "iscrowd": 1, "area": 4.5}
        | {"segmentation": {"size": [9, 9], "counts": "0T1"}, "keypoints": [1, 2, 2], "num_keypoints": 1},
        {
            "id": 3,
            "image_id": 1,
            "category_id": 1,
            "bbox": [0, 0, 2, 2],
            "segmentation": {"size": [9, 9], "counts": [80, 1]},
        },
    ],
}
XML = (
    '<?xml version="1.0"?><!-- a --><annotation><filename>a &amp; &#98;</filename><object><name>cup</name>'
    "<bndbox><xmin>1</xmin></bndbox></object><empty a='1'/></annotation>"
)
MANIFEST = "\n".join(
    [
        "sightline-model-manifest 1",
        "project my-plants 1",
        "name plants",
        "alias production",
        "version 3",
        "size 448",
        "sha256 " + 64 * "a",
        "labels -",
        "threshold -",
        "serial 1795576630041",
        "issued 2026-11-25T03:17:10Z",
        "expires 2026-12-25T03:17:10Z",
        "key " + 38 * "6",
        "signature " + 86 * "A",
        "",
    ]
)

LABELS = [
    "cup\nplate\n\nspoon\n",
    "0 cup\n1 plate\n2: spoon",
    "index,name\n1,cup\n2,plate",
    'item { id: 1 name: "cup" }\nitem {\n  id: 2\n  name: "/m/02" display_name: "plate" # a\n}',
    '{"0": "cup", "1": "plate"}',
    "['cup', 'plate']",
    json.dumps({"head": "yolo", "input": {"mean": [0, 0, 0], "scale": 255}, "labels": ["cup"], "scoreThreshold": 0.3}),
]
DETECTIONS = [
    "1,-1,10,10,30,40,0.9\n2,-1,12,11,30,40,0.8\n3,-1,500,20,30,40,-1,-1,-1,-1\n",
    "1,-1,1e300,-1e300,1e308,1e-300,1\r\n1000000000,-1,0.5,0.5,1,1,0.01\n",
]

# The texts of each target.
SEEDS: dict[str, list[bytes]] = {
    "labels": [text.encode() for text in LABELS],
    "detections": [text.encode() for text in DETECTIONS],
    "form": [FORM, FORM.replace(b"\r\n", b"\n")],
    "upload": [UPLOAD],
    "condition": [text.encode() for text in CONDITIONS],
    "pattern": [text.encode() for text in PATTERNS],
    "headers": [text.encode() for text in HEADERS],
    "template": [json.dumps(TEMPLATE).encode()],
    "protocol": [json.dumps(body).encode() for body in BODIES],
    "coco": [json.dumps(COCO).encode()],
    "xml": [XML.encode()],
    "manifest": [MANIFEST.encode()],
    "mqtt": BROKERS,
}
