import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from '@playwright/test'
import type { BrowserFixture } from '../../test/browser/support/browser-test.ts'
import { median, reportFigure } from '../support/figures.ts'
import { TASK_ROW_SELECTOR } from './throttled-page.ts'

const RUNS = 5
/** From a request to its reply, as over a satellite or from a train. */
const ROUND_TRIP_MS = 800
/** The page is stored by its worker, and its data once the browser is idle. */
const STORE_MS = 6_000

/**
 * Measures how long it takes until a list of 10,000 tasks is there over a slow network: with what the
 * browser has kept of it, and without.
 */
export async function measureSlowNetwork({ as, docket, team }: BrowserFixture): Promise<void> {
  const proxy = await openSlowProxy(Number(new URL(docket.url).port))
  const page = await as('owner', { serviceWorkers: 'allow' })
  await page.addInitScript(recordFirstRows, TASK_ROW_SELECTOR)
  const list = `http://127.0.0.1:${proxy.port}/w/${team.workspace}/p/ENG`
  const openList = async () => {
    await page.goto('about:blank')
    await page.goto(list, { waitUntil: 'commit' })
    await page.waitForFunction(() => 'docketFirstRowsAt' in globalThis)
    const at = await page.evaluate(() => Number(Reflect.get(globalThis, 'docketFirstRowsAt')))
    await pause(STORE_MS)
    return at
  }
  try {
    await openList()
    const [withCopy, withoutCopy]: [number[], number[]] = [[], []]
    for (let run = 0; run < RUNS; run++) {
      withCopy.push(await openList())
      await forgetData(page)
      withoutCopy.push(await openList())
    }
    const inSeconds = (times: readonly number[]) => times.map((ms) => ms / 1_000)
    const share = median(withCopy) / median(withoutCopy)
    reportFigure('first rows over a slow network, seconds', inSeconds(withCopy), { most: 2 })
    reportFigure('without what is kept, seconds', inSeconds(withoutCopy), { most: 5 })
    reportFigure('the former as a share of the latter', share, { most: 0.6 })
  } finally {
    await page.context().close()
    proxy.close()
  }
}

/** Runs in the page before its own scripts. */
function recordFirstRows(row: string): void {
  const look = () => {
    if (document.querySelector(row))
      Object.assign(globalThis, { docketFirstRowsAt: performance.now() })
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

/** Deletes what the browser has kept, apart from the scripts, which a browser keeps anyway. */
const forgetData = (page: Page) =>
  page.evaluate(async () => {
    await caches.delete('docket-page')
    const deleting = indexedDB.deleteDatabase('docket-kept')
    await new Promise((resolve) => deleting.addEventListener('success', resolve))
  })

/** Forwards connections to a port of this machine; each has the round trip of a slow network. */
async function openSlowProxy(target: number): Promise<{ port: number; close: () => void }> {
  const open = new Set<Socket>()
  const server = createServer(async (client) => {
    // A connection is made by one round trip.
    const upstream = connect(target, '127.0.0.1')
    for (const socket of [client, upstream]) {
      open.add(socket.on('error', () => undefined).on('close', () => open.delete(socket)))
    }
    const readyAt = performance.now() + ROUND_TRIP_MS
    forwardLate(client, upstream, readyAt)
    forwardLate(upstream, client, readyAt)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port')
  const close = () => {
    server.close()
    for (const socket of open) socket.destroy()
  }
  return { port: address.port, close }
}

function forwardLate(from: Socket, to: Socket, readyAt: number): void {
  const late = (work: () => void) => {
    const wait = Math.max(readyAt - performance.now(), 0) + ROUND_TRIP_MS / 2
    setTimeout(work, wait)
  }
  from.on('data', (chunk) => late(() => to.writable && to.write(chunk)))
  from.on('end', () => late(() => to.end()))
  from.on('close', () => late(() => to.destroy()))
}
