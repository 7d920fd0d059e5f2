import { onAbort } from './abort.ts'
import { DocketError, describeConnectionFailure, readError } from './errors.ts'
import { Pacing } from './pacing.ts'
import { fetchThroughProxy } from './proxy.ts'

/**
 * Where a token comes from, if it is not fixed: returns the one to send. `refused` is the one that the
 * server has just refused, which must not be returned again.
 */
export type TokenSource = (refused?: string) => string | Promise<string>

/** How a client reaches a server. */
export interface DocketOptions {
  /** The address of the installation, such as `https://docket.example.com`. */
  baseUrl: string
  /** An API key, an access token, or a function that returns one. */
  token: string | TokenSource
  /**
   * In milliseconds, until the reply of one attempt must have arrived. Default: 30,000; to upload files 600,000. The
   * content of a download may take longer, but not stand still for as long.
   */
  timeoutMs?: number
  /** How often a request is repeated at most, where that is safe. Default: 4. 0: never. */
  maxRetries?: number
  /** How many requests run at a time; others wait. Default: 8. */
  concurrency?: number
  /** Used in place of the global `fetch`, and of the proxies that the environment names. */
  fetch?: typeof fetch
}

/** What every call takes. */
export interface RequestOptions {
  /** Ends the call, also while it waits for its turn. */
  signal?: AbortSignal
  /** In milliseconds, for each attempt of this call. */
  timeoutMs?: number
  /** How often this call is repeated at most. */
  maxRetries?: number
}

/** What every write takes. */
export interface WriteOptions extends RequestOptions {
  /**
   * One key for one intention: the same write with the same key is done once within 24 hours. Without it
   * each call has a key of its own, the same in all its attempts.
   */
  idempotencyKey?: string
}

/** What a write takes that the server can try out. */
export interface DryRunOptions {
  /** Checks everything and changes nothing. */
  dryRun?: boolean
}

/** The three versions of a record that meet when somebody else has changed it. */
export interface Conflict<Body, RecordType> {
  /** As you read it: what you gave as `ifMatch`, unless that was an ETag. */
  base: RecordType | undefined
  /** What you were about to send. */
  mine: Body
  /** As it is now. */
  theirs: RecordType
}

/** What a change of an existing record takes. */
export interface ConditionalOptions<Body, RecordType> {
  /**
   * The record as you read it, or its ETag: if its own fields have changed since, nothing is changed and the
   * error is `version_mismatch`. A record of a list will do only for tasks; read others by themselves.
   */
  ifMatch?: RecordType | string
  /**
   * Asked when somebody else has changed the record: returns what to send now, or undefined to give up
   * with `version_mismatch`.
   */
  onConflict?: (
    conflict: Conflict<Body, RecordType>,
  ) => Body | undefined | Promise<Body | undefined>
}

/** Parameters of a query: lists are joined by commas, undefined ones are left out. */
export type Query = Readonly<Record<string, unknown>>

/** A request as the functions of the endpoints describe it. */
export interface ApiCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  query?: Query
  /** Sent as JSON. */
  body?: unknown
  /** Sent as it is, in place of a body. */
  file?: FileContent
  headers?: Readonly<Record<string, string>>
  /** Statuses of errors whose replies the caller reads itself. */
  readableStatuses?: readonly number[]
  options?: (WriteOptions & DryRunOptions) | undefined
}

/** What a file can be uploaded from. */
export type FileContent = Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | string

/**
 * Codes that say: this very request may succeed later. All other errors are final, whatever their status;
 * a status alone says too little.
 */
const RETRIED_CODES: ReadonlySet<string> = new Set([
  'network_error',
  'unavailable',
  'rate_limit_exceeded',
  'key_rate_limited',
])
const REFUSED_TOKEN_CODES: ReadonlySet<string> = new Set(['invalid_token', 'token_expired'])
/** As long as the server lets a file arrive. */
const FILE_TIMEOUT_MS = 600_000
const RETRY_DELAY_MS = 500
const MAX_RETRY_DELAY_MS = 10_000
/** How often `onConflict` is asked, so that two programs do not overwrite each other without end. */
const MAX_CONFLICTS = 10

