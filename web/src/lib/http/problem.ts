import { shellMessages } from '../../messages/app/shell.ts'

/** An error of one field, as the API returns it (docs/spec/api.md#error-body). */
export interface ProblemDetail {
  field: string
  code: string
  message: string
  resource_id?: string
}

/** What a person can do about an error of the API, as a button offers it. */
export interface Remedy {
  label: string
  run: () => Promise<void>
  /** Whether the same request succeeds afterwards. Otherwise the button leads to where the cause is. */
  isSolution: boolean
}

/** A request that the API has refused. */
export interface RefusedRequest {
  params: Readonly<Record<string, string>> | undefined
  body: unknown
  /** Sends it once more, as a new request. */
  repeat: () => Promise<unknown>
}

/** An error reply of the API, with its message and its field errors. */
export class ApiResponseError extends Error {
  readonly status: number
  readonly code: string
  readonly details: readonly ProblemDetail[]
  readonly request_id: string
  /** Seconds after which to retry, from the Retry-After header. */
  readonly retryAfter: number | undefined
  /** What was refused, if it can be repeated. */
  request?: RefusedRequest | undefined
  /** What the person can do about it, if the app knows something. */
  remedy?: Remedy | undefined

  constructor(status: number, error: ProblemBody, retryAfter?: number) {
    super(error.message)
    this.status = status
    this.code = error.code
    this.details = error.details
    this.request_id = error.request_id
    this.retryAfter = retryAfter
  }

  /** The message about a field, if the error has one. */
  messageFor(field: string): string | undefined {
    return this.details.find((detail) => detail.field === field)?.message
  }
}

/** No reply from the API: the server is down, or there is no network. */
export class NetworkError extends Error {
  constructor(cause?: unknown) {
    super(`${shellMessages.unanswered}.`, { cause })
  }
}

/** A chunk of this page's version is no longer on the server, which has a newer one. */
export class ScreenUnavailableError extends Error {}

/** The request was not sent or was refused, because the browser's session is not the page's. */
export class SessionMismatchError extends Error {
  constructor() {
    super(shellMessages.otherSession)
  }
}

/** The `error` object of a reply (docs/spec/api.md#error-body). */
export interface ProblemBody {
  code: string
  message: string
  details: readonly ProblemDetail[]
  request_id: string
}

/** Finds the remedy of an error. The app sets it, because a remedy reads and changes records. */
export let findRemedy: (error: ApiResponseError) => Promise<Remedy | undefined> = async () =>
  undefined

export const setRemedyFinder = (find: typeof findRemedy): void => {
  findRemedy = find
}

/** Whether the same request may succeed later. */
export const isRetryable = (error: unknown): boolean =>
  error instanceof NetworkError ||
  error instanceof SessionMismatchError ||
  (error instanceof ApiResponseError &&
    (error.status >= 500 || error.status === 429 || error.status === 408))
