import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Import } from '#resources/imports/internal.ts'

/** Brings a file in at a server, as the person of these headers; waits for what it becomes. */
export function importAt(url: string, headers: Record<string, string>) {
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
    /** Asks until it is so. */
    async until(id: string, isSo: (now: Import) => boolean): Promise<Import> {
      for (;;) {
        // Of a machine that is busy with other things: it says when to come again.
        const reply = await fetch(`${url}/internal/imports/${id}`, { headers })
        const now = reply.status === 503 ? undefined : ((await reply.json()) as Import)
        if (now && isSo(now)) return now
        assert.notEqual(now?.status, 'failed', now?.error ?? '')
        await pause(250)
      }
    },
  }
}