/** A connection to one workspace of one installation, which the functions of the endpoints take. */
export class Docket {
  readonly baseUrl: string
  readonly #token: string | TokenSource
  readonly #timeoutMs: number
  readonly #maxRetries: number
  readonly #fetch: typeof fetch
  readonly #pacing: Pacing
  /** The ETags of records as they were read, for `ifMatch`. */
  readonly #etags = new WeakMap<object, string>()

  constructor(options: DocketOptions) {
    const { baseUrl, token, timeoutMs = 30_000, maxRetries = 4, concurrency = 8 } = options
    if (!/^https?:\/\/[^/?#@]+\/?$/.test(baseUrl)) {
      throw new TypeError(
        'baseUrl must be the address of Docket, such as https://docket.example.com',
      )
    }
    this.baseUrl = new URL(baseUrl).origin
    this.#token = token
    this.#timeoutMs = timeoutMs
    this.#maxRetries = maxRetries
    // A browser's fetch must be called without another `this`.
    this.#fetch = async (input, init) => (options.fetch ?? fetchThroughProxy)(input, init)
    this.#pacing = new Pacing(concurrency)
  }

  /** Sends a request and returns the JSON of its reply; undefined for an empty one. */
  async send<T>(call: ApiCall): Promise<T> {
    const { body, etag } = await this.#sendRepeatedly(call, async (response) => {
      const text = await response.text()
      const parsed: T = text === '' ? undefined : JSON.parse(text)
      return { body: parsed, etag: response.headers.get('etag') }
    })
    if (etag !== null && typeof body === 'object' && body !== null) this.#etags.set(body, etag)
    return body
  }

  /** Sends a request and returns its reply unread, for a file or a stream. */
  open(call: ApiCall): Promise<Response> {
    return this.#sendRepeatedly(call, async (response, watch) => watch(response))
  }

  /**
   * Sends a change of a record under the condition of `ifMatch`, and asks `onConflict` what to do if somebody
   * else has changed it. `recordPath` is where the record is read.
   */
  async change<T, Body, RecordType>(
    call: ApiCall & { body?: Body; options?: ConditionalOptions<Body, RecordType> | undefined },
    mine: Body,
    recordPath: string,
  ): Promise<T> {
    const { ifMatch, onConflict } = call.options ?? {}
    // `true` stands for a change without a body.
    const withBody = (body: Body) => ({ ...call, ...(body !== true && { body }) })
    if (ifMatch === undefined) return this.send(withBody(mine))
    let etag = this.#etagOf(ifMatch)
    let body = mine
    for (let conflicts = 0; ; conflicts += 1) {
      try {
        return await this.send({ ...withBody(body), headers: { 'if-match': etag } })
      } catch (error) {
        const isConflict = error instanceof DocketError && error.code === 'version_mismatch'
        if (!isConflict || !onConflict || conflicts === MAX_CONFLICTS) throw error
        const { signal } = call.options ?? {}
        const theirs = await this.send<RecordType>({
          method: 'GET',
          path: recordPath,
          options: signal && { signal },
        })
        const base = typeof ifMatch === 'string' ? undefined : ifMatch
        const next = await onConflict({ base, mine, theirs })
        if (next === undefined) throw error
        body = next
        etag = this.#etagOf(theirs)
      }
    }
  }

  #etagOf(record: unknown): string {
    if (typeof record === 'string') return record
    if (typeof record === 'object' && record !== null) {
      const etag = this.#etags.get(record)
      if (etag !== undefined) return etag
      if ('version' in record && typeof record.version === 'number') return `"${record.version}"`
    }
    throw new TypeError(
      'ifMatch must be an ETag, a task, or a record as this client returned it by itself: a list has no ETags',
    )
  }

  async #sendRepeatedly<T>(call: ApiCall, read: ReadReply<T>): Promise<T> {
    const { options: { signal, idempotencyKey, maxRetries = this.#maxRetries } = {}, method } = call
    // The key must be the same in all attempts: an earlier one may have been carried out unheard.
    const key = method === 'GET' ? undefined : (idempotencyKey ?? createKey())
    if (key !== undefined) assertHeaderValue(key, 'idempotencyKey')
    let refused: string | undefined
    for (let retries = 0; ; ) {
      const { value, error, token } = await this.#attempt(call, key, read, refused)
      if (!error) return value
      const isRefused = REFUSED_TOKEN_CODES.has(error.code) && typeof this.#token !== 'string'
      if (isRefused && refused === undefined) {
        refused = token
        continue
      }
      refused = undefined
      if (!RETRIED_CODES.has(error.code) || retries >= maxRetries) throw error
      // At 429 the queue itself waits, with all that is in it, if the reply says how long.
      const isPaced = error.status === 429 && error.retryAfterMs !== undefined
      if (!isPaced) await sleep(delayOf(error, retries), signal)
      retries += 1
    }
  }

  /** Sends once. Returns what Docket or the way to it refuses, and throws if the caller's signal is aborted. */
  async #attempt<T>(
    { method, path, query, body, file, headers, readableStatuses = [], options = {} }: ApiCall,
    key: string | undefined,
    read: ReadReply<T>,
    refused: string | undefined,
  ): Promise<Attempt<T>> {
    const { signal, dryRun } = options
    const waits = typeof query?.wait === 'number' ? query.wait : 0
    const defaultMs = file === undefined ? this.#timeoutMs + waits * 1000 : FILE_TIMEOUT_MS
    const timeoutMs = options.timeoutMs ?? defaultMs
    const content = file ?? (body === undefined ? undefined : JSON.stringify(body))
    const timeout = new AbortController()
    const ignoreAbort = onAbort(signal, () => timeout.abort(signal?.reason))
    let isWatched = false
    let timer: ReturnType<typeof setTimeout> | undefined
    let token: string | undefined
    let response: Response | undefined
    const toError = (cause: unknown) => {
      const isJson = !(cause instanceof SyntaxError)
      const reason = describeConnectionFailure(cause)
      return new DocketError(
        {
          code: isJson ? 'network_error' : 'unexpected_response',
          message: `${isJson ? 'No answer' : 'No JSON'} from ${this.baseUrl} to ${method} ${path}: ${reason}`,
          status: response?.status,
        },
        { cause },
      )
    }
    const watch = (reply: Response) => {
      isWatched = true
      return watchContent(reply, timeoutMs, {
        stop: (reason) => timeout.abort(reason),
        end: ignoreAbort,
        toError: (cause) => (signal?.aborted ? signal.reason : toError(cause)),
      })
    }
    try {
      const loaded = await unlessAborted(this.#loadToken(refused), signal)
      assertHeaderValue(loaded, 'token')
      token = loaded
      await this.#pacing.start(signal)
      timer = setTimeout(() => {
        timeout.abort(new Error(`${timeoutMs} ms have passed`))
      }, timeoutMs)
      const sending = this.#fetch(
        this.baseUrl + path + toSearch({ ...query, ...(dryRun && { dry_run: true }) }),
        {
          method,
          headers: {
            authorization: `Bearer ${token}`,
            ...(content !== undefined && { 'content-type': typeOfContent(file) }),
            ...(key !== undefined && { 'idempotency-key': key }),
            ...headers,
          },
          ...(content !== undefined && { body: content }),
          signal: timeout.signal,
          // Docket never redirects, and a POST that is redirected would become a GET.
          redirect: 'manual',
        },
      )
      // A request that only waits for changes takes no turn from others.
      if (waits > 0) this.#pacing.end()
      try {
        response = await sending
        this.#pacing.readLimit(response)
      } finally {
        if (waits === 0) this.#pacing.end()
      }
      if (isPending(response)) return { error: await readPending(response), token }
      if (response.ok || readableStatuses.includes(response.status))
        return { value: await read(response, watch), token }
      return { error: await readError(response), token }
    } catch (cause) {
      if (signal?.aborted) throw signal.reason
      // The token could not be refreshed, which may pass, or is none.
      if (cause instanceof DocketError) return { error: cause, token }
      if (token === undefined) throw cause
      return { error: toError(cause), token }
    } finally {
      clearTimeout(timer)
      if (!isWatched) ignoreAbort()
    }
  }

  async #loadToken(refused: string | undefined): Promise<string> {
    return typeof this.#token === 'string' ? this.#token : this.#token(refused)
  }
}

