import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'

const SCRIPT = readFileSync(join(import.meta.dirname, '../../../public/sw.js'), 'utf8')
const ORIGIN = 'https://docket.test'

interface FetchEventLike {
  request: { method: string; url: string; mode: string }
  respondWith(reply: Promise<Response>): void
  waitUntil(work: Promise<unknown>): void
}

/**
 * Runs the service worker with a cache that stores nothing until `finishStoring` is called, and has a
 * copy of what is in `cached`. The time of its timers has passed at once.
 */
function startServiceWorker({
  fetch = async () => new Response('fresh'),
  cached = {},
}: {
  fetch?: () => Promise<Response>
  cached?: Record<string, string>
} = {}) {
  const listeners = new Map<string, (event: FetchEventLike) => void>()
  const stored: string[] = []
  const storing = Promise.withResolvers<void>()
  const cache = {
    match: async (path: string) => (path in cached ? new Response(cached[path]) : undefined),
    keys: async () => [],
    async put(path: string) {
      await storing.promise
      stored.push(path)
    },
  }
  runInNewContext(SCRIPT, {
    ...{ URL, Request, console, location: { origin: ORIGIN } },
    addEventListener: (name: string, listener: (event: FetchEventLike) => void) =>
      listeners.set(name, listener),
    caches: { open: async () => cache },
    setTimeout: (work: () => void) => setImmediate(work),
    fetch,
  })
  return { onFetch: listeners.get('fetch'), stored, finishStoring: storing.resolve }
}

for (const [path, mode, name] of [
  ['/w/wsp_1/my', 'navigate', '/'],
  ['/app/assets/list.js', 'cors', '/app/assets/list.js'],
] as const) {
  test(`answers ${path} before a copy is stored, and stays alive until it is`, async () => {
    const { onFetch, stored, finishStoring } = startServiceWorker()
    const reply = Promise.withResolvers<Response>()
    const work = Promise.withResolvers<unknown>()
    onFetch?.({
      request: { method: 'GET', url: `${ORIGIN}${path}`, mode },
      respondWith: reply.resolve,
      waitUntil: work.resolve,
    })
    assert.equal(await (await reply.promise).text(), 'fresh')
    assert.deepEqual(stored, [])
    finishStoring()
    await work.promise
    assert.deepEqual(stored, [name])
  })
}

test('answers with its copy of the page if the server does not answer, and stores a late answer', async () => {
  const late = Promise.withResolvers<Response>()
  const fetch = () => late.promise
  const { onFetch, stored, finishStoring } = startServiceWorker({ fetch, cached: { '/': 'kept' } })
  finishStoring()
  const reply = Promise.withResolvers<Response>()
  const work = Promise.withResolvers<unknown>()
  onFetch?.({
    request: { method: 'GET', url: `${ORIGIN}/start`, mode: 'navigate' },
    respondWith: reply.resolve,
    waitUntil: work.resolve,
  })
  assert.equal(await (await reply.promise).text(), 'kept')
  assert.deepEqual(stored, [])
  late.resolve(new Response('fresh'))
  await work.promise
  assert.deepEqual(stored, ['/'])
})

for (const cached of [{ '/': 'kept' }, {}]) {
  test(`a refused connection is answered by ${'/' in cached ? 'the copy' : 'its error'}`, async () => {
    const fetch = async () => Promise.reject(new TypeError('refused'))
    const { onFetch } = startServiceWorker({ fetch, cached })
    const reply = Promise.withResolvers<Response>()
    const work = Promise.withResolvers<unknown>()
    onFetch?.({
      request: { method: 'GET', url: `${ORIGIN}/w/wsp_1/my`, mode: 'navigate' },
      respondWith: reply.resolve,
      waitUntil: work.resolve,
    })
    if ('/' in cached) assert.equal(await (await reply.promise).text(), 'kept')
    else await assert.rejects(reply.promise, /refused/)
    await work.promise
  })
}
