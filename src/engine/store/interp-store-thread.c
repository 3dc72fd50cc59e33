/* interp-store-thread.c: a thread that owns one connection and does jobs in order
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "store/interp-store-thread.h"

#include "store/interp-store-file.h"
#include "store/interp-store.h"

#define FRAME_USEC (16 * G_TIME_SPAN_MILLISECOND)
#define POLL_USEC (500 * G_TIME_SPAN_MILLISECOND)
/* Keeps transactions short for other processes. */
#define MAX_BATCH 256

typedef struct
{
  InterpStoreJobFlags flags;
  InterpStoreJobFunc func;
  gpointer data;
  GDestroyNotify destroy;
  guint64 after; /* reader: the writer's job that must be done first */
  GValue result;
  GError *error;
  DexPromise *promise;
} Job;

struct _InterpStoreThread
{
  gatomicrefcount ref_count; /* the thread's, and its reader's or owner's */
  InterpDatabase *database;
  InterpStoreThread *writer;
  InterpStoreWriterFuncs funcs;

  GMutex lock; /* guards what follows */
  GCond cond;
  GQueue jobs;
  guint64 n_pushed;
  guint64 n_done;
  guint n_waiting; /* readers that wait for n_done */
  gboolean stopping;
  InterpStoreEndFunc end;
  gpointer end_data;
};

static void
thread_unref (InterpStoreThread *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->cond);
  g_free (self);
}

static void
job_free (Job *job)
{
  if (G_IS_VALUE (&job->result))
    g_value_unset (&job->result);
  g_clear_error (&job->error);
  dex_unref (job->promise);
  g_free (job);
}

static gboolean
resolve_jobs (gpointer data)
{
  GPtrArray *jobs = data;

  for (guint i = 0; i < jobs->len; i++)
    {
      Job *job = g_ptr_array_index (jobs, i);

      if (job->error != NULL)
        dex_promise_reject (job->promise, g_steal_pointer (&job->error));
      else
        dex_promise_resolve (job->promise, &job->result);
    }
  return G_SOURCE_REMOVE;
}

static void
hand_back (GPtrArray *jobs)
{
  if (jobs->len > 0)
    g_idle_add_full (G_PRIORITY_DEFAULT, resolve_jobs, g_ptr_array_ref (jobs), (GDestroyNotify) g_ptr_array_unref);
}

static void
run_job (InterpStoreThread *self, Job *job)
{
  if (!job->func (self->database, job->data, &job->result, &job->error) && job->error == NULL)
    job->error = g_error_new_literal (INTERP_STORE_ERROR, INTERP_STORE_ERROR_FAILED, "failed");
  if (g_error_matches (job->error, INTERP_STORE_ERROR, INTERP_STORE_ERROR_DAMAGED))
    interp_store_mark_damaged (self->database);
}

static void
clear_input (Job *job)
{
  if (job->destroy != NULL)
    job->destroy (job->data);
  job->destroy = NULL;
  job->data = NULL;
}

static void
run_read (InterpStoreThread *self, GPtrArray *jobs)
{
  for (guint i = 0; i < jobs->len; i++)
    {
      Job *job = g_ptr_array_index (jobs, i);

      g_mutex_lock (&self->writer->lock);
      self->writer->n_waiting++;
      g_cond_broadcast (&self->writer->cond);
      while (self->writer->n_done < job->after)
        g_cond_wait (&self->writer->cond, &self->writer->lock);
      self->writer->n_waiting--;
      g_mutex_unlock (&self->writer->lock);

      run_job (self, job);
      clear_input (job);
    }
}

static void
fail_jobs (GPtrArray *jobs, guint from, guint to, const GError *error)
{
  for (guint i = from; i < to; i++)
    {
      Job *job = g_ptr_array_index (jobs, i);

      if (job->error == NULL)
        job->error = g_error_copy (error);
    }
}

/* All jobs in one transaction, each in a savepoint. */
static void
run_write (InterpStoreThread *self, GPtrArray *jobs)
{
  sqlite3 *handle = interp_database_get_handle (self->database);
  g_autoptr (GError) error = NULL;

  if (!interp_database_run (self->database, &error, "BEGIN IMMEDIATE", ""))
    {
      fail_jobs (jobs, 0, jobs->len, error);
      return;
    }
  for (guint i = 0; i < jobs->len; i++)
    {
      Job *job = g_ptr_array_index (jobs, i);

      if (!interp_database_run (self->database, &job->error, "SAVEPOINT job", ""))
        continue;
      run_job (self, job);
      if (sqlite3_get_autocommit (handle))
        {
          /* SQLite gave the whole transaction up (disk full, input/output error). */
          fail_jobs (jobs, 0, jobs->len, job->error);
          return;
        }
      if (job->error != NULL)
        interp_database_run (self->database, NULL, "ROLLBACK TO job", "");
      interp_database_run (self->database, NULL, "RELEASE job", "");
    }
  if (!self->funcs.commit (self->database, self->funcs.data, &error)
      || !interp_database_run (self->database, &error, "COMMIT", ""))
    {
      if (!sqlite3_get_autocommit (handle))
        interp_database_run (self->database, NULL, "ROLLBACK", "");
      fail_jobs (jobs, 0, jobs->len, error);
    }
}

