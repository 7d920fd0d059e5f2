import type { FastifyInstance } from 'fastify'
import { parsePageRequest } from '#core/page-request.ts'
import type { ReadRoute, Route } from '#core/route.ts'
import { andThen } from '#lib/maybe-promise.ts'
import { prefersToJson } from '#lib/media-type.ts'
import { type Endpoint, successStatusOf } from '#wire/endpoint.ts'
import type { AppContext } from '../app-context.ts'
import { createDownloadHandler } from '../downloads/download-handler.ts'
import { createFeedHandler } from '../feed.ts'
import { parseIfNoneMatch } from '../reply/conditional-requests.ts'
import { createLinesHandler } from '../reply/lines-handler.ts'
import { beginDatabaseTime, endDatabaseTime, sendIfModified, sendReply } from '../reply/send.ts'
import {
  createQueryParser,
  getCursorScope,
  getDefaultSort,
  getQueryString,
} from '../request/query-parameters.ts'
import { createUploadHandler } from '../uploads/upload-handler.ts'
import { admitRequest, createAdmissionHook } from './admission.ts'
import {
  getActor,
  nameNewestChange,
  type RequestHandler,
  toOperationReply,
  toOutgoingReply,
} from './request-handler.ts'
import { createWriteHandler } from './serve-write.ts'

/**
 * Serves a route. Every request passes these steps in this order (docs/spec/api.md#order-of-checks):
 *   admit   credential 401, origin 403, page 409, limit 429, scope 403   before a body is read
 *   serve   body 415 413 400, admitted again, query and headers 400, then within one transaction:
 *             idempotency key, record 404, role 403, precondition 412, fields 422,
 *             operation (rules that need stored data 422, state 409), events
 */
export function serveRoute(server: FastifyInstance, context: AppContext, route: Route) {
  const { endpoint } = route
  const { method, path: url } = endpoint
  const onRequest = createAdmissionHook((request) => admitRequest(context, endpoint, request))
  server.route({ method, url, onRequest, handler: createHandler(context, route) })
}

function createHandler(context: AppContext, route: Route): RequestHandler {
  switch (route.kind) {
    case 'read':
      return createReadHandler(context, route)
    case 'write':
      return createWriteHandler(context, route)
    case 'upload':
      return createUploadHandler(context, route)
    case 'download':
      return createDownloadHandler(context, route)
    case 'feed':
      return createFeedHandler(context, route)
    case 'lines':
      return createLinesHandler(context, route)
  }
}

function createReadHandler(context: AppContext, route: ReadRoute): RequestHandler {
  const { endpoint, run, runAsCsv } = route
  const parseQuery = createQueryParser(endpoint)
  const defaultSort = getDefaultSort(endpoint)
  const read = chooseRead(context.storage, endpoint)
  const status = successStatusOf(endpoint)
  const secret = endpoint.hasSecretReply === true
  return (request, reply) => {
    const actor = getActor(request)
    const target = request.raw.url ?? ''
    const query = parseQuery(getQueryString(target))
    const knownTags =
      endpoint.conditions === 'compared'
        ? parseIfNoneMatch(request.headers['if-none-match'])
        : undefined
    const page =
      defaultSort === undefined
        ? undefined
        : parsePageRequest(
            context.cursorSecret,
            getCursorScope(actor, target, query),
            query,
            defaultSort,
          )
    const input = { params: request.params, query, body: undefined, page }
    if (runAsCsv && prefersToJson(request.headers.accept, CSV_TYPE)) {
      const table = read(actor, (tx) => runAsCsv(tx, input))
      return andThen(table, (body) =>
        sendReply(request, reply, { status, headers: CSV_HEADERS, body }),
      )
    }
    const make = () => {
      const output = read(actor, (tx) => {
        beginDatabaseTime(request)
        return andThen(nameNewestChange(request, tx), () => run(tx, input))
      })
      return andThen(output, (record) => {
        endDatabaseTime(request)
        if (Buffer.isBuffer(record))
          return sendReply(request, reply, { status, body: record, secret })
        const result = toOperationReply(endpoint, record, context.baseUrl, null)
        const outgoing = toOutgoingReply(endpoint, result)
        if (result.etag === null) return sendReply(request, reply, outgoing)
        const headers = { ...outgoing.headers, etag: result.etag }
        return sendIfModified(request, reply, { ...outgoing, headers }, knownTags)
      })
    }
    // A report is short, and has a queue of its own.
    return endpoint.isReport ? make() : request.unsentReplies.make(request, make)
  }
}

const CSV_TYPE = 'text/csv'
const CSV_HEADERS = { 'content-type': `${CSV_TYPE}; charset=utf-8` }

/** Chooses where a GET is read: as most are, or as a report. */
const chooseRead = (
  storage: AppContext['storage'],
  { isReport }: Endpoint,
): AppContext['storage']['readNow'] =>
  isReport ? (actor, work) => storage.readReport(actor, async (tx) => work(tx)) : storage.readNow
