import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { atEnd } from '../engines/test-database.ts'
import { waitUntil } from '../system/wait-until.ts'

/** A received span, with its attributes by name. */
export interface CollectedSpan {
  trace: string
  id: string
  parent: string | undefined
  name: string
  kind: number
  attributes: Record<string, unknown>
  links: { traceId: string; spanId: string }[]
  /** The OTLP status code; 2 means error. */
  status: number
}

interface OtlpExport {
  resourceSpans: {
    resource: { attributes: OtlpAttribute[] }
    scopeSpans: { spans: OtlpSpan[] }[]
  }[]
}

interface OtlpSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes: OtlpAttribute[]
  links?: { traceId: string; spanId: string }[]
  status: { code: number }
}

interface OtlpAttribute {
  key: string
  value: Record<string, unknown>
}

/** Starts a trace collector on the loopback interface: OTLP over HTTP, encoded as JSON. */
export async function startOtlpCollector() {
  const collector = {
    url: '',
    spans: [] as CollectedSpan[],
    /** All request bodies, concatenated. */
    raw: '',
    headers: [] as IncomingHttpHeaders[],
    resource: {} as Record<string, unknown>,
    answer: (response: ServerResponse): void => {
      response.setHeader('content-type', 'application/json').end('{}')
    },
    /** Waits for the first span with this name that matches. */
    async span(
      name: string,
      matches: (span: CollectedSpan) => boolean = () => true,
    ): Promise<CollectedSpan> {
      const found = () => collector.spans.find((one) => one.name === name && matches(one))
      await waitUntil(`a span ${name}`, async () => found() !== undefined)
      return found() ?? never(name)
    },
  }
  const server = createServer(async (request, response) => {
    const body = await text(request)
    collector.raw += body
    collector.headers.push({ ...request.headers, path: request.url })
    for (const { resource, scopeSpans } of (JSON.parse(body) as OtlpExport).resourceSpans) {
      collector.resource = byName(resource.attributes)
      collector.spans.push(...scopeSpans.flatMap(({ spans }) => spans.map(toCollectedSpan)))
    }
    collector.answer(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(() => {
    server.close()
    server.closeAllConnections()
  })
  collector.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return collector
}

const toCollectedSpan = ({
  traceId,
  spanId,
  parentSpanId,
  name,
  kind,
  ...span
}: OtlpSpan): CollectedSpan => ({
  trace: traceId,
  id: spanId,
  parent: parentSpanId,
  name,
  kind,
  attributes: byName(span.attributes),
  links: span.links ?? [],
  status: span.status.code,
})

const byName = (pairs: readonly OtlpAttribute[]): Record<string, unknown> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]))

function never(name: string): never {
  throw new Error(`The span ${name} has gone`)
}
