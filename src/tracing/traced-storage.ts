import type { Context } from '@opentelemetry/api'
import type { Actor } from '#core/actor.ts'
import type { TraceSpan } from '#core/trace-recorder.ts'
import type { DatabaseEngine, ReadTx, Storage, WriteTx } from '#core/transaction.ts'
import type { OperationSpans } from './operation-spans.ts'
import { endSpanWithError, type OtelTraceRecorder } from './otel-trace-recorder.ts'
import { StatementSpans } from './statement-spans.ts'
import { TracedReadTx, TracedWriteTx } from './traced-transaction.ts'

/** The names of the OpenTelemetry semantic conventions. */
const DB_SYSTEM_NAMES: Record<DatabaseEngine, string> = { sqlite: 'sqlite', postgres: 'postgresql' }

/** Appears in the names of spans. */
type TransactionKind = 'read' | 'write' | 'rehearse'

/**
 * Wraps a storage so that each transaction within a traced span becomes a child span. For writes it
 * shows the wait for the group commit, the work, and the time of the shared commit.
 */
export function createTracedStorage(
  storage: Storage,
  tracing: OtelTraceRecorder,
  operationSpans: OperationSpans,
): Storage {
  const system = DB_SYSTEM_NAMES[storage.engine]

  function startTransactionSpan(kind: TransactionKind, parent: Context, { workspace_id }: Actor) {
    const attributes = {
      'db.system.name': system,
      ...(workspace_id !== '' && { 'docket.workspace_id': workspace_id }),
    }
    return tracing.startChildSpan(parent, { name: `${kind} transaction`, attributes })
  }

  function traceRead<T>(
    run: Storage['read'],
    actor: Actor,
    work: (tx: ReadTx) => Promise<T>,
  ): Promise<T> {
    const parent = tracing.activeContext()
    if (!parent) return run(actor, work)
    const { span, context } = startTransactionSpan('read', parent, actor)
    const statements = new StatementSpans(tracing, context, storage.engine, system)
    return endAfter(span, statements, () =>
      run(actor, (tx) => work(new TracedReadTx(tx, statements))),
    )
  }

  function traceWrite<T>(
    kind: 'write' | 'rehearse',
    run: Storage['write'],
    actor: Actor,
    work: (tx: WriteTx) => Promise<T>,
  ): Promise<T> {
    const parent = tracing.activeContext()
    if (!parent) return run(actor, work)
    const { span, context, self } = startTransactionSpan(kind, parent, actor)
    const statements = new StatementSpans(tracing, context, storage.engine, system)
    const startPhase = (name: string) => tracing.startChildSpan(context, { name }).span
    const wait = startPhase('wait for the group')
    let commit: TraceSpan | undefined
    let runCount = 0
    return endAfter(span, statements, async () => {
      let events: WriteTx['events'] = []
      try {
        const value = await run(actor, async (tx) => {
          wait.end()
          commit?.end('again')
          // If a group commit fails, its writes run again.
          runCount += 1
          if (runCount > 1) span.set({ 'docket.runs': runCount })
          const result = await work(new TracedWriteTx(tx, statements))
          events = tx.events
          commit = startPhase('commit')
          return result
        })
        if (kind === 'write')
          for (const one of events) operationSpans.remember(one.operation_id, self)
        return value
      } finally {
        wait.end()
        commit?.end()
      }
    })
  }

  return {
    ...storage,
    read: (actor, work) => traceRead(storage.read, actor, work),
    readNow: (actor, work) =>
      tracing.activeContext()
        ? traceRead(storage.read, actor, async (tx) => work(tx))
        : storage.readNow(actor, work),
    readReplica: (actor, work) => traceRead(storage.readReplica, actor, work),
    readReport: (actor, work) => traceRead(storage.readReport, actor, work),
    write: (actor, work, at) => {
      const write: Storage['write'] = (who, task) => storage.write(who, task, at)
      return traceWrite('write', write, actor, work)
    },
    dryRun: (actor, work) => traceWrite('rehearse', storage.dryRun, actor, work),
    // Work after a commit, such as sending events, is not part of the request that wrote.
    onCommit: (listener, dispatcher_id) =>
      storage.onCommit((id) => tracing.runOutsideSpan(() => listener(id)), dispatcher_id),
  }
}

/** Runs work and ends the span of its transaction. */
async function endAfter<T>(
  span: TraceSpan,
  statements: StatementSpans,
  work: () => Promise<T>,
): Promise<T> {
  try {
    const value = await work()
    statements.reportCount(span)
    span.end()
    return value
  } catch (error) {
    statements.reportCount(span)
    endSpanWithError(span, error)
    throw error
  }
}
