/* interpreter-launch.c: supervises one kernel's processes
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

/* Two ways to be called:
 *
 *   interpreter-launch --supervise CONTROL STATUS [--folder PATH] [--limit NAME=N]… -- PROGRAM ARGUMENT…
 *   interpreter-launch --foreground [--isolate] [--folder PATH] [--limit NAME=N]… -- PROGRAM ARGUMENT…
 *
 * The first becomes a session leader with the terminal on descriptor 0 as its controlling terminal and waits
 * for "g" on CONTROL. Then it starts PROGRAM in a process group of its own in the terminal's foreground, with
 * descriptors 0 to 4 and no others; "f" gives it the foreground again, after a child took it and died. All
 * that PROGRAM ever starts stays below this process, which is a subreaper. When CONTROL ends, because its
 * only writer closed it or died, everything below is ended, and then this process.
 *
 * The second only makes itself the foreground group and becomes PROGRAM: inside a sandbox, where otherwise
 * the sandbox program itself would get Ctrl+C. With --isolate it also leaves what no namespace separates: the
 * keys in the user's session keyring, and sockets that have a name but no file.
 *
 * Lines on STATUS: "started PID", "failed STEP ERRNO", "exited CODE", "killed SIGNAL", "left N" (processes of
 * other users that could not be ended), "clean" (none is left).
 *
 * Static and without GLib: it starts in a millisecond and runs in any sandbox. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Descriptors 0 to 2 are the terminal, 3 and 4 the request and event channels. */
#define LAST_PASSED_FD 4

/* How long processes may take to end by themselves, milliseconds. */
#define GRACE_MSEC 400

/* How long what cannot be killed (another user's) is waited for. */
#define GIVE_UP_MSEC 2000

typedef struct
{
  bool supervise;
  bool isolate;
  int control;
  int status;
  const char *folder;
  struct
  {
    int resource;
    rlim_t value;
  } limits[8];
  int n_limits;
  char **argv;
} Options;

static int status_fd = -1;

static void __attribute__ ((format (printf, 1, 2)))
report (const char *format, ...)
{
  char line[128];
  va_list args;
  int length;
  ssize_t written;

  if (status_fd < 0)
    return;
  va_start (args, format);
  length = vsnprintf (line, sizeof line, format, args);
  va_end (args);
  if (length <= 0 || length >= (int) sizeof line)
    return;
  do
    written = write (status_fd, line, (size_t) length);
  while (written < 0 && errno == EINTR);
}

static void __attribute__ ((noreturn))
usage (void)
{
  fputs ("interpreter-launch: a part of Interpreter, not to be run by hand\n", stderr);
  _exit (64);
}

static long long
monotonic_msec (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* ---- options ---- */

static bool
parse_number (const char *text, long long *number)
{
  char *end;

  errno = 0;
  *number = strtoll (text, &end, 10);
  return errno == 0 && end != text && *end == '\0' && *number >= 0;
}

static int
parse_fd (const char *text)
{
  long long number;

  if (!text || !parse_number (text, &number) || number <= LAST_PASSED_FD || number > 1000)
    usage ();
  return (int) number;
}

static void
parse_limit (Options *options, const char *text)
{
  static const struct
  {
    const char *name;
    int resource;
  } names[] = {
    { "as", RLIMIT_AS },       { "core", RLIMIT_CORE },     { "cpu", RLIMIT_CPU },     { "data", RLIMIT_DATA },
    { "fsize", RLIMIT_FSIZE }, { "nofile", RLIMIT_NOFILE }, { "nproc", RLIMIT_NPROC },
  };
  const char *equals = text ? strchr (text, '=') : NULL;
  long long number;

  if (!equals || !parse_number (equals + 1, &number))
    usage ();
  if (options->n_limits == (int) (sizeof options->limits / sizeof options->limits[0]))
    usage ();
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strlen (names[i].name) == (size_t) (equals - text)
        && strncmp (names[i].name, text, (size_t) (equals - text)) == 0)
      {
        options->limits[options->n_limits].resource = names[i].resource;
        options->limits[options->n_limits].value = (rlim_t) number;
        options->n_limits++;
        return;
      }
  usage ();
}

