/** A write that a person has made. It is immutable: a merge replaces it under the same key. */
export interface MutationEntry<P> {
  /** Its Idempotency-Key: the server applies it once, however often it is sent. */
  readonly key: string
  /** Mutations with the same key, mostly the id of a record, are sent one after the other. */
  readonly queueKey: string
  /** Describes the mutation, for the message that it is not saved. */
  readonly label: string
  /** When it was made, in ms since 1970. */
  readonly madeAt: number
  /** Its place among all mutations of this browser, which a wrong clock does not change. */
  readonly turn: number
  /** All that is needed to send it, as IndexedDB can store it. */
  readonly payload: P
  /** Why the server has refused it, and the text in it that must not be lost. */
  readonly refusal?: { reason: string; text: string | undefined } | undefined
  /**
   * Earlier mutations whose whole text this one replaces. Those that the server has refused are
   * deleted in the transaction that stores it, and those that it will refuse at that moment.
   */
  readonly replacedKeys?: readonly string[] | undefined
}

/** What is stored of a mutation. */
export const pickEntry = <P>(of: MutationEntry<P>): MutationEntry<P> => {
  const { key, queueKey, label, madeAt, turn, payload, refusal, replacedKeys } = of
  return { key, queueKey, label, madeAt, turn, payload, refusal, replacedKeys }
}

const ID_ENDING_LETTERS = 8

/**
 * The last letters of an id or key. The id of a new record ends as the key of its mutation does
 * (docs/spec/api.md#change-numbers), so a page knows its own records before, and without, the reply.
 */
export const pickIdEnding = (text: string): string => text.slice(-ID_ENDING_LETTERS)

export type NewMutation<P> = Omit<MutationEntry<P>, 'madeAt' | 'turn' | 'refusal'>

/** What a kind of mutation does. Nothing in it may depend on the page that made the mutation. */
export interface MutationKind<P> {
  /** Resolves once the server has applied it, with the created records for which temporary ids stood. */
  send(payload: P, attempt: MutationAttempt<P>): Promise<readonly CreatedRecord[]>
  /** Ends an attempt that is held, because the person discards the mutation. */
  stop?(key: string): void
  /** Reverts what is shown, after a refusal or, without an error, because the person has discarded it. */
  revert(payload: P, error: unknown, key: string): void
  /** What the person has typed. A refused mutation with text waits for the person. */
  textOf?(payload: P): string | undefined
  /** What a retry sends after a refusal, of which the person has been told. */
  rebase?(payload: P, error: unknown): P
  /** The payload with the id of a record that the server has created; undefined if nothing changes. */
  resolveTempId?(payload: P, created: CreatedRecord): P | undefined
  /** Shows the mutation of an earlier page. */
  show?(payload: P, key: string): void
}

/** One attempt to send a mutation. */
export interface MutationAttempt<P> {
  key: string
  madeAt: number
  /** Whether an earlier attempt may have reached the server. */
  maybeSent: boolean
  /**
   * Waits for the person's choice, or for what takes long. It blocks its own queue key, but no sending
   * slot, and can be discarded meanwhile.
   */
  hold: (end: Promise<unknown>) => Promise<void>
  /** Throws if it has become too old, while it waited, to be sent before the person asks for it. */
  assertRecent: () => void
  /**
   * Replaces the payload, e.g. by a merge, which is then recent, whenever the mutation was made.
   * Resolves once it is stored.
   */
  revise: (payload: P) => Promise<void>
}

/** A record that the server has created, and the temporary id that stood for it. */
export interface CreatedRecord {
  tempId: string
  id: string
}

/** A mutation in the log and its state. */
export interface QueuedMutation<P = unknown> extends MutationEntry<P> {
  /**
   * `held` while it waits for a choice, for a
   * record's real id or for an upload; `unsaved` until the person retries or discards it.
   */
  readonly state: 'waiting' | 'sending' | 'held' | 'unsaved'
  /** `failed`: this browser could not store it. */
  readonly storage: 'storing' | 'stored' | 'failed'
  /** Attempts since the person or the network last asked for one. */
  readonly attempts: number
  /** Whether this page or an earlier one may have sent it. */
  readonly maybeSent: boolean
  readonly error?: unknown
  /** Much may have changed since it was made, so it is never discarded without asking. */
  readonly mayBeOutdated: boolean
  /** When the person has last asked to send it. */
  readonly approvedAt: number
}

/** Where entries outlive their page. A write is one transaction, and rejects if nothing is stored. */
export interface MutationStorage<P> {
  write(puts: readonly MutationEntry<P>[], deletedKeys: readonly string[]): Promise<void>
}

/** All that the log uses of its surroundings. */
export interface MutationLogDeps<P> {
  storage: MutationStorage<P>
  loadKind: (payload: P) => Promise<MutationKind<P>>
  /** No two mutations that have one of these in common are sent at the same time. */
  blockingKeysOf: (entry: Pick<MutationEntry<P>, 'queueKey' | 'payload'>) => readonly string[]
  /** Those of its keys that a mutation waits for, when an earlier one has them. */
  awaitedKeysOf: (entry: Pick<MutationEntry<P>, 'queueKey' | 'payload'>) => readonly string[]
  /**
   * What is made on top of an abandoned mutation has started from values that the server will never
   * have. Returns what replaces the payloads of later ones, in their order; undefined if nothing changes.
   */
  rebaseOn: (abandoned: P) => (later: P) => P | undefined
  /**
   * What later mutations have to keep of one that the server has applied, since nothing else outlives
   * the page. Returns what replaces a payload; undefined if nothing changes.
   */
  keepOutcomeOf: (key: string) => (later: P) => P | undefined
  now: () => number
  random: () => number
  schedule: (run: () => void, ms: number) => void
  isOnline: () => boolean
  /** Whether nothing may be sent, e.g. because the session has ended. */
  isPaused: () => boolean
  onChange: (entries: readonly QueuedMutation<P>[]) => void
}
