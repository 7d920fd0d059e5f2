import type { NotificationKind } from '#wire/notification-preferences.ts'

/* Rows of notifications and their emails; `tables.ts` has the others. */

export interface NotificationRow {
  workspace_id: string
  id: string
  user_id: string
  kind: NotificationKind
  /** Of `due`: `today` or `overdue`; of `webhook`: `disabled` or `failing`. */
  detail: string | null
  task_id: string | null
  /** The id of the comment, task or webhook that it is about. */
  subject_id: string
  /** Identifies the occasion, so that a user is notified of it once. */
  key: string
  actor_id: string | null
  /** 0: it is sent by email only. */
  in_inbox: number
  read_at: string | null
  done_at: string | null
  snoozed_until: string | null
  /** When an email for it is due; null if none is wanted or one has taken it. */
  mail_at: string | null
  /** The job that sends the email with it, until that has ended. */
  email_job_id: string | null
  created_at: string
}

/** A user watches a task, by choice or by an action on it, or has muted it. */
export interface TaskWatchRow {
  workspace_id: string
  task_id: string
  user_id: string
  is_muted: number
}

/** JSON of NotificationWishes; a user without a row has the defaults. */
export interface NotificationSettingsRow {
  workspace_id: string
  user_id: string
  wishes: string
}
