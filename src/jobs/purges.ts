import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { trashSince } from '#core/trash.ts'
import { deleteUnusedApplications } from '#db/access/oauth-grants.ts'
import { auditEntriesAfter, auditLogsAfter, purgeAuditEntries } from '#db/audit/audit-log.ts'
import {
  deleteDeliveries,
  deleteLogOfRemovedWebhook,
  deliveriesBetween,
  removedWebhook,
  workspacesWithRemovedWebhooks,
} from '#db/deliveries/delivery-retention.ts'
import { oldestEvents, trimEventLog } from '#db/events/event-retention.ts'
import { deleteEndedJobs, endOfSurplusJobs } from '#db/jobs/jobs.ts'
import { deleteOldNotifications } from '#db/notifications/due-notifications.ts'
import { removeOrphanedDevices } from '#db/notifications/push-devices.ts'
import { deleteOperations, operationsBefore } from '#db/operations/operations.ts'
import {
  anyPendingOperationBefore,
  deletePendingOperations,
} from '#db/operations/pending-operations.ts'
import { removeTrash, trashOfTask, trashToPurge } from '#db/operations/trash.ts'
import {
  activeFileHold,
  addAttachmentBytes,
  clearTransferFile,
  deletePendingFileDeletion,
  existingWorkspace,
  pendingFileDeletions,
  postponeFileDeletion,
  referencedFiles,
  scheduleFileDeletion,
  scheduleTaskFileDeletions,
  taskAttachmentBytes,
  transferFiles,
} from '#db/retention/pending-file-deletions.ts'
import {
  commentsToPurge,
  deleteExpiredRows,
  deleteReplies,
  deleteTaskWords,
  deleteTombstones,
  expireTombstones,
  oldestReplies,
  oldestTombstones,
  purgeAttachments,
  purgeDeletedComments,
  purgeRows,
  purgeTask,
  rowsToPurge,
  TABLES_OF_A_TASK,
  tasksToPurge,
  taskToPurge,
} from '#db/retention/purge.ts'
import {
  abandonedWorkspaces,
  abandonWorkspace,
  anyPendingFileDeletion,
  deleteAbandonedMark,
  deleteMembershipRow,
  deletePasswordlessResets,
  deleteStrandedUser,
  deleteWorkspaceRow,
  purgeTableRows,
  TABLES_TO_PURGE,
  workspaceMemberBatch,
  workspaceState,
  workspacesDeletedBefore,
  workspaceTaskBatch,
} from '#db/workspaces/deleted-workspaces.ts'
import { deleteOldRequestCounts, REQUEST_COUNT_BATCH_SIZE } from '#db/workspaces/request-counts.ts'
import {
  endStalledWorkspaceImport,
  endWorkspaceImport,
  stalledWorkspaceImports,
} from '#db/workspaces/workspace-imports.ts'
import { FILE_KEY, type Files, fileKey } from '#files/files.ts'
import { MAX_STEP_BYTES, takeSized } from '#lib/batches.ts'
import { timestampOf } from '#lib/clock.ts'
import { DAY_MS, HOUR_MS } from '#lib/durations.ts'
import { firstIdAt } from '#lib/id.ts'
import { forEachWorkspace } from './scheduler.ts'

/** Rows that one step deletes, so that it delays no request. */
const MAX_ROWS_OF_STEP = 200
const MAX_TASKS = 10

/**
 * Purges the tasks deleted longer ago than `trashDays`, with everything that belongs to them, and the
 * comments deleted longer ago.
 */
export const emptyTrash = (storage: Storage, trashDays?: number) =>
  forEachWorkspace(storage, async (actor) => {
    const deleted_before = trashSince(storage.clock.now(), trashDays)
    const tasks = await storage.read(actor, (tx) =>
      tx.all(tasksToPurge, { deleted_before, limit: MAX_TASKS }),
    )
    for (const { id } of tasks) {
      const hasMore = await storage.write(actor, async (tx) => {
        // Another process, whose clock is behind, may just have restored it.
        const isExpired = await tx.one(taskToPurge, { id, deleted_before })
        return isExpired ? purgeTaskStep(tx, id) : false
      })
      if (hasMore) return true
    }
    if (tasks.length === MAX_TASKS) return true
    const query = { deleted_before, limit: MAX_ROWS_OF_STEP }
    const comments = await storage.read(actor, (tx) => tx.all(commentsToPurge, query))
    if (comments.length === 0) return false
    return storage.write(actor, async (tx) => {
      // Read again, for some may just have been restored.
      const hasMore = await purgeDeletedComments(tx, await tx.all(commentsToPurge, query))
      return hasMore || comments.length === MAX_ROWS_OF_STEP
    })
  })

