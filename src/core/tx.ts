import type { Clock } from '#lib/clock.ts'
import type { Json } from '#lib/json.ts'
import type { AuditAction, AuditDetails } from '#wire/audit.ts'
import type { EventKind } from '#wire/events.ts'
import type { Actor } from './actor.ts'
import type { Note } from './noted.ts'
import type { Notices } from './notices.ts'
import type { Settings } from './settings.ts'

export type Engine = 'sqlite' | 'postgres'

interface Statement<P, R> {
  /** Its SQL for an engine, and what to bind in order: named slots and constants. */
  text(engine: Engine): { sql: string; values: readonly unknown[] }
  readonly takes?: P
  readonly gives?: R
}

/** A statement that only reads, and one that changes rows. Made by a store, run by a transaction. */
export interface Query<P, R> extends Statement<P, R> {
  readonly kind: 'query'
}
export interface Command<P, R> extends Statement<P, R> {
  readonly kind: 'command'
}

/** What the transaction itself fills in, wherever a statement has a slot of that name. */
export interface Given {
  workspace_id: string
  /** The actor's person; `''` for the system. */
  viewer_id: string
  /** 1 for owners, admins and the system, who see every project. */
  viewer_sees_all: number
  /** 1 for everybody but guests, to whom only the projects that list them are open. */
  viewer_is_member: number
  /** Origin of the absolute addresses that records show. */
  base_url: string
}

/** What the caller hands over. */
export type Args<P> = Omit<P, keyof Given>

/** One actor's view of one workspace. */
export interface ReadTx {
  readonly actor: Actor
  readonly settings: Settings
  /** The one instant at which everything in this transaction happens: RFC 3339, and milliseconds. */
  readonly now: string
  readonly instant: number
  /** The newest notice of the workspace: asked before what is read, so that all after it is told. */
  newestNotice(): Promise<string>
  one<P, R>(query: Query<P, R>, args: Args<P>): Promise<R | undefined>
  all<P, R>(query: Query<P, R>, args: Args<P>): Promise<R[]>
}

/** The same, and it may change rows and say what happened: all of it or nothing of it. */
export interface WriteTx extends ReadTx {
  /** The operation that is under way, as its events and the reply name it. */
  readonly operation_id: string
  readonly events: readonly Event[]
  /** Whether a statement has changed a row. */
  readonly changed: boolean
  /** Tells how many rows were changed. */
  run<P, R>(command: Command<P, R>, args: Args<P>): Promise<number>
  /** Runs a command for each of some rows, none of which waits for the one before. */
  each<P, R>(command: Command<P, R>, rows: readonly Args<P>[]): Promise<void>
  emit<T extends object>(kind: EventKind, record: Json<T>, about: About): void
  /** Says that a record has changed of which no event tells, to those who look on. */
  note(note: Note): void
  /**
   * Says what the audit log keeps: who did it and when, what, about which record, and these details. It
   * stands in the chain of the transaction's workspace, or of the one that is named.
   */
  audit<A extends AuditAction>(
    action: A,
    subject_id: string | null,
    details: AuditDetails[A],
    workspace_id?: string,
  ): void
  /** Runs work as an operation of its own within this transaction: what it throws undoes it alone. */
  operation<T>(work: () => Promise<T>): Promise<T>
  /** A value sealed with the secret of the installation, and opened again. */
  seal(text: string): string
  unseal(sealed: string): string
}

export type Changes = Record<string, { from: unknown; to: unknown; truncated?: true }>

/** What an event is about, beside its record. */
export interface About {
  /** The record by which deliveries keep their order: a task, a project or a member. */
  subject_id: string
  project_id: string | null
  /** The project that the record was in before, when the operation moved it. */
  former_project_id?: string | null
  changes?: Changes
}

export interface Event extends About {
  kind: EventKind
  record: Json<object>
  operation_id: string
}

/** What was committed since the start: writes share commits. `seconds` is how long those took in all. */
export interface Tally {
  commits: number
  writes: number
  seconds: number
}

/** How often a replica has read, and how often the primary in its place; how many bytes it was behind last. */
export interface ReplicaUse {
  replica: number
  primary: number
  behind: number
}

/** The tally, the writes that wait for a commit now, and of a pool its connections and who waits for one. */
export interface Vitals extends Tally {
  waiting: number
  connections?: { open: number; idle: number; awaited: number }
  replica?: ReplicaUse
}

/** The port that an engine implements. Only the pipeline, the command line and timers open transactions. */
export interface Storage {
  readonly engine: Engine
  /** Tells the time of what is stored, to its transactions and to all work around them. */
  readonly clock: Clock
  /** What writes of this process have changed, for those who look on. */
  readonly notices: Notices
  read<T>(actor: Actor, work: (tx: ReadTx) => Promise<T>): Promise<T>
  /**
   * The same, from a replica where there is one that has all that was committed before. The work may be
   * done twice.
   */
  readFar<T>(actor: Actor, work: (tx: ReadTx) => Promise<T>): Promise<T>
  /**
   * The same for statements that take tenths of a second: few are done at a time, none for more than five
   * seconds, and nobody else waits for them. Refuses (503) what would wait too long.
   */
  readLong<T>(actor: Actor, work: (tx: ReadTx) => Promise<T>): Promise<T>

  /**
   * The same for long work of many statements, which all see what was committed at the first of them.
   * It may await other things in between, and holds up no writer.
   */
  snapshot<T>(actor: Actor, work: (tx: ReadTx) => Promise<T>): Promise<T>
  write<T>(actor: Actor, work: (tx: WriteTx) => Promise<T>): Promise<T>
  /** Does all that a write does, and then takes it back. */
  rehearse<T>(actor: Actor, work: (tx: WriteTx) => Promise<T>): Promise<T>
  /**
   * Calls the listener whenever a write of this process has committed, with its workspace; and where
   * `dispatcher_id` is to send what another process has committed.
   */
  onCommit(listener: (workspace_id: string) => void, dispatcher_id?: string): void
  /** Whether the store can be read and written now. */
  ready(): Promise<boolean>
  /** How writing goes in this process, for the operator's figures. */
  vitals(): Vitals
  close(): Promise<void>
}
