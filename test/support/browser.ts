import type { FastifyInstance } from 'fastify'

export interface Shown {
  status: number
  body: Record<string, unknown>
  headers: Record<string, string>
}

/** An address that no other client of the tests has: failures of one are not those of another. */
export const newAddress = (): string =>
  ['10', ...crypto.getRandomValues(new Uint8Array(3))].join('.')

/** A client that keeps cookies and names its origin, as the pages of Docket in a browser do. */
export function browser(server: FastifyInstance, origin = 'http://127.0.0.1:4000') {
  const jar = new Map<string, string>()
  const address = newAddress()
  return {
    jar,
    /** Sends `POST /internal/session` and the like, with a body as JSON. */
    async send(
      line: string,
      body?: unknown,
      more: { headers?: Record<string, string>; remoteAddress?: string } = {},
    ): Promise<Shown> {
      const [method = '', url = ''] = line.split(' ')
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
      const reply = await server.inject({
        method: method as 'GET',
        url,
        headers: {
          origin,
          ...(cookie && { cookie }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...more.headers,
        },
        remoteAddress: more.remoteAddress ?? address,
        ...(body !== undefined && { payload: JSON.stringify(body) }),
      })
      for (const { name, value, maxAge } of reply.cookies) {
        if (maxAge === 0) jar.delete(name)
        else jar.set(name, value)
      }
      const headers = Object.entries(reply.headers).map(([name, one]) => [name, String(one)])
      return {
        status: reply.statusCode,
        body: reply.body ? reply.json() : {},
        headers: Object.fromEntries(headers),
      }
    },
  }
}

/** How a request ended, in a word: its status, and the code of its error. */
export function endOf({ status, body }: Shown): string {
  const { code } = (body.error ?? {}) as { code?: string }
  return code === undefined ? String(status) : `${status} ${code}`
}
