import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { accessible } from './axe.ts'
import type { Scene } from './browse.ts'
import { clipped } from './clipped.ts'
import { withBuild } from './pseudo-build.ts'
import { type Buttons, furnished, type Place } from './screens.ts'

const WIDE = { width: 1280, height: 800 }
const NARROW = { width: 360, height: 740 }
/** Enough for each kind of row; axe takes long for many. */
const TASKS = 8

export const HALVES = [0, 1] as const
type Half = (typeof HALVES)[number]

/** Who looks at the screens. */
export interface Reader {
  locale: string
  words: Buttons
  look: NonNullable<Parameters<typeof accessible>[1]>
  /** Another build of the app than the server's. */
  folder?: string
}

/** What other texts can break: names, languages and room. Roles and colours are those of the English. */
export const OF_TEXTS: Reader['look'] = {
  themes: ['light'],
  rules: [
    ...['area-alt', 'image-alt', 'image-redundant-alt', 'role-img-alt', 'svg-img-alt'],
    ...['aria-command-name', 'aria-dialog-name', 'aria-input-field-name', 'aria-meter-name'],
    ...['aria-progressbar-name', 'aria-roledescription', 'aria-tab-name', 'aria-text'],
    ...['aria-toggle-field-name', 'aria-tooltip-name', 'aria-treeitem-name', 'button-name'],
    ...['input-button-name', 'link-name', 'select-name', 'summary-name', 'table-duplicate-name'],
    ...['document-title', 'empty-heading', 'empty-table-header', 'landmark-unique', 'p-as-heading'],
    ...['form-field-multiple-labels', 'label', 'label-title-only', 'label-content-name-mismatch'],
    ...['html-has-lang', 'html-lang-valid', 'html-xml-lang-mismatch', 'valid-lang'],
    ...['scrollable-region-focusable', 'target-size', 'avoid-inline-spacing', 'skip-link'],
  ],
}

/** Goes to every other screen of the app; the pages of the server speak English alone. */
export async function eachScreen(scene: Scene, half: Half, reader: Reader): Promise<void> {
  scene.allow(401, 404)
  const [stranger, owner] = [await strangerOf(scene, reader), await ownerOf(scene, reader)]
  const all = Object.entries(await furnished(scene, reader.words, TASKS))
  const places = all.filter(([name]) => name !== 'start' && name !== 'docs')
  const troubles: string[] = []
  for (const [name, place] of places.filter((_, at) => at % 2 === half)) {
    const page = place.signedIn === false ? stranger : owner
    const found = await troublesOf(page, place, reader.look)
    troubles.push(...found.map((one) => `${name}: ${one}`))
  }
  assert.ok(places.length > 20)
  assert.deepEqual(troubles, [])
}

async function strangerOf({ visitor }: Scene, { locale, folder }: Reader): Promise<Page> {
  const page = await visitor({ locale, viewport: WIDE })
  if (folder) await withBuild(page.context(), folder)
  return page
}

async function ownerOf({ as, docket }: Scene, { locale, folder }: Reader): Promise<Page> {
  const page = await as('owner', { locale, viewport: WIDE })
  if (folder) await withBuild(page.context(), folder)
  const headers = { origin: docket.url }
  const data = { locale }
  const reply = await page.request.patch(`${docket.url}/internal/account`, { headers, data })
  assert.ok(reply.ok())
  return page
}

async function troublesOf(page: Page, { path, open }: Place, look: Reader['look']) {
  await page.setViewportSize(WIDE)
  await go(page, path)
  await page.locator('.bones').first().waitFor({ state: 'detached' })
  await open?.(page)
  await page.evaluate(() => document.fonts.ready)
  const wide = await clipped(page)
  const axe = await accessible(page, look).then(
    () => [],
    (error: Error) => [error.message],
  )
  await page.setViewportSize(NARROW)
  return [...axe, ...wide, ...(await clipped(page)).map((one) => `narrow: ${one}`)]
}

/** As a link does, where no other screen at the same address or on top of the last one would stay. */
async function go(page: Page, path: string): Promise<void> {
  const isLink = await page.evaluate((path) => {
    const isInside = [location.pathname, path].every((one) => one.startsWith('/w/'))
    const isOther = location.pathname !== path.replace(/\?.*/, '')
    if (!isInside || !isOther || document.querySelector('dialog, [role=dialog]')) return false
    for (const heading of document.querySelectorAll('h1')) heading.dataset.left = ''
    history.pushState(null, '', path)
    return true
  }, path)
  if (!isLink) await page.goto(path)
  await page.locator('h1:not([data-left])').first().waitFor()
}
