import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { closeBrowserAndServers, openBrowserFixture } from './support/browser-test.ts'
import { prepareScreens, type ScreenRoute } from './support/screens/app-screens.ts'
import { getTestServer } from './support/test-server.ts'

/**
 * Takes screenshots of every screen with sample data, at three widths and in both themes:
 * `npx node test/browser/screenshots.ts OUT [part of a name …]`.
 */
const [out = '/tmp/docket-shots', ...nameFilters] = process.argv.slice(2)
const SIZES = { 360: 740, 900: 800, 1440: 900 }
const THEMES = ['light', 'dark'] as const

const docket = await getTestServer({})
const { fixture, guard } = await openBrowserFixture(docket)
const screens = await prepareScreens(fixture, {
  create: 'New application',
  rotate: 'Rotate secret',
})
mkdirSync(out, { recursive: true })
for (const colorScheme of THEMES) {
  for (const [width, height] of Object.entries(SIZES)) {
    const viewport = { width: Number(width), height }
    const options = { colorScheme, viewport, hasTouch: viewport.width < 600 }
    const pages = [await fixture.visitor(options), await fixture.as('owner', options)] as const
    for (const [name, { path, signedIn = true, prepare }] of Object.entries(screens)) {
      if (nameFilters.length > 0 && !nameFilters.some((part) => name.includes(part))) continue
      const page = pages[signedIn ? 1 : 0]
      await takeScreenshot(page, path, join(out, `${name}-${width}-${colorScheme}.png`), prepare)
    }
  }
}
for (const line of new Set(guard.violations())) console.log(line)
await closeBrowserAndServers()

async function takeScreenshot(
  page: Page,
  path: string,
  file: string,
  prepare: ScreenRoute['prepare'],
): Promise<void> {
  await page.goto(path)
  await page.waitForLoadState('load')
  await page
    .getByRole('heading')
    .first()
    .waitFor({ timeout: 3_000 })
    .catch(() => undefined)
  await prepare?.(page)
  // Skeletons, fonts and animations are done by then; `networkidle` never comes with live updates.
  await page.waitForTimeout(400)
  await page.screenshot({ path: file })
}