/**
 * Purges what operations have removed longer ago than `trashDays`, and then the operations, which nobody can undo
 * any more.
 */
export const purgeOldOperations = (storage: Storage, trashDays?: number) =>
  forEachWorkspace(storage, async (actor) => {
    const deleted_before = trashSince(storage.clock.now(), trashDays)
    const query = { deleted_before, limit: MAX_ROWS_OF_STEP }
    const trash = await storage.read(actor, (tx) => tx.all(trashToPurge, query))
    if (trash.length > 0) {
      await storage.write(actor, async (tx) => purgeTrash(tx, await tx.all(trashToPurge, query)))
      return true
    }
    const before_id = firstIdAt('opr', Date.parse(deleted_before))
    const page = { before_id, limit: MAX_OLDEST }
    if (await storage.read(actor, (tx) => tx.one(anyPendingOperationBefore, { before_id })))
      await storage.write(actor, (tx) => tx.run(deletePendingOperations, { before_id }))
    const operations = await storage.read(actor, (tx) => tx.all(operationsBefore, page))
    const last = operations.at(-1)
    if (last) await storage.write(actor, (tx) => tx.run(deleteOperations, { through_id: last.id }))
    return operations.length === MAX_OLDEST
  })

/** Purges rows of the trash up to the bytes of a step, with the files of attachments. */
async function purgeTrash(
  tx: WriteTx,
  rows: readonly {
    operation_id: string
    id: string
    type: string
    size_bytes: number
    size: number
  }[],
): Promise<void> {
  for (const { operation_id, id, type, size_bytes } of takeSized(rows, MAX_STEP_BYTES)) {
    await tx.run(removeTrash, { operation_id, id })
    if (type !== 'attachment') continue
    await tx.run(scheduleFileDeletion, { id, doomed_at: tx.now })
    await tx.run(addAttachmentBytes, { by: -size_bytes })
    tx.countFileBytes(-size_bytes)
  }
}

/** Purges one batch of a task. The task itself comes last, so that the next step can find it. */
async function purgeTaskStep(tx: WriteTx, id: string): Promise<boolean> {
  const trash = await tx.all(trashOfTask, { task_id: id, limit: MAX_ROWS_OF_STEP })
  await purgeTrash(tx, trash)
  if (trash.length > 0) return true
  let room = MAX_STEP_BYTES
  for (const table of TABLES_OF_A_TASK) {
    const some = await tx.all(rowsToPurge(table), { task_id: id, limit: MAX_ROWS_OF_STEP })
    const rows = takeSized(some, room)
    if (rows.length > 0)
      await tx.run(purgeRows(table), { task_id: id, ids: rows.map((row) => row.id) })
    room -= rows.reduce((sum, row) => sum + row.size, 0)
    if (some.length === MAX_ROWS_OF_STEP || rows.length < some.length) return true
  }
  await tx.run(deleteTaskWords, { id })
  const { bytes = 0 } = (await tx.one(taskAttachmentBytes, { task_id: id })) ?? {}
  if (bytes > 0) {
    await tx.run(scheduleTaskFileDeletions, { task_id: id, doomed_at: tx.now })
    await tx.run(addAttachmentBytes, { by: -bytes })
    tx.countFileBytes(-bytes)
  }
  await tx.run(purgeAttachments, { task_id: id })
  await tx.run(purgeTask, { id })
  return false
}

const BATCH = { limit: MAX_ROWS_OF_STEP }

/**
 * Purges abandoned workspaces: first their contents, then the workspaces themselves. One whose files
 * cannot be deleted does not delay the others.
 */
export const purgeAbandonedWorkspaces =
  (storage: Storage, files: Files) => async (): Promise<boolean> => {
    const errors: unknown[] = []
    const workspaces = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(abandonedWorkspaces, {}))
    for (const { id } of workspaces) {
      try {
        if (await purgeWorkspaceStep(storage, files, id)) return true
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, 'Workspaces cannot be purged')
    return false
  }

