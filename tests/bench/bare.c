/* bare.c: a program that only has the engine's libraries loaded
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

int
main (void)
{
  return 0;
}
