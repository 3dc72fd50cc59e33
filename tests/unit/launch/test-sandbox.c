/* test-sandbox.c: what code in safe mode can reach, asked from inside
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "launch/interp-sandbox.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <gio/gunixsocketaddress.h>
#include <glib/gstdio.h>

#include "base/interp-paths.h"
#include "interp-test-await.h"

static char *top; /* holds home/ (with data/ in it), project/ and other/ */

static char *
at (const char *name)
{
  return g_build_filename (top, name, NULL);
}

static void
put (const char *name, const char *text)
{
  g_autofree char *path = at (name);
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_file_set_contents (path, text, -1, &error);
  g_assert_no_error (error);
}

static char *
get (const char *name)
{
  g_autofree char *path = at (name);
  char *text = NULL;

  return g_file_get_contents (path, &text, NULL, NULL) ? text : NULL;
}

/* FALSE when this system makes none: an error that says why is all that can be tested then. */
static gboolean
can_sandbox (void)
{
  g_autoptr (InterpSandbox) sandbox = interp_sandbox_new ();
  g_autoptr (GError) error = NULL;

  if (interp_test_await (interp_sandbox_probe (sandbox), NULL, &error))
    return TRUE;
  g_assert_true (error->domain == INTERP_SANDBOX_ERROR);
  g_assert_cmpstr (error->message, !=, "");
  g_test_skip (error->message);
  return FALSE;
}

static InterpSandbox *
make_sandbox (void)
{
  g_autoptr (InterpSandbox) sandbox = interp_sandbox_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *project = at ("project");

  interp_sandbox_add_folder (sandbox, project, INTERP_ACCESS_WRITE, &error);
  g_assert_no_error (error);
  return g_steal_pointer (&sandbox);
}

/* Runs @script in bash inside, in the project; returns what it wrote. @status: its exit status, nullable. */
static char *
run (InterpSandbox *sandbox, const char *script, int *status)
{
  const char *argv[] = { "/bin/bash", "-c", script, NULL };
  g_autofree char *project = at ("project");
  g_auto (GStrv) command = NULL;
  g_auto (GStrv) env = g_get_environ ();
  g_auto (GStrv) cleaned = interp_sandbox_clean_environment ((const char *const *) env);
  g_autoptr (GSubprocessLauncher) launcher = NULL;
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GError) error = NULL;
  char *output = NULL;

  command = interp_sandbox_dup_command (sandbox, argv, project, NULL, &error);
  g_assert_no_error (error);
  launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_MERGE);
  g_subprocess_launcher_set_environ (launcher, cleaned);
  process = g_subprocess_launcher_spawnv (launcher, (const char *const *) command, &error);
  g_assert_no_error (error);
  g_subprocess_communicate_utf8 (process, NULL, NULL, &output, NULL, &error);
  g_assert_no_error (error);
  if (status)
    *status = g_subprocess_get_if_exited (process) ? g_subprocess_get_exit_status (process) : -1;
  return g_strchomp (output);
}

static void
check (InterpSandbox *sandbox, const char *script, const char *expected)
{
  g_autofree char *output = run (sandbox, script, NULL);

  g_assert_cmpstr (output, ==, expected);
}

/* ---- the tests ---- */

static void
test_files (void)
{
  g_autoptr (InterpSandbox) sandbox = make_sandbox ();
  g_autofree char *kept = NULL;
  g_autofree char *script = NULL;

  if (!can_sandbox ())
    return;
  put ("project/in.txt", "given");
  put ("other/secret.txt", "not given");
  put ("home/note.txt", "not given");
  check (sandbox, "cat in.txt; echo new > out.txt", "given");
  kept = get ("project/out.txt");
  g_assert_cmpstr (kept, ==, "new\n");

  /* Neither the home folder's files nor any other's, by whatever way. */
  script = g_strdup_printf ("cat %s/other/secret.txt %s/project/../other/secret.txt ~/note.txt "
                            "/proc/1/root%s/other/secret.txt /proc/self/root%s/home/note.txt 2>/dev/null; ls -A ~",
                            top, top, top, top);
  check (sandbox, script, "");
  g_clear_pointer (&script, g_free);
  /* What is written to the home folder or /tmp is not seen outside, nor by the next one. */
  check (sandbox, "echo x > ~/made; echo x > /tmp/made-in-a-sandbox; echo x > /var/tmp/made; cat ~/made", "x");
  g_assert_null (get ("home/made"));
  g_assert_false (g_file_test ("/tmp/made-in-a-sandbox", G_FILE_TEST_EXISTS));
  check (sandbox, "cat ~/made /tmp/made-in-a-sandbox 2>/dev/null || echo gone", "gone");
  /* The system can be read and not be written. */
  check (sandbox, "grep -c ^root: /etc/passwd; touch /usr/x /etc/x /x 2>/dev/null || echo kept", "1\nkept");
}