/** Purges one batch of a workspace; returns whether the next step can follow at once. */
export async function purgeWorkspaceStep(
  storage: Storage,
  files: Files,
  workspace_id: string,
): Promise<boolean> {
  const actor = { ...ANONYMOUS_ACTOR, workspace_id }
  if (await scheduleTransferFileDeletions(storage, workspace_id)) return true
  for (const table of TABLES_TO_PURGE) {
    if (table === 'tasks') {
      const limit = MAX_TASKS
      const tasks = await storage.read(actor, (tx) => tx.all(workspaceTaskBatch, { limit }))
      for (const { id } of tasks) await storage.write(actor, (tx) => purgeTaskStep(tx, id))
      if (tasks.length > 0) return true
    } else {
      const purged = await storage.write(actor, (tx) => tx.run(purgeTableRows(table), BATCH))
      if (purged > 0) return true
    }
  }
  // Another job deletes the files, and needs the workspace for that.
  if (await storage.read(actor, (tx) => tx.one(anyPendingFileDeletion, {}))) return false
  // The remaining files have no row, and without the workspace no sweep would find them.
  await files.clear(workspace_id)
  return storage.write(actor, async (tx) => {
    const people = await tx.all(workspaceMemberBatch, BATCH)
    for (const { user_id } of people) {
      await tx.run(deleteMembershipRow, { user_id })
      await tx.run(deletePasswordlessResets, { id: user_id })
      await tx.run(deleteStrandedUser, { id: user_id })
    }
    if (people.length === MAX_ROWS_OF_STEP) return true
    await tx.run(deleteWorkspaceRow, {})
    await tx.run(deleteAbandonedMark, { abandoned_id: workspace_id })
    return false
  })
}

/** Schedules the deletion of import and export files; returns whether there were any. */
function scheduleTransferFileDeletions(storage: Storage, workspace_id: string): Promise<boolean> {
  return storage.write({ ...ANONYMOUS_ACTOR, workspace_id }, async (tx) => {
    let hasFiles = false
    for (const table of ['imports', 'exports'] as const) {
      for (const { id, file_id } of await tx.all(transferFiles(table), BATCH)) {
        if (file_id !== null) await tx.run(scheduleFileDeletion, { id: file_id, doomed_at: tx.now })
        await tx.run(clearTransferFile(table), { id })
        hasFiles = true
      }
    }
    return hasFiles
  })
}

/** Rows that a purge looks at in one step, the oldest first. */
const MAX_OLDEST = 500

/** Those of the oldest rows that are purged: all before the first that is kept. */
function takeUntil<R>(oldest: readonly R[], isKept: (row: R) => boolean): readonly R[] {
  const firstKept = oldest.findIndex(isKept)
  return firstKept === -1 ? oldest : oldest.slice(0, firstKept)
}

const daysAgo = (storage: Storage, days: number) => timestampOf(storage.clock.now() - days * DAY_MS)

/**
 * Purges the entries of the audit log that are past their retention. Each purge adds an entry, so a
 * log is purged only when a whole day of entries is due.
 */
export const purgeOldAuditEntries = (storage: Storage, retentionDays: number) =>
  forEachWorkspace(
    storage,
    async (actor) => {
      const query = { after: 0, limit: MAX_OLDEST }
      const oldest = await storage.read(actor, (tx) => tx.all(auditEntriesAfter, query))
      const before = daysAgo(storage, retentionDays)
      const old = takeUntil(oldest, ({ at }) => at >= before)
      const [first, last] = [old[0], old.at(-1)]
      if (!first || !last || first.at >= daysAgo(storage, retentionDays + 1)) return false
      await storage.write(actor, (tx) => purgeAuditEntries(tx, last.sequence))
      return old.length === MAX_OLDEST
    },
    // One of each workspace, also of deleted ones, and one more.
    { pageAfter: auditLogsAfter },
  )

const DELIVERY_RETENTION_MS = 30 * DAY_MS
/** Each has some attempts, which are deleted with it. */
const MAX_DELIVERIES = 200

