import type { ExampleRequest } from '#http/openapi/recorded-examples.ts'
import type { Endpoint, EndpointInput, EndpointReply } from '#wire/endpoint.ts'
import type { ExampleWorkspace } from './example-workspace.ts'

/** A request that was sent and its reply, with the values of this run. */
export interface RecordedExchange {
  endpoint: Endpoint
  request: ExampleRequest
  status: number
  headers: Readonly<Record<string, string>>
  text: string
  /** When it was sent, by the clock of the story. */
  sentAt: number
}

/** The values that a request fills into an endpoint. */
interface ExampleInput<E extends Endpoint> {
  path?: EndpointInput<E>['params']
  query?: EndpointInput<E>['query']
  headers?: Readonly<Record<string, string>>
  body?: EndpointInput<E>['body'] | string
}

interface ExampleReply<E extends Endpoint> {
  reply: EndpointReply<E>
  etag: string
  request_id: string
}

/** Calls endpoints with an API key. Only calls by `record` become examples. */
export interface ExampleClient {
  exchanges: readonly RecordedExchange[]
  record<E extends Endpoint>(endpoint: E, input?: ExampleInput<E>): Promise<ExampleReply<E>>
  call<E extends Endpoint>(endpoint: E, input?: ExampleInput<E>): Promise<ExampleReply<E>>
  /** Like `call`, but at the same time as the request before: for reads that wait for something. */
  peek<E extends Endpoint>(endpoint: E, input?: ExampleInput<E>): Promise<ExampleReply<E>>
}

/** The time between two requests: every record has a time of its own, and lists have an order. */
const STEP_MS = 217_123

export function createExampleClient(
  { server, clock }: Pick<ExampleWorkspace, 'server' | 'clock'>,
  key: string,
): ExampleClient {
  const exchanges: RecordedExchange[] = []

  async function send<E extends Endpoint>(
    endpoint: E,
    { path, query, headers, body }: ExampleInput<E>,
  ): Promise<RecordedExchange> {
    const { method, path: template } = endpoint
    const request: ExampleRequest = {
      path: toStrings(path ?? {}),
      query: { ...(query ?? {}) },
      ...(headers && { headers }),
      ...(body !== undefined && { body }),
    }
    // Webhooks that the request causes may move the clock before its reply is here.
    const sentAt = clock.now()
    const reply = await server.inject({
      method,
      url: toUrl(template, request),
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { payload: endpoint.upload ? String(body) : JSON.stringify(body) }),
    })
    if (reply.statusCode >= 300) {
      throw new Error(`${method} ${template} → ${reply.statusCode} ${reply.body}`)
    }
    const { statusCode: status, body: text } = reply
    return {
      endpoint,
      request,
      status,
      headers: toStrings(reply.headers),
      text,
      sentAt,
    }
  }

  const toReply = ({ endpoint, headers, text }: RecordedExchange) => ({
    reply: text === '' || endpoint.download ? undefined : JSON.parse(text),
    etag: headers.etag ?? '',
    request_id: headers['x-request-id'] ?? '',
  })

  return {
    exchanges,
    async record(endpoint, input = {}) {
      clock.advance(STEP_MS)
      const exchange = await send(endpoint, input)
      exchanges.push(exchange)
      return toReply(exchange)
    },
    async call(endpoint, input = {}) {
      clock.advance(STEP_MS)
      return toReply(await send(endpoint, input))
    },
    peek: async (endpoint, input = {}) => toReply(await send(endpoint, input)),
  }
}

/** Lists in a query are joined by commas. */
function toUrl(template: string, { path, query }: ExampleRequest): string {
  const parameters = Object.entries(query).map(([name, value]) => [name, String(value)])
  const filledIn = template.replace(/:(\w+)/g, (_, name: string) => path[name] ?? '')
  return parameters.length === 0 ? filledIn : `${filledIn}?${new URLSearchParams(parameters)}`
}

const toStrings = (values: object): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))