static void
test_access (void)
{
  g_autoptr (InterpSandbox) sandbox = make_sandbox ();
  g_autoptr (GError) error = NULL;
  g_autofree char *other = at ("other");
  g_autofree char *inner = at ("project/inner");
  g_autofree char *link = at ("home/link");
  g_autofree char *through = at ("home/link/file");
  g_autofree char *fresh = at ("project/a/b/c");
  g_autofree char *note = at ("home/note.txt");

  put ("other/file", "o");
  put ("project/inner/file", "i");
  if (!g_file_test (link, G_FILE_TEST_IS_SYMLINK))
    g_assert_cmpint (symlink (other, link), ==, 0);
  g_assert_true (interp_sandbox_add_folder (sandbox, link, INTERP_ACCESS_READ, &error));
  g_assert_no_error (error);
  g_assert_true (interp_sandbox_add_folder (sandbox, inner, INTERP_ACCESS_READ, &error));
  g_assert_no_error (error);

  g_assert_cmpint (interp_sandbox_get_access (sandbox, other), ==, INTERP_ACCESS_READ);
  g_assert_cmpint (interp_sandbox_get_access (sandbox, through), ==, INTERP_ACCESS_READ);
  g_assert_cmpint (interp_sandbox_get_access (sandbox, inner), ==, INTERP_ACCESS_READ);
  g_assert_cmpint (interp_sandbox_get_access (sandbox, fresh), ==, INTERP_ACCESS_WRITE);
  g_assert_cmpint (interp_sandbox_get_access (sandbox, note), ==, INTERP_ACCESS_NONE);
  g_assert_cmpint (interp_sandbox_get_access (sandbox, "/usr/bin"), ==, INTERP_ACCESS_READ);
  g_assert_cmpint (interp_sandbox_get_access (sandbox, "/tmp"), ==, INTERP_ACCESS_NONE);
  g_assert_cmpint (interp_sandbox_get_access (sandbox, "/run/dbus"), ==, INTERP_ACCESS_NONE);

  if (!can_sandbox ())
    return;
  /* By the name that the user gave it, too. */
  check (sandbox, "cat ~/link/file; touch ~/link/x inner/x 2>/dev/null || echo kept", "okept");
  check (sandbox, "cd ~/link && cat file", "o");
}

static void
test_refused_folders (void)
{
  static const char *const refused[]
      = { "home", "", "home/data", "home/data/interpreter", "home/config/interpreter/sub", "nowhere", "file" };
  static const char *const system[] = { "/", "/usr", "/etc/ssl", "/run/user", "/tmp", "/proc", "/dev/shm", "/var" };
  g_autoptr (InterpSandbox) sandbox = interp_sandbox_new ();
  g_autofree char *sub = at ("home/config/interpreter/sub");

  g_assert_nonnull (interp_paths_data ());
  g_assert_nonnull (interp_paths_config ());
  g_assert_cmpint (g_mkdir_with_parents (sub, 0700), ==, 0);
  put ("file", "no folder");
  for (guint i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autofree char *path = at (refused[i]);
      g_autoptr (GError) error = NULL;

      g_assert_false (interp_sandbox_add_folder (sandbox, path, INTERP_ACCESS_READ, &error));
      g_assert_error (error, INTERP_SANDBOX_ERROR, INTERP_SANDBOX_ERROR_FOLDER);
    }
  for (guint i = 0; i < G_N_ELEMENTS (system); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (interp_sandbox_add_folder (sandbox, system[i], INTERP_ACCESS_WRITE, &error));
      g_assert_error (error, INTERP_SANDBOX_ERROR, INTERP_SANDBOX_ERROR_FOLDER);
    }
}

