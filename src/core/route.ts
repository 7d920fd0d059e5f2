import type { Json, JsonBytes } from '#lib/json.ts'
import { andThen, type MaybePromise } from '#lib/maybe-promise.ts'
import {
  type Endpoint,
  type EndpointInput,
  type EndpointReply,
  isActionLimit,
} from '#wire/endpoint.ts'
import type { DownloadableFile } from '#wire/file-schemas.ts'
import type { Static } from '#wire/schema-builders.ts'
import { SCOPES } from '#wire/scopes.ts'
import type { Actor } from './actor.ts'
import type { PageRequest } from './page-request.ts'
import type { ReadTx, WriteTx } from './transaction.ts'

/** Throws if an endpoint lacks something that a route of its kind needs, or is of another kind. */
function assertCompleteEndpoint(kind: Route['kind'], endpoint: Endpoint, load: unknown): void {
  const missing = findMissingPart(endpoint, load) ?? findOtherKind(kind, endpoint)
  if (missing) throw new Error(`${endpoint.method} ${endpoint.path} does not say ${missing}`)
}

/** Types demand most of this too; but they can be silenced, and a missing check goes unnoticed. */
function findMissingPart(endpoint: Endpoint, load: unknown): string | undefined {
  const { method, path, scope, limit, params, body, reply, status, grantsLastingAccess } = endpoint
  if (!hasValidScope(path, scope)) return 'which scope it needs'
  if (typeof load !== 'function') return 'who may use it'
  const spendsSession = limit === 'session' || isActionLimit(limit)
  const spendsWorkspace = limit === 'workspace' || limit === 'webhook'
  if (scope === 'session' ? !spendsSession : !spendsWorkspace) return 'which budget it spends'
  if (path.includes(':') && !params) return 'what is in its path'
  if ((method === 'POST' || method === 'PATCH') && !body) return 'what is in its body'
  if (method !== 'DELETE' && method !== 'PUT' && !reply) return 'what it replies'
  if (method !== 'GET' && grantsLastingAccess === undefined)
    return 'whether it grants lasting access'
  if (status === 201 && !endpoint.location && scope !== 'session')
    return 'where the record is that it makes'
  return undefined
}

/** An endpoint of another kind would be served by the wrong handler. */
function findOtherKind(kind: Route['kind'], endpoint: Endpoint): string | undefined {
  const expected = kindOf(endpoint)
  if (kind === expected) return undefined
  return expected === 'upload' ? 'how much it takes' : `that it is a ${kind}`
}

function kindOf({ method, upload, download, feed, lines }: Endpoint): Route['kind'] {
  if (upload) return 'upload'
  if (download) return 'download'
  if (feed) return 'feed'
  if (lines) return 'lines'
  return method === 'GET' ? 'read' : 'write'
}

/** Endpoints of the web app are under /internal, and only they are (docs/spec/api.md#internal-api-of-the-web-app). */
function hasValidScope(path: string, scope: Endpoint['scope']): boolean {
  if (path.startsWith('/internal/')) return scope === 'session'
  if (scope === 'any') return ANY_SCOPE_PATHS.has(path)
  return scope !== 'session' && scope !== 'open' && SCOPES.includes(scope)
}

/** What every credential may read: who it is for, its own requests, and of changes what its scopes allow. */
const ANY_SCOPE_PATHS: ReadonlySet<string> = new Set([
  '/api/v1/me',
  '/api/v1/changes',
  '/api/v1/requests/:id',
])

/** A record as its store selects it for a reply: its JSON, and the values for ETag and Location. */
export interface RecordReply<T> {
  id: string
  json: Json<T>
  /** `version` for tasks, `updated_at` for all other records. */
  revision: number | string
}

/** Whether an operation has returned a record, and no other value. */
export const isRecordReply = (result: unknown): result is RecordReply<object> =>
  typeof result === 'object' && result !== null && 'json' in result && 'revision' in result

/** A record, and beside it the secret that this reply alone has. It is not part of the ETag. */
type ReplyWithSecret<T> = T extends { secret: string }
  ? RecordReply<Omit<T, 'secret'>> & Pick<T, 'secret'>
  : never

type OperationResult<E extends Endpoint> =
  | EndpointReply<E>
  | Json<EndpointReply<E>>
  | JsonBytes<EndpointReply<E>>
  | RecordReply<EndpointReply<E>>
  | ReplyWithSecret<EndpointReply<E>>

/** The transaction of a GET cannot write. */
interface TxByMethod {
  GET: ReadTx
  POST: WriteTx
  PUT: WriteTx
  PATCH: WriteTx
  DELETE: WriteTx
}
type RouteTx<E extends Endpoint> = TxByMethod[E['method']]

/** The input of an operation, validated by the endpoint's schemas; lists also use `page`. */
export interface OperationInput<E extends Endpoint> extends EndpointInput<E> {
  page: PageRequest
}

/** The input before the body is validated: the record is loaded first, so that 404 precedes 422. */
export interface LoadInput<E extends Endpoint> {
  params: EndpointInput<E>['params']
  query: EndpointInput<E>['query']
  body: unknown
}

