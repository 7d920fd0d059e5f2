import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { holdUndo } from '../support/keyboard/press-undo.ts'
import { CONNECTION_ERRORS } from '../support/open-list.ts'
import { blockLiveUpdates } from '../support/reads/hold-reads.ts'
import { routeRequests } from '../support/route-requests.ts'
import { seedTasks } from '../support/seed.ts'
import { countStoredMutations, readStoredMutations } from '../support/stored-mutations.ts'

/** Closes the page, which is offline, as soon as its mutations are stored; returns another one. */
async function openNextPage(page: Page, stored: number): Promise<Page> {
  const context = page.context()
  await expect.poll(() => countStoredMutations(page)).toBe(stored)
  await page.close()
  await context.setOffline(false)
  return context.newPage()
}

async function openSettings({ as, team, allow }: BrowserFixture, tab: string): Promise<Page> {
  allow(CONNECTION_ERRORS)
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG/settings?tab=${tab}`)
  return page
}

browserTest('renames and deletes tags after their tab was closed offline', async (fixture) => {
  const { ask, team } = fixture
  const tags = `/api/v1/projects/${team.project}/tags`
  await ask('owner', `POST ${tags}`, { name: 'infra' })
  await ask('owner', `POST ${tags}`, { name: 'ops' })
  const page = await openSettings(fixture, 'tags')
  const name = page.getByLabel('Rename infra')
  await name.waitFor()
  await page.context().setOffline(true)
  await name.fill('platform')
  await name.press('Enter')
  await expect(page.getByLabel('Rename platform')).toBeVisible()
  await page.getByRole('button', { name: 'Delete ops' }).click()
  const next = await openNextPage(page, 2)
  await next.goto(`/w/${team.workspace}/my`)
  const names = async () =>
    (await ask<{ data: { name: string }[] }>('owner', `GET ${tags}`)).data.map((tag) => tag.name)
  await expect.poll(names).toEqual(['platform'])
  await expect.poll(() => countStoredMutations(next)).toBe(0)
})

browserTest('sends a deletion that can still be undone as its page is left', async (fixture) => {
  const { ask, team } = fixture
  const tags = `/api/v1/projects/${team.project}/tags`
  await ask('owner', `POST ${tags}`, { name: 'ops' })
  const readNames = async () =>
    (await ask<{ data: { name: string }[] }>('owner', `GET ${tags}`)).data.map(({ name }) => name)
  const page = await openSettings(fixture, 'tags')
  // By then all that sends writes is loaded.
  await page.getByLabel('Rename ops').fill('operations')
  await page.getByLabel('Rename ops').press('Enter')
  await expect.poll(readNames).toEqual(['operations'])
  await page.getByRole('button', { name: 'Delete operations' }).click()
  await holdUndo(page)
  await expect.poll(() => countStoredMutations(page)).toBe(1)
  assert.deepEqual(await readNames(), ['operations'])
  await page.goto('about:blank')
  await expect.poll(readNames).toEqual([])
})

browserTest('shows an unsent name of a tag over a reload', async (fixture) => {
  const { ask, team } = fixture
  await ask('owner', `POST /api/v1/projects/${team.project}/tags`, { name: 'infra' })
  const page = await openSettings(fixture, 'tags')
  page.on('dialog', (dialog) => dialog.accept())
  await routeRequests(page, '**/api/v1/tags/*', (route) => route.abort())
  await page.getByLabel('Rename infra').fill('platform')
  await page.getByLabel('Rename infra').press('Enter')
  await expect.poll(() => countStoredMutations(page)).toBe(1)
  await page.reload()
  await expect(page.getByLabel('Rename platform')).toBeVisible()
  await page.unroute('**/api/v1/tags/*')
  await page.reload()
  await expect.poll(() => countStoredMutations(page)).toBe(0)
  await expect(page.getByLabel('Rename platform')).toBeVisible()
})

browserTest('adds a new tag to a task whose tab was closed offline', async (fixture) => {
  const { as, ask, team, allow } = fixture
  allow(CONNECTION_ERRORS)
  await ask('owner', `POST /api/v1/projects/${team.project}/tags`, { name: 'infra' })
  await seedTasks(fixture, 1, () => ({ title: 'First' }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.getByText('First', { exact: true }).waitFor()
  await page.keyboard.press('n')
  const field = page.getByRole('combobox', { name: /new task/i })
  await field.fill('Before')
  await field.press('Enter')
  await expect(page.getByText('Before', { exact: true })).toBeVisible()
  await expect.poll(() => countStoredMutations(page)).toBe(0)
  await page.context().setOffline(true)
  await field.fill('Fix login #fresh')
  await field.press('Enter')
  const next = await openNextPage(page, 2)
  // Live updates would make it read the tags again.
  await blockLiveUpdates(next)
  await next.goto(`/w/${team.workspace}/my`)
  const path = `GET /api/v1/projects/${team.project}/tasks?sort=-created_at`
  const newest = async () =>
    (await ask<{ data: { title: string; tag_ids: string[] }[] }>('owner', path)).data[0]
  await expect.poll(async () => (await newest())?.tag_ids.length).toBe(1)
  assert.equal((await newest())?.title, 'Fix login')
  await expect.poll(() => countStoredMutations(next)).toBe(0)
  // The page reads the other tags of the project once it shows them.
  await next.getByRole('link', { name: /Engineering/ }).click()
  // A picker shows the tags that are there when it is opened.
  await next.getByRole('row', { name: /Fix login.*fresh/ }).press('l')
  for (const name of ['fresh', 'infra'])
    await expect(next.getByRole('option', { name, exact: true })).toBeVisible()
})

browserTest(
  'asks before it replaces the duration that somebody else has set since',
  async (fixture) => {
    const { as, ask, team, allow } = fixture
    allow(412, CONNECTION_ERRORS)
    const [task] = await seedTasks(fixture, 1, () => ({ title: 'First' }))
    assert.ok(task)
    const { id } = await ask<{ id: string }>(
      'member',
      `POST /api/v1/tasks/${task.id}/time-entries`,
      {
        duration_seconds: 600,
        note: 'reading',
      },
    )
    const entry = `/api/v1/time-entries/${id}`
    const readEntry = () => ask<{ duration_seconds: number; note: string }>('owner', `GET ${entry}`)
    const page = await as('member')
    await blockLiveUpdates(page)
    await page.goto(`/w/${team.workspace}/t/${task.short_id}`)
    const item = page.getByRole('listitem').filter({ hasText: 'reading' })
    const edit = async (text: string) => {
      await item.getByRole('button', { name: /^Edit/ }).click()
      await page.getByRole('textbox', { name: /^Edit/ }).fill(text)
      await page.keyboard.press('Enter')
    }
    // A change of another field stays.
    await item.waitFor()
    await ask('owner', `PATCH ${entry}`, { note: 'reading twice' })
    await edit('20m reading')
    await expect.poll(readEntry).toMatchObject({ duration_seconds: 1_200, note: 'reading twice' })
    await expect(item).toContainText('reading twice')
    await ask('owner', `PATCH ${entry}`, { duration_seconds: 1_800 })
    await edit('45m reading twice')
    const bar = page.getByRole('status').filter({ hasText: 'Someone changed it' })
    await expect(bar).toBeVisible()
    await expect(item).toContainText('30m')
    assert.equal((await readEntry()).duration_seconds, 1_800)
    await bar.getByRole('button', { name: 'Retry' }).click()
    await expect.poll(async () => (await readEntry()).duration_seconds).toBe(2_700)
    await expect.poll(() => countStoredMutations(page)).toBe(0)
  },
)

browserTest('keeps what was typed of time that the server refuses', async (fixture) => {
  const { as, ask, team, allow } = fixture
  allow(404, CONNECTION_ERRORS)
  const [task] = await seedTasks(fixture, 1, () => ({ title: 'First' }))
  assert.ok(task)
  const page = await as('member')
  // The page does not learn that the task is deleted.
  await blockLiveUpdates(page)
  await page.goto(`/w/${team.workspace}/t/${task.short_id}`)
  const field = page.getByRole('textbox', { name: 'Log time' })
  await page.getByRole('button', { name: 'Log time' }).click()
  await ask('owner', `DELETE /api/v1/tasks/${task.id}`)
  await field.fill('1h a long call')
  await field.press('Enter')
  const bar = page.getByRole('status').filter({ hasText: 'Time entry' })
  await expect(bar.getByRole('button', { name: 'Copy text' })).toBeVisible()
  const [stored] = await readStoredMutations(page)
  assert.equal(stored?.refusal?.text, '1h a long call')
  await bar.getByRole('button', { name: 'Discard' }).click()
  await expect(bar).toBeHidden()
  await expect.poll(() => countStoredMutations(page)).toBe(0)
})

browserTest('shows an unsent mark of a notification over a reload', async (fixture) => {
  const { as, team, allow } = fixture
  allow(CONNECTION_ERRORS)
  const assignee_ids = [team.people.member.id]
  await seedTasks(fixture, 2, (n) => ({ title: n === 0 ? 'First' : 'Second', assignee_ids }))
  const page = await as('member')
  page.on('dialog', (dialog) => dialog.accept())
  await page.goto(`/w/${team.workspace}/inbox`)
  await page.getByText('Second').waitFor()
  const address = '**/internal/notifications'
  await routeRequests(page, address, (route) =>
    route.request().method() === 'PATCH' ? undefined : route.fallback(),
  )
  await page.keyboard.press('j')
  await page.keyboard.press('e')
  await expect(page.getByText('Second')).toBeHidden()
  await expect.poll(() => countStoredMutations(page)).toBe(1)
  await page.reload()
  await page.getByText('First').waitFor()
  await expect(page.getByText('Second')).toBeHidden()
  await page.unroute(address)
  await page.reload()
  await expect.poll(() => countStoredMutations(page)).toBe(0)
  await expect(page.getByText('Second')).toBeHidden()
})