/* A socket with a file, and one with only a name, as displays and buses have them. */
static void
test_sockets (void)
{
  g_autoptr (InterpSandbox) sandbox = make_sandbox ();
  g_autofree char *path = at ("other/socket");
  g_autofree char *name = g_strdup_printf ("interpreter-test-%d", (int) getpid ());
  g_autofree char *script = NULL;
  g_autoptr (GSocketAddress) file_address = g_unix_socket_address_new (path);
  g_autoptr (GSocketAddress) name_address
      = g_unix_socket_address_new_with_type (name, -1, G_UNIX_SOCKET_ADDRESS_ABSTRACT);
  g_autoptr (GSocketListener) listener = g_socket_listener_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *python = g_find_program_in_path ("python3");

  if (!can_sandbox ())
    return;
  put ("other/x", "");
  g_unlink (path);
  g_assert_true (g_socket_listener_add_address (listener, file_address, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_DEFAULT,
                                                NULL, NULL, &error));
  g_assert_true (g_socket_listener_add_address (listener, name_address, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_DEFAULT,
                                                NULL, NULL, &error));
  g_assert_no_error (error);
  g_assert_nonnull (python);
  script = g_strdup_printf ("python3 - <<'END'\n"
                            "import socket\n"
                            "for address in ('%s', '\\0%s'):\n"
                            "    try:\n"
                            "        socket.socket(socket.AF_UNIX).connect(address)\n"
                            "        print('reached')\n"
                            "    except OSError:\n"
                            "        print('no')\n"
                            "END\n",
                            path, name);
  check (sandbox, script, "no\nno");
  /* The network does not bring them back. */
  interp_sandbox_set_network (sandbox, TRUE);
  check (sandbox, script, "no\nno");
  /* Its own work as ever: many programs talk to themselves so. */
  check (sandbox,
         "python3 -c \"import socket; s=socket.socket(socket.AF_UNIX); s.bind('\\0own'); s.listen(); "
         "socket.socket(socket.AF_UNIX).connect('\\0own'); print('own')\"",
         "own");
  check (sandbox,
         "ls -A /run | grep -vx -e user -e current-system -e opengl-driver; ls -A /run/user/$(id -u); "
         "ls /tmp/.X11-unix /var/run/docker.sock 2>/dev/null; echo end",
         "end");
}

static void
test_network (void)
{
  static const char script[] = "python3 -c \"import socket; print(len(socket.if_nameindex()) > 1)\"";
  g_autoptr (InterpSandbox) sandbox = make_sandbox ();
  g_autoptr (GSocketListener) listener = g_socket_listener_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *connect = NULL;
  guint16 port;

  if (!can_sandbox ())
    return;
  port = g_socket_listener_add_any_inet_port (listener, NULL, &error);
  g_assert_no_error (error);
  connect = g_strdup_printf ("(exec 3<>/dev/tcp/127.0.0.1/%u) 2>/dev/null && echo reached || echo no", port);
  check (sandbox, connect, "no");
  check (sandbox, script, "False");
  g_assert_false (interp_sandbox_get_network (sandbox));
  interp_sandbox_set_network (sandbox, TRUE);
  g_assert_true (interp_sandbox_get_network (sandbox));
  check (sandbox, connect, "reached");
}

static void
test_processes (void)
{
  g_autoptr (InterpSandbox) sandbox = make_sandbox ();
  g_autofree char *script = g_strdup_printf ("kill -0 %d 2>/dev/null && echo seen; test $(ls -d /proc/[0-9]* | wc -l) "
                                             "-lt 20 && echo few; ulimit -u; ulimit -c",
                                             (int) getpid ());
  g_autofree char *output = NULL;
  int status = 0;

  if (!can_sandbox ())
    return;
  check (sandbox, script, "few\n4096\n0");
  /* No rights to be had, and the status is the program's own. */
  output = run (sandbox, "grep -c 'CapEff:.0*$' /proc/self/status; grep NoNewPrivs /proc/self/status; exit 7", &status);
  g_assert_cmpstr (output, ==, "1\nNoNewPrivs:\t1");
  g_assert_cmpint (status, ==, 7);
  /* Nothing inside can undo what hides the rest. */
  check (sandbox,
         "umount ~ 2>/dev/null || mount -o remount,rw / 2>/dev/null || mount -t tmpfs x /mnt 2>/dev/null || "
         "echo kept",
         "kept");
}

