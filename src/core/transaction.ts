import type { Clock } from '#lib/clock.ts'
import type { IdPrefix } from '#lib/id.ts'
import type { Json } from '#lib/json.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import type { AuditAction, AuditDetails } from '#wire/audit-actions.ts'
import type { EventKind } from '#wire/event-kinds.ts'
import type { Actor } from './actor.ts'
import type { CommitListeners, HintNote } from './commit-listeners.ts'
import type { OperatorSettings } from './operator-settings.ts'

export type DatabaseEngine = 'sqlite' | 'postgres'

/** The SQL of a statement for one engine. */
export interface CompiledStatement {
  sql: string
  /** The values to bind in order: named slots and constants. */
  values: readonly unknown[]
  /** Whether it may change records of the feed of changes, which the workspace then numbers. */
  changesRecords: boolean
  /** Whether it adds records whose texts count towards the storage of the workspace. */
  addsTexts: boolean
}

interface TypedStatement<P, R> {
  text(engine: DatabaseEngine): CompiledStatement
  readonly paramsType?: P
  readonly rowType?: R
}

/** A statement that only reads. Stores build statements, transactions run them. */
export interface Query<P, R> extends TypedStatement<P, R> {
  readonly kind: 'query'
}
/** A statement that changes rows. */
export interface WriteCommand<P, R> extends TypedStatement<P, R> {
  readonly kind: 'command'
}

/** Parameters that the transaction fills in for every statement with a slot of that name. */
export interface ImplicitParams {
  workspace_id: string
  /** The user of the actor; `''` for the system. */
  viewer_id: string
  /** 1 for owners, admins and the system, which see all projects. */
  viewer_sees_all: number
  /** 1 for everyone except guests, who see only the projects that list them. */
  viewer_sees_open: number
  /** The origin of absolute URLs in records. */
  base_url: string
}

/** The parameters that the caller passes. */
export type StatementParams<P> = Omit<P, keyof ImplicitParams>

/** A transaction that reads one workspace as one actor. */
export interface ReadTx {
  readonly actor: Actor
  readonly settings: OperatorSettings
  /** The time of everything in this transaction, in RFC 3339 and in milliseconds since 1970. */
  readonly now: string
  readonly nowMs: number
  /**
   * The number of the newest change that this transaction has seen, or its own if it has changed
   * records (docs/spec/api.md#changes). A read asks for it first: then whatever it reads contains all
   * changes up to that number.
   */
  changeNumber(): MaybePromise<number>
  one<P, R>(query: Query<P, R>, args: StatementParams<P>): Promise<R | undefined>
  all<P, R>(query: Query<P, R>, args: StatementParams<P>): Promise<R[]>
  /** Like `one` and `all`, but without a promise where the storage need not wait for the rows. */
  oneNow<P, R>(query: Query<P, R>, args: StatementParams<P>): MaybePromise<R | undefined>
  allNow<P, R>(query: Query<P, R>, args: StatementParams<P>): MaybePromise<R[]>
  /** Decrypts what a write has encrypted. */
  decrypt(ciphertext: string): string
}

