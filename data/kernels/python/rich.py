# Values that are more than text: tables, pictures, HTML.
#
# Libraries are recognised by name, never imported: who has a data frame has imported its library.
#
# SPDX-License-Identifier: GPL-3.0-or-later

import base64
import json
import math
import os
import sys

from _interpreter_harness import kernel

TABLE = "application/vnd.interpreter.table+json"
MAX_ROWS = 1000
MAX_COLUMNS = 200
MAX_STRING = 2000
MAX_TABLE = 4 * 1024 * 1024
# What is shown of a value that offers several forms, best first.
ORDER = ("image/png", "image/svg+xml", "image/jpeg", "image/gif", "image/webp", "text/html", "text/markdown", "text/latex")
METHODS = (
    ("image/png", "_repr_png_"),
    ("image/svg+xml", "_repr_svg_"),
    ("image/jpeg", "_repr_jpeg_"),
    ("text/html", "_repr_html_"),
    ("text/markdown", "_repr_markdown_"),
    ("text/latex", "_repr_latex_"),
)


def show(value, display_id=None):
    """Shows @value if it has a form that is more than text; else returns False."""
    if isinstance(value, type):
        return False
    if is_figure(value):
        sys.modules["_interpreter_charts"].show_figure(value, display_id)
        return True
    table = as_table(value)
    if table is not None:
        kernel.channel.display(TABLE, encode_table(table), text=describe(value), display_id=display_id)
        return True
    form = best_form(value)
    if form is None:
        return False
    mime, content = form
    kernel.channel.display(mime, content, text=describe(value), display_id=display_id)
    return True


def show_content(content, mime, text, display_id):
    """Shows what is already of type @mime."""
    if isinstance(content, os.PathLike):
        with open(content, "rb") as file:
            content = file.read()
    elif not isinstance(content, (str, bytes, bytearray, memoryview)):
        content = json.dumps(content, default=str)
    if text is None and isinstance(content, str) and mime.startswith("text/") and mime != "text/html":
        text = content
    if not isinstance(content, str):
        content = bytes(content)
    kernel.channel.display(mime, content, text=text and str(text), display_id=display_id)


def describe(value):
    try:
        return repr(value)
    except Exception:
        return type(value).__name__


def is_figure(value):
    figure = sys.modules.get("matplotlib.figure")
    return figure is not None and isinstance(value, figure.Figure) and "_interpreter_charts" in sys.modules


# ---- what notebooks call representations ----


def best_form(value):
    forms = {}
    bundle = call(value, "_repr_mimebundle_")
    if isinstance(bundle, tuple):
        bundle = bundle[0] if bundle else None
    if isinstance(bundle, dict):
        forms.update(bundle)
    for mime in ORDER:
        content = forms.get(mime)
        if content is None:
            content = next((call(value, name) for form, name in METHODS if form == mime), None)
        if isinstance(content, tuple):  # with metadata
            content = content[0] if content else None
        if isinstance(content, str) and mime.startswith("image/") and mime != "image/svg+xml":
            try:
                content = base64.b64decode(content)
            except ValueError:
                continue
        if isinstance(content, (str, bytes)) and content:
            return mime, content
    return None


def call(value, name):
    # The type is asked, not the value: an object that answers to any name (a mock, a proxy) is not rich.
    if getattr(type(value), name, None) is None:
        return None
    try:
        return getattr(value, name)()
    except Exception:
        return None


# ---- tables ----


def as_table(value):
    """(columns, types, rows, total rows, total columns) of a data frame or series of pandas or polars."""
    library = type(value).__module__.split(".")[0]
    name = type(value).__name__
    try:
        if library == "pandas" and name == "DataFrame":
            return pandas_table(value)
        if library == "pandas" and name == "Series":
            return pandas_table(value.to_frame(value.name if value.name is not None else "value"))
        if library == "polars" and name == "DataFrame":
            return polars_table(value)
        if library == "polars" and name == "Series":
            return polars_table(value.to_frame(value.name or "value"))
    except Exception:
        pass  # its text is shown instead
    return None


def pandas_table(frame):
    total_rows, total_columns = frame.shape
    part = frame.iloc[:MAX_ROWS, :MAX_COLUMNS]
    columns = [label(column) for column in part.columns]
    types = [str(kind) for kind in part.dtypes]
    values = [part.iloc[:, position].tolist() for position in range(len(columns))]
    index = frame.index
    if type(index).__name__ != "RangeIndex" or index.start != 0 or index.step != 1 or index.name is not None:
        for level in reversed(range(index.nlevels)):
            labels = part.index.get_level_values(level)
            columns.insert(0, label(index.names[level]) if index.names[level] is not None else "")
            types.insert(0, str(labels.dtype))
            values.insert(0, labels.tolist())
            total_columns += 1
    rows = [list(row) for row in zip(*values)] if values else [[] for _ in range(len(part))]
    return columns, types, rows, total_rows, total_columns


def polars_table(frame):
    part = frame[:, :MAX_COLUMNS].head(MAX_ROWS)
    types = [str(kind) for kind in part.dtypes]
    return list(part.columns), types, [list(row) for row in part.rows()], frame.height, frame.width


def label(name):
    if isinstance(name, tuple):
        return ", ".join(str(part) for part in name if str(part))
    return str(name)


def encode_table(table):
    columns, types, rows, total_rows, total_columns = table
    columns, types = columns[:MAX_COLUMNS], types[:MAX_COLUMNS]
    rows = [[plain(value) for value in row[:MAX_COLUMNS]] for row in rows[:MAX_ROWS]]
    result = {"columns": columns, "types": types, "rows": rows, "total_rows": total_rows}
    if total_columns > len(columns):
        result["total_columns"] = total_columns
    while True:
        text = json.dumps(result)
        if len(text) <= MAX_TABLE or not result["rows"]:
            return text
        result["rows"] = result["rows"][: len(result["rows"]) // 2]


def plain(value):
    """@value as JSON can hold it."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if -(2**53) <= value <= 2**53 else str(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None if math.isnan(value) else str(value)
    if not isinstance(value, str):
        try:
            if value != value or str(value) in ("NaT", "<NA>"):
                return None
        except Exception:
            pass
        try:
            value = str(value)
        except Exception:
            value = type(value).__name__
    value = value.encode("utf-8", "replace").decode("utf-8")
    return value if len(value) <= MAX_STRING else value[: MAX_STRING - 1] + "…"