/** Purges deliveries after 30 days, except those still pending (docs/spec/api.md#extensions). */
export function purgeOldDeliveries(storage: Storage): () => Promise<boolean> {
  /** The last delivery read in a workspace, past those still pending. */
  let position = { workspace_id: '', after: '' }
  return forEachWorkspace(storage, async (actor) => {
    const { workspace_id } = actor
    // After an error the next workspace is begun, from its start.
    const after = position.workspace_id === workspace_id ? position.after : ''
    const before = firstIdAt('dlv', storage.clock.now() - DELIVERY_RETENTION_MS)
    const oldest = await storage.read(actor, (tx) =>
      tx.all(deliveriesBetween, { after, before, limit: MAX_DELIVERIES }),
    )
    const old = takeSized(oldest, MAX_STEP_BYTES)
    const ended = old.filter(({ status }) => status !== 'pending')
    if (ended.length > 0) await storage.write(actor, (tx) => deleteDeliveries(tx, ended))
    const hasMore = old.length === MAX_DELIVERIES || old.length < oldest.length
    const last = hasMore ? old.at(-1) : undefined
    position = { workspace_id, after: last?.id ?? '' }
    return last !== undefined
  })
}

/** Purges the deliveries of deleted webhooks, which nobody can see any more. */
export const purgeDeletedWebhookLogs = (storage: Storage) =>
  forEachWorkspace(
    storage,
    async (actor) => {
      const removed = await storage.read(actor, (tx) => tx.one(removedWebhook, {}))
      if (!removed) return false
      await storage.write(actor, (tx) =>
        deleteLogOfRemovedWebhook(tx, removed.webhook_id, MAX_DELIVERIES),
      )
      return true
    },
    {
      async pendingIn(tx, range) {
        const workspaces = await tx.all(workspacesWithRemovedWebhooks, range)
        return new Set(workspaces.map(({ id }) => id))
      },
    },
  )

/**
 * Purges events from the log after its retention (docs/spec/api.md#extensions). The rest stays without a gap: the
 * first event within the retention keeps all events after it.
 */
export const purgeOldEvents = (storage: Storage, retentionDays: number) =>
  forEachWorkspace(storage, async (actor) => {
    const before = daysAgo(storage, retentionDays)
    const oldest = await storage.read(actor, (tx) => tx.all(oldestEvents, { limit: MAX_OLDEST }))
    const due = takeUntil(oldest, ({ created_at }) => created_at >= before)
    const old = takeSized(due, MAX_STEP_BYTES)
    const [first, last] = [old[0], old.at(-1)]
    if (!first || !last) return false
    const range = { first: first.sequence, last: last.sequence }
    const isPurged = await storage.write(actor, (tx) => trimEventLog(tx, range))
    return isPurged && (due.length === MAX_OLDEST || old.length < due.length)
  })

/** Purges tombstones of the feed of changes after the retention of events (docs/spec/api.md#changes). */
export const purgeOldTombstones = (storage: Storage, retentionDays: number) =>
  forEachWorkspace(storage, async (actor) => {
    const before = daysAgo(storage, retentionDays)
    const oldest = await storage.read(actor, (tx) =>
      tx.all(oldestTombstones, { limit: MAX_OLDEST }),
    )
    const old = takeUntil(oldest, ({ created_at }) => created_at >= before)
    const until = old.at(-1)?.change_number
    if (until === undefined) return false
    await storage.write(actor, async (tx) => {
      await tx.run(expireTombstones, { until })
      await tx.run(deleteTombstones, { until })
    })
    return old.length === MAX_OLDEST
  })

/** No upload takes this long: an older file without a row will never get one. */
const ORPHAN_AGE_MS = 3 * HOUR_MS
const MAX_FILES = 100

/**
 * Deletes the files whose rows are deleted, and then their pending deletions. A file that cannot be
 * deleted is retried last, so that it does not delay others.
 */
export const deletePendingFiles =
  (storage: Storage, files: Files) => async (): Promise<boolean> => {
    const pending = await storage.read(ANONYMOUS_ACTOR, async (tx) => {
      const deletions = await tx.all(pendingFileDeletions, { limit: MAX_FILES })
      // Checked afterwards: a backup that holds the files from now on no longer sees the rows of
      // these.
      return (await tx.one(activeFileHold, { now: tx.now })) ? [] : deletions
    })
    for (const { workspace_id, id } of pending) {
      const actor = { ...ANONYMOUS_ACTOR, workspace_id }
      await files.remove(fileKey(workspace_id, id)).catch(async (error: unknown) => {
        await storage.write(actor, (tx) => tx.run(postponeFileDeletion, { id, doomed_at: tx.now }))
        throw error
      })
      await storage.write(actor, (tx) => tx.run(deletePendingFileDeletion, { id }))
    }
    return pending.length === MAX_FILES
  }

