# The matplotlib backend "module://_interpreter_backend": draws with Agg, shows beside the terminal.
#
# Plain functions, as old and new versions of matplotlib ask for them.
#
# SPDX-License-Identifier: GPL-3.0-or-later

from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import _interpreter_charts as charts


class FigureManager(FigureManagerBase):
    def show(self):
        charts.show_figure(self.canvas.figure)


class FigureCanvas(FigureCanvasAgg):
    manager_class = FigureManager


def new_figure_manager(num, *args, FigureClass=Figure, **named):
    return new_figure_manager_given_figure(num, FigureClass(*args, **named))


def new_figure_manager_given_figure(num, figure):
    return FigureManager(FigureCanvas(figure), num)


def draw_if_interactive():
    pass


def show(*args, block=None, **named):
    """plt.show (). Without waiting (plt.pause () shows so), figures stay open."""
    for manager in charts.open_managers():
        if block is False:
            charts.show_again(manager.canvas.figure)
        else:
            charts.show_figure(manager.canvas.figure)
