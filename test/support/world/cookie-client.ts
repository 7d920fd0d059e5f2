import type { FastifyInstance } from 'fastify'

export interface CookieClientReply {
  status: number
  body: Record<string, unknown>
  headers: Record<string, string>
}

/** A unique client address, so that failed attempts of one test do not count against another. */
export const newClientAddress = (): string =>
  ['10', ...crypto.getRandomValues(new Uint8Array(3))].join('.')

/** A client that keeps cookies and sends an Origin header, as the web app in a browser does. */
export function createCookieClient(server: FastifyInstance, origin = 'http://127.0.0.1:4000') {
  const jar = new Map<string, string>()
  const address = newClientAddress()
  return {
    jar,
    /** Sends a request given as a line such as `POST /internal/session`, with a JSON body. */
    async send(
      line: string,
      body?: unknown,
      more: { headers?: Record<string, string>; remoteAddress?: string } = {},
    ): Promise<CookieClientReply> {
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

/** The status of a reply, followed by its error code if it has one. */
export function describeReply({ status, body }: CookieClientReply): string {
  const { code } = (body.error ?? {}) as { code?: string }
  return code === undefined ? String(status) : `${status} ${code}`
}
