#!/usr/bin/env python3
"""Counts the labels in a table of sightline-spark, and draws a histogram of them.

    python3 histogram.py TABLE [--confidence 0.3] [--most 20] [--duckdb]

With --duckdb, DuckDB counts (pip install duckdb), otherwise pandas. Both read the Parquet files as they are.
"""

from __future__ import annotations

import argparse
import sys

# The label of an object is the first of its labels; an object without labels is unknown.
QUERY = """
SELECT coalesce(o.labels[1].text, 'unknown') AS label, count(*) AS objects
FROM (SELECT unnest(objects) AS o FROM read_parquet(?))
WHERE o.confidence >= ?
GROUP BY label ORDER BY objects DESC, label
"""


def counted_by_pandas(table: str, confidence: float) -> list[tuple[str, int]]:
    """The labels and the numbers of their objects, with pandas."""
    import pandas

    rows = pandas.read_parquet(table, columns=["objects"])
    objects = rows["objects"].explode().dropna()
    objects = objects[objects.map(lambda one: one["confidence"] >= confidence)]
    labels = objects.map(lambda one: one["labels"][0]["text"] if len(one["labels"]) else "unknown")
    counts = labels.value_counts()
    return sorted(((str(name), int(count)) for name, count in counts.items()), key=lambda pair: (-pair[1], pair[0]))


def counted_by_duckdb(table: str, confidence: float) -> list[tuple[str, int]]:
    """The same with DuckDB."""
    import duckdb

    return duckdb.execute(QUERY, [f"{table.rstrip('/')}/chunk=*/*.parquet", confidence]).fetchall()


def main() -> None:
    """Prints a bar for each label."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table")
    parser.add_argument("--confidence", type=float, default=0.3)
    parser.add_argument("--most", type=int, default=20)
    parser.add_argument("--duckdb", action="store_true")
    options = parser.parse_args()
    counted = counted_by_duckdb if options.duckdb else counted_by_pandas
    found = counted(options.table, options.confidence)[: options.most]
    if not found:
        sys.exit(f"error: {options.table} has no objects with a confidence of {options.confidence} or more.")
    width, most = max(len(label) for label, _ in found), found[0][1]
    for label, count in found:
        print(f"{label:>{width}} {'█' * max(round(50 * count / most), 1)} {count:,}")


if __name__ == "__main__":
    main()
