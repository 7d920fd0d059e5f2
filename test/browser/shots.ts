import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { finish, sceneOn } from './support/browse.ts'
import { docketFor } from './support/docket.ts'
import { furnished, type Place } from './support/screens.ts'

/**
 * Pictures of every screen of a server with some work on it, at three widths and in both themes, for
 * looking at: `node test/browser/shots.ts OUT [part of a name …]`.
 */
const [out = '/tmp/docket-shots', ...parts] = process.argv.slice(2)
const SIZES = { 360: 740, 900: 800, 1440: 900 }
const THEMES = ['light', 'dark'] as const

const docket = await docketFor({})
const { scene, guard } = await sceneOn(docket)
const places = await furnished(scene, { create: 'New app', rotate: 'Rotate secret' })
mkdirSync(out, { recursive: true })
for (const colorScheme of THEMES) {
  for (const [width, height] of Object.entries(SIZES)) {
    const viewport = { width: Number(width), height }
    const options = { colorScheme, viewport, hasTouch: viewport.width < 600 }
    const pages = [await scene.visitor(options), await scene.as('owner', options)] as const
    for (const [name, { path, signedIn = true, open }] of Object.entries(places)) {
      if (parts.length > 0 && !parts.some((part) => name.includes(part))) continue
      const page = pages[signedIn ? 1 : 0]
      await shot(page, path, join(out, `${name}-${width}-${colorScheme}.png`), open)
    }
  }
}
for (const line of new Set(guard.complaints())) console.log(line)
await finish()

async function shot(page: Page, path: string, file: string, open: Place['open']): Promise<void> {
  await page.goto(path)
  await page.waitForLoadState('load')
  await page
    .getByRole('heading')
    .first()
    .waitFor({ timeout: 3_000 })
    .catch(() => undefined)
  await open?.(page)
  // Skeletons, fonts and motion are over by then; live updates keep the network busy for ever.
  await page.waitForTimeout(400)
  await page.screenshot({ path: file })
}
