import { type Actor, ANONYMOUS_ACTOR } from '#core/actor.ts'
import { CommitListeners } from '#core/commit-listeners.ts'
import type { ReadTx, Storage, WriteTx } from '#core/transaction.ts'
import { createClock } from '#lib/clock.ts'
import { createCommitStats, createGroupCommit } from '../core/group-commit.ts'
import { createSemaphore, REPORT_LIMITS } from '../core/semaphore.ts'
import { type StorageContext, Transaction } from '../core/transaction.ts'
import { notifyOnce } from '../events/notify-channel.ts'
import { newestChangeNumbers, type PendingSending, writeOutbox } from '../events/outbox.ts'
import { PeerBus } from '../events/peer-bus.ts'
import { migratePostgres, readPostgresSchema } from '../migrate/migrate-postgres.ts'
import {
  isSchemaCompatible,
  type MigrationListener,
  type SchemaEventListener,
} from '../migrate/schema-version.ts'
import { openPostgresPool, type PostgresPoolOptions } from './pool.ts'
import {
  classifyPostgresError,
  createPostgresReader,
  createStatementNames,
  openPostgresSession,
  type PostgresSession,
  withPooledClient,
  withPostgresSnapshot,
  withReportTransaction,
} from './session.ts'

interface PostgresOptions extends StorageContext, PostgresPoolOptions {
  /** The address for LISTEN; without it, changes of other processes are detected later. */
  listenUrl?: string
  /** The address of PostgreSQL itself, if `url` leads to a pooler; indexes are built over it. */
  directUrl?: string | undefined
  onSchemaEvent?: SchemaEventListener | undefined
  onMigration?: MigrationListener | undefined
}

const GROUP = { size: 64, time: 50 }
/** Above this number, groups of idle workspaces are dropped. */
const MAX_GROUPS = 1_000

/**
 * The groups of a workspace's writes run one after the other, each locking the workspace's row: the
 * event sequence must be gapless in commit order, so they could not commit concurrently anyway. This
 * rules out races and deadlocks within a workspace.
 *
 * Workspaces wait for each other only for rows that they share, such as the account of a person
 * (`lockedPersonById`) and the auth version (`bumpAuthVersion`). These stay locked until the group
 * commits, thus during the writes that follow in it. After `lock_timeout` a waiting write gets 503. Two
 * groups that lock such rows in opposite order deadlock: PostgreSQL ends one of them after its
 * `deadlock_timeout`, and it runs again.
 */
export async function openPostgres(options: PostgresOptions): Promise<Storage> {
  const { url, onSchemaEvent: onEvent, onMigration, directUrl } = options
  await migratePostgres(url, { onEvent, onMigration, directUrl })
  const pool = openPostgresPool({ ...options, isPrimary: true })
  const names = createStatementNames()
  const reader = createPostgresReader(pool, names)
  const tally = createCommitStats()
  const groups = new Map<string, ReturnType<typeof createGroupCommit<PostgresSession>>>()

  const onListenerError = (err: unknown) => onEvent?.('A listener of commits failed', { err })

  function groupOf(workspace_id: string) {
    let group = groups.get(workspace_id)
    if (!group) {
      const open = () => openPostgresSession(pool, names, workspace_id, shared)
      const engine = { open, classifyError: classifyPostgresError }
      group = createGroupCommit(engine, GROUP, tally, onListenerError)
      groups.set(workspace_id, group)
    }
    return group
  }

  const listeners = new CommitListeners()
  const { clock = createClock() } = options
  const shared = { ...options, clock }
  let onCommitted = (_workspace_id: string) => {}
  // A statement sees one snapshot and a loader is one statement, so a read needs no transaction:
  // one round trip instead of three.
  const readNow: Storage['readNow'] = (actor, work) => work(new Transaction(reader, actor, shared))
  const read: Storage['read'] = (actor, work) => work(new Transaction(reader, actor, shared))
  const limitReports = createSemaphore(REPORT_LIMITS)
  const readLong: Storage['readReport'] = (actor, work) =>
    limitReports(actor.workspace_id, () =>
      withPooledClient(pool, (client) =>
        withReportTransaction(client, (on) => work(new Transaction(on, actor, shared))),
      ),
    )
  const peerBus = new PeerBus(
    {
      listeners,
      async loadChangeNumbers(ids) {
        const load = (tx: ReadTx) => tx.all(newestChangeNumbers, { ids: [...ids] })
        const rows = await read(ANONYMOUS_ACTOR, load)
        return new Map(rows.map(({ id, last_change_number }) => [id, last_change_number]))
      },
      notify: (message) => notifyOnce(pool, message),
      onEventsToSend: (id) => onCommitted(id),
    },
    options.listenUrl,
  )
  const write = <T>(actor: Actor, work: (tx: WriteTx) => Promise<T>, keep: boolean, at?: number) =>
    new Promise<T>((answer, reject) => {
      let tx: Transaction | undefined
      let sending: PendingSending | undefined
      const resolve = (value: T) => {
        answer(value)
        if (!keep) return
        if (tx?.hasDueJobs) listeners.onDueJob()
        if (tx?.hasNews) peerBus.announceCommit(actor.workspace_id, tx.hints)
        if (sending) peerBus.announceEvents(actor.workspace_id, sending)
        if (sending || tx?.events.length === 0) onCommitted(actor.workspace_id)
      }
      const group = groupOf(actor.workspace_id)
      const run = async (session: PostgresSession) => {
        tx = new Transaction(session.connection, actor, shared, at)
        const value = await work(tx)
        if (!keep) return value
        sending = await writeOutbox(tx)
        session.auditWriter.add(tx.pendingAuditEntries)
        return value
      }
      group.add({ run, keep, owner: actor.workspace_id, resolve, reject })
    }).finally(() => {
      if (groups.size > MAX_GROUPS) dropIdleGroups()
    }) as Promise<T>

  function dropIdleGroups() {
    for (const [id, group] of groups) if (group.idle) groups.delete(id)
  }

  return {
    engine: 'postgres',
    clock,
    commitListeners: listeners,
    read,
    readNow,
    // Each statement has a snapshot of its own.
    shareTurn: () => {},
    readReport: readLong,
    snapshot: (actor, work) =>
      withPostgresSnapshot(pool, (on) => work(new Transaction(on, actor, shared))),
    write: (actor, work, at) => write(actor, work, true, at),
    dryRun: (actor, work) => write(actor, work, false),
    onCommit(listener, dispatcher_id) {
      onCommitted = listener
      peerBus.dispatcher_id = dispatcher_id
    },
    // A newer release may have removed something from the schema that this one needs.
    isReady: () => readPostgresSchema(pool).then(isSchemaCompatible, () => false),
    stats: () => ({
      ...tally,
      queuedWrites: [...groups.values()].reduce((sum, { waiting }) => sum + waiting, 0),
      connections: {
        open: pool.totalCount,
        idle: pool.idleCount,
        awaited: pool.waitingCount,
      },
    }),
    async close() {
      peerBus.close()
      await pool.end()
    },
  }
}
