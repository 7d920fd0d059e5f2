import type { CDPSession, Page } from '@playwright/test'
import type { Scene } from '../test/browser/support/browse.ts'

/** A row of the list that shows its task. */
export const ROW = '[role="grid"] .row[data-number]:not(.bone)'
const SLOWER = 4
/** Fast 4G, as the tools of Chromium's developers have it. */
const FAST_4G = {
  offline: false,
  latency: 165,
  downloadThroughput: 1_012_500,
  uploadThroughput: 168_750,
}

/** A page whose machine is as slow as the budget wants it, and what watches it. */
export interface Measured {
  page: Page
  session: CDPSession
  seen(): Promise<Seen>
}

/** What a page has noted of itself since it was opened, in milliseconds. */
export interface Seen {
  lcp: number
  cls: number
  /** What tasks of more than 50 ms took beyond them. */
  blocked: number
  /** From an input to the next picture, the slowest event of each interaction. */
  inputs: number[]
}

/** Opens a page of the owner in a new profile, 4 times slower, by Fast 4G if the network counts. */
export async function slowPage(scene: Scene, { network = false } = {}): Promise<Measured> {
  const page = await scene.as('owner', { viewport: { width: 1440, height: 900 } })
  page.setDefaultTimeout(30_000)
  await page.addInitScript(watch)
  return { page, session: await slow(page, network), seen: () => page.evaluate(told) }
}

async function slow(page: Page, network: boolean): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
  if (network) {
    await session.send('Network.enable')
    await session.send('Network.emulateNetworkConditions', FAST_4G)
  }
  return session
}

/** Runs in the page, before its own script. */
function watch(): void {
  const seen = { lcp: 0, cls: 0, blocked: 0, inputs: {} as Record<number, number> }
  const observe = (type: string, note: (entry: PerformanceEntry) => void) => {
    const observer = new PerformanceObserver((list) => list.getEntries().forEach(note))
    observer.observe({ type, buffered: true, durationThreshold: 16 } as PerformanceObserverInit)
  }
  observe('largest-contentful-paint', ({ startTime }) => {
    seen.lcp = startTime
  })
  observe('layout-shift', (entry) => {
    const { value = 0, hadRecentInput } = entry as unknown as Record<string, number>
    if (!hadRecentInput) seen.cls += value
  })
  observe('longtask', ({ duration }) => {
    seen.blocked += Math.max(0, duration - 50)
  })
  observe('event', (entry) => {
    const { interactionId: id = 0 } = entry as unknown as Record<string, number>
    if (id > 0) seen.inputs[id] = Math.max(seen.inputs[id] ?? 0, entry.duration)
  })
  Object.assign(globalThis, { docketSeen: seen })
}

function told(): Seen {
  const { docketSeen } = globalThis as unknown as {
    docketSeen: Omit<Seen, 'inputs'> & { inputs: Record<number, number> }
  }
  return { ...docketSeen, inputs: Object.values(docketSeen.inputs) }
}

/** Goes to another address within the app; gives the milliseconds until other rows are painted. */
export const turnTo = (page: Page, search: string): Promise<number> =>
  page.evaluate(
    async ([row, to]) => {
      const shown = () => {
        const grid = document.querySelector('[role="grid"]')
        const groups = [...document.querySelectorAll('[role="rowgroup"]')]
        const ready = document.querySelector(row) !== null
        const count = grid?.getAttribute('aria-rowcount')
        return ready ? [count, ...groups.map((group) => group.ariaLabel)].join() : undefined
      }
      const frame = () => new Promise(requestAnimationFrame)
      const [before, from] = [shown(), performance.now()]
      history.pushState({}, '', to)
      for (let now = shown(); now === before || now === undefined; now = shown()) await frame()
      await frame()
      return performance.now() - from
    },
    [ROW, search] as const,
  )

/** Notes how long each frame takes while something is done; gives the longest, and how many there were. */
export async function framesDuring(page: Page, work: () => Promise<unknown>) {
  const noted = page.evaluate(async () => {
    const times: number[] = []
    Object.assign(globalThis, { docketFrames: true })
    let last = performance.now()
    while ((globalThis as Record<string, unknown>).docketFrames) {
      await new Promise(requestAnimationFrame)
      const now = performance.now()
      times.push(now - last)
      last = now
    }
    return times
  })
  await work()
  await page.evaluate(() => Object.assign(globalThis, { docketFrames: false }))
  const times = (await noted).slice(1).toSorted((a, b) => a - b)
  return {
    longest: times.at(-1) ?? 0,
    usual: times[Math.floor(times.length * 0.99)] ?? 0,
    count: times.length,
  }
}

/** Bytes that live in the page's heap, after everything that nobody holds is gone. */
export async function heapOf({ session }: Measured): Promise<number> {
  await session.send('HeapProfiler.enable')
  await session.send('HeapProfiler.collectGarbage')
  return (await session.send('Runtime.getHeapUsage')).usedSize
}
