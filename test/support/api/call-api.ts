/** A server in this process, or one or more servers in processes of their own. */
export interface InjectableServer {
  inject(sent: InjectedRequest): Promise<{ statusCode: number; headers: object; body: string }>
}

/** A request in the form that `inject` of Fastify takes. */
export interface InjectedRequest {
  method: 'GET'
  url: string
  headers: Record<string, string>
  payload?: string | Buffer
}

export interface ApiCall {
  method: string
  url: string
  body?: unknown
  headers?: Record<string, string>
}

/** A reply whose headers are all strings. */
export interface ApiReply {
  status: number
  headers: Record<string, string>
  text: string
}

/** Sends a request with an API key. Strings and bytes are sent unchanged, other bodies as JSON. */
export async function callApi(
  server: InjectableServer,
  key: string | undefined,
  { method, url, body, headers = {} }: ApiCall,
): Promise<ApiReply> {
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body)
  const reply = await server.inject({
    method: method as 'GET',
    url,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { payload: isRaw ? body : JSON.stringify(body) }),
  })
  const all = Object.entries(reply.headers).map(([name, value]) => [name, String(value)])
  return { status: reply.statusCode, headers: Object.fromEntries(all), text: reply.body }
}

/** Sends a request that must succeed, and returns the JSON of its reply. */
export async function callApiForJson<T = { id: string }>(
  server: InjectableServer,
  key: string,
  asking: ApiCall,
): Promise<T> {
  const { status, text } = await callApi(server, key, asking)
  if (status >= 300) throw new Error(`${asking.method} ${asking.url} → ${status} ${text}`)
  return (text === '' ? undefined : JSON.parse(text)) as T
}

/** Summarizes a reply: its status, and the code of an error. */
export function summarizeReply({ status, text }: ApiReply): string {
  if (status < 400) return String(status)
  return `${status} ${(JSON.parse(text) as { error: { code: string } }).error.code}`
}
