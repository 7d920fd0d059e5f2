import { type Actor, may, viewerId } from '#core/actor.ts'
import { MAX_WRITTEN_BYTES, writeTooLarge } from '#core/api-error.ts'
import type { Hint, HintNote } from '#core/commit-listeners.ts'
import type { OperatorSettings } from '#core/operator-settings.ts'
import type {
  CompiledStatement,
  DatabaseEngine,
  EventContext,
  ImplicitParams,
  PendingEvent,
  Query,
  StatementParams,
  WriteCommand,
  WriteTx,
} from '#core/transaction.ts'
import { type Clock, timestampOf } from '#lib/clock.ts'
import { type IdPrefix, newId } from '#lib/id.ts'
import type { Json } from '#lib/json.ts'
import { andThen, type MaybePromise } from '#lib/maybe-promise.ts'
import { giveWay } from '#lib/turns.ts'
import { type AuditAction, type AuditDetails, INSTALLATION_AUDIT_LOG } from '#wire/audit-actions.ts'
import type { EventKind } from '#wire/event-kinds.ts'
import type { AuditLogEntry } from '../audit/audit-log.ts'
import { newestChangeNumber, storeEvents } from '../events/outbox.ts'
import type { Encryptor } from '../installation/sealed-values.ts'
import type { AuditEntryRow } from '../schema/tables.ts'
import { Slot } from './statement.ts'

/** A connection as a transaction needs it, for either engine. */
export interface EngineConnection {
  engine: DatabaseEngine
  /** `isSingle`: only the first row is wanted, and found in a moment. */
  rows(sql: string, values: unknown[], isSingle?: boolean): unknown[] | Promise<unknown[]>
  change(sql: string, values: unknown[]): number | Promise<number>
  /** Sets a savepoint, releases it, or rolls back to it. */
  savepoint(step: 'savepoint' | 'release' | 'rollback to', name: string): void | Promise<void>
}

/** Wraps a connection and counts the changing statements that it runs. */
export function countChanges(connection: EngineConnection): EngineConnection & { changes: number } {
  const counter = {
    ...connection,
    changes: 0,
    change(sql: string, values: unknown[]) {
      counter.changes += 1
      return connection.change(sql, values)
    },
  }
  return counter
}

/** An audit entry before it gets its sequence. */
export type PendingAuditEntry = Omit<AuditEntryRow, 'sequence' | 'hash'>

/** What the caller provides for all transactions of an installation. */
export interface StorageContext {
  baseUrl: string
  seal: Encryptor
  settings: OperatorSettings
  /** The clock of stored times (default: the machine's clock, never going back). */
  clock?: Clock | undefined
  /** Receives each audit entry after its commit. It must not throw: nothing can be undone then. */
  onAuditEntry?: ((entry: AuditLogEntry) => void) | undefined
}

/** What all transactions share, including what the storage itself adds. */
export interface TransactionContext extends StorageContext {
  clock: Clock
}

/** After so many rows a long write looks whether others have waited long enough. */
const ROWS_PER_TURN = 100
/** How long the records of events that wait for the commit may be, in UTF-16 code units. */
const MAX_EVENT_UNITS = 8 * 1024 * 1024
const DELETION_EVENT = /\.(deleted|removed)$/

/** Implements both kinds of transaction; for reads only its `ReadTx` half is handed out. */
export class Transaction implements WriteTx {
  readonly #connection: EngineConnection
  readonly #context: TransactionContext
  readonly #parameters: ImplicitParams
  readonly actor: Actor
  events: PendingEvent[] = []
  hasStoredEvents = false
  hints: Hint[] = []
  pendingAuditEntries: PendingAuditEntry[] = []
  /** Whether it has enqueued a job that is due, even if that was undone. */
  hasDueJobs = false
  hasChanges = false
  /** Whether a statement has changed a record of the feed of changes, even if that was undone. */
  hasRecordChanges = false
  /**
   * Whether its commit is news to those who follow the workspace. Triggers change records, too, as those of a
   * person with a new name: then there are events.
   */
  get hasNews(): boolean {
    const hasEvents = this.events.length > 0 || this.hasStoredEvents
    return this.hasRecordChanges || hasEvents || this.hints.length > 0
  }
  /** By what the files of the workspace grow. */
  fileBytes = 0
  /** The bytes of the events that are stored already. */
  storedEventBytes = 0
  /** Whether a statement has added a record with texts, even if that was undone. */
  addsTexts = false
  hasDeletions = false
  hasOtherOperations = false
  /** The bytes of the records of all events. */
  #writtenBytes = 0
  readonly nowMs: number
  /** The length of the records of all events that are not stored yet. */
  #eventUnits = 0
  #operation_id = ''
  #now = ''
  #idEnding: string | undefined

