import { type Actor, manages } from '#core/actor.ts'
import type { Note, Noted } from '#core/noted.ts'
import type { Notices } from '#core/notices.ts'
import type { Settings } from '#core/settings.ts'
import type { About, Args, Command, Engine, Event, Given, Query, WriteTx } from '#core/tx.ts'
import { type Clock, timestampOf } from '#lib/clock.ts'
import { newId } from '#lib/id.ts'
import type { Json } from '#lib/json.ts'
import { type AuditAction, type AuditDetails, INSTALLATION } from '#wire/audit.ts'
import type { EventKind } from '#wire/events.ts'
import { noticesCounted } from './outbox.ts'
import type { Seal } from './seal.ts'
import { Slot } from './statement.ts'
import type { AuditEntryRow } from './tables.ts'

/** What a transaction needs of a connection, whichever engine is behind it. */
export interface Connection {
  engine: Engine
  rows(sql: string, values: unknown[]): unknown[] | Promise<unknown[]>
  change(sql: string, values: unknown[]): number | Promise<number>
  /** Sets a mark, forgets it, or goes back to it. */
  savepoint(step: 'savepoint' | 'release' | 'rollback to', name: string): void | Promise<void>
}

/** The same connection, and how many changes were asked of it. */
export function counting(on: Connection): Connection & { changes: number } {
  const counted = {
    ...on,
    changes: 0,
    change(sql: string, values: unknown[]) {
      counted.changes += 1
      return on.change(sql, values)
    },
  }
  return counted
}

/** An entry of the audit log, before it has its place in a chain. */
export type Audited = Omit<AuditEntryRow, 'sequence' | 'hash'>

/** What all transactions of an installation share. */
export interface Surroundings {
  baseUrl: string
  seal: Seal
  settings: Settings
  /** Tells the time of what is stored (default: that of the machine, never going back). */
  clock?: Clock | undefined
}

/** The same, with what the storage itself adds. */
export interface Shared extends Surroundings {
  notices: Pick<Notices, 'newest'>
  clock: Clock
}

/** Both kinds of transaction: whoever opens one for reading gives out only its reading half. */
export class Transaction implements WriteTx {
  readonly #connection: Connection
  readonly #surroundings: Shared
  readonly #given: Given
  readonly actor: Actor
  events: Event[] = []
  noted: Noted[] = []
  audited: Audited[] = []
  changed = false
  operation_id: string
  readonly instant: number
  #now = ''

  constructor(connection: Connection, actor: Actor, surroundings: Shared) {
    this.#connection = connection
    this.#surroundings = surroundings
    this.actor = actor
    this.instant = surroundings.clock.now()
    this.operation_id = newId('opr', this.instant)
    this.#given = {
      workspace_id: actor.workspace_id,
      viewer_id: actor.user_id ?? '',
      viewer_sees_all: manages(actor) ? 1 : 0,
      viewer_is_member: actor.role === 'guest' ? 0 : 1,
      base_url: surroundings.baseUrl,
    }
  }

  get settings(): Settings {
    return this.#surroundings.settings
  }

  get now(): string {
    if (this.#now === '') this.#now = timestampOf(this.instant)
    return this.#now
  }

  newestNotice(): Promise<string> {
    const { notices } = this.#surroundings
    return notices.newest(this.actor.workspace_id, async () => {
      return (await this.one(noticesCounted, {}))?.last_notice ?? 0
    })
  }

  // What SQLite has done already is not waited for: each wait is a turn of the queue.

  async one<P, R>(query: Query<P, R>, args: Args<P>): Promise<R | undefined> {
    const rows = this.#rows(query, args)
    return (rows instanceof Promise ? await rows : rows)[0]
  }

  async all<P, R>(query: Query<P, R>, args: Args<P>): Promise<R[]> {
    return this.#rows(query, args)
  }

  async run<P, R>(command: Command<P, R>, args: Args<P>): Promise<number> {
    const { sql, values } = command.text(this.#connection.engine)
    const change = this.#connection.change(sql, this.#bind(values, args))
    const changed = typeof change === 'number' ? change : await change
    if (changed > 0) this.changed = true
    return changed
  }

  async each<P, R>(command: Command<P, R>, rows: readonly Args<P>[]): Promise<void> {
    const { sql, values } = command.text(this.#connection.engine)
    const under_way: Promise<number>[] = []
    for (const args of rows) {
      const change = this.#connection.change(sql, this.#bind(values, args))
      if (typeof change !== 'number') under_way.push(change)
    }
    await Promise.all(under_way)
    if (rows.length > 0) this.changed = true
  }

  emit<T extends object>(kind: EventKind, record: Json<T>, about: About): void {
    const { operation_id } = this
    const event: Event = { kind, record: record as Json<object>, operation_id, ...about }
    this.events.push(event)
    this.noted.push(event)
  }

  note(note: Note): void {
    this.noted.push({ ...note, operation_id: this.operation_id })
  }

  audit<A extends AuditAction>(
    action: A,
    subject_id: string | null,
    details: AuditDetails[A],
    workspace_id = this.actor.workspace_id,
  ): void {
    const { type, user_id, credential_id } = this.actor
    this.audited.push({
      workspace_id: workspace_id || INSTALLATION,
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

  async operation<T>(work: () => Promise<T>): Promise<T> {
    const { events, changed, operation_id } = this
    const [noted, audited] = [this.noted.length, this.audited.length]
    this.operation_id = newId('opr', this.instant)
    this.events = []
    this.changed = false
    // The work does not wait for its mark, which is set before whatever it asks.
    const marked = this.#connection.savepoint('savepoint', 'operation')
    try {
      const [value] = await Promise.all([work(), marked])
      await this.#connection.savepoint('release', 'operation')
      this.events = [...events, ...this.events]
      return value
    } catch (error) {
      await this.#connection.savepoint('rollback to', 'operation')
      await this.#connection.savepoint('release', 'operation')
      this.events = events
      this.noted.length = noted
      this.audited.length = audited
      throw error
    } finally {
      this.operation_id = operation_id
      this.changed = changed
    }
  }

  seal(text: string): string {
    return this.#surroundings.seal.seal(text, this.actor.workspace_id)
  }

  unseal(sealed: string): string {
    return this.#surroundings.seal.open(sealed, this.actor.workspace_id)
  }

  #rows<P, R>(query: Query<P, R>, args: Args<P>): R[] | Promise<R[]> {
    const { sql, values } = query.text(this.#connection.engine)
    return this.#connection.rows(sql, this.#bind(values, args)) as R[]
  }

  #bind(values: readonly unknown[], args: object): unknown[] {
    const bound: unknown[] = []
    for (const value of values)
      bound.push(value instanceof Slot ? this.#valueOf(value, args) : value)
    return bound
  }

  #valueOf({ name, isGiven }: Slot, args: object): unknown {
    const value = ((isGiven ? this.#given : args) as Record<string, unknown>)[name]
    if (value === undefined) throw new Error(`A statement was given no ${name}`)
    return Array.isArray(value) ? JSON.stringify(value) : value
  }
}
