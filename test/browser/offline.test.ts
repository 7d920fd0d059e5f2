import assert from 'node:assert/strict'
import type { Locator, Page } from '@playwright/test'
import { browse, type Scene } from './support/browse.ts'
import { expect } from './support/expect.ts'

const REFUSED =
  /ERR_CONNECTION_REFUSED|ERR_INTERNET_DISCONNECTED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|ERR_INCOMPLETE_CHUNKED|ERR_FAILED/

/** The empty list of the project, with a clock that can be let run faster: retries are 10 s apart in all. */
async function openList({ as, team, allow }: Scene): Promise<Page> {
  allow(REFUSED)
  const page = await as('member')
  await page.clock.install()
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await expect(page.getByText('No tasks yet.')).toBeVisible()
  return page
}

browse(
  'a task typed while the server is down is created once it is back',
  { alone: true },
  async (scene) => {
    const { docket } = scene
    const page = await openList(scene)
    await add(page, 'Before')
    await expect.poll(() => titles(scene)).toEqual(['Before'])
    await docket.stop('SIGKILL')
    await add(page, 'Typed in the dark')
    await given(page, page.getByText('Not saved'))
    await expect(page.getByRole('row', { name: /Typed in the dark/ })).toBeVisible()
    await docket.start()
    await given(page, page.getByText('Not saved'), 0)
    await expect.poll(() => titles(scene)).toEqual(['Before', 'Typed in the dark'])
  },
)

browse('a create whose reply was lost is sent again with its Idempotency-Key', async (scene) => {
  const page = await openList(scene)
  const keys: (string | undefined)[] = []
  await page.route('**/api/v1/tasks', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    keys.push(route.request().headers()['idempotency-key'])
    if (keys.length > 1) return route.continue()
    await route.fetch()
    await route.abort()
  })
  await add(page, 'Answered into the void')
  await expect.poll(() => keys.length).toBe(2)
  assert.equal(keys[0], keys[1])
  await expect(page.getByRole('link', { name: 'ENG-1', exact: true })).toBeVisible()
  await expect(page.getByRole('row', { name: /Answered into the void/ })).toHaveCount(1)
  assert.deepEqual(await titles(scene), ['Answered into the void'])
})

browse('a create that cannot be sent can be retried and discarded', async (scene) => {
  const page = await openList(scene)
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
  // Tasks of a project are made one after the other: one that still waited would be there before.
  await add(page, 'After it')
  await expect.poll(() => titles(scene)).toEqual(['After it'])
})

browse('counts unsent changes without a network, and sends them in order after', async (scene) => {
  const page = await openList(scene)
  await page.context().setOffline(true)
  await expect(page.getByText('No network')).toBeVisible()
  await add(page, 'One')
  await add(page, 'Two')
  await expect(page.getByText('No network. 2 changes will be sent')).toBeVisible()
  await page.context().setOffline(false)
  await expect(page.getByText('No network')).toBeHidden()
  await expect.poll(() => titles(scene)).toEqual(['One', 'Two'])
})

/** Waits for one, or none, of something while all that the page waits for comes at once. */
const given = (page: Page, wanted: Locator, count = 1) =>
  expect
    .poll(
      async () => {
        await page.clock.fastForward(2_000)
        return wanted.count()
      },
      { intervals: [100] },
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