/**
 * Deletes what unfinished uploads have left: drafts, and files without a row. Files of unknown
 * workspaces are left alone, because a bucket may serve two installations.
 */
export function sweepOrphanedFiles(storage: Storage, files: Files): () => Promise<boolean> {
  let round: AsyncIterator<{ key: string; at: number }> | undefined
  return async () => {
    const before = storage.clock.now() - ORPHAN_AGE_MS
    const listing = round ?? listFiles(before)
    // A round that fails is not continued.
    round = undefined
    const old = new Map<string, string[]>()
    let hasMore = true
    for (let count = 0; hasMore && count < MAX_FILES; count += 1) {
      const { done, value } = await listing.next()
      hasMore = !done
      if (done || value.at >= before) continue
      const [, workspace_id = '', id = ''] = FILE_KEY.exec(value.key) ?? []
      old.set(workspace_id, [...(old.get(workspace_id) ?? []), id])
    }
    await removeOrphans(old)
    if (hasMore) round = listing
    return hasMore
  }

  async function* listFiles(before: number) {
    await files.sweepDrafts(before)
    yield* files.list()
  }

  async function removeOrphans(old: ReadonlyMap<string, string[]>): Promise<void> {
    for (const [workspace_id, ids] of old) {
      const keptIds = await storage.read({ ...ANONYMOUS_ACTOR, workspace_id }, async (tx) => {
        if (!(await tx.one(existingWorkspace, {}))) return ids
        const rows = await tx.all(referencedFiles, { ids })
        return (await tx.one(activeFileHold, { now: tx.now })) ? ids : rows.map(({ id }) => id)
      })
      const orphans = new Set(ids).difference(new Set(keptIds))
      for (const id of orphans) await files.remove(fileKey(workspace_id, id))
    }
  }
}

const MAX_ROWS = 500
/** How long a self-registered application is kept without a grant. */
const UNUSED_TTL_MS = 30 * DAY_MS
const NOTIFICATION_RETENTION_MS = 90 * DAY_MS
/** How long rows stay after they have expired: an expired invitation can be renewed for a while. */
const EXPIRED_TTL_MS = {
  sessions: 0,
  password_resets: 0,
  sign_in_steps: 0,
  attempts: 0,
  oauth_records: 0,
  grants: 0,
  invitations: 30 * DAY_MS,
} as const

/**
 * Purges what nobody can use any more: sessions and their devices, sign-in steps, counters, codes, tokens,
 * grants, self-registered applications without one, invitations that nobody has accepted, with their email
 * addresses, and old notifications.
 */
export const purgeExpiredRows = (storage: Storage) => async (): Promise<boolean> => {
  const ago = (ms: number) => timestampOf(storage.clock.now() - ms)
  const limit = MAX_ROWS
  const tables = Object.keys(EXPIRED_TTL_MS) as (keyof typeof EXPIRED_TTL_MS)[]
  const steps = [
    ...tables.map((table) => (tx: WriteTx) => {
      return tx.run(deleteExpiredRows(table), { now: ago(EXPIRED_TTL_MS[table]), limit })
    }),
    (tx: WriteTx) => tx.run(removeOrphanedDevices, { limit }),
    (tx: WriteTx) => tx.run(deleteUnusedApplications, { before: ago(UNUSED_TTL_MS), limit }),
    (tx: WriteTx) =>
      tx.run(deleteOldNotifications, { before: ago(NOTIFICATION_RETENTION_MS), limit }),
  ]
  let hasMore = false
  for (const step of steps) {
    if ((await storage.write(ANONYMOUS_ACTOR, step)) === limit) hasMore = true
  }
  return hasMore
}

/** Purges the responses stored for idempotency keys after 24 hours (docs/spec/api.md#idempotency-key). */
export const purgeIdempotencyReplies = (storage: Storage) => async (): Promise<boolean> => {
  const before = daysAgo(storage, 1)
  const oldest = await storage.read(ANONYMOUS_ACTOR, (tx) =>
    tx.all(oldestReplies, { before, limit: MAX_ROWS_OF_STEP }),
  )
  const old = takeSized(oldest, MAX_STEP_BYTES)
  for (const [workspace_id, replies] of Map.groupBy(old, (reply) => reply.workspace_id)) {
    await storage.write({ ...ANONYMOUS_ACTOR, workspace_id }, (tx) => deleteReplies(tx, replies))
  }
  return oldest.length === MAX_ROWS_OF_STEP || old.length < oldest.length
}

