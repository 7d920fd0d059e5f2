import type { PageGlobals } from './engine-bundle.ts'
import type { SimulatedBrowser } from './simulated-browser.ts'
import { SimulatedResponse } from './simulated-response.ts'
import type { SimulatedEvent, SimulatedWorld } from './simulated-world.ts'

/** What the globals need of their page. */
interface GlobalsPage {
  /** A page that is gone runs nothing more, and hears of nothing. */
  readonly isOpen: boolean
  readonly listeners: Map<string, Set<() => void>>
}

/** The globals of a page: its clock, its chance, its network and its storage are simulated. */
export function createPageGlobals(
  page: GlobalsPage,
  browser: SimulatedBrowser,
  world: SimulatedWorld,
): PageGlobals {
  const openedAt = world.now
  const setTimer = (run: (value: unknown) => void, ms = 0, value?: unknown) =>
    world.after(Math.max(ms, 1), () => page.isOpen && run(value))
  const clearTimer = (timer: SimulatedEvent | undefined) => timer && world.cancel(timer)
  const globals = {
    navigator: {
      get onLine() {
        return browser.isOnline
      },
      language: 'en',
      languages: ['en'],
      locks: browser.createLocks(page),
    },
    localStorage: browser.localStorage,
    location: { pathname: '/', search: '', assign: () => undefined, reload: () => undefined },
    document: { visibilityState: 'visible' },
    indexedDB: browser.database.createFactory(page),
    addEventListener(type: string, listener: () => void) {
      page.listeners.set(type, (page.listeners.get(type) ?? new Set()).add(listener))
    },
    fetch: (url: string, init: RequestInit) => requestPage(url, init, page, browser, world),
    Response: SimulatedResponse,
    setTimeout: setTimer,
    clearTimeout: clearTimer,
    setInterval: () => undefined,
    clearInterval: () => undefined,
    Date: createDate(() => browser.now),
    Math: Object.assign(Object.create(Math), { random: world.random }),
    performance: { now: () => world.now - openedAt, getEntriesByType: () => [] },
    crypto: { randomUUID: () => `k${world.nextSerial()}` },
    BroadcastChannel: class {
      postMessage(): void {}
    },
  }
  return { ...globals, window: undefined }
}

async function requestPage(
  url: string,
  { method = 'GET', headers, body }: RequestInit,
  page: GlobalsPage,
  browser: SimulatedBrowser,
  world: SimulatedWorld,
): Promise<SimulatedResponse> {
  if (!browser.isOnline) throw new TypeError('Failed to fetch')
  const sent = new Headers(headers)
  const revision = sent.get('if-match')?.replaceAll('"', '')
  const key = sent.get('idempotency-key') ?? ''
  const text = typeof body === 'string' ? body : ''
  browser.checkStored(key, text)
  const reply = world.send({
    method,
    path: url,
    key,
    person: browser.person,
    text,
    sentAt: world.now,
    ...(revision !== undefined && { revision }),
  })
  const { status, error, body: record, isReplayed, retryAfter } = await survive(reply, page)
  const replied = error ? { error } : record
  return new SimulatedResponse(replied === undefined ? '' : JSON.stringify(replied), status, {
    ...(isReplayed && { 'idempotency-replayed': 'true' }),
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
  })
}

/** What a page waits for never comes once the page is gone. */
function survive<T>(outcome: Promise<T>, page: GlobalsPage): Promise<T> {
  return new Promise((resolve, reject) => {
    outcome.then(
      (value) => page.isOpen && resolve(value),
      (error) => page.isOpen && reject(error),
    )
  })
}

/** The class of dates whose present is that of a clock. */
function createDate(now: () => number) {
  return class extends Date {
    constructor(time: number | string = now()) {
      super(time)
    }

    static override now = (): number => Math.floor(now())
  }
}
