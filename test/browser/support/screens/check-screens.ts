import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { assertAccessible } from '../accessibility.ts'
import type { BrowserFixture } from '../browser-test.ts'
import { expect } from '../expect.ts'
import { openScreen } from '../page-actions.ts'
import { type ButtonLabels, prepareScreens, type ScreenRoute } from './app-screens.ts'
import { findClippedTexts } from './clipped-texts.ts'
import { findFrameOverflow } from './frame-overflow.ts'
import { serveBuild } from './pseudo-locale-build.ts'
import { findSmallTargets } from './small-targets.ts'

const WIDE = { width: 1280, height: 800 }
/** Where a longer text is cut first. The last one is a phone's. */
export const NARROW_WIDTHS: readonly number[] = [1024, 768, 360]
export const PHONE_WIDTHS: readonly number[] = [360]
/** How long a screen may take to lay itself out for a finger, on a busy machine. */
const LAYOUT_TIMEOUT_MS = 10_000
/** Enough for each kind of row; axe is slow with many. */
const TASK_COUNT = 8

export const SCREEN_HALVES = [0, 1] as const
type ScreenHalf = (typeof SCREEN_HALVES)[number]

/** The language and build in which the screens are checked. */
export interface ScreenVariant {
  locale: string
  buttonLabels: ButtonLabels
  axeOptions: NonNullable<Parameters<typeof assertAccessible>[1]>
  /** The widths besides that of a desktop; the last one is a phone's. */
  narrowWidths: readonly number[]
  /** Whether the targets of a phone are measured, which other texts do not make smaller. */
  hasTargets?: boolean
  /** The folder of a build that replaces the server's. */
  buildDir?: string
}

/** The axe rules that other texts can break. Roles and colours are those of the English screens. */
export const TEXT_RULES: ScreenVariant['axeOptions'] = {
  themes: ['light'],
  rules: `
    area-alt image-alt image-redundant-alt role-img-alt svg-img-alt aria-command-name
    aria-dialog-name aria-input-field-name aria-meter-name aria-progressbar-name
    aria-roledescription aria-tab-name aria-text aria-toggle-field-name
    aria-tooltip-name aria-treeitem-name button-name input-button-name link-name
    select-name summary-name table-duplicate-name document-title empty-heading
    empty-table-header landmark-unique p-as-heading form-field-multiple-labels label
    label-title-only label-content-name-mismatch html-has-lang html-lang-valid
    html-xml-lang-mismatch valid-lang scrollable-region-focusable target-size
    avoid-inline-spacing skip-link
  `
    .trim()
    .split(/\s+/),
}

/** Checks one half of the screens of the app. Pages that the server renders are only in English. */
export async function checkScreens(
  fixture: BrowserFixture,
  half: ScreenHalf,
  reader: ScreenVariant,
): Promise<void> {
  // A report that takes too long on a slow machine is asked for again.
  fixture.allow(401, 404, /status of 503 .*\/internal\/reports\//)
  const ownerPage = await openOwnerPage(fixture, reader)
  // The screens of visitors come first, so only one half needs this page.
  const anonymousPage = half === 0 ? await openAnonymousPage(fixture, reader) : ownerPage
  const all = Object.entries(await prepareScreens(fixture, reader.buttonLabels, TASK_COUNT))
  const screens = all.filter(([name]) => name !== 'start' && name !== 'docs')
  const problems: string[] = []
  const middle = Math.ceil(screens.length / 2)
  for (const [name, screen] of half === 0 ? screens.slice(0, middle) : screens.slice(middle)) {
    const page = screen.signedIn === false ? anonymousPage : ownerPage
    const screenProblems = await findProblems(page, screen, reader)
    problems.push(...screenProblems.map((one) => `${name}: ${one}`))
  }
  assert.ok(screens.length > 20)
  assert.deepEqual(problems, [])
}

async function openAnonymousPage(
  { visitor }: BrowserFixture,
  { locale, buildDir }: ScreenVariant,
): Promise<Page> {
  const page = await visitor({ locale, viewport: WIDE })
  if (buildDir) await serveBuild(page.context(), buildDir)
  return page
}

async function openOwnerPage(
  { as, docket }: BrowserFixture,
  { locale, buildDir }: ScreenVariant,
): Promise<Page> {
  const page = await as('owner', { locale, viewport: WIDE })
  if (buildDir) await serveBuild(page.context(), buildDir)
  const headers = { origin: docket.url }
  const data = { locale }
  const reply = await page.request.patch(`${docket.url}/internal/account`, { headers, data })
  assert.ok(reply.ok())
  return page
}

async function findProblems(
  page: Page,
  { path, prepare }: ScreenRoute,
  { axeOptions, narrowWidths, hasTargets }: ScreenVariant,
) {
  await page.setViewportSize(WIDE)
  await navigate(page, path)
  await page.locator('.bones').first().waitFor({ state: 'detached' })
  await prepare?.(page)
  await page.evaluate(() => document.fonts.ready)
  const wide = [...(await findClippedTexts(page)), ...(await findFrameOverflow(page))]
  const axe = await assertAccessible(page, axeOptions).then(
    () => [],
    (error: Error) => [error.message],
  )
  const problems = [...axe, ...wide]
  for (const width of narrowWidths) {
    await page.setViewportSize({ width, height: 740 })
    const narrow = [...(await findClippedTexts(page)), ...(await findFrameOverflow(page))]
    problems.push(...narrow.map((one) => `${width} px: ${one}`))
  }
  if (hasTargets) problems.push(...(await findProblemsOfTouch(page)))
  return problems
}

/** Looks at the page, which is as narrow as a phone, with a finger. */
async function findProblemsOfTouch(page: Page): Promise<string[]> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Emulation.setTouchEmulationEnabled', { enabled: true })
  let problems: string[] = []
  // A list lays out its rows for a finger a moment later.
  const countProblems = async () => {
    problems = await findSmallTargets(page)
    return problems.length
  }
  await expect
    .poll(countProblems, { timeout: LAYOUT_TIMEOUT_MS })
    .toBe(0)
    .catch(() => undefined)
  await cdp.send('Emulation.setTouchEmulationEnabled', { enabled: false })
  await cdp.detach()
  return problems
}

/**
 * Navigates as a link does, unless the previous screen would stay: same path, or an open dialog.
 */
async function navigate(page: Page, path: string): Promise<void> {
  const isLink = await page.evaluate((path) => {
    const isInside = [location.pathname, path].every((one) => one.startsWith('/w/'))
    const isOther = location.pathname !== path.replace(/\?.*/, '')
    return isInside && isOther && !document.querySelector('dialog, [role=dialog]')
  }, path)
  if (isLink) return openScreen(page, path)
  await page.goto(path)
  await page.locator('h1').first().waitFor()
}
