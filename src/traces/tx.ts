import type { Note } from '#core/noted.ts'
import type { About, Args, Command, Query, ReadTx, WriteTx } from '#core/tx.ts'
import type { Json } from '#lib/json.ts'
import type { AuditAction, AuditDetails } from '#wire/audit.ts'
import type { EventKind } from '#wire/events.ts'
import type { Statements } from './statements.ts'

/** A transaction whose statements are spans. */
export class TracedRead<T extends ReadTx = ReadTx> implements ReadTx {
  protected readonly tx: T
  protected readonly statements: Statements

  constructor(tx: T, statements: Statements) {
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

  get instant() {
    return this.tx.instant
  }

  newestNotice(): Promise<string> {
    return this.tx.newestNotice()
  }

  one<P, R>(query: Query<P, R>, args: Args<P>): Promise<R | undefined> {
    return this.statements.during(query, () => this.tx.one(query, args))
  }

  all<P, R>(query: Query<P, R>, args: Args<P>): Promise<R[]> {
    return this.statements.during(query, () => this.tx.all(query, args))
  }
}

/** The same of one that may write. */
export class TracedWrite extends TracedRead<WriteTx> implements WriteTx {
  get operation_id() {
    return this.tx.operation_id
  }

  get events() {
    return this.tx.events
  }

  get changed() {
    return this.tx.changed
  }

  run<P, R>(command: Command<P, R>, args: Args<P>): Promise<number> {
    return this.statements.during(command, () => this.tx.run(command, args))
  }

  each<P, R>(command: Command<P, R>, rows: readonly Args<P>[]): Promise<void> {
    return this.statements.during(command, () => this.tx.each(command, rows), rows.length)
  }

  emit<T extends object>(kind: EventKind, record: Json<T>, about: About): void {
    this.tx.emit(kind, record, about)
  }

  note(note: Note): void {
    this.tx.note(note)
  }

  audit<A extends AuditAction>(
    action: A,
    subject_id: string | null,
    details: AuditDetails[A],
    workspace_id?: string,
  ): void {
    this.tx.audit(action, subject_id, details, workspace_id)
  }

  operation<T>(work: () => Promise<T>): Promise<T> {
    return this.tx.operation(work)
  }

  seal(text: string): string {
    return this.tx.seal(text)
  }

  unseal(sealed: string): string {
    return this.tx.unseal(sealed)
  }
}
