import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { accessible } from './support/axe.ts'
import { browse, type Scene } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { seedTasks } from './support/seed.ts'

const NET =
  /ERR_(CONNECTION|FAILED|INCOMPLETE|EMPTY|INTERNET|TIMED)|net::|Failed to fetch|does not answer/
const OLD = /What you see is of/

const kept = (page: Page) =>
  page.evaluate(async () => {
    const names = (await indexedDB.databases()).map(({ name }) => name)
    return { names, own: Object.keys(localStorage).filter((key) => key.startsWith('docket.')) }
  })

/** A page with its worker at work, on the list of the project. */
async function worked({ as, team, allow }: Scene): Promise<Page> {
  allow(NET)
  const page = await as('member', { serviceWorkers: 'allow' })
  page.on('dialog', (dialog) => dialog.accept())
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.getByText('First', { exact: true }).waitFor()
  const files = () =>
    page.evaluate(async () => {
      const page = await (await caches.open('docket-page')).keys()
      const files = await (await caches.open('docket-files')).keys()
      return page.length === 1 && files.length > 5
    })
  await expect.poll(files).toBe(true)
  return page
}

browse(
  'shows opened tasks offline, after a reload too, and since when they are kept',
  async (scene) => {
    const { team, ask, allow } = scene
    // Somebody else changed another field: it is put on top of theirs.
    allow(412)
    const [first] = await seedTasks(scene, 3, (n) => ({
      title: n === 0 ? 'First' : `Other ${n}`,
      description: 'As it was *read*.',
    }))
    assert.ok(first)
    const page = await worked(scene)
    await page.goto(`/w/${team.workspace}/t/${first.short_id}`)
    await page.getByText('As it was read.').waitFor()
    await page.goto(`/w/${team.workspace}/p/ENG`)
    await page.getByText('First', { exact: true }).waitFor()

    await page.context().setOffline(true)
    await page.reload()
    await expect(page.getByText('First', { exact: true })).toBeVisible()
    await expect(page.getByText('Other 2', { exact: true })).toBeVisible()
    await expect(page.getByText(OLD)).toBeVisible()
    await accessible(page)
    await page.goto(`/w/${team.workspace}/t/${first.short_id}`)
    await expect(page.getByText('As it was read.')).toBeVisible()
    await expect(page.getByText(OLD)).toBeVisible()

    // Written meanwhile, over another reload; and somebody else has been at work.
    await page.keyboard.press('e')
    await page.getByLabel('Title').fill('Changed on the train')
    await page.keyboard.press('Enter')
    await expect(page.getByText('1 change will be sent')).toBeVisible()
    await page.reload()
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Changed on the train')
    await expect(page.getByText('1 change will be sent')).toBeVisible()
    await ask('owner', `PATCH /api/v1/tasks/${first.id}`, { priority: 'high' })
    await page.context().setOffline(false)
    await expect(page.getByText(OLD)).toBeHidden()
    const now = () =>
      ask<{ title: string; priority: string }>('owner', `GET /api/v1/tasks/${first.id}`)
    await expect
      .poll(async () => [(await now()).title, (await now()).priority])
      .toEqual(['Changed on the train', 'high'])
  },
)

browse('signing out clears the offline cache', async (scene) => {
  const { team, docket } = scene
  await seedTasks(scene, 1, () => ({ title: 'First' }))
  const page = await worked(scene)
  const before = await kept(page)
  assert.ok(before.names.includes('docket-kept'))
  const texts = await page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        const asked = indexedDB.open('docket-kept')
        asked.onsuccess = () => {
          const all = asked.result.transaction('replies').objectStore('replies').getAll()
          all.onsuccess = () => {
            asked.result.close()
            resolve(JSON.stringify(all.result))
          }
        }
      }),
  )
  assert.match(texts, /First/)
  for (const { value } of await page.context().cookies()) assert.ok(!texts.includes(value))

  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: 'Find or do' }).fill('Sign out')
  await page.getByRole('option', { name: 'Sign out', exact: true }).click()
  await page.waitForURL('**/sign-in')
  assert.deepEqual((await kept(page)).names, [])
  assert.deepEqual(
    (await kept(page)).own.filter((key) => !key.endsWith('.theme')),
    [],
  )
  await page.context().setOffline(true)
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await expect(page.getByText('Docket does not answer.')).toBeVisible()
  await expect(page.getByText('First', { exact: true })).toHaveCount(0)
  assert.ok(docket.url)
})

browse('the service worker never serves an old app while the server answers', async (scene) => {
  await seedTasks(scene, 1, () => ({ title: 'First' }))
  const page = await worked(scene)
  // The page that is kept is not what a reload shows while the server answers.
  await page.evaluate(async () => {
    const cache = await caches.open('docket-page')
    await cache.put(
      '/',
      new Response('<p>An old app</p>', { headers: { 'content-type': 'text/html' } }),
    )
  })
  await page.reload()
  await expect(page.getByText('First', { exact: true })).toBeVisible()
  await page.context().setOffline(true)
  await page.reload()
  await expect(page.getByText('First', { exact: true })).toBeVisible()
})
