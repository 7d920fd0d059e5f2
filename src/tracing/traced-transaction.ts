import type { ChangeNote } from '#core/changes/pending-change.ts'
import type {
  EventContext,
  Query,
  ReadTx,
  StatementParams,
  WriteCommand,
  WriteTx,
} from '#core/transaction.ts'
import type { Json } from '#lib/json.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import type { AuditAction, AuditDetails } from '#wire/audit-actions.ts'
import type { EventKind } from '#wire/event-kinds.ts'
import type { StatementSpans } from './statement-spans.ts'

/** A read transaction whose statements create spans. */
export class TracedReadTx<T extends ReadTx = ReadTx> implements ReadTx {
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

  newestChangeId(): Promise<string> {
    return this.tx.newestChangeId()
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
export class TracedWriteTx extends TracedReadTx<WriteTx> implements WriteTx {
  get operation_id() {
    return this.tx.operation_id
  }

  get events() {
    return this.tx.events
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

  noteChange(note: ChangeNote): void {
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
