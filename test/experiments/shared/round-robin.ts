import type { InjectableServer } from './call-api.ts'

/** Combines servers on ports of this machine into one that sends them requests in turn. */
export function createRoundRobinServer(ports: readonly number[]): InjectableServer {
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
