/** What is wrong with one field, as the API says it (contract 2.1). */
export interface Detail {
  field: string
  code: string
  message: string
  resource_id?: string
}

/** A refusal of the API: its own words, at their fields. */
export class Problem extends Error {
  readonly status: number
  readonly code: string
  readonly details: readonly Detail[]
  readonly request_id: string
  /** Seconds after which it may be tried again, where the reply says so. */
  readonly retryAfter: number | undefined

  constructor(status: number, error: Refusal, retryAfter?: number) {
    super(error.message)
    this.status = status
    this.code = error.code
    this.details = error.details
    this.request_id = error.request_id
    this.retryAfter = retryAfter
  }

  /** What is wrong with a field, if that is what it is about. */
  at(field: string): string | undefined {
    return this.details.find((detail) => detail.field === field)?.message
  }
}

/** No reply came: the server is down, or there is no network. */
export class Unreachable extends Error {
  constructor(cause?: unknown) {
    super('Docket does not answer.', { cause })
  }
}

/** It was not sent: the browser's session is another than the page's just now. */
export class Withheld extends Error {
  constructor() {
    super('Another tab has changed the workspace or the person. Switch back first.')
  }
}

/** The `error` of a reply (contract 2.1). */
export interface Refusal {
  code: string
  message: string
  details: readonly Detail[]
  request_id: string
}

/** Whether sending the same again, later, may succeed. */
export const isPassing = (error: unknown): boolean =>
  error instanceof Unreachable ||
  error instanceof Withheld ||
  (error instanceof Problem &&
    (error.status >= 500 ||
      error.status === 429 ||
      error.status === 408 ||
      // The first try of the same write is still being done.
      error.code === 'idempotency_in_progress'))