static gboolean
all_may_wait (InterpStoreThread *self)
{
  for (GList *link = self->jobs.head; link != NULL; link = link->next)
    if (!(((Job *) link->data)->flags & INTERP_STORE_JOB_MAY_WAIT))
      return FALSE;
  return TRUE;
}

/* Waits for jobs. With the lock held. Writer: NULL when it is time to poll. */
static GPtrArray *
take_jobs (InterpStoreThread *self, gint64 *next_poll, gint64 next_frame)
{
  GPtrArray *jobs = NULL;

  for (;;)
    {
      gint64 now = g_get_monotonic_time ();
      gint64 until = *next_poll;

      if (self->jobs.length > 0)
        {
          if (self->writer != NULL || self->stopping || now >= next_frame || self->n_waiting > 0
              || self->jobs.length >= MAX_BATCH || !all_may_wait (self))
            break;
          until = MIN (until, next_frame);
        }
      else if (self->stopping)
        return NULL;

      if (self->writer != NULL)
        {
          g_cond_wait (&self->cond, &self->lock);
          continue;
        }
      if (now >= *next_poll)
        return NULL;
      g_cond_wait_until (&self->cond, &self->lock, until);
    }

  jobs = g_ptr_array_new_with_free_func ((GDestroyNotify) job_free);
  /* A reader answers one after the other: a slow search holds nobody's result back. */
  while (self->jobs.length > 0 && jobs->len < (self->writer != NULL ? 1 : MAX_BATCH))
    g_ptr_array_add (jobs, g_queue_pop_head (&self->jobs));
  return jobs;
}

static gpointer
thread_main (gpointer data)
{
  InterpStoreThread *self = data;
  gint64 next_poll = g_get_monotonic_time () + POLL_USEC;
  gint64 next_frame = 0;

  for (;;)
    {
      g_autoptr (GPtrArray) jobs = NULL;
      gboolean stopping;

      g_mutex_lock (&self->lock);
      jobs = take_jobs (self, &next_poll, next_frame);
      stopping = self->stopping && jobs == NULL;
      g_mutex_unlock (&self->lock);
      if (stopping)
        break;

      if (self->writer == NULL && g_get_monotonic_time () >= next_poll)
        {
          self->funcs.poll (self->database, self->funcs.data);
          next_poll = g_get_monotonic_time () + POLL_USEC;
        }
      if (jobs == NULL)
        continue;
      if (self->writer != NULL)
        run_read (self, jobs);
      else
        {
          run_write (self, jobs);
          next_frame = g_get_monotonic_time () + FRAME_USEC;
          for (guint i = 0; i < jobs->len; i++)
            clear_input (g_ptr_array_index (jobs, i));
          g_mutex_lock (&self->lock);
          self->n_done += jobs->len;
          g_cond_broadcast (&self->cond);
          g_mutex_unlock (&self->lock);
        }
      hand_back (jobs);
    }

  g_clear_pointer (&self->database, interp_database_close);
  if (self->writer != NULL)
    thread_unref (self->writer);
  if (self->end != NULL)
    self->end (self->end_data);
  thread_unref (self);
  return NULL;
}

InterpStoreThread *
interp_store_thread_new (const char *name, InterpDatabase *database, InterpStoreThread *writer,
                         const InterpStoreWriterFuncs *funcs)
{
  InterpStoreThread *self = g_new0 (InterpStoreThread, 1);

  g_return_val_if_fail (database != NULL, NULL);
  g_return_val_if_fail ((writer == NULL) == (funcs != NULL), NULL);

  g_atomic_ref_count_init (&self->ref_count);
  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  g_queue_init (&self->jobs);
  self->database = database;
  if (writer != NULL)
    {
      g_atomic_ref_count_inc (&writer->ref_count);
      self->writer = writer;
    }
  else
    self->funcs = *funcs;
  g_thread_unref (g_thread_new (name, thread_main, self));
  return self;
}

DexFuture *
interp_store_thread_push (InterpStoreThread *self, InterpStoreJobFlags flags, InterpStoreJobFunc func, gpointer data,
                          GDestroyNotify destroy)
{
  Job *job = g_new0 (Job, 1);
  DexPromise *promise = dex_promise_new ();

  job->flags = flags;
  job->func = func;
  job->data = data;
  job->destroy = destroy;
  job->promise = dex_ref (promise);
  if (self->writer != NULL)
    {
      g_mutex_lock (&self->writer->lock);
      job->after = self->writer->n_pushed;
      g_mutex_unlock (&self->writer->lock);
    }

  g_mutex_lock (&self->lock);
  g_assert (!self->stopping);
  g_queue_push_tail (&self->jobs, job);
  self->n_pushed++;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
  return DEX_FUTURE (promise);
}

void
interp_store_thread_stop (InterpStoreThread *self, InterpStoreEndFunc end, gpointer data)
{
  g_mutex_lock (&self->lock);
  self->end = end;
  self->end_data = data;
  self->stopping = TRUE;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
}
