import type { UserActor } from './actor.ts'

/** What a process remembers of a request to `/api/v1`: nothing that the client has written but the names of its kind. */
export interface RequestLogEntry {
  id: string
  /** When its reply had been sent, in milliseconds since 1970. */
  endedAtMs: number
  method: string
  /** The pattern of the path. */
  route: string
  status: number
  /** The code of the error reply. */
  error_code: string | undefined
  workspace_id: string
  user_id: string
  actor_type: UserActor['type']
  /** The API key or the application; null for a session. */
  credential_id: string | null
  role: UserActor['role']
  /** The limit that was nearest, what it left and when it ends in Unix seconds; NaN if nothing was counted. */
  limit: number
  remaining: number
  reset: number
  hasIdempotencyKey: boolean
  isReplayed: boolean
  operation_id: string | null
}

/** Of each kind; about 300 bytes each. */
const MAX_ENTRIES = 10_000

/**
 * The newest requests of a process in two rings, whose oldest is overwritten: people ask about those that were
 * refused, which a client that asks again and again must not displace.
 */
export class RequestLog {
  readonly #refused: Ring
  readonly #others: Ring

  constructor(capacity = MAX_ENTRIES) {
    this.#refused = new Ring(capacity)
    this.#others = new Ring(capacity)
  }

  add(entry: RequestLogEntry): void {
    const { status } = entry
    const isRefused = status >= 400 && status !== RATE_LIMITED
    const ring = isRefused ? this.#refused : this.#others
    ring.add(entry)
  }

  /** Reads all entries: an index of ids would cost every request more than this costs the few that ask. */
  find(id: string): RequestLogEntry | undefined {
    return this.#refused.find(id) ?? this.#others.find(id)
  }
}

/** A client that does not wait sends any number of such requests. */
const RATE_LIMITED = 429

class Ring {
  readonly #entries: RequestLogEntry[] = []
  readonly #capacity: number
  #next = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  add(entry: RequestLogEntry): void {
    this.#entries[this.#next] = entry
    this.#next = (this.#next + 1) % this.#capacity
  }

  find(id: string): RequestLogEntry | undefined {
    return this.#entries.find((entry) => entry.id === id)
  }
}

/** The requests that this process has answered. Other processes do not have them, nor the next one. */
export const requestLog = new RequestLog()
