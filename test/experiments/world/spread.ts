import type { Server } from './call.ts'

/** Servers on ports of this machine as one: requests go to them in turn. */
export function spread(ports: readonly number[]): Server {
  let turn = 0
  return {
    async inject({ method, url, headers, payload = null }) {
      const port = ports[turn++ % ports.length]
      const reply = await fetch(`http://127.0.0.1:${port}${url}`, {
        method,
        headers,
        body: payload === null ? null : Buffer.from(payload).toString(),
      })
      const body = await reply.text()
      return { statusCode: reply.status, headers: Object.fromEntries(reply.headers), body }
    },
  }
}