/**
 * Loads the record that the URL names; throws 404 if the actor may not see it, 403 without the
 * right.
 */
export type RecordLoader<E extends Endpoint, S, Tx = RouteTx<E>> = (
  tx: Tx,
  input: LoadInput<E>,
) => MaybePromise<S>

type RouteOperation<E extends Endpoint, S, R> = (
  tx: RouteTx<E>,
  record: S,
  input: OperationInput<E>,
) => R

/**
 * The implementation of an endpoint. For GET, the type of the transaction does not allow writes.
 */
export type Operation<E extends Endpoint, S = undefined> = RouteOperation<
  E,
  S,
  Promise<OperationResult<E>>
>

/** The implementation of a GET. It returns no promise if all that it reads is there at once. */
export type ReadOperation<E extends Endpoint, S = undefined> = RouteOperation<
  E,
  S,
  MaybePromise<OperationResult<E>>
>

/** Describes the file whose bytes are sent. */
export type DownloadOperation<E extends Endpoint, S> = RouteOperation<E, S, Promise<DownloadFile>>
export type DownloadFile = Static<typeof DownloadableFile>

/**
 * For uploads: rejects the request before its bytes are transferred if it would be rejected anyway,
 * and returns how many bytes are allowed. The operation checks again.
 */
export type QuotaLoader<S> = (tx: ReadTx, record: S) => Promise<number>

/** The input of a request as the pipeline parsed it, with the endpoint's schemas. */
export interface RequestInput {
  params: unknown
  query: unknown
  /** JSON when the record is loaded; validated when the operation runs. */
  body: unknown
  page?: PageRequest | undefined
}

interface BaseRoute<Kind extends string> {
  kind: Kind
  endpoint: Endpoint
}

/** A GET: loads its record and runs its operation, of whose types the pipeline knows nothing. */
export interface ReadRoute extends BaseRoute<'read'> {
  /** Returns no promise if neither the loader nor the operation waits. */
  run(tx: ReadTx, input: RequestInput): unknown
  /** Does the same for clients that accept CSV instead of JSON. */
  runAsCsv?(tx: ReadTx, input: RequestInput): MaybePromise<string>
}

/** A record that a write has loaded. The pipeline knows nothing of its type. */
interface LoadedRecord {
  /** What If-Match is compared with; undefined for what has no revision. */
  revision: number | string | undefined
  /** Runs the operation on the record, with the validated body. */
  operate(body: unknown): Promise<unknown>
}

export interface WriteRoute<Kind extends string = 'write'> extends BaseRoute<Kind> {
  /** Loads the record that the URL names: 404, 403. */
  load(tx: WriteTx, input: RequestInput): Promise<LoadedRecord>
}

/** Its body is a file; the operation writes the row of the file. */
export interface UploadRoute extends WriteRoute<'upload'> {
  /** Loads the record like `load`. Its quota is how many bytes are allowed. */
  loadWithoutWriting(tx: ReadTx, input: RequestInput): Promise<{ quota(): Promise<number> }>
}

/** Its reply is a file. */
export interface DownloadRoute extends BaseRoute<'download'> {
  run(tx: ReadTx, input: RequestInput): MaybePromise<DownloadFile>
}

/** Its reply continues after a position, waits for more, or is a stream of server-sent events. */
export interface FeedRoute extends BaseRoute<'feed'> {
  /** Throws 403 if the actor may read nothing of what the query asks for. */
  open(actor: Actor, query: unknown): Feed
}

/** Its reply is lines of JSON, each read in a transaction of its own. */
export interface LinesRoute extends BaseRoute<'lines'> {
  run(read: ReadLine, input: RequestInput): AsyncGenerator<string>
}

/** Reads what one line needs. */
export type ReadLine = <T>(work: (tx: ReadTx) => Promise<T>) => Promise<T>

/**
 * Yields the lines of a reply as JSON. What it throws before the first line is an error reply; later
 * the reply ends without its last lines.
 */
export type LinesOperation<E extends Endpoint> = (
  read: ReadLine,
  input: LoadInput<E>,
) => AsyncGenerator<string>

/** What one actor may read of a feed, with the filters of a query. */
export interface Feed {
  /** Positions of one scope are not valid in another. */
  scope: string
  /** Reads on after a position; undefined: from the beginning. Throws 410 if that is impossible. */
  read(tx: ReadTx, after: unknown, limit: number): Promise<FeedPage>
  /** The present position. */
  readPosition(tx: ReadTx): Promise<unknown>
  /** Writes positions as plain texts where they may be seen; others are encrypted. */
  plain?: {
    create(position: unknown): string | undefined
    parse(text: string): unknown
  }
  /**
   * Of a feed whose streams carry hints, too, about what it lacks: which of these projects the actor
   * sees.
   */
  loadVisibleProjects?(tx: ReadTx, project_ids: readonly string[]): Promise<readonly string[]>
}

export interface FeedPage {
  /** The JSON of each entry, and the position after it. */
  entries: readonly { json: string; position: unknown }[]
  /** The position after the page, which can be further than its last entry. */
  position: unknown
  has_more: boolean
}