static void
parse_options (Options *options, char **argv)
{
  bool has_mode = false;

  for (argv++; *argv; argv++)
    if (strcmp (*argv, "--supervise") == 0)
      {
        options->supervise = has_mode = true;
        options->control = parse_fd (*++argv);
        options->status = parse_fd (*++argv);
      }
    else if (strcmp (*argv, "--foreground") == 0)
      has_mode = true;
    else if (strcmp (*argv, "--isolate") == 0)
      options->isolate = true;
    else if (strcmp (*argv, "--folder") == 0 && argv[1])
      options->folder = *++argv;
    else if (strcmp (*argv, "--limit") == 0 && argv[1])
      parse_limit (options, *++argv);
    else if (strcmp (*argv, "--") == 0)
      {
        options->argv = argv + 1;
        break;
      }
    else
      usage ();
  if (!has_mode || !options->argv || !options->argv[0])
    usage ();
}

/* ---- becoming the program ---- */

static void
reset_signals (void)
{
  struct sigaction action = { .sa_handler = SIG_DFL };
  sigset_t none;

  for (int i = 1; i < NSIG; i++)
    sigaction (i, &action, NULL);
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
}

/* Makes the calling process's own group the foreground one of the terminal on 0. */
static void
take_foreground (void)
{
  sigset_t stop, before;

  setpgid (0, 0);
  /* A background process that calls tcsetpgrp () would be stopped. */
  sigemptyset (&stop);
  sigaddset (&stop, SIGTTOU);
  sigprocmask (SIG_BLOCK, &stop, &before);
  tcsetpgrp (STDIN_FILENO, getpid ());
  sigprocmask (SIG_SETMASK, &before, NULL);
}

