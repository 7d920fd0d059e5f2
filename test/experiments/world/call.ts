/** What can be asked: a server within this process, or one or more of their own. */
export interface Server {
  inject(sent: Sent): Promise<{ statusCode: number; headers: object; body: string }>
}

/** A request on its way. */
export interface Sent {
  method: 'GET'
  url: string
  headers: Record<string, string>
  payload?: string | Buffer
}

export interface Asking {
  method: string
  url: string
  body?: unknown
  headers?: Record<string, string>
}

/** A reply as bytes, and its headers as text. */
export interface Replied {
  status: number
  headers: Record<string, string>
  text: string
}

/** Sends a request with a key; a body that is a text or bytes goes as it is, anything else as JSON. */
export async function call(
  server: Server,
  key: string | undefined,
  { method, url, body, headers = {} }: Asking,
): Promise<Replied> {
  const asIs = typeof body === 'string' || Buffer.isBuffer(body)
  const reply = await server.inject({
    method: method as 'GET',
    url,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { payload: asIs ? body : JSON.stringify(body) }),
  })
  const all = Object.entries(reply.headers).map(([name, value]) => [name, String(value)])
  return { status: reply.statusCode, headers: Object.fromEntries(all), text: reply.body }
}

/** The same, for a reply that must come; gives the JSON in it. */
export async function made<T = { id: string }>(
  server: Server,
  key: string,
  asking: Asking,
): Promise<T> {
  const { status, text } = await call(server, key, asking)
  if (status >= 300) throw new Error(`${asking.method} ${asking.url} → ${status} ${text}`)
  return (text === '' ? undefined : JSON.parse(text)) as T
}

/** The code of an error, the status of anything else: how a request ended, in a word. */
export function outcomeOf({ status, text }: Replied): string {
  if (status < 400) return String(status)
  return `${status} ${(JSON.parse(text) as { error: { code: string } }).error.code}`
}
