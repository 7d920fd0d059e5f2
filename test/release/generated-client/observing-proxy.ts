import { once } from 'node:events'
import { createServer, type IncomingMessage, request as sendRequest } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { OpenApiDocument, OpenApiOperation } from '#http/api-reference/openapi/operations.ts'
import { growReply } from './growing-replies.ts'

/** A server between a client and Docket. It knows the document, which is fetched through it. */
interface ObservingProxy {
  readonly url: string
  observe(document: OpenApiDocument): void
  /** Whether replies have what a later version of the API may add. */
  setGrowing(isGrowing: boolean): void
  /** The operations that were called since the last time, and what was wrong with their replies. */
  takeObservations(): ProxyObservations
  stop(): void
}

interface ProxyObservations {
  readonly operations: ReadonlySet<string>
  /** Requests that were refused, which a program of a correct client never sends. */
  readonly refused: readonly string[]
}

interface OperationPattern {
  readonly method: string
  readonly path: RegExp
  readonly operation: OpenApiOperation
}

/** Headers that each connection has of its own. */
const OWN_HEADERS = ['connection', 'content-length', 'keep-alive', 'transfer-encoding']

/** Of a list of names and values in turn. */
const withoutOwnHeaders = (rawHeaders: readonly string[]): string[] =>
  rawHeaders.filter(
    (_, at) => !OWN_HEADERS.includes((rawHeaders[at - (at % 2)] ?? '').toLowerCase()),
  )

export async function startObservingProxy(targetUrl: string): Promise<ObservingProxy> {
  let document: OpenApiDocument | undefined
  let patterns: readonly OperationPattern[] = []
  let isGrowing = false
  let operations = new Set<string>()
  let refused: string[] = []

  const server = createServer(async (request, reply) => {
    try {
      const { method = 'GET', url = '/' } = request
      const { response, body } = await forward(request, targetUrl)
      const { statusCode: status = 502, rawHeaders, headers } = response
      const operation = findOperation(patterns, method, url)
      let sent: Uint8Array = body
      if (operation) {
        operations.add(operation.operationId)
        if (status >= 400) refused.push(`${method} ${url}: ${status} ${body}`)
        const isJson = headers['content-type']?.startsWith('application/json')
        if (isGrowing && document && isJson) sent = growReply(document, operation, status, body)
      }
      reply.writeHead(status, withoutOwnHeaders(rawHeaders))
      reply.end(sent)
    } catch (error) {
      refused.push(`The proxy failed: ${error}`)
      reply.writeHead(502).end()
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    observe(ofServer) {
      document = ofServer
      patterns = listOperationPatterns(ofServer)
    },
    setGrowing(isWanted) {
      isGrowing = isWanted
    },
    takeObservations() {
      const taken = { operations, refused }
      operations = new Set()
      refused = []
      return taken
    },
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Sends the request on with its headers as they were written, and returns the whole response. */
async function forward(request: IncomingMessage, targetUrl: string) {
  const { method, url, headers } = request
  const sent = sendRequest(`${targetUrl}${url}`, {
    method,
    // A compressed reply could not be changed.
    headers: { ...headers, 'accept-encoding': 'identity' },
  })
  request.pipe(sent)
  const [response]: IncomingMessage[] = await once(sent, 'response')
  if (!response) throw new Error(`There is no response to ${method} ${url}`)
  return { response, body: await buffer(response) }
}

export function listOperationPatterns(document: OpenApiDocument): OperationPattern[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operation.operationId === undefined
        ? []
        : [{ method: method.toUpperCase(), path: patternOf(path), operation }],
    ),
  )
}

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)

/** `/tasks/bulk` fits `/tasks/{id}`, too: of several patterns the one with fewer variables wins. */
function findOperation(patterns: readonly OperationPattern[], method: string, url: string) {
  const [path = ''] = url.split('?', 1)
  const fitting = patterns.filter((one) => one.method === method && one.path.test(path))
  fitting.sort((a, b) => variablesOf(a) - variablesOf(b))
  return fitting[0]?.operation
}

const variablesOf = ({ path }: OperationPattern): number => path.source.split('[^').length
