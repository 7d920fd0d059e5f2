import type { Context, SpanContext } from '@opentelemetry/api'
import type { Actor } from '#core/actor.ts'
import type { HintNote } from '#core/changes/hint.ts'
import type { TraceSpan } from '#core/trace-recorder.ts'
import type {
  DatabaseEngine,
  EventContext,
  Query,
  ReadTx,
  StatementParams,
  Storage,
  WriteCommand,
  WriteTx,
} from '#core/transaction.ts'
import type { IdPrefix } from '#lib/id.ts'
import type { Json } from '#lib/json.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import type { AuditAction, AuditDetails } from '#wire/audit-actions.ts'
import type { EventKind } from '#wire/event-kinds.ts'
import { endSpanWithError, type OtelTraceRecorder, runAndEndSpan } from './otel-trace-recorder.ts'

/** The newest operations to remember: a few minutes of a busy process. */
const MAX_OPERATIONS = 10_000

/** The span that wrote each operation, so that its deliveries join the same trace. */
export class OperationSpans {
  readonly #spans = new Map<string, SpanContext>()

  get(operation_id: string): SpanContext | undefined {
    return this.#spans.get(operation_id)
  }

  remember(operation_id: string, span: SpanContext): void {
    this.#spans.set(operation_id, span)
    if (this.#spans.size <= MAX_OPERATIONS) return
    for (const oldest of this.#spans.keys()) {
      this.#spans.delete(oldest)
      return
    }
  }
}

/** The statements of a transaction with a span of their own; further ones are only counted. */
const MAX_STATEMENT_SPANS = 50

type AnyStatement = Query<unknown, unknown> | WriteCommand<unknown, unknown>

interface StatementDescription {
  name: string
  attributes: Record<string, string>
}

/** Creates a child span for each statement of a transaction. Bound values are never recorded. */
class StatementSpans {
  readonly #tracing: OtelTraceRecorder
  readonly #context: Context
  readonly #engine: DatabaseEngine
  readonly #system: string
  #count = 0

  constructor(
    tracing: OtelTraceRecorder,
    context: Context,
    engine: DatabaseEngine,
    system: string,
  ) {
    this.#tracing = tracing
    this.#context = context
    this.#engine = engine
    this.#system = system
  }

  runStatement<T>(statement: AnyStatement, work: () => Promise<T>, size?: number): Promise<T> {
    this.#count += 1
    if (this.#count > MAX_STATEMENT_SPANS) return work()
    const { name, attributes } = describeStatement(statement, this.#engine, this.#system)
    const batch = size !== undefined && { 'db.operation.batch.size': size }
    const options = { name, attributes: { ...attributes, ...batch }, isClient: true }
    return runAndEndSpan(this.#tracing.startChildSpan(this.#context, options).span, work)
  }

  /** Records the number of statements on the span of the transaction. */
  reportCount(span: TraceSpan): void {
    span.set({ 'docket.statements': this.#count })
  }
}

const descriptions = new WeakMap<object, StatementDescription>()

/** Verb, first table and text of a statement. The text has placeholders instead of values. */
function describeStatement(
  statement: AnyStatement,
  engine: DatabaseEngine,
  system: string,
): StatementDescription {
  const cached = descriptions.get(statement)
  if (cached) return cached
  const { sql } = statement.text(engine)
  const [, verb = 'statement'] = /^\W*(\w+)/.exec(sql) ?? []
  const [, table = ''] = /\b(?:from|into|update)\s+["`](\w+)["`]/.exec(sql) ?? []
  const name = table === '' ? verb : `${verb} ${table}`
  const description = {
    name,
    attributes: {
      'db.system.name': system,
      'db.operation.name': verb,
      'db.query.summary': name,
      'db.query.text': sql,
      ...(table !== '' && { 'db.collection.name': table }),
    },
  }
  descriptions.set(statement, description)
  return description
}

/** A read transaction whose statements create spans. */
class TracedReadTx<T extends ReadTx = ReadTx> implements ReadTx {
  protected readonly tx: T
  protected readonly statements: StatementSpans

  constructor(tx: T, statements: StatementSpans) {
    this.tx = tx
    this.statements = statements
  }

  get actor() {
    return this.tx.actor
  }

  get settings() {
    return this.tx.settings
  }

  get now() {
    return this.tx.now
  }

  get nowMs() {
    return this.tx.nowMs
  }

  changeNumber(): MaybePromise<number> {
    return this.tx.changeNumber()
  }

  one<P, R>(query: Query<P, R>, args: StatementParams<P>): Promise<R | undefined> {
    return this.statements.runStatement(query, () => this.tx.one(query, args))
  }

  all<P, R>(query: Query<P, R>, args: StatementParams<P>): Promise<R[]> {
    return this.statements.runStatement(query, () => this.tx.all(query, args))
  }

  oneNow<P, R>(query: Query<P, R>, args: StatementParams<P>): MaybePromise<R | undefined> {
    return this.one(query, args)
  }

  allNow<P, R>(query: Query<P, R>, args: StatementParams<P>): MaybePromise<R[]> {
    return this.all(query, args)
  }
}

/** A write transaction whose statements create spans. */
class TracedWriteTx extends TracedReadTx<WriteTx> implements WriteTx {
  get operation_id() {
    return this.tx.operation_id
  }

  get events() {
    return this.tx.events
  }

  newRecordId(prefix: IdPrefix): string {
    return this.tx.newRecordId(prefix)
  }

  endIdsWith(key: string): void {
    this.tx.endIdsWith(key)
  }

  get hasChanges() {
    return this.tx.hasChanges
  }

  run<P, R>(command: WriteCommand<P, R>, args: StatementParams<P>): Promise<number> {
    return this.statements.runStatement(command, () => this.tx.run(command, args))
  }

  runEach<P, R>(command: WriteCommand<P, R>, rows: readonly StatementParams<P>[]): Promise<void> {
    return this.statements.runStatement(command, () => this.tx.runEach(command, rows), rows.length)
  }

  emit<T extends object>(kind: EventKind, record: Json<T>, about: EventContext): void {
    this.tx.emit(kind, record, about)
  }

  storeLargeEvents(): Promise<void> {
    return this.tx.storeLargeEvents()
  }

  noteChange(note: HintNote): void {
    this.tx.noteChange(note)
  }

  audit<A extends AuditAction>(
    action: A,
    subject_id: string | null,
    details: AuditDetails[A],
    workspace_id?: string,
  ): void {
    this.tx.audit(action, subject_id, details, workspace_id)
  }

  countBytes(kind: 'content' | 'file' | 'history', bytes: number): void {
    this.tx.countBytes(kind, bytes)
  }

  runOperation<T>(work: () => Promise<T>): Promise<T> {
    return this.tx.runOperation(work)
  }

  encrypt(text: string): string {
    return this.tx.encrypt(text)
  }

  decrypt(sealed: string): string {
    return this.tx.decrypt(sealed)
  }
}

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