/**
 * An endpoint with its implementation. The record's type is known only inside of it: what loads
 * a record also passes it to the operation.
 */
export type Route = ReadRoute | WriteRoute | UploadRoute | DownloadRoute | FeedRoute | LinesRoute

type ReadEndpoint = Endpoint & { method: 'GET' }
type WriteEndpoint = Endpoint & { method: Exclude<Endpoint['method'], 'GET'> }

/**
 * Defines the route of a GET: the endpoint, how its record is loaded and authorized, and the
 * operation. Throws, like those below, if the endpoint is incomplete.
 */
export function readRoute<E extends ReadEndpoint, S>(
  endpoint: E,
  load: RecordLoader<E, S>,
  operation: ReadOperation<E, S>,
): ReadRoute {
  return { ...defineRoute('read', endpoint, load), run: bindRead(load, operation) }
}

/** Defines the route of a GET whose reply can also be CSV. */
export function tableRoute<E extends ReadEndpoint & { csv: true }, S>(
  endpoint: E,
  load: RecordLoader<E, S>,
  operation: RouteOperation<E, S, Promise<EndpointReply<E>>>,
  toCsv: (reply: EndpointReply<E>) => string,
): ReadRoute {
  const run = bindRead(load, operation)
  return {
    ...defineRoute('read', endpoint, load),
    run,
    runAsCsv: (tx, input) => andThen(run(tx, input), toCsv),
  }
}

/** Defines the route of a reply in lines; its operation loads the record. */
export const linesRoute = <E extends ReadEndpoint>(
  endpoint: E,
  operation: LinesOperation<E>,
): LinesRoute => ({
  ...defineRoute('lines', endpoint, operation),
  run: (read, input) => operation(read, asInputOf<E>(input)),
})

/** Defines the route of a write. */
export function writeRoute<E extends WriteEndpoint, S>(
  endpoint: E,
  load: RecordLoader<E, S>,
  operation: Operation<E, S>,
): WriteRoute {
  return { ...defineRoute('write', endpoint, load), load: bindWrite(load, operation) }
}

/** Defines the route of an upload, whose record is also loaded before the bytes are transferred. */
export function uploadRoute<E extends WriteEndpoint & { upload: true }, S>(
  endpoint: E,
  load: RecordLoader<E, S, ReadTx>,
  operation: Operation<E, S>,
  quota: QuotaLoader<S>,
): UploadRoute {
  return {
    ...defineRoute('upload', endpoint, load),
    load: bindWrite(load, operation),
    async loadWithoutWriting(tx, input) {
      const record = await load(tx, asInputOf<E>(input))
      return { quota: () => quota(tx, record) }
    },
  }
}

/** Defines the route of a download. */
export function downloadRoute<E extends ReadEndpoint & { download: true }, S>(
  endpoint: E,
  load: RecordLoader<E, S>,
  operation: DownloadOperation<E, S>,
): DownloadRoute {
  return { ...defineRoute('download', endpoint, load), run: bindRead(load, operation) }
}

/** Defines the route of a feed. */
export function feedRoute<E extends ReadEndpoint>(
  endpoint: E,
  open: (actor: Actor, query: EndpointInput<E>['query']) => Feed,
): FeedRoute {
  return {
    ...defineRoute('feed', endpoint, open),
    open: (actor, query) => open(actor, asInputOf<E>({ params: {}, query, body: undefined }).query),
  }
}

const bindRead =
  <E extends ReadEndpoint, S, R>(
    load: RecordLoader<E, S>,
    operation: RouteOperation<E, S, MaybePromise<R>>,
  ) =>
  (tx: ReadTx, input: RequestInput): MaybePromise<R> => {
    const typedInput = asInputOf<E>(input)
    return andThen(load(tx, typedInput), (record) => operation(tx, record, typedInput))
  }

const bindWrite =
  <E extends WriteEndpoint, S>(
    load: RecordLoader<E, S, WriteTx>,
    operation: Operation<E, S>,
  ): WriteRoute['load'] =>
  async (tx, input) => {
    const record = await load(tx, asInputOf<E>(input))
    return {
      revision: revisionOf(record),
      operate: (body) => operation(tx, record, asInputOf<E>({ ...input, body })),
    }
  }

/**
 * Gives input the types of the endpoint whose schemas have accepted it, and which exist only at
 * compile time: the one cast between a request and an operation.
 */
const asInputOf = <E extends Endpoint>(input: RequestInput) => input as OperationInput<E>

function revisionOf(record: unknown): number | string | undefined {
  if (typeof record !== 'object' || record === null || !('revision' in record)) return undefined
  const { revision } = record
  return typeof revision === 'number' || typeof revision === 'string' ? revision : undefined
}

function defineRoute<Kind extends Route['kind']>(kind: Kind, endpoint: Endpoint, load: unknown) {
  assertCompleteEndpoint(kind, endpoint, load)
  return { kind, endpoint }
}

/** The loader of endpoints without a record in the URL that every role may use. */
export const allowAnyRole = (): undefined => undefined
