/** Sends each request of the generated client: adds the address and the key, and reads the reply. */
export async function docketFetch<T>(path: string, init: RequestInit): Promise<T> {
  const { DOCKET_URL = '', DOCKET_KEY = '' } = process.env
  const headers = new Headers(init.headers)
  headers.set('authorization', `Bearer ${DOCKET_KEY}`)
  // Only the runtime knows the boundary of a form.
  if (init.body instanceof FormData) headers.delete('content-type')
  const reply = await fetch(`${DOCKET_URL}${path}`, { ...init, headers })
  const isJson = reply.headers.get('content-type')?.startsWith('application/json')
  const data = isJson ? await reply.json() : await reply.blob()
  return { status: reply.status, data, headers: reply.headers } as T
}
