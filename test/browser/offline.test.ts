import assert from 'node:assert/strict'
import { expect, type Locator, type Page } from '@playwright/test'
import { browse, type Scene } from './support/browse.ts'

const REFUSED =
  /ERR_CONNECTION_REFUSED|ERR_INTERNET_DISCONNECTED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|ERR_INCOMPLETE_CHUNKED|ERR_FAILED/

browse(
  'a title that was typed while the server was down is made once',
  { alone: true },
  async (scene) => {
    const { as, team, docket, allow } = scene
    allow(REFUSED)
    const page = await as('member')
    // Retries are 10 s apart in all: time is let run faster there.
    await page.clock.install()
    await page.goto(`/w/${team.workspace}/p/ENG`)
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Engineering')
    await add(page, 'Before')
    await expect(page.getByRole('row', { name: /ENG-1 .*Before|Before/ })).toBeVisible()
    await expect.poll(() => titles(scene)).toEqual(['Before'])

    await docket.stop('SIGKILL')
    await add(page, 'Typed in the dark')
    await given(page, page.getByText('Not saved'))
    await expect(page.getByRole('row', { name: /Typed in the dark/ })).toBeVisible()
    await docket.start()
    await given(page, page.getByText('Not saved'), 0)
    await expect.poll(() => titles(scene)).toEqual(['Before', 'Typed in the dark'])

    // A reply that is lost after the commit: tried again, it is the same task.
    const keys: (string | undefined)[] = []
    await page.route('**/api/v1/tasks', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback()
      keys.push(route.request().headers()['idempotency-key'])
      if (keys.length > 1) return route.continue()
      await route.fetch()
      await route.abort()
    })
    await add(page, 'Answered into the void')
    await expect.poll(() => keys.length, { timeout: 10_000 }).toBe(2)
    assert.equal(keys[0], keys[1])
    await expect
      .poll(() => titles(scene))
      .toEqual(['Before', 'Typed in the dark', 'Answered into the void'])
    await expect(page.getByRole('row', { name: /Answered into the void/ })).toHaveCount(1)

    // What cannot be saved can be given up.
    await page.unrouteAll()
    await page.route('**/api/v1/tasks', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.fallback(),
    )
    await add(page, 'Not after all')
    const discard = page.getByRole('button', { name: 'Discard' })
    await given(page, discard)
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect(discard).toBeHidden()
    await given(page, discard)
    await discard.click()
    await expect(page.getByRole('row', { name: /Not after all/ })).toHaveCount(0)
    await page.unrouteAll()
    assert.equal((await titles(scene)).length, 3)

    // Without a network it is counted what waits, and sent in order afterwards.
    await page.context().setOffline(true)
    await expect(page.getByText('No network')).toBeVisible()
    await add(page, 'One')
    await add(page, 'Two')
    await expect(page.getByText('No network. 2 changes will be sent')).toBeVisible()
    await page.context().setOffline(false)
    await expect(page.getByText('No network')).toBeHidden()
    await expect.poll(async () => (await titles(scene)).slice(3)).toEqual(['One', 'Two'])
  },
)

/** Waits for one, or none, of something while all that the page waits for comes at once. */
const given = (page: Page, wanted: Locator, count = 1) =>
  expect
    .poll(
      async () => {
        await page.clock.fastForward(2_000)
        return wanted.count()
      },
      { intervals: [100], timeout: 10_000 },
    )
    .toBe(count)

async function add(page: Page, title: string): Promise<void> {
  await page.keyboard.press('Escape')
  await page.keyboard.press('c')
  const field = page.getByRole('textbox', { name: /new task/i })
  await field.fill(title)
  await field.press('Enter')
  await page.keyboard.press('Escape')
}

const titles = async ({ ask, team }: Scene): Promise<string[]> => {
  const address = `GET /api/v1/projects/${team.project}/tasks?sort=created_at`
  const { data } = await ask<{ data: { title: string }[] }>('owner', address)
  return data.map(({ title }) => title)
}