/** Whether a write waits for a person. Other replies with this status have no address. */
const isPending = ({ status, headers }: Response): boolean =>
  status === 202 && headers.has('location')

async function readPending(response: Response): Promise<DocketError> {
  await response.body?.cancel()
  return new DocketError({
    code: 'approval_pending',
    message: 'A person has to allow this first, because the credential is supervised.',
    status: response.status,
    operation_id: response.headers.get('x-operation-id') ?? undefined,
  })
}

/** Reads a reply; `watch` returns one to be read later. */
type ReadReply<T> = (response: Response, watch: (response: Response) => Response) => Promise<T>

type Attempt<T> =
  | { value: T; error?: undefined; token: string }
  | { value?: undefined; error: DocketError<string>; token: string | undefined }

interface ContentWatch {
  /** Ends the transfer. */
  stop(reason: Error): void
  /** Called once the content has ended, in whichever way. */
  end(): void
  toError(cause: unknown): unknown
}

/** The same reply, whose content fails if it is waited for and stands still. */
function watchContent(response: Response, timeoutMs: number, watch: ContentWatch): Response {
  if (!response.body) {
    watch.end()
    return response
  }
  const reader = response.body.getReader()
  const content = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const timer = setTimeout(() => {
          watch.stop(new Error(`the content has stood still for ${timeoutMs} ms`))
        }, timeoutMs)
        try {
          const { done, value } = await reader.read()
          if (!done) return controller.enqueue(value)
          watch.end()
          controller.close()
        } catch (cause) {
          watch.end()
          controller.error(watch.toError(cause))
        } finally {
          clearTimeout(timer)
        }
      },
      cancel(reason) {
        watch.end()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  const { status, statusText, headers } = response
  return new Response(content, { status, statusText, headers })
}