/* Where memory runs out, the code goes before the program that runs it. */
static void
volunteer_for_oom (void)
{
  int fd = open ("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

  if (fd < 0)
    return;
  if (write (fd, "300", 3) < 0)
    errno = 0;
  close (fd);
}

/* linux/landlock.h as of version 6; older headers lack the last member. */
struct scopes
{
  uint64_t access_fs;
  uint64_t access_net;
  uint64_t scoped;
};
#define SCOPE_ABSTRACT_SOCKETS 1u

/* Best effort: whoever gives the network with its sockets has asked before whether this is to be had. */
static void
isolate (void)
{
#ifdef SYS_landlock_create_ruleset
  const struct scopes scopes = { .scoped = SCOPE_ABSTRACT_SOCKETS };
  int rules = (int) syscall (SYS_landlock_create_ruleset, &scopes, sizeof scopes, 0);
#endif

  /* KEYCTL_JOIN_SESSION_KEYRING with a new, empty one. */
  syscall (SYS_keyctl, 1, NULL);
  prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
#ifdef SYS_landlock_create_ruleset
  if (rules < 0)
    return;
  syscall (SYS_landlock_restrict_self, rules, 0);
  close (rules);
#endif
}

static void
become (const Options *options, const char **step)
{
  if (options->isolate)
    isolate ();
  for (int i = 0; i < options->n_limits; i++)
    {
      struct rlimit limit;

      if (getrlimit (options->limits[i].resource, &limit) < 0)
        continue;
      if (limit.rlim_max == RLIM_INFINITY || options->limits[i].value < limit.rlim_max)
        limit.rlim_max = options->limits[i].value;
      limit.rlim_cur = limit.rlim_max;
      setrlimit (options->limits[i].resource, &limit);
    }
  take_foreground ();
  reset_signals ();
  *step = "folder";
  if (options->folder && chdir (options->folder) < 0)
    return;
  *step = "program";
  execvp (options->argv[0], options->argv);
}

/* ---- the processes below this one ---- */

typedef struct
{
  pid_t pid;
  pid_t parent;
  bool below;
} Process;

static Process *
list_processes (size_t *n_processes)
{
  DIR *proc = opendir ("/proc");
  Process *list = NULL;
  size_t length = 0, capacity = 0;
  struct dirent *entry;

  *n_processes = 0;
  if (!proc)
    return NULL;
  while ((entry = readdir (proc)))
    {
      char path[64], text[512];
      long long pid, parent;
      ssize_t got;
      char *after;
      int fd;

      if (!parse_number (entry->d_name, &pid))
        continue;
      snprintf (path, sizeof path, "/proc/%lld/stat", pid);
      fd = open (path, O_RDONLY | O_CLOEXEC);
      if (fd < 0)
        continue;
      got = read (fd, text, sizeof text - 1);
      close (fd);
      if (got <= 0)
        continue;
      text[got] = '\0';
      /* "PID (NAME) STATE PARENT …"; the name may hold anything but is at most 64 bytes. */
      after = strrchr (text, ')');
      if (!after || sscanf (after + 1, " %*c %lld", &parent) != 1)
        continue;
      if (length == capacity)
        {
          size_t larger = capacity ? capacity * 2 : 256;
          Process *grown = realloc (list, larger * sizeof *list);

          if (!grown)
            break;
          list = grown;
          capacity = larger;
        }
      list[length++] = (Process) { .pid = (pid_t) pid, .parent = (pid_t) parent };
    }
  closedir (proc);
  *n_processes = length;
  return list;
}

/* Sends @signal_number to everything below. Returns how many there are; those that refuse are counted in
 * @refused. */
static size_t
signal_below (int signal_number, size_t *refused)
{
  size_t n_processes, n_below = 0;
  Process *list = list_processes (&n_processes);
  pid_t self = getpid ();
  bool found;

  *refused = 0;
  do
    {
      found = false;
      for (size_t i = 0; i < n_processes; i++)
        {
          bool below = list[i].parent == self;

          if (list[i].below)
            continue;
          for (size_t j = 0; !below && j < n_processes; j++)
            below = list[j].below && list[j].pid == list[i].parent;
          if (below)
            {
              list[i].below = found = true;
              n_below++;
            }
        }
    }
  while (found);
  for (size_t i = 0; i < n_processes; i++)
    if (list[i].below && kill (list[i].pid, signal_number) < 0 && errno == EPERM)
      ++*refused;
  free (list);
  return n_below;
}

/* ---- supervising ---- */

typedef struct
{
  pid_t program;
  bool program_ended;
  bool childless;
  bool ending;
  int signals;
} Supervisor;

static void
give_foreground (pid_t program)
{
  pid_t group = getpgid (program);

  if (group > 0)
    tcsetpgrp (STDIN_FILENO, group);
}

static void
reap (Supervisor *self)
{
  struct signalfd_siginfo info;

  while (read (self->signals, &info, sizeof info) > 0)
    ;
  for (;;)
    {
      int how;
      pid_t pid = waitpid (-1, &how, WNOHANG | WUNTRACED);

      if (pid < 0 && errno == EINTR)
        continue;
      if (pid < 0)
        self->childless = true;
      if (pid <= 0)
        return;
      if (WIFSTOPPED (how))
        {
          /* Ctrl+Z, or it is not in the foreground: there is no shell above the program to continue it. */
          if (pid == self->program && !self->ending)
            {
              if (WSTOPSIG (how) == SIGTTIN || WSTOPSIG (how) == SIGTTOU)
                give_foreground (pid);
              kill (-pid, SIGCONT);
            }
          continue;
        }
      if (pid != self->program)
        continue;
      self->program_ended = true;
      if (WIFSIGNALED (how))
        report ("killed %d\n", WTERMSIG (how));
      else
        report ("exited %d\n", WEXITSTATUS (how));
    }
}

/* Waits for a child to end. */
static void
wait_for_child (Supervisor *self, int msec)
{
  struct pollfd poll_fd = { .fd = self->signals, .events = POLLIN };

  if (self->childless)
    return;
  poll (&poll_fd, 1, msec);
  reap (self);
}

static void
end_everything (Supervisor *self)
{
  long long start;
  size_t refused, below;

  self->ending = true;
  reap (self);
  start = monotonic_msec ();
  if (!self->childless)
    {
      signal_below (SIGHUP, &refused);
      signal_below (SIGTERM, &refused);
      signal_below (SIGCONT, &refused);
    }
  while (!self->childless && monotonic_msec () - start < GRACE_MSEC)
    wait_for_child (self, 20);

  start = monotonic_msec ();
  while (!self->childless)
    {
      size_t before = 0;

      /* What forks faster than it is killed is stopped first. */
      for (int i = 0; i < 8; i++)
        {
          below = signal_below (SIGSTOP, &refused);
          if (below == before)
            break;
          before = below;
        }
      below = signal_below (SIGKILL, &refused);
      wait_for_child (self, 20);
      if (!self->childless && monotonic_msec () - start > GIVE_UP_MSEC)
        {
          below = signal_below (SIGKILL, &refused);
          if (below <= refused)
            {
              report ("left %zu\n", below);
              return;
            }
        }
    }
  report ("clean\n");
}

static pid_t
start_program (const Options *options)
{
  int errors[2];
  struct
  {
    int error;
    char step[12];
  } failure = { 0 };
  ssize_t got;
  pid_t parent = getpid (), pid;

  if (pipe2 (errors, O_CLOEXEC) < 0 || (pid = fork ()) < 0)
    {
      report ("failed start %d\n", errno);
      return -1;
    }
  if (pid == 0)
    {
      const char *step = "start";

      prctl (PR_SET_PDEATHSIG, SIGKILL);
      if (getppid () != parent)
        _exit (127);
      volunteer_for_oom ();
      become (options, &step);
      failure.error = errno;
      strncpy (failure.step, step, sizeof failure.step - 1);
      while (write (errors[1], &failure, sizeof failure) < 0 && errno == EINTR)
        ;
      _exit (127);
    }
  close (errors[1]);
  /* Else the engine would not see them end with the program. */
  for (int fd = STDERR_FILENO + 1; fd <= LAST_PASSED_FD; fd++)
    close (fd);
  do
    got = read (errors[0], &failure, sizeof failure);
  while (got < 0 && errno == EINTR);
  close (errors[0]);
  if (got > 0)
    {
      waitpid (pid, NULL, 0);
      report ("failed %s %d\n", failure.step, failure.error);
      return -1;
    }
  report ("started %d\n", (int) pid);
  return pid;
}

static int
supervise (const Options *options)
{
  Supervisor self = { .program = -1 };
  sigset_t all, child;

  status_fd = options->status;
  fcntl (options->control, F_SETFD, FD_CLOEXEC);
  fcntl (options->status, F_SETFD, FD_CLOEXEC);
  sigfillset (&all);
  sigprocmask (SIG_SETMASK, &all, NULL);
  sigemptyset (&child);
  sigaddset (&child, SIGCHLD);
  self.signals = signalfd (-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  prctl (PR_SET_CHILD_SUBREAPER, 1);
  if (self.signals < 0)
    {
      report ("failed start %d\n", errno);
      return 1;
    }
  if (setsid () < 0 || ioctl (STDIN_FILENO, TIOCSCTTY, 0) < 0)
    {
      report ("failed terminal %d\n", errno);
      return 1;
    }

  for (;;)
    {
      struct pollfd poll_fds[] = {
        { .fd = options->control, .events = POLLIN },
        { .fd = self.signals, .events = POLLIN },
      };
      char bytes[64];
      ssize_t got;

      if (poll (poll_fds, 2, -1) < 0 && errno != EINTR)
        break;
      if (poll_fds[1].revents)
        reap (&self);
      if (!poll_fds[0].revents)
        continue;
      got = read (options->control, bytes, sizeof bytes);
      if (got < 0 && errno == EINTR)
        continue;
      if (got <= 0)
        break;
      if (self.program < 0 && memchr (bytes, 'g', (size_t) got))
        {
          self.childless = false;
          self.program = start_program (options);
          if (self.program < 0)
            break;
        }
      else if (self.program >= 0 && !self.program_ended && memchr (bytes, 'f', (size_t) got))
        give_foreground (self.program);
    }
  self.childless = false;
  end_everything (&self);
  return 0;
}

/* Whatever else came from the program that started this one is not handed on. */
static void
keep_only (int one, int other)
{
  unsigned low = (unsigned) (one < other ? one : other);
  unsigned high = (unsigned) (one < other ? other : one);

  if (low > LAST_PASSED_FD + 1)
    close_range (LAST_PASSED_FD + 1, low - 1, 0);
  if (high > low + 1)
    close_range (low + 1, high - 1, 0);
  close_range (high + 1, ~0U, 0);
}

int
main (int argc, char **argv)
{
  Options options = { 0 };
  const char *step = NULL;
  int error;

  if (argc < 2)
    usage ();
  parse_options (&options, argv);
  if (options.supervise)
    {
      if (options.control == options.status)
        usage ();
      keep_only (options.control, options.status);
      return supervise (&options);
    }
  become (&options, &step);
  error = errno;
  fprintf (stderr, "%s: %s\n", strcmp (step, "folder") == 0 ? options.folder : options.argv[0], strerror (error));
  return error == ENOENT ? 127 : 126;
}
