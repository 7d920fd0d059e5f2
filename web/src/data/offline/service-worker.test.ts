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
    URL,
    Request,
    Response,
    console,
    location: { origin: ORIGIN },
    addEventListener: (name: string, listener: (event: FetchEventLike) => void) =>
      listeners.set(name, listener),
    caches: { open: async () => cache },
    setTimeout: (work: () => void) => setImmediate(work),
    fetch,
  })
  return { onFetch: listeners.get('fetch'), stored, finishStoring: storing.resolve }
}

/** Sends a request through the worker: its reply, and the work for which the browser keeps it alive. */
function sendRequest(
  { onFetch }: Pick<ReturnType<typeof startServiceWorker>, 'onFetch'>,
  path: string,
  mode: string,
) {
  const reply = Promise.withResolvers<Response>()
  const work = Promise.withResolvers<unknown>()
  onFetch?.({
    request: { method: 'GET', url: `${ORIGIN}${path}`, mode },
    respondWith: reply.resolve,
    waitUntil: work.resolve,
  })
  return { reply: reply.promise, work: work.promise }
}

for (const [path, mode, name] of [
  ['/w/wsp_1/my', 'navigate', '/'],
  ['/app/assets/list.js', 'cors', '/app/assets/list.js'],
] as const) {
  test(`answers ${path} before a copy is stored, and stays alive until it is`, async () => {
    const worker = startServiceWorker()
    const { reply, work } = sendRequest(worker, path, mode)
    assert.equal(await (await reply).text(), 'fresh')
    assert.deepEqual(worker.stored, [])
    worker.finishStoring()
    await work
    assert.deepEqual(worker.stored, [name])
  })
}

test('answers with its copy of the page if the server does not, and stores a late answer', async () => {
  const late = Promise.withResolvers<Response>()
  const worker = startServiceWorker({ fetch: () => late.promise, cached: { '/': 'kept' } })
  worker.finishStoring()
  const { reply, work } = sendRequest(worker, '/start', 'navigate')
  assert.equal(await (await reply).text(), 'kept')
  assert.deepEqual(worker.stored, [])
  late.resolve(new Response('fresh'))
  await work
  assert.deepEqual(worker.stored, ['/'])
})

test('a refused connection is answered by the copy of the page, or by its error', async () => {
  const fetch = async () => Promise.reject(new TypeError('refused'))
  const withCopy = startServiceWorker({ fetch, cached: { '/': 'kept' } })
  const kept = sendRequest(withCopy, '/w/wsp_1/my', 'navigate')
  assert.equal(await (await kept.reply).text(), 'kept')
  const failed = sendRequest(startServiceWorker({ fetch }), '/w/wsp_1/my', 'navigate')
  await assert.rejects(failed.reply, /refused/)
  await Promise.all([kept.work, failed.work])
})