/** Purges request counts older than 24 hours. */
export const purgeRequestCounts = (storage: Storage) => async (): Promise<boolean> => {
  const before = daysAgo(storage, 1)
  const purged = await storage.write(ANONYMOUS_ACTOR, (tx) =>
    tx.run(deleteOldRequestCounts, { before }),
  )
  return purged >= REQUEST_COUNT_BATCH_SIZE
}

/** Of each status, so that the table stays small however many jobs there are. */
const MAX_ENDED_JOBS = 10_000
const RETENTION_DAYS = { done: 1, failed: 30 }

/** Purges jobs that have ended: after their retention, or when there are too many of them. */
export const purgeEndedJobs = (storage: Storage) => async (): Promise<boolean> => {
  let hasMore = false
  for (const status of ['done', 'failed'] as const) {
    const old = daysAgo(storage, RETENTION_DAYS[status])
    const surplus = await storage.read(ANONYMOUS_ACTOR, (tx) =>
      tx.one(endOfSurplusJobs, { status, kept: MAX_ENDED_JOBS }),
    )
    const before = surplus?.ended_at && surplus.ended_at > old ? surplus.ended_at : old
    const purged = await storage.write(ANONYMOUS_ACTOR, (tx) =>
      tx.run(deleteEndedJobs, { status, before, limit: MAX_ROWS }),
    )
    hasMore ||= purged === MAX_ROWS
  }
  return hasMore
}

const MAX_WORKSPACES = 20

/**
 * Abandons deleted workspaces that can no longer be restored; another job purges their contents.
 */
export const expireDeletedWorkspaces =
  (storage: Storage, trashDays?: number) => async (): Promise<boolean> => {
    const before = trashSince(storage.clock.now(), trashDays)
    const workspaces = await storage.read(ANONYMOUS_ACTOR, (tx) =>
      tx.all(workspacesDeletedBefore, { before, limit: MAX_WORKSPACES }),
    )
    for (const { id } of workspaces) {
      await storage.write({ ...ANONYMOUS_ACTOR, workspace_id: id }, async (tx) => {
        // No cached access has to be invalidated: only its owners are still admitted, to restore it.
        // Read again under the lock: it may have been restored since.
        const { deleted_at } = (await tx.one(workspaceState, {})) ?? {}
        if (deleted_at && deleted_at <= before) await abandonWorkspace(tx, id)
      })
    }
    return workspaces.length === MAX_WORKSPACES
  }

/** Abandons the imports that were killed: nobody has ever seen their data. */
export const abandonStalledImports = (storage: Storage) => async (): Promise<boolean> => {
  const stalled = await storage.read(ANONYMOUS_ACTOR, (tx) =>
    tx.all(stalledWorkspaceImports, { now: tx.now }),
  )
  for (const { id } of stalled) {
    await storage.write({ ...ANONYMOUS_ACTOR, workspace_id: id }, async (tx) => {
      // Read again under the lock: the import may have reported since.
      if ((await tx.run(endStalledWorkspaceImport, { now: tx.now })) > 0)
        await abandonWorkspace(tx, id)
    })
  }
  return false
}

/** Abandons a failed import. It was never visible, so that no process has cached anything of it. */
export async function abandonImport(tx: WriteTx): Promise<void> {
  if ((await tx.run(endWorkspaceImport, {})) > 0) await abandonWorkspace(tx, tx.actor.workspace_id)
}

/**
 * Purges an abandoned workspace at once. Returns whether all of it is purged: a backup may hold its
 * files a little longer, and a copy of an installation deletes none.
 */
export async function purgeAbandonedWorkspaceNow(
  storage: Storage,
  files: Files,
  workspace_id: string,
  isCopy: () => Promise<boolean>,
): Promise<boolean> {
  const isLeft = async () => {
    const workspaces = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(abandonedWorkspaces, {}))
    return workspaces.some(({ id }) => id === workspace_id)
  }
  if (!(await isLeft())) return true
  if (await isCopy()) return false
  while (await purgeWorkspaceStep(storage, files, workspace_id));
  while (await deletePendingFiles(storage, files)());
  while (await purgeWorkspaceStep(storage, files, workspace_id));
  return !(await isLeft())
}