static void
test_bombs (void)
{
  g_autoptr (InterpSandbox) sandbox = make_sandbox ();

  if (!can_sandbox ())
    return;
  /* The limit is in force: a lower one is, too, and is counted inside alone. It never holds for the administrator. */
  if (getuid () != 0)
    check (sandbox, "ulimit -u 30; for i in $(seq 60); do sleep 30 & done 2>&1 | grep -c -m1 -e fork -e retry; exit 0",
           "1");
  check (sandbox, "python3 -c \"bytearray(1 << 46)\" 2>&1 | tail -1", "MemoryError");
}

static void
test_environment (void)
{
  const char *env[] = { "PATH=/usr/bin",
                        "HOME=/home/anna",
                        "PWD=/home/anna",
                        "LANG=C.UTF-8",
                        "DISPLAY=:0",
                        "WAYLAND_DISPLAY=wayland-0",
                        "DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus",
                        "SSH_AUTH_SOCK=/run/user/1000/agent",
                        "DOCKER_HOST=unix:///run/docker.sock",
                        "XDG_RUNTIME_DIR=/run/user/99999",
                        "AWS_SECRET_ACCESS_KEY=x",
                        "OPENAI_API_KEY=x",
                        "GITHUB_PAT=x",
                        "PGPASSWORD=x",
                        "mysql_pwd=x",
                        "HTTPS_PROXY=http://ben:secret@proxy:3128",
                        "HTTP_PROXY=http://proxy:3128",
                        "DATABASE_URL=postgres://ben:secret@db/x",
                        "KEYBOARD=us",
                        "INTERP_KERNEL_TOKEN=abc",
                        "INTERP_KERNEL_SPOOL=/x",
                        "NONSENSE",
                        NULL };
  static const char *const kept[]
      = { "PATH", "HOME", "PWD", "LANG", "HTTP_PROXY", "KEYBOARD", "INTERP_KERNEL_TOKEN", "INTERP_KERNEL_SPOOL" };
  g_auto (GStrv) cleaned = interp_sandbox_clean_environment (env);
  g_autofree char *runtime = g_strdup_printf ("/run/user/%u", (guint) getuid ());

  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    g_assert_nonnull (g_environ_getenv (cleaned, kept[i]));
  g_assert_cmpstr (g_environ_getenv (cleaned, "XDG_RUNTIME_DIR"), ==, runtime);
  g_assert_cmpstr (g_environ_getenv (cleaned, "TMPDIR"), ==, "/tmp");
  g_assert_cmpuint (g_strv_length (cleaned), ==, G_N_ELEMENTS (kept) + 2);
}

static void
test_hidden (void)
{
  g_autoptr (InterpSandbox) sandbox = make_sandbox ();
  g_autofree char *folder = at ("project/private");
  g_autofree char *file = at ("project/.env");
  g_autofree char *env = NULL;
  g_autofree char *key = NULL;

  put ("project/private/key", "k");
  put ("project/.env", "PASSWORD=x");
  interp_sandbox_hide (sandbox, folder);
  interp_sandbox_hide (sandbox, file);
  g_assert_cmpint (interp_sandbox_get_access (sandbox, file), ==, INTERP_ACCESS_NONE);
  if (!can_sandbox ())
    return;
  check (sandbox,
         "{ cat .env private/key; ls -A private; touch private/x .env; echo y > .env; rm -rf private .env; } "
         "2> /dev/null; echo end",
         "end");
  env = get ("project/.env");
  key = get ("project/private/key");
  g_assert_cmpstr (env, ==, "PASSWORD=x");
  g_assert_cmpstr (key, ==, "k");
}

