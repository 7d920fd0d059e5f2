import type { CDPSession, Page } from '@playwright/test'
import type { BrowserFixture } from '../../test/browser/support/browser-test.ts'

/** A row of the list that shows its task. */
export const TASK_ROW_SELECTOR = '.list .row[data-number]:not(.bone)'
const CPU_SLOWDOWN = 4
/** The Fast 4G profile of Chromium's developer tools. */
const FAST_4G = {
  offline: false,
  latency: 165,
  downloadThroughput: 1_012_500,
  uploadThroughput: 168_750,
}

/** A page with a throttled CPU and network, and its recorded timings. */
export interface ThrottledPage {
  page: Page
  session: CDPSession
  readTimings(): Promise<PageTimings>
}

/** The performance entries of a page since it was opened, in milliseconds. */
export interface PageTimings {
  lcp: number
  cls: number
  /** Total blocking time: the part of each long task beyond 50 ms. */
  blocked: number
  /** From an input to the next paint: the slowest event of each interaction. */
  inputs: number[]
}

/** Opens a page of the owner in a new profile, with a 4 times slower CPU and optionally Fast 4G. */
export async function openThrottledPage(
  scene: BrowserFixture,
  { network = false } = {},
): Promise<ThrottledPage> {
  const page = await scene.as('owner', { viewport: { width: 1440, height: 900 } })
  page.setDefaultTimeout(30_000)
  await page.addInitScript(observePerformance)
  return {
    page,
    session: await throttle(page, network),
    readTimings: () => page.evaluate(readObserved),
  }
}

async function throttle(page: Page, network: boolean): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
  if (network) {
    await session.send('Network.enable')
    await session.send('Network.emulateNetworkConditions', FAST_4G)
  }
  return session
}

/** An entry of any of the observed types: a layout shift or an event has more members. */
type ObservedEntry = PerformanceEntry & {
  value?: number
  hadRecentInput?: boolean
  interactionId?: number
}

declare global {
  /** In the page: what it has observed so far, with the longest event of each interaction. */
  var docketSeen: Omit<PageTimings, 'inputs'> & { inputs: Record<number, number> }
}

/** Runs in the page before its own scripts. */
function observePerformance(): void {
  const seen = { lcp: 0, cls: 0, blocked: 0, inputs: {} as Record<number, number> }
  const observe = (type: string, note: (entry: ObservedEntry) => void) => {
    const observer = new PerformanceObserver((list) => list.getEntries().forEach(note))
    observer.observe({ type, buffered: true, durationThreshold: 16 } as PerformanceObserverInit)
  }
  observe('largest-contentful-paint', ({ startTime }) => {
    seen.lcp = startTime
  })
  observe('layout-shift', ({ value = 0, hadRecentInput }) => {
    if (!hadRecentInput) seen.cls += value
  })
  observe('longtask', ({ duration }) => {
    seen.blocked += Math.max(0, duration - 50)
  })
  observe('event', ({ interactionId: id = 0, duration }) => {
    if (id > 0) seen.inputs[id] = Math.max(seen.inputs[id] ?? 0, duration)
  })
  Object.assign(globalThis, { docketSeen: seen })
}

function readObserved(): PageTimings {
  return { ...docketSeen, inputs: Object.values(docketSeen.inputs) }
}

/** Navigates within the app; returns the milliseconds until other rows are painted. */
export const navigateInApp = (page: Page, search: string): Promise<number> =>
  page.evaluate(
    async ([row, to]) => {
      const shown = () => {
        const grid = document.querySelector('.list')
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
    [TASK_ROW_SELECTOR, search] as const,
  )

/** Measures each frame during `work`; returns the longest, the p99 and the number of frames. */
export async function measureFrames(page: Page, work: () => Promise<unknown>) {
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

/** The bytes in the page's heap after a garbage collection. */
export async function measureHeapSize({ session }: ThrottledPage): Promise<number> {
  await session.send('HeapProfiler.enable')
  await session.send('HeapProfiler.collectGarbage')
  return (await session.send('Runtime.getHeapUsage')).usedSize
}
