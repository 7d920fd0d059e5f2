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

/** Runs the service worker with these pages open; returns how it answers events, and what it has done. */
function startPushWorker(urls: readonly string[]) {
  const listeners = new Map<string, (event: object) => void>()
  const done: unknown[] = []
  const pages = urls.map((url) => ({
    url,
    focus: async () => done.push(`focus ${url}`),
    navigate: async (to: string) => done.push(`navigate ${to}`),
  }))
  runInNewContext(SCRIPT, {
    URL,
    addEventListener: (name: string, listener: (event: object) => void) =>
      listeners.set(name, listener),
    clients: {
      matchAll: async () => pages,
      openWindow: async (url: string) => done.push(`open ${url}`),
    },
    fetch: async (path: string, { method, body }: { method: string; body: string }) =>
      done.push(`${method} ${path} ${body}`),
    navigator: { setAppBadge: async (count: number) => done.push(`badge ${count}`) },
    registration: {
      showNotification: async (title: string, options: object) =>
        done.push({ title, ...JSON.parse(JSON.stringify(options)) }),
    },
  })
  const send = async (name: string, event: object) => {
    const work = Promise.withResolvers<unknown>()
    listeners.get(name)?.({ ...event, waitUntil: work.resolve })
    await work.promise
    return done.splice(0)
  }
  return { send }
}

const TASK_URL = `${ORIGIN}/w/wsp_1/t/ENG-1`
const CLICK = { notification: { data: { navigate: TASK_URL }, close: () => {} } }

test('shows a notification that is pushed, and the number of unread ones', async () => {
  const { send } = startPushWorker([])
  const notification = { title: 'A title', body: 'A text', tag: 'tsk_1', navigate: TASK_URL }
  const data = { json: () => ({ web_push: 8030, notification, app_badge: 3 }) }
  const [shown, badge] = await send('push', { data })
  assert.partialDeepStrictEqual(shown, {
    title: 'A title',
    body: 'A text',
    tag: 'tsk_1',
    data: { navigate: TASK_URL },
  })
  assert.equal(badge, 'badge 3')
})

test('a click on a notification opens its task in the page that shows it, or in a new one', async () => {
  const open = (...urls: string[]) => startPushWorker(urls).send('notificationclick', CLICK)
  assert.deepEqual(await open(), [`open ${TASK_URL}`])
  assert.deepEqual(await open(`${ORIGIN}/w/wsp_1/my`), [`open ${TASK_URL}`])
  assert.deepEqual(await open(`${ORIGIN}/w/wsp_1/my`, TASK_URL), [`focus ${TASK_URL}`])
})

test('a renewed subscription replaces the former one, and is not sent without it', async () => {
  const { send } = startPushWorker([])
  const subscriptionTo = (endpoint: string) => ({ endpoint, toJSON: () => ({ endpoint }) })
  const newSubscription = subscriptionTo('new')
  assert.deepEqual(await send('pushsubscriptionchange', { newSubscription }), [])
  const oldSubscription = subscriptionTo('old')
  assert.deepEqual(await send('pushsubscriptionchange', { newSubscription, oldSubscription }), [
    'PUT /internal/push {"endpoint":"new","replaces":"old"}',
  ])
})
