import type { NotificationKind } from '#wire/notifications.ts'

/* Rows of what persons are told; `tables.ts` has the others. */

export interface NotificationRow {
  workspace_id: string
  id: string
  user_id: string
  kind: NotificationKind
  /** Of `due`: `today` or `overdue`; of `webhook`: `disabled` or `failing`. */
  detail: string | null
  task_id: string | null
  /** The comment, task or webhook that it is about. */
  subject_id: string
  /** What a person is told once, whoever notices it. */
  key: string
  actor_id: string | null
  /** 0: it is told by mail alone. */
  in_inbox: number
  read_at: string | null
  done_at: string | null
  snoozed_until: string | null
  /** From when on a letter takes it along; null: none does, or one has. */
  mail_at: string | null
  /** The letter that takes it along, until that has gone. */
  letter_id: string | null
  created_at: string
}

/** Somebody chose to watch a task, or came to by what it did; or wants to hear nothing of it. */
export interface TaskWatchRow {
  workspace_id: string
  task_id: string
  user_id: string
  is_muted: number
}

/** JSON of NotificationWishes; whoever has no row has the usual ones. */
export interface NotificationSettingsRow {
  workspace_id: string
  user_id: string
  wishes: string
}

/** A mail that is to go: sent by whoever puts `next_at` off first, and gone when it was taken. */
export interface NotificationLetterRow {
  workspace_id: string
  id: string
  user_id: string
  attempts: number
  next_at: string
  created_at: string
}
