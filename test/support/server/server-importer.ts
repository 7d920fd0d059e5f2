import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Import } from '#resources/imports/internal.ts'

/** A client that imports a file through a server process, with the session in these headers. */
export function createServerImporter(url: string, headers: Record<string, string>) {
  async function ask<T>(method: string, path: string, more: RequestInit = {}): Promise<T> {
    const reply = await fetch(`${url}${path}`, {
      method,
      ...more,
      headers: { ...headers, ...more.headers },
    })
    const text = await reply.text()
    assert.ok(reply.ok, `${method} ${path}: ${reply.status} ${text}`)
    return JSON.parse(text) as T
  }
  const get = (id: string) => ask<Import>('GET', `/internal/imports/${id}`)
  return {
    get,
    upload: (filename: string, body: string) =>
      ask<Import>('POST', `/internal/imports?filename=${filename}`, {
        body,
        headers: { 'content-type': 'application/octet-stream' },
      }),
    act: (id: string, name: string) => ask<Import>('POST', `/internal/imports/${id}/${name}`),
    /** Polls until the import satisfies the condition; fails if the import fails. */
    async until(id: string, isSo: (now: Import) => boolean): Promise<Import> {
      for (;;) {
        // A busy machine sheds load: 503 means to try again.
        const reply = await fetch(`${url}/internal/imports/${id}`, { headers })
        const now = reply.status === 503 ? undefined : ((await reply.json()) as Import)
        if (now && isSo(now)) return now
        assert.notEqual(now?.status, 'failed', now?.error?.code ?? '')
        await pause(250)
      }
    },
  }
}
