import type { Page } from '@playwright/test'
import type { BrowserFixture } from '../../test/browser/support/browser-test.ts'
import { countReads } from '../../test/browser/support/feed-reads.ts'
import { typeInFocusedField } from '../../test/browser/support/page-actions.ts'
import { reportFigure } from '../support/figures.ts'

const PAGES = 20
/** A tenth of what it was when pages read again what a notice told of (docs/decisions/0071). */
const MAX_READS = 5.7
/** Until each page has loaded what follows the changes. */
const SETTLE_MS = 15_000
/** Longer than any page waits before it reads. */
const QUIET_MS = 12_000

/**
 * Counts the reads of 20 pages, each in a browser of its own, for one change by another client, and
 * of one of them for a change of its own.
 */
export async function measureReadsPerChange({ as, team, ask }: BrowserFixture): Promise<void> {
  const project = `/w/${team.workspace}/p/ENG`
  const screens = [
    project,
    project,
    `${project}?view=board`,
    `/w/${team.workspace}/my`,
    `/w/${team.workspace}/p/HID`,
  ]
  const roles = ['owner', 'admin'] as const
  const pages: Page[] = []
  for (let at = 0; at < PAGES; at += 1) {
    const page = await as(roles[at % roles.length] ?? 'owner')
    await page.goto(screens[Math.floor(at / roles.length) % screens.length] ?? project)
    pages.push(page)
  }
  const [first] = pages
  await first?.waitForTimeout(SETTLE_MS)
  const address = `/api/v1/projects/${team.project}/tasks?limit=1&sort=position`
  const [task] = (await ask<{ data: { id: string }[] }>('member', `GET ${address}`)).data
  const changes: object[] = [{ title: 'Renamed' }, { status: 'in_review' }, { priority: 'high' }]
  const counts = pages.map((page) => countReads(page))
  for (const change of changes) {
    await ask('member', `PATCH /api/v1/tasks/${task?.id}`, change)
    await first?.waitForTimeout(QUIET_MS)
  }
  const reads = counts.flatMap((list) => list())
  if (first) await measureOwnChange(first)
  for (const page of pages) await page.context().close()
  const perChange = reads.length / changes.length
  reportFigure(`reads of ${PAGES} open pages for a change`, perChange, { most: MAX_READS })
}

/** Counts the reads of a list for a change that its person makes. */
async function measureOwnChange(page: Page): Promise<void> {
  await page.bringToFront()
  const reads = countReads(page)
  const isSaved = page.waitForResponse((reply) => reply.request().method() === 'PATCH')
  await page.locator('[data-number] [data-field="priority"]').first().click()
  await typeInFocusedField(page, 'Low')
  await page.keyboard.press('Enter')
  await isSaved
  await page.waitForTimeout(QUIET_MS)
  reportFigure('reads of a list for a change of its own', reads().length, { most: 0 })
}
