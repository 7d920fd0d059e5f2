import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { m as english } from '../../web/src/messages/applications.ts'
import { applications as german } from '../../web/src/messages/de/applications.ts'
import { accessible } from './support/axe.ts'
import { browse, type Scene } from './support/browse.ts'
import { clipped } from './support/clipped.ts'
import { pseudoBuild, withBuild } from './support/pseudo-build.ts'
import { pseudo } from './support/pseudo-say.ts'
import { furnished, type Place } from './support/screens.ts'

const WIDE = { width: 1280, height: 800 }
const NARROW = { width: 360, height: 740 }
/** Enough for each kind of row; axe takes long for many. */
const TASKS = 8

interface Reader {
  locale: string
  words: typeof english
  look: NonNullable<Parameters<typeof accessible>[1]>
  folder?: string
}

const ENGLISH: Reader = { locale: 'en', words: english, look: {} }
/** Colours are those of the English. */
const look: Reader['look'] = { themes: ['light'], without: ['color-contrast'] }
const GERMAN: Reader = { locale: 'de', words: german, look }
/** Hebrew is what dates are written in, and by what React Aria knows the direction. */
const PSEUDO: Reader = {
  locale: 'he',
  words: pseudo(english),
  // A name in an accessible name gets accents, too; beside it stands the name as it is.
  look: { ...look, without: ['color-contrast', 'label-content-name-mismatch'] },
}
let building: Promise<string> | undefined

for (const [name, reader] of Object.entries({ English: ENGLISH, German: GERMAN })) {
  for (const half of [0, 1] as const) {
    browse(
      `every screen is accessible, and its texts have room: ${name}, ${half + 1} of 2`,
      (scene) => eachScreen(scene, half, reader),
    )
  }
}
for (const half of [0, 1] as const) {
  browse(
    `every screen has room for longer words from right to left, ${half + 1} of 2`,
    async (scene) => {
      building ??= pseudoBuild()
      await eachScreen(scene, half, { ...PSEUDO, folder: await building })
    },
  )
}

/** Goes to every other screen of the app; the pages of the server speak English alone. */
async function eachScreen(scene: Scene, half: number, reader: Reader): Promise<void> {
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

browse('a text without room is found', async ({ visitor, allow }) => {
  allow(401)
  const page = await visitor()
  await page.goto('/sign-in')
  const button = page.getByRole('button', { name: 'Sign in' })
  await button.waitFor()
  assert.deepEqual(await clipped(page), [])
  await button.evaluate((one) => {
    one.style.cssText = 'inline-size: 30px; min-inline-size: 0; white-space: nowrap; padding: 0'
  })
  assert.match(String(await clipped(page)), /^BUTTON.*“Sign in”: \d+ px$/)
})
