"""The classes of COCO, and which of ours they are."""

from .data import CLASSES, UNKNOWN

# In the order of their numbers, which is also that of the scores of models trained on COCO.
NAMES = (
    "person|bicycle|car|motorcycle|airplane|bus|train|truck|boat|traffic light|fire hydrant|stop sign|"
    "parking meter|bench|bird|cat|dog|horse|sheep|cow|elephant|bear|zebra|giraffe|backpack|umbrella|handbag|"
    "tie|suitcase|frisbee|skis|snowboard|sports ball|kite|baseball bat|baseball glove|skateboard|surfboard|"
    "tennis racket|bottle|wine glass|cup|fork|knife|spoon|bowl|banana|apple|sandwich|orange|broccoli|carrot|"
    "hot dog|pizza|donut|cake|chair|couch|potted plant|bed|dining table|toilet|tv|laptop|mouse|remote|"
    "keyboard|cell phone|microwave|oven|toaster|sink|refrigerator|book|clock|vase|scissors|teddy bear|"
    "hair drier|toothbrush"
).split("|")

KNOWN = {
    "food": "banana|apple|sandwich|orange|broccoli|carrot|hot dog|pizza|donut|cake",
    "home good": (
        "bottle|wine glass|cup|fork|knife|spoon|bowl|chair|couch|bed|dining table|toilet|tv|laptop|mouse|"
        "remote|keyboard|microwave|oven|toaster|sink|refrigerator|book|clock|vase|scissors|teddy bear|"
        "hair drier|toothbrush"
    ),
    "fashion good": "backpack|umbrella|handbag|tie|suitcase",
    "plant": "potted plant",
}

# What things are called where their kind is not sure: kinds that look alike to people, too.
GROUPS = {
    name: kinds.split("|")
    for name, kinds in {
        "person": "person",
        "vehicle": "bicycle|car|motorcycle|airplane|bus|train|truck|boat",
        "animal": "bird|cat|dog|horse|sheep|cow|elephant|bear|zebra|giraffe",
        "bag": "backpack|handbag|suitcase",
        "sports equipment": (
            "frisbee|skis|snowboard|sports ball|kite|baseball bat|baseball glove|skateboard|surfboard|tennis racket"
        ),
        "tableware": "bottle|wine glass|cup|fork|knife|spoon|bowl|vase",
        "food": "banana|apple|sandwich|orange|broccoli|carrot|hot dog|pizza|donut|cake",
        "furniture": "bench|chair|couch|bed|dining table",
        "electronic device": "tv|laptop|mouse|remote|keyboard|cell phone",
        "appliance": "toilet|microwave|oven|toaster|sink|refrigerator",
        "street furniture": "traffic light|fire hydrant|stop sign|parking meter",
    }.items()
}

# These could be either: a bench is furniture outdoors, not everybody counts a phone as a home good.
LEFT_OUT = {"bench", "cell phone", "surfboard", "skis", "sports ball"}

# What objects are called: by COCO, or, where people's boxes say no more, as one of our classes.
KINDS = (*NAMES, *CLASSES)

OURS = {name: UNKNOWN for name in NAMES if name not in LEFT_OUT}
OURS.update({name: CLASSES.index(known) for known, names in KNOWN.items() for name in names.split("|")})


def our_class(kind: int) -> int | None:
    """The number of our class of an object by its number in KINDS, if it has one."""
    return kind - len(NAMES) if kind >= len(NAMES) else OURS.get(NAMES[kind]) if kind >= 0 else None


def is_known(kind: int) -> bool:
    """Whether an object is of one of our classes other than unknown."""
    return our_class(kind) not in (None, UNKNOWN)