static void
test_git (void)
{
  g_autoptr (InterpSandbox) sandbox = make_sandbox ();
  g_autofree char *hook = NULL;
  g_autofree char *output = NULL;
  int status = 0;

  if (!can_sandbox ())
    return;
  put ("home/.gitconfig", "[user]\n\tname = Anna Ben\n\temail = anna@example.org\n[url \"https://x:token@host\"]\n"
                          "\tinsteadOf = https://host\n");
  output = run (sandbox, "git init -q . && echo made", &status);
  g_assert_cmpstr (output, ==, "made");
  g_clear_pointer (&output, g_free);
  output
      = run (sandbox,
             "echo a > a && git add a && git commit -q -m first && git log --format=%an/%ae && git status --short a; "
             "git config --global -l | grep -c token",
             &status);
  g_assert_cmpstr (output, ==, "Anna Ben/anna@example.org\n0");
  /* What git would run outside by itself cannot be left there. */
  check (sandbox,
         "(mv .git .other && mkdir -p .git/hooks; echo touch x > .git/hooks/post-commit || rm -rf .git/hooks || git "
         "config core.pager x) 2>/dev/null; "
         "git config --local -l | grep -c pager",
         "0");
  hook = get ("project/.git/hooks/post-commit");
  g_assert_null (hook);
}

/* A linked worktree's commits go to a repository elsewhere; a folder that only claims to be one gets nothing. */
static void
test_worktree (void)
{
  g_autoptr (InterpSandbox) sandbox = interp_sandbox_new ();
  g_autoptr (InterpSandbox) false_sandbox = interp_sandbox_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *project = at ("project");
  g_autofree char *main_folder = at ("main");
  g_autofree char *linked = at ("linked");
  g_autofree char *claimed = at ("claimed");
  g_autofree char *git = at ("main/.git");
  g_autofree char *hooks = at ("main/.git/hooks");
  g_autofree char *made
      = g_strdup_printf ("sh -c 'git init -q %s && cd %s && git -c user.name=A -c user.email=a@b commit -q "
                         "--allow-empty -m one && git worktree add -q %s'",
                         main_folder, main_folder, linked);
  g_autofree char *claim = g_strdup_printf ("gitdir: %s/worktrees/linked\n", git);
  g_autofree char *script = g_strdup_printf ("cd %s && echo a > a && git add a && git commit -q -m two && git log "
                                             "--format=%%s && touch %s/x 2> /dev/null || echo kept",
                                             linked, hooks);
  int status = -1;

  if (!can_sandbox ())
    return;
  put ("home/.gitconfig", "[user]\n\tname = Anna\n\temail = anna@example.org\n");
  g_assert_true (g_spawn_command_line_sync (made, NULL, NULL, &status, &error));
  g_assert_no_error (error);
  g_assert_cmpint (status, ==, 0);
  put ("claimed/.git", claim);
  g_assert_true (interp_sandbox_add_folder (false_sandbox, claimed, INTERP_ACCESS_WRITE, &error));
  g_assert_cmpint (interp_sandbox_get_access (false_sandbox, git), ==, INTERP_ACCESS_NONE);

  g_assert_true (interp_sandbox_add_folder (sandbox, linked, INTERP_ACCESS_WRITE, &error));
  g_assert_no_error (error);
  g_assert_cmpint (interp_sandbox_get_access (sandbox, git), ==, INTERP_ACCESS_WRITE);
  g_assert_cmpint (interp_sandbox_get_access (sandbox, main_folder), ==, INTERP_ACCESS_NONE);
  g_assert_true (interp_sandbox_add_folder (sandbox, project, INTERP_ACCESS_WRITE, &error));
  check (sandbox, script, "two\none\nkept");
}

