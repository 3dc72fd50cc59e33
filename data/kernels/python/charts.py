# Charts of matplotlib: shown beside the terminal instead of in windows.
#
# plt.show () shows all open figures and closes them; those that are left open are shown at the end of the cell; a
# figure that goes on being drawn (plt.pause ()) replaces its earlier picture. backend.py is what matplotlib loads.
#
# SPDX-License-Identifier: GPL-3.0-or-later

import functools
import io
import itertools
import os
import sys
import time

from _interpreter_harness import kernel

BACKEND = "module://_interpreter_backend"
OWN_BACKENDS = (BACKEND.lower(), "agg", "cairo", "svg", "pdf", "template")  # those without windows
DPI = 144
POINTS = 72
MAX_PIXELS = 16e6
MAX_AGAIN = 1.0  # seconds between pictures of one figure
FORMATS = (".png", ".svg", ".jpg", ".jpeg", ".webp", ".gif")
counter = itertools.count(1)


def use(matplotlib):
    """Makes this the backend, unless the user has chosen one."""
    if "MPLBACKEND" not in os.environ:
        matplotlib.rcParams["backend"] = BACKEND
        for defaults in ("rcParamsDefault", "rcParamsOrig"):
            try:
                dict.__setitem__(getattr(matplotlib, defaults), "backend", BACKEND)
            except (AttributeError, TypeError):
                pass
    kernel.before_end.append(show_open_figures)


def watch_saving(figure_class):
    """Remembers what a figure was saved as, so that the saved file is not shown a second time."""
    original = figure_class.savefig

    @functools.wraps(original)
    def savefig(self, fname, *args, **named):
        result = original(self, fname, *args, **named)
        if isinstance(fname, (str, os.PathLike)):
            path = os.path.abspath(os.fspath(fname))
            if not os.path.exists(path):
                path += "." + named.get("format", "png")
            if isinstance(path, str) and path.lower().endswith(FORMATS):
                self._interpreter_source = path
        return result

    figure_class.savefig = savefig


# ---- showing ----


def open_managers():
    helpers = sys.modules.get("matplotlib._pylab_helpers")
    return list(helpers.Gcf.get_all_fig_managers()) if helpers else []


def show_figure(figure, display_id=None):
    """Shows @figure for the last time: closed, so that it is not shown again at the end of the cell."""
    try:
        draw(figure, display_id)
    finally:
        for manager in open_managers():
            if manager.canvas.figure is figure:
                sys.modules["matplotlib._pylab_helpers"].Gcf.destroy(manager.num)


def show_again(figure):
    if time.monotonic() - getattr(figure, "_interpreter_shown", 0) >= MAX_AGAIN:
        draw(figure, None)


def draw(figure, display_id):
    identity = getattr(figure, "_interpreter_display_id", None)
    if display_id is None and identity is None:
        identity = figure._interpreter_display_id = "figure-%d" % next(counter)
    width, height = figure.get_size_inches()
    dpi = min(DPI, (MAX_PIXELS / max(width * height, 1e-6)) ** 0.5)
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=dpi, bbox_inches="tight")
    kernel.channel.display(
        "image/png",
        file.getvalue(),
        text=describe(figure),
        scale=dpi / POINTS,
        display_id=display_id or identity,
        source=getattr(figure, "_interpreter_source", None),
    )
    figure._interpreter_shown = time.monotonic()


def describe(figure):
    """Words for those who cannot see it: titles and axis labels."""
    width, height = (round(inches * POINTS) for inches in figure.get_size_inches())
    words = ["Chart, %d × %d points" % (width, height)]
    for axes in figure.axes:
        parts = [axes.get_title(), axes.get_xlabel(), axes.get_ylabel()]
        if any(parts):
            words.append("; ".join(part for part in parts if part))
    return "\n".join(words[:9])


def show_open_figures():
    """At the end of a cell; figures of windows that the user asked for stay alone."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None or not kernel.channel.is_ours():
        return
    managers = open_managers()
    if not managers or pyplot.get_backend().lower() not in OWN_BACKENDS:
        return
    failure = None
    for manager in managers:
        try:
            show_figure(manager.canvas.figure)
        except Exception as error:
            failure = failure or error
    if failure is not None:
        raise failure
