// Lets the app open without a network: its page and files, never anybody's data. The page always comes from the
// server where that answers, so a new version is never held back; files have names that tell their content.
const PAGES = 'docket-page'
const FILES = 'docket-files'
const MOST_FILES = 300
const PAGE = /^\/(w|t)\/|^\/start$/
const FILE = /^\/app\/(assets\/|theme\.js$|icon\.svg$)/

addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => event.waitUntil(clients.claim()))

addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin) return
  if (request.mode === 'navigate' && PAGE.test(pathname)) event.respondWith(pageOf(request))
  else if (FILE.test(pathname)) event.respondWith(fileOf(request, pathname))
})

// What the page had loaded before this worker was there.
addEventListener('message', (event) => {
  const { data } = event
  event.waitUntil(keepAll(data))
})

async function keepAll(paths) {
  if (!Array.isArray(paths)) return
  const files = paths.filter((path) => FILE.test(path))
  // Any address of the app gives its page.
  const all = [
    pageOf(new Request('/start')),
    ...files.map((path) => fileOf(new Request(path), path)),
  ]
  // What does not come now comes when it is asked for.
  await Promise.allSettled(all)
}

async function pageOf(request) {
  try {
    const reply = await fetch(request)
    if (reply.status === 200) await put(PAGES, '/', reply.clone())
    return reply
  } catch (error) {
    const kept = await match(PAGES, '/')
    if (kept) return kept
    throw error
  }
}

async function fileOf(request, path) {
  const isForEver = path.startsWith('/app/assets/')
  const kept = await match(FILES, path)
  if (isForEver && kept) return kept
  try {
    const reply = await fetch(request)
    if (reply.status === 200) await put(FILES, path, reply.clone())
    return reply
  } catch (error) {
    if (kept) return kept
    throw error
  }
}

const match = async (name, path) => (await caches.open(name)).match(path)

// Where the browser has no room nothing is kept: then the app needs the network, as without this.
async function put(name, path, reply) {
  try {
    const cache = await caches.open(name)
    await cache.put(path, reply)
    const all = await cache.keys()
    for (const old of all.slice(0, Math.max(0, all.length - MOST_FILES))) await cache.delete(old)
  } catch (error) {
    console.warn('docket: not kept for offline:', error)
  }
}