/** A key that nobody else has. Pages of http, unlike those of https, have no `crypto.randomUUID`. */
const createKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')

/** A path with its parameters, each of which stays one segment: `..` would name another endpoint. */
export function toPath(parts: TemplateStringsArray, ...values: string[]): string {
  const wrong = values.find((value) => /^\.{0,2}$/.test(value))
  if (wrong !== undefined) throw new TypeError(`"${wrong}" is no id`)
  return String.raw({ raw: parts }, ...values.map(encodeURIComponent))
}

function toSearch(query: Query): string {
  const entries = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(',') : String(value)]],
  )
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`
}

function typeOfContent(file: FileContent | undefined): string {
  if (file === undefined) return 'application/json'
  return (file instanceof Blob && file.type) || 'application/octet-stream'
}

/** Fails before `fetch` does, whose message would have the secret. */
function assertHeaderValue(value: string, name: string): void {
  if (!/^[!-~]+$/.test(value))
    throw new TypeError(`${name} must be visible ASCII characters without spaces`)
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const ignoreAbort = onAbort(signal, () => reject(signal.reason))
    work.then(resolve, reject).finally(ignoreAbort)
  })
}

function delayOf({ retryAfterMs }: DocketError<string>, retries: number): number {
  const backoff = Math.min(RETRY_DELAY_MS * 2 ** retries, MAX_RETRY_DELAY_MS)
  return Math.max(retryAfterMs ?? 0, backoff * (0.5 + Math.random() / 2))
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      ignoreAbort()
      resolve()
    }, ms)
    const ignoreAbort = onAbort(signal, () => {
      clearTimeout(timer)
      reject(signal?.reason)
    })
  })
}
