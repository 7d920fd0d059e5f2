import assert from 'node:assert/strict'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { CONNECTION_ERRORS, openList } from '../support/open-list.ts'
import { routeRequests } from '../support/route-requests.ts'
import { seedTasks } from '../support/seed.ts'

/** Opens the tags of a task, and asks to create one; the request waits. */
async function createTagInPicker(fixture: BrowserFixture) {
  const tags = `/api/v1/projects/${fixture.team.project}/tags`
  await fixture.ask('owner', `POST ${tags}`, { name: 'infra' })
  const [task] = await seedTasks(fixture, 1, () => ({ title: 'First' }))
  assert.ok(task)
  const page = await openList(fixture, 'First')
  const creation = Promise.withResolvers<'continue' | 'abort'>()
  await routeRequests(page, `**${tags}`, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    return (await creation.promise) === 'abort' ? route.abort() : route.continue()
  })
  await page.getByRole('row', { name: /First/ }).press('l')
  const field = page.locator('[data-overlay] input')
  await field.fill('fresh')
  const isSent = page.waitForRequest((request) => request.method() === 'POST')
  await page.getByRole('option', { name: 'Create tag “fresh”' }).click()
  await isSent
  const readTags = async () => {
    const { data } = await fixture.ask<{ data: { id: string; name: string }[] }>(
      'owner',
      `GET ${tags}`,
    )
    const { tag_ids } = await fixture.ask<{ tag_ids: string[] }>(
      'owner',
      `GET /api/v1/tasks/${task.id}`,
    )
    return data
      .filter(({ id }) => tag_ids.includes(id))
      .map(({ name }) => name)
      .toSorted()
  }
  return { page, field, creation, readTags }
}

browserTest('keeps what is ticked and typed while a new tag is created', async (fixture) => {
  const { page, field, creation, readTags } = await createTagInPicker(fixture)
  await field.fill('inf')
  await page.getByRole('option', { name: 'infra' }).click()
  creation.resolve('continue')
  await field.fill('fr')
  await expect(page.getByRole('option', { name: 'fresh', exact: true })).toBeVisible()
  await expect(field).toHaveValue('fr')
  await field.press('Escape')
  await expect.poll(readTags).toEqual(['fresh', 'infra'])
})

browserTest('says that a new tag was not created after the picker was closed', async (fixture) => {
  fixture.allow(CONNECTION_ERRORS)
  const { page, field, creation } = await createTagInPicker(fixture)
  await field.press('Escape')
  await expect(field).toBeHidden()
  creation.resolve('abort')
  await expect(page.getByText('Create tag “fresh” failed')).toBeVisible()
})