/** A transaction that also writes rows, events and audit entries: all of them or none. */
export interface WriteTx extends ReadTx {
  /** The id of the current operation, which its events and the reply carry. */
  readonly operation_id: string
  readonly events: readonly PendingEvent[]
  /** The id of a new record. */
  newRecordId(prefix: IdPrefix): string
  /** Ends the ids of new records with eight letters. */
  endIdsWith(ending: string | undefined): void
  /** True if a statement has changed a row. */
  readonly hasChanges: boolean
  /** Runs a command and returns the number of changed rows. */
  run<P, R>(command: WriteCommand<P, R>, args: StatementParams<P>): Promise<number>
  /** Runs a command for each row without waiting in between. */
  runEach<P, R>(command: WriteCommand<P, R>, rows: readonly StatementParams<P>[]): Promise<void>
  emit<T extends object>(kind: EventKind, record: Json<T>, about: EventContext): void
  /**
   * Stores the events so far if they are large, and lets the event loop turn. Work on many records calls
   * it from time to time, so that the records of all events are not in memory until the commit.
   */
  storeLargeEvents(): Promise<void>
  /** After the commit, the job worker of this process looks for jobs at once. */
  noteDueJob(): void
  /** Gives pages a hint that a record has changed which is not in the feed of changes. */
  noteChange(note: HintNote): void
  /**
   * Adds an audit entry with the actor, the time and these details. It goes into the log of the
   * transaction's workspace, or of `workspace_id`.
   */
  audit<A extends AuditAction>(
    action: A,
    subject_id: string | null,
    details: AuditDetails[A],
    workspace_id?: string,
  ): void
  /**
   * Counts the bytes of a file that this transaction stores, or frees if negative, for the storage of the
   * workspace (docs/spec/api.md#storage-of-a-workspace).
   */
  countFileBytes(bytes: number): void
  /**
   * Runs work as a separate operation within this transaction; an error undoes only that work. Before it, a
   * long write lets the event loop turn. With the `id` of the current operation, the work is a part of that.
   */
  runOperation<T>(work: () => Promise<T>, id?: string): Promise<T>
  /** Encrypts with the secret of the installation. */
  encrypt(plaintext: string): string
}

export type FieldChanges = Record<
  string,
  { from: unknown; to: unknown; truncated?: boolean | undefined }
>

/** The context of an event beside its record. */
export interface EventContext {
  /** The task, project or member whose deliveries must keep their order. */
  subject_id: string
  project_id: string | null
  /** The previous project, if the operation moved the record. */
  former_project_id?: string | null
  changes?: FieldChanges
}

export interface PendingEvent extends EventContext {
  kind: EventKind
  record: Json<object>
  operation_id: string
}

/**
 * Commits since the start. Several writes share a commit; `seconds` is the total time of commits.
 */
export interface CommitStats {
  commits: number
  writes: number
  seconds: number
}

/**
 * Also the writes queued for a commit, and the connections of the pool (`awaited`: waits for one).
 */
interface StorageStats extends CommitStats {
  queuedWrites: number
  connections?: { open: number; idle: number; awaited: number }
}

/** Implemented by each engine. Operations receive a transaction and never open one. */
export interface Storage {
  readonly engine: DatabaseEngine
  /** The clock of all stored times. */
  readonly clock: Clock
  /** Those who follow the commits of a workspace. */
  readonly commitListeners: CommitListeners
  read<T>(actor: Actor, work: (tx: ReadTx) => Promise<T>): Promise<T>
  /** Like `read`, but without a promise if neither the work nor the storage waits. */
  readNow<T>(actor: Actor, work: (tx: ReadTx) => MaybePromise<T>): MaybePromise<T>
  /**
   * To be called in the callback of the socket that brings a request: the reads of all requests that
   * have arrived together may then see the same state.
   */
  shareTurn(): void
  /**
   * For statements that take tenths of a second: only a few run at a time, apart from other reads,
   * and each is cancelled after five seconds. Throws 503 if the wait would be too long.
   */
  readReport<T>(actor: Actor, work: (tx: ReadTx) => Promise<T>): Promise<T>

  /**
   * For long work of many statements, which all see the state at the first of them. `work` may
   * await other things in between and blocks no writer.
   */
  snapshot<T>(actor: Actor, work: (tx: ReadTx) => Promise<T>): Promise<T>
  /**
   * `at` is the time of the transaction in milliseconds since 1970 (default: the clock's). The demo
   * writes its history with it. Writes of a workspace must follow each other in the order of time.
   */
  write<T>(actor: Actor, work: (tx: WriteTx) => Promise<T>, at?: number): Promise<T>
  /** Runs a write and rolls it back. */
  dryRun<T>(actor: Actor, work: (tx: WriteTx) => Promise<T>): Promise<T>
  /**
   * Calls the listener with the workspace id after each commit of this process, unless it has events
   * that no webhook waits for, and after commits of other processes whose events the dispatcher
   * `dispatcher_id` must send.
   */
  onCommit(listener: (workspace_id: string) => void, dispatcher_id?: string): void
  /** Whether the storage can be read and written now. */
  isReady(): Promise<boolean>
  /** Statistics of this process for the metrics. */
  stats(): StorageStats
  close(): Promise<void>
}