static void
test_overlay (void)
{
  g_autoptr (InterpSandbox) sandbox = interp_sandbox_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *project = at ("project");
  g_autofree char *upper = at ("home/upper");
  g_autofree char *work = at ("home/work");
  g_autofree char *output = NULL;
  g_autofree char *real = NULL;
  g_autofree char *changed = NULL;
  int status = 0;

  put ("project/real.txt", "real");
  g_assert_cmpint (g_mkdir_with_parents (upper, 0700), ==, 0);
  g_assert_cmpint (g_mkdir_with_parents (work, 0700), ==, 0);
  g_assert_true (interp_sandbox_add_overlay (sandbox, project, upper, work, &error));
  g_assert_no_error (error);
  g_assert_cmpint (interp_sandbox_get_access (sandbox, project), ==, INTERP_ACCESS_WRITE);
  if (!can_sandbox ())
    return;
  output = run (sandbox, "printf changed > real.txt; printf new > new.txt; cat real.txt new.txt", &status);
  g_assert_cmpstr (output, ==, "changednew");
  real = get ("project/real.txt");
  g_assert_cmpstr (real, ==, "real");
  g_assert_null (get ("project/new.txt"));
  changed = get ("home/upper/real.txt");
  g_assert_cmpstr (changed, ==, "changed");
}

/* An interpreter in a venv in the home folder, whose Python is a link to the system's. */
static void
test_program (void)
{
  g_autoptr (InterpSandbox) sandbox = make_sandbox ();
  g_autofree char *python = g_find_program_in_path ("python3");
  g_autofree char *venv_python = at ("home/data/interpreter/venv/bin/python");
  g_autofree char *folder = g_path_get_dirname (venv_python);
  const char *argv[] = { venv_python, "-c",
                         "import os; print(os.path.exists(os.path.dirname(__import__('sys').executable)), "
                         "os.listdir(os.path.expanduser('~/data/interpreter')))",
                         NULL };
  g_auto (GStrv) command = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) process = NULL;
  g_autofree char *output = NULL;

  if (!can_sandbox ())
    return;
  put ("home/data/interpreter/interpreter.db", "ours");
  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_unlink (venv_python);
  g_assert_cmpint (symlink (python, venv_python), ==, 0);
  command = interp_sandbox_dup_command (sandbox, argv, NULL, NULL, &error);
  g_assert_no_error (error);
  process = g_subprocess_newv ((const char *const *) command,
                               G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_MERGE, &error);
  g_assert_no_error (error);
  g_subprocess_communicate_utf8 (process, NULL, NULL, &output, NULL, &error);
  g_assert_cmpstr (g_strchomp (output), ==, "True ['venv']");
}

/* An empty home of its own, so that nothing of the tests' user is touched. */
static void
make_top (void)
{
  static const struct
  {
    const char *name;
    const char *folder;
  } variables[] = {
    { "HOME", "home" },
    { "XDG_DATA_HOME", "home/data" },
    { "XDG_CONFIG_HOME", "home/config" },
    { "XDG_CACHE_HOME", "home/cache" },
    { "XDG_RUNTIME_DIR", "home/runtime" },
  };

  top = g_dir_make_tmp ("interpreter-sandbox-XXXXXX", NULL);
  g_assert_nonnull (top);
  for (guint i = 0; i < G_N_ELEMENTS (variables); i++)
    {
      g_autofree char *path = at (variables[i].folder);

      g_assert_cmpint (g_mkdir_with_parents (path, 0700), ==, 0);
      g_setenv (variables[i].name, path, TRUE);
    }
  put ("project/in.txt", "given");
}

int
main (int argc, char **argv)
{
  g_autofree char *remove = NULL;
  int status;

  make_top ();
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sandbox/access", test_access);
  g_test_add_func ("/sandbox/refused-folders", test_refused_folders);
  g_test_add_func ("/sandbox/environment", test_environment);
  g_test_add_func ("/sandbox/files", test_files);
  g_test_add_func ("/sandbox/sockets", test_sockets);
  g_test_add_func ("/sandbox/network", test_network);
  g_test_add_func ("/sandbox/processes", test_processes);
  g_test_add_func ("/sandbox/bombs", test_bombs);
  g_test_add_func ("/sandbox/hidden", test_hidden);
  g_test_add_func ("/sandbox/git", test_git);
  g_test_add_func ("/sandbox/worktree", test_worktree);
  g_test_add_func ("/sandbox/overlay", test_overlay);
  g_test_add_func ("/sandbox/program", test_program);
  status = g_test_run ();
  remove = g_strdup_printf ("rm -rf %s", top);
  g_spawn_command_line_sync (remove, NULL, NULL, NULL, NULL);
  return status;
}
