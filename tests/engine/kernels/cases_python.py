# SPDX-License-Identifier: GPL-3.0-or-later

from cases import case, ended, equal, contains, lacks

@case("python")
def prints(k):
    cell = k.run("print('hi')\n1+1")
    ended(cell, "ok", 0)
    equal(cell.output, "hi\n2\n")
