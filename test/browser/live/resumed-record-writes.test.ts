import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { CONNECTION_ERRORS } from '../support/open-list.ts'
import { countStoredMutations } from '../support/read-stored-mutations.ts'
import { seedTasks } from '../support/seed.ts'

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

browserTest('shows an unsent name of a tag over a reload', async (fixture) => {
  const { ask, team } = fixture
  await ask('owner', `POST /api/v1/projects/${team.project}/tags`, { name: 'infra' })
  const page = await openSettings(fixture, 'tags')
  page.on('dialog', (dialog) => dialog.accept())
  await page.route('**/api/v1/tags/*', (route) => route.abort())
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
  await seedTasks(fixture, 1, () => ({ title: 'First' }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.getByText('First', { exact: true }).waitFor()
  await page.keyboard.press('c')
  const field = page.getByRole('textbox', { name: /new task/i })
  await field.fill('Before')
  await field.press('Enter')
  await expect(page.getByText('Before', { exact: true })).toBeVisible()
  await expect.poll(() => countStoredMutations(page)).toBe(0)
  await page.context().setOffline(true)
  await field.fill('Fix login #fresh')
  await field.press('Enter')
  const next = await openNextPage(page, 2)
  await next.goto(`/w/${team.workspace}/my`)
  const path = `GET /api/v1/projects/${team.project}/tasks?sort=-created_at`
  const newest = async () =>
    (await ask<{ data: { title: string; tag_ids: string[] }[] }>('owner', path)).data[0]
  await expect.poll(async () => (await newest())?.tag_ids.length).toBe(1)
  assert.equal((await newest())?.title, 'Fix login')
  await expect.poll(() => countStoredMutations(next)).toBe(0)
})

browserTest('marks a notification as done after its tab was closed offline', async (fixture) => {
  const { as, team, allow } = fixture
  allow(CONNECTION_ERRORS)
  await seedTasks(fixture, 1, () => ({
    title: 'For the member',
    assignee_ids: [team.people.member.id],
  }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/inbox`)
  await page.getByText('For the member').waitFor()
  await page.context().setOffline(true)
  await page.keyboard.press('j')
  await page.keyboard.press('e')
  await expect(page.getByText('For the member')).toBeHidden()
  const next = await openNextPage(page, 1)
  await next.goto(`/w/${team.workspace}/inbox`)
  await expect(next.getByText('You are all caught up.')).toBeVisible()
  await expect.poll(() => countStoredMutations(next)).toBe(0)
})
