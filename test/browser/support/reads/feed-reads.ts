import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from '@playwright/test'
import { expect } from '../expect.ts'

const DATA = /\/(api\/v1|internal)\//
const STREAMS = /\/internal\/changes\?after=(?!.*limit)/

/** Lists the reads that a page makes from now on, besides the streams that it follows. */
export function countReads(page: Page): () => readonly string[] {
  const reads: string[] = []
  page.on('request', (request) => {
    const url = request.url()
    if (request.method() === 'GET' && DATA.test(url) && !STREAMS.test(url)) reads.push(url)
  })
  return () => reads
}

/**
 * The server looks twice a second for what other processes have written, as a test writes its people,
 * and then makes open pages read again what the feed does not carry.
 */
const OTHERS_SEEN_MS = 600

/**
 * Waits until a page follows the feed of changes. When it begins, it reads again what the feed lacks. The
 * page needs an installed clock, and a task on the screen that `rename` renames.
 */
export async function followFeed(
  page: Page,
  rename: (title: string) => Promise<unknown>,
): Promise<void> {
  await pause(OTHERS_SEEN_MS)
  let attempt = 0
  await expect
    .poll(async () => {
      attempt += 1
      await page.clock.fastForward(6_000)
      const reads = countReads(page)
      await rename(`Renamed ${attempt} times`)
      await expect(page.getByText(`Renamed ${attempt} times`).first()).toBeVisible()
      await page.clock.fastForward(15_000)
      return reads().length
    })
    .toBe(0)
}