  constructor(
    connection: EngineConnection,
    actor: Actor,
    context: TransactionContext,
    nowMs = context.clock.now(),
  ) {
    this.#connection = connection
    this.#context = context
    this.actor = actor
    this.nowMs = nowMs
    this.#parameters = {
      workspace_id: actor.workspace_id,
      viewer_id: viewerId(actor),
      viewer_sees_all: may(actor, 'see_all_projects') ? 1 : 0,
      viewer_sees_open: may(actor, 'see_open_projects') ? 1 : 0,
      base_url: context.baseUrl,
    }
  }

  get settings(): OperatorSettings {
    return this.#context.settings
  }

  /** Created at its first use, because no read has one. */
  get operation_id(): string {
    if (this.#operation_id === '') this.#operation_id = newId('opr', this.nowMs)
    return this.#operation_id
  }

  newRecordId(prefix: IdPrefix): string {
    return newId(prefix, this.nowMs, this.#idEnding)
  }

  endIdsWith(ending: string | undefined): void {
    this.#idEnding = ending
  }

  get now(): string {
    if (this.#now === '') this.#now = timestampOf(this.nowMs)
    return this.#now
  }

  changeNumber(): MaybePromise<number> {
    return andThen(this.oneNow(newestChangeNumber, {}), (row) => {
      return (row?.last_change_number ?? 0) + (this.hasRecordChanges ? 1 : 0)
    })
  }

  // Results that SQLite returns synchronously are not awaited: each await costs a microtask.

  async one<P, R>(query: Query<P, R>, args: StatementParams<P>): Promise<R | undefined> {
    const rows = this.#rows(query, args, true)
    return (rows instanceof Promise ? await rows : rows)[0]
  }

  async all<P, R>(query: Query<P, R>, args: StatementParams<P>): Promise<R[]> {
    return this.#rows(query, args)
  }

  oneNow<P, R>(query: Query<P, R>, args: StatementParams<P>): MaybePromise<R | undefined> {
    return andThen(this.#rows(query, args, true), ([row]) => row)
  }

  allNow<P, R>(query: Query<P, R>, args: StatementParams<P>): MaybePromise<R[]> {
    return this.#rows(query, args)
  }

  async run<P, R>(command: WriteCommand<P, R>, args: StatementParams<P>): Promise<number> {
    const text = command.text(this.#connection.engine)
    const change = this.#connection.change(text.sql, this.#bind(text.values, args))
    const changed = typeof change === 'number' ? change : await change
    if (changed > 0) this.#noteRows(text)
    return changed
  }

  async runEach<P, R>(
    command: WriteCommand<P, R>,
    rows: readonly StatementParams<P>[],
  ): Promise<void> {
    const text = command.text(this.#connection.engine)
    const pending: Promise<number>[] = []
    for (const [at, args] of rows.entries()) {
      if (at % ROWS_PER_TURN === ROWS_PER_TURN - 1) await giveWay()
      const change = this.#connection.change(text.sql, this.#bind(text.values, args))
      if (typeof change !== 'number') pending.push(change)
    }
    await Promise.all(pending)
    if (rows.length > 0) this.#noteRows(text)
  }

  #noteRows({ changesRecords, addsTexts }: CompiledStatement): void {
    this.hasChanges = true
    if (addsTexts) this.addsTexts = true
    if (changesRecords) this.hasRecordChanges = true
  }

  emit<T extends object>(kind: EventKind, record: Json<T>, about: EventContext): void {
    const { operation_id } = this
    const event: PendingEvent = { kind, record: record as Json<object>, operation_id, ...about }
    this.events.push(event)
    this.#eventUnits += record.length
    if (DELETION_EVENT.test(kind)) this.hasDeletions = true
    this.#addWrittenBytes(Buffer.byteLength(record))
  }

  async storeLargeEvents(): Promise<void> {
    await giveWay()
    if (this.#eventUnits < MAX_EVENT_UNITS) return
    this.storedEventBytes += await storeEvents(this)
    this.hasStoredEvents = true
    // The list itself stays as it is, for an operation that rolls them back.
    this.events = []
    this.#eventUnits = 0
  }

  countFileBytes(bytes: number): void {
    this.fileBytes += bytes
  }

  /** Background jobs and imports write in batches, and stop by themselves. */
  #addWrittenBytes(bytes: number): void {
    this.#writtenBytes += bytes
    const { type, source } = this.actor
    if (this.#writtenBytes > MAX_WRITTEN_BYTES && type !== 'system' && source !== 'import')
      throw writeTooLarge()
  }

  noteDueJob(): void {
    this.hasDueJobs = true
  }

  noteChange({ only_for, ...hint }: HintNote): void {
    const { operation_id } = this
    this.hints.push({
      hint: { ...hint, operation_id },
      ...(only_for !== undefined && { only_for }),
    })
  }

  audit<A extends AuditAction>(
    action: A,
    subject_id: string | null,
    details: AuditDetails[A],
    workspace_id = this.actor.workspace_id,
  ): void {
    const { type, user_id, credential_id } = this.actor
    this.pendingAuditEntries.push({
      workspace_id: workspace_id || INSTALLATION_AUDIT_LOG,
      at: this.now,
      actor_type: type,
      actor_id: user_id,
      credential_id,
      action,
      subject_id,
      details: JSON.stringify(details),
      operation_id: this.operation_id,
    })
  }

  async runOperation<T>(work: () => Promise<T>): Promise<T> {
    await this.storeLargeEvents()
    const { events, hasStoredEvents, hasChanges: changed, operation_id } = this
    const [emitted, units] = [events.length, this.#eventUnits]
    const [hinted, audited] = [this.hints.length, this.pendingAuditEntries.length]
    const { fileBytes, storedEventBytes, hasDeletions } = this
    const written = this.#writtenBytes
    this.#operation_id = newId('opr', this.nowMs)
    this.hasChanges = false
    this.hasDeletions = false
    // The work need not await the savepoint: the connection runs it before the work's statements.
    const savepoint = this.#connection.savepoint('savepoint', 'operation')
    try {
      const [value] = await Promise.all([work(), savepoint])
      await this.#connection.savepoint('release', 'operation')
      if (this.hasChanges && !this.hasDeletions) this.hasOtherOperations = true
      this.hasDeletions ||= hasDeletions
      return value
    } catch (error) {
      await this.#connection.savepoint('rollback to', 'operation')
      await this.#connection.savepoint('release', 'operation')
      events.length = emitted
      this.events = events
      this.#eventUnits = units
      this.hasStoredEvents = hasStoredEvents
      this.hints.length = hinted
      this.pendingAuditEntries.length = audited
      this.fileBytes = fileBytes
      this.storedEventBytes = storedEventBytes
      this.hasDeletions = hasDeletions
      this.#writtenBytes = written
      throw error
    } finally {
      this.#operation_id = operation_id
      this.hasChanges = changed
    }
  }

  encrypt(text: string): string {
    return this.#context.seal.encrypt(text, this.actor.workspace_id)
  }

  decrypt(sealed: string): string {
    return this.#context.seal.decrypt(sealed, this.actor.workspace_id)
  }

  #rows<P, R>(query: Query<P, R>, args: StatementParams<P>, isSingle = false): MaybePromise<R[]> {
    const { sql, values } = query.text(this.#connection.engine)
    return this.#connection.rows(sql, this.#bind(values, args), isSingle) as R[]
  }

  #bind(values: readonly unknown[], args: object): unknown[] {
    const bound: unknown[] = []
    for (const value of values)
      bound.push(value instanceof Slot ? this.#valueOf(value, args) : value)
    return bound
  }

  #valueOf({ name, isImplicit }: Slot, args: object): unknown {
    const value = ((isImplicit ? this.#parameters : args) as Record<string, unknown>)[name]
    if (value === undefined) throw new Error(`A statement was given no ${name}`)
    return Array.isArray(value) ? JSON.stringify(value) : value
  }
}
