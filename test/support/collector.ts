import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { until } from './delivering.ts'
import { atEnd } from './store.ts'

/** A span as it came, with its attributes by name. */
export interface Told {
  trace: string
  id: string
  parent: string | undefined
  name: string
  kind: number
  attributes: Record<string, unknown>
  links: { traceId: string; spanId: string }[]
  /** 2: it failed. */
  status: number
}

interface Sent {
  resourceSpans: {
    resource: { attributes: Pair[] }
    scopeSpans: { spans: Span[] }[]
  }[]
}

interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes: Pair[]
  links?: { traceId: string; spanId: string }[]
  status: { code: number }
}

interface Pair {
  key: string
  value: Record<string, unknown>
}

/** A collector of traces on this machine, which speaks OTLP over HTTP in JSON. */
export async function collector() {
  const made = {
    url: '',
    spans: [] as Told[],
    /** All that it was sent, as it came. */
    raw: '',
    headers: [] as IncomingHttpHeaders[],
    resource: {} as Record<string, unknown>,
    answer: (response: ServerResponse): void => {
      response.setHeader('content-type', 'application/json').end('{}')
    },
    /** The first span of a name, as soon as it is there. */
    async span(name: string, fits: (span: Told) => boolean = () => true): Promise<Told> {
      const found = () => made.spans.find((one) => one.name === name && fits(one))
      await until(`a span ${name}`, async () => found() !== undefined)
      return found() ?? never(name)
    },
  }
  const server = createServer(async (request, response) => {
    const body = await text(request)
    made.raw += body
    made.headers.push({ ...request.headers, path: request.url })
    for (const { resource, scopeSpans } of (JSON.parse(body) as Sent).resourceSpans) {
      made.resource = byName(resource.attributes)
      made.spans.push(...scopeSpans.flatMap(({ spans }) => spans.map(toldOf)))
    }
    made.answer(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(() => {
    server.close()
    server.closeAllConnections()
  })
  made.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return made
}

const toldOf = ({ traceId, spanId, parentSpanId, name, kind, ...span }: Span): Told => ({
  ...{ trace: traceId, id: spanId, parent: parentSpanId, name, kind },
  attributes: byName(span.attributes),
  links: span.links ?? [],
  status: span.status.code,
})

const byName = (pairs: readonly Pair[]): Record<string, unknown> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]))

function never(name: string): never {
  throw new Error(`The span ${name} has gone`)
}
