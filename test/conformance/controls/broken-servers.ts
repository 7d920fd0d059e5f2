import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { DocketUnderTest } from '../docket-under-test.ts'

/** A request on its way to the server behind a proxy. */
export interface ProxiedRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: string | Buffer<ArrayBuffer> | undefined
}

/** Its reply on the way back. */
export interface ProxiedReply {
  status: number
  headers: Headers
  text: string
}

/** What a proxy does with a request instead of only forwarding it. */
export type HandleProxied = (
  request: ProxiedRequest,
  forward: (request: ProxiedRequest) => Promise<ProxiedReply>,
) => Promise<ProxiedReply>

/** A server with one mistake, and the checks that it fails because of it. */
export interface BrokenServer {
  mistake: string
  create(docket: DocketUnderTest): HandleProxied
  fails: readonly string[]
}

/** Headers that are about a connection or about bytes that were decoded. */
const OWN_HEADERS = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'host']

/** Forwards requests to a port of this machine until the end of the test; returns its own port. */
export async function startProxy(
  t: TestContext,
  upstream: number,
  handle: HandleProxied,
): Promise<number> {
  async function forward({ method, path, headers, body }: ProxiedRequest): Promise<ProxiedReply> {
    const reply = await fetch(`http://127.0.0.1:${upstream}${path}`, {
      method,
      headers: { ...headers, 'accept-encoding': 'identity' },
      redirect: 'manual',
      ...(body !== undefined && { body }),
    })
    return { status: reply.status, headers: new Headers(reply.headers), text: await reply.text() }
  }

  const server = createServer(async (incoming, outgoing) => {
    const { status, headers, text } = await handle(await readRequest(incoming), forward)
    for (const name of OWN_HEADERS) headers.delete(name)
    outgoing.writeHead(status, Object.fromEntries(headers)).end(text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

async function readRequest(incoming: IncomingMessage): Promise<ProxiedRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const names = Object.keys(incoming.headers).filter((name) => !OWN_HEADERS.includes(name))
  const { method = '', url: path = '' } = incoming
  return {
    method,
    path,
    headers: Object.fromEntries(names.map((name) => [name, String(incoming.headers[name])])),
    // As bytes, because one check sends what is no UTF-8.
    body: chunks.length > 0 ? Buffer.concat(chunks) : undefined,
  }
}

/** The error of a reply; all that are JSON objects may have one. */
const errorOf = ({ text }: ProxiedReply): { code?: string; details?: { code: string }[] } =>
  (text === '' ? undefined : JSON.parse(text).error) ?? {}

const withJson = (reply: ProxiedReply, change: (body: Record<string, unknown>) => object) =>
  reply.text === '' ? reply : { ...reply, text: JSON.stringify(change(JSON.parse(reply.text))) }

/** Forwards requests without a header. */
const withoutHeader =
  (ignored: string): HandleProxied =>
  (request, forward) => {
    const { [ignored]: _, ...headers } = request.headers
    return forward({ ...request, headers })
  }

/**
 * Thin proxies before a real server, each of which breaks a promise. Those of a group fail different checks,
 * so that one run tells that each is found.
 */
export const BROKEN_SERVERS: readonly (readonly BrokenServer[])[] = [
  [
    {
      mistake: 'drops the last record of a page',
      create: () => async (request, forward) =>
        withJson(await forward(request), (body) =>
          body.has_more && Array.isArray(body.data)
            ? { ...body, data: body.data.slice(0, -1) }
            : body,
        ),
      fails: [
        'pages through the comments of a task, each exactly once',
        'pages through the time entries of a task, each exactly once',
        'pages through the tasks of a project, each exactly once',
        'pages through the tags of a project, each exactly once',
        'pages through the webhooks, each exactly once',
        'pages through /projects in the order of the whole list',
        'pages through /workspace/members in the order of the whole list',
      ],
    },
    {
      mistake: 'has no request id in errors',
      create: () => async (request, forward) =>
        withJson(await forward(request), (body) =>
          body.error ? { error: { ...body.error, request_id: undefined } } : body,
        ),
      fails: ['each error has the documented body'],
    },
    {
      mistake: 'ignores If-Match',
      create: () => withoutHeader('if-match'),
      fails: ['writes only if If-Match names the current version'],
    },
  ],
  [
    {
      mistake: 'ignores unknown fields',
      create: () => async (request, forward) => {
        const reply = await forward(request)
        const isUnknown = errorOf(reply).details?.some(({ code }) => code === 'unknown_field')
        return isUnknown && reply.status === 422 ? forward({ ...request, body: '{}' }) : reply
      },
      fails: ['refuses invalid fields of a task with the code of each, and changes nothing'],
    },
    {
      mistake: 'ignores Idempotency-Key',
      create: () => withoutHeader('idempotency-key'),
      fails: [
        'creates one record for two requests with one key, and repeats the reply',
        'creates one record for three requests at once with one key',
        'refuses a key that another request has used',
        'repeats the reply of a deletion',
        'forgets the key of a refused request, and refuses malformed keys',
      ],
    },
    {
      mistake: 'returns another secret of a webhook than it signs with',
      create: () => async (request, forward) =>
        withJson(await forward(request), (body) =>
          'secret' in body ? { ...body, secret: 'whsec_YW5vdGhlciBzZWNyZXQgb2YgMjQgYnl0' } : body,
        ),
      fails: [
        'delivers an event as documented, signed in both ways',
        'repeats a failed delivery with the same id and bytes, signed anew',
      ],
    },
  ],
  [
    {
      mistake: 'writes the valid fields of an invalid update',
      create: () => async (request, forward) => {
        const reply = await forward(request)
        if (request.method === 'PATCH' && reply.status === 422) {
          const { title, note } = JSON.parse(String(request.body))
          if (title || note) await forward({ ...request, body: JSON.stringify({ title, note }) })
        }
        return reply
      },
      fails: [
        'refuses invalid fields of a task with the code of each, and changes nothing',
        'logs, changes, lists and deletes time, and refuses invalid time',
      ],
    },
    {
      mistake: 'shows the records of one workspace to another',
      create:
        ({ key, secondKey }) =>
        async (request, forward) => {
          const reply = await forward(request)
          const isForeign = request.headers.authorization === `Bearer ${secondKey}`
          if (!isForeign || reply.status !== 404) return reply
          const headers = { ...request.headers, authorization: `Bearer ${key}` }
          return forward({ ...request, headers })
        },
      fails: ['answers to the key of another workspace as if no record existed'],
    },
    {
      mistake: 'sends no rate limit headers with errors',
      create: () => async (request, forward) => {
        const reply = await forward(request)
        if (reply.status >= 400) reply.headers.delete('x-ratelimit-limit')
        return reply
      },
      fails: ['each counted reply has the rate limit headers'],
    },
  ],
]
