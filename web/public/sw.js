// Lets the app open at once and without a network: its page and files, never anybody's data. The page comes from
// the server where that answers in time; else the page offers a new version once it has heard of it. Files have
// names that tell their content. Below that it shows the notifications that the server pushes.
const PAGES = 'docket-page'
const FILES = 'docket-files'
const MOST_FILES = 300
// Without an answer for so long, the page opens from its copy.
const ANSWER_TIMEOUT_MS = 400
const PAGE = /^\/(w|t)\/|^\/start$/
const FILE = /^\/app\/(assets\/|icon\.svg$)/

addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => event.waitUntil(clients.claim()))

addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin) return
  if (request.mode === 'navigate' && PAGE.test(pathname)) respond(event, pageOf(request))
  else if (FILE.test(pathname)) respond(event, fileOf(request, pathname))
})

// The answer goes to the page first. The browser keeps this worker alive until the copy is stored.
function respond(event, answered) {
  event.respondWith(answered.then(({ reply }) => reply))
  // Without an answer there is no copy; the page gets the error.
  event.waitUntil(
    answered.then(
      ({ stored }) => stored,
      () => undefined,
    ),
  )
}

// What the page had loaded before this worker was there, and then the other files of the app, so that every screen
// opens without a network.
addEventListener('message', (event) => {
  const { data } = event
  event.waitUntil(keepAll(data).catch(() => undefined))
})

async function keepAll(paths) {
  if (!Array.isArray(paths)) return
  // Any address of the app gives its page. What does not come now comes when it is asked for.
  await Promise.allSettled([keep(pageOf(new Request('/start'))), ...paths.map(keepFile)])
  const chunks = Object.values(await (await fetch('/app/files.json')).json())
  const files = chunks.flatMap(({ file, css = [], assets = [] }) => [file, ...css, ...assets])
  // One after the other: what the page itself asks for comes first.
  for (const file of new Set(files)) await keepFile(`/app/${file}`)
}

const keep = async (answered) => (await answered).stored
const keepFile = async (path) => FILE.test(path) && keep(fileOf(new Request(path), path))

async function pageOf(request) {
  const answered = fetch(request).then((reply) => ({ reply, stored: store(PAGES, '/', reply) }))
  const patience = new Promise((resolve) => setTimeout(resolve, ANSWER_TIMEOUT_MS))
  const first = await Promise.race([answered.catch(() => undefined), patience])
  if (first) return first
  const kept = await match(PAGES, '/')
  if (!kept) return answered
  const stored = answered.then(
    (late) => late.stored,
    () => undefined,
  )
  return { reply: markAsKept(kept), stored }
}

// Tells the page that the server did not answer, so it does not wait for an answer once more.
function markAsKept(kept) {
  const marked = new Response(kept.body, kept)
  marked.headers.append('server-timing', 'cached')
  return marked
}

async function fileOf(request, path) {
  const isForEver = path.startsWith('/app/assets/')
  const kept = await match(FILES, path)
  if (isForEver && kept) return { reply: kept }
  try {
    const reply = await fetch(request)
    return { reply, stored: store(FILES, path, reply) }
  } catch (error) {
    if (kept) return { reply: kept }
    throw error
  }
}

const match = async (name, path) => (await caches.open(name)).match(path)

// Where the browser has no room nothing is kept: then the app needs the network, as without this.
async function store(name, path, reply) {
  if (reply.status !== 200) return
  // The page reads the answer itself, so the copy is made before anything is awaited.
  const copy = reply.clone()
  try {
    const cache = await caches.open(name)
    await cache.put(path, copy)
    const all = await cache.keys()
    for (const old of all.slice(0, Math.max(0, all.length - MOST_FILES))) await cache.delete(old)
  } catch (error) {
    console.warn('docket: not kept for offline:', error)
  }
}

// Browsers that know declarative messages show them without this.
addEventListener('push', (event) => {
  const { notification, app_badge } = event.data.json()
  const { title, navigate, ...options } = notification
  const shown = registration.showNotification(title, {
    ...options,
    data: { navigate },
    icon: '/app/icons/icon-192.png',
    badge: '/app/icons/badge-96.png',
    renotify: true,
  })
  event.waitUntil(Promise.all([shown, navigator.setAppBadge?.(app_badge)]))
})

addEventListener('notificationclick', (event) => {
  const { notification } = event
  notification.close()
  event.waitUntil(openPage(notification.data.navigate))
})

// Only a page that shows it already: any other may hold what somebody is typing.
async function openPage(url) {
  const pages = await clients.matchAll({ type: 'window' })
  const page = pages.find((one) => one.url === url)
  return page ? page.focus() : clients.openWindow(url)
}

// The browser has renewed the address of the device.
addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(renewSubscription(event))
})

// The server refuses what replaces no device: one that was turned off does not turn itself on again.
async function renewSubscription({ newSubscription, oldSubscription }) {
  if (!oldSubscription) return
  const { endpoint: replaces, options } = oldSubscription
  const subscription = newSubscription ?? (await registration.pushManager.subscribe(options))
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ ...subscription.toJSON(), replaces })
  await fetch('/internal/push', { method: 'PUT', headers, body })
}
