import type { PageGlobals } from './engine-bundle.ts'
import type { SimulatedBrowser } from './simulated-browser.ts'
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
    removeEventListener(type: string, listener: () => void) {
      page.listeners.get(type)?.delete(listener)
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
    // An id ends with the last eight letters of a key.
    crypto: { randomUUID: () => `k${String(world.nextSerial()).padStart(7, '0')}` },
    BroadcastChannel: class {
      postMessage(): void {}
    },
  }
  return { ...globals, window: undefined, globalThis: globals }
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
  const { status, error, body: record, lines, ...head } = await survive(reply, page)
  const { isReplayed, retryAfter, changeNumber, operationId } = head
  const replied = error ? { error } : record
  const sentHeaders = {
    ...(isReplayed && { 'idempotency-replayed': 'true' }),
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    ...(operationId !== undefined && { 'x-operation-id': operationId }),
    ...(changeNumber !== undefined && { 'x-change-number': String(changeNumber) }),
  }
  return new SimulatedResponse(
    replied === undefined ? '' : JSON.stringify(replied),
    status,
    sentHeaders,
    lines && streamLines(lines, page, browser, world),
  )
}

const MAX_LINE_MS = 50

/** Lines that arrive one after the other, unless the connection breaks off. */
function streamLines(
  lines: readonly (() => object)[],
  page: GlobalsPage,
  browser: SimulatedBrowser,
  world: SimulatedWorld,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const rest = [...lines]
  return new ReadableStream({
    pull: (controller) =>
      new Promise((resolve) => {
        world.after(world.random() * MAX_LINE_MS, () => {
          if (!page.isOpen) return
          const line = rest.shift()
          if (!browser.isOnline || world.chance(0.02)) controller.error(new TypeError('network'))
          else if (line) controller.enqueue(encoder.encode(`${JSON.stringify(line())}\n`))
          else controller.close()
          resolve()
        })
      }),
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

/** A reply of the simulated server, with what the web app uses of the `Response` of a browser. */
class SimulatedResponse {
  readonly status: number
  readonly #text: string
  readonly #headers: Readonly<Record<string, string>>
  readonly body: ReadableStream<Uint8Array> | undefined

  constructor(
    text: string,
    status = 200,
    headers: Readonly<Record<string, string>> = {},
    body?: ReadableStream<Uint8Array>,
  ) {
    this.#text = text
    this.status = status
    this.#headers = headers
    this.body = body
  }

  get ok(): boolean {
    return this.status < 400
  }

  get headers() {
    return {
      get: (name: string): string | null => this.#headers[name] ?? null,
      has: (name: string): boolean => name in this.#headers,
    }
  }

  clone(): SimulatedResponse {
    return this
  }

  text = async (): Promise<string> => this.#text
  json = async (): Promise<unknown> => JSON.parse(this.#text)
}
