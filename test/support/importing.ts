import assert from 'node:assert/strict'
import { openFiles } from '#files/open.ts'
import { advanceImports } from '#importing/chores.ts'
import { newId } from '#lib/id.ts'
import type { Import } from '#resources/imports/internal.ts'
import { newAddress } from './browser.ts'
import type { Served } from './engines.ts'
import type { Home } from './home.ts'
import { sessionOf } from './session.ts'

type Method = 'GET' | 'POST' | 'PATCH'

/** Somebody who brings files in by the web app's addresses; the background work is done when asked. */
export async function importerOf(served: Served, home: Home, role: 'owner' | 'admin' = 'admin') {
  const { server, storage, config } = served
  const { headers } = await sessionOf(storage, home, role, config.baseUrl)
  const remoteAddress = newAddress()
  const means = {
    storage,
    files: openFiles(config),
    runner: newId('opr'),
    mostRows: 1_000,
    atOnce: 25,
  }

  async function ask<T>(method: Method, url: string, body?: object, status = 200): Promise<T> {
    const reply = await server.inject({
      ...{ method, url, remoteAddress },
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { payload: JSON.stringify(body) }),
    })
    assert.equal(reply.statusCode, status, `${method} ${url}: ${reply.body}`)
    return reply.json() as T
  }

  const one = (id: string, what = '') => `/internal/imports/${id}${what}`

  return {
    ask,
    means,
    async upload(filename: string, bytes: string | Uint8Array): Promise<Import> {
      const reply = await server.inject({
        ...{ method: 'POST', remoteAddress, payload: Buffer.from(bytes) },
        url: `/internal/imports?filename=${encodeURIComponent(filename)}`,
        headers: { ...headers, 'content-type': 'application/octet-stream' },
      })
      assert.equal(reply.statusCode, 201, reply.body)
      return reply.json() as Import
    },
    get: (id: string) => ask<Import>('GET', one(id)),
    choose: (id: string, body: object) => ask<Import>('PATCH', one(id), body),
    act: (id: string, act: string) => ask<Import>('POST', one(id, `/${act}`)),
    faults: async (id: string) =>
      (
        await ask<{ data: { number: number; title: string; message: string }[] }>(
          'GET',
          one(id, '/faults'),
        )
      ).data,
    /** Does the background work to its end. */
    async work(): Promise<void> {
      while (await advanceImports(means));
    },
    step: () => advanceImports(means),
  }
}
