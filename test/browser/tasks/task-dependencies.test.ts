import assert from 'node:assert/strict'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { typeInFocusedField } from '../support/keyboard/type-in-focused-field.ts'
import { CONNECTION_ERRORS } from '../support/open-list.ts'
import { routeRequests } from '../support/route-requests.ts'
import { seedTasks } from '../support/seed.ts'
import { countStoredMutations } from '../support/stored-mutations.ts'

browserTest('shows the cycle of a dependency, and removes two in a row', async (fixture) => {
  const { as, team, ask, allow } = fixture
  const [first, second, third, fourth] = await seedTasks(fixture, 4)
  assert.ok(first && second && third && fourth)
  await ask('owner', `PATCH /api/v1/tasks/${second.id}`, { blocked_by_ids: [first.id] })
  allow(422)
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/t/${first.short_id}`)
  await page.getByRole('button', { name: 'Add property' }).click()
  await page.getByRole('button', { name: 'Blocked by: None. Change' }).click()
  await typeInFocusedField(page, second.short_id)
  await page.getByRole('option', { name: second.title }).click()
  await page.keyboard.press('Escape')
  const cycle = page
    .getByRole('alert')
    .filter({ hasText: 'These tasks would wait for each other.' })
  await expect(cycle).toBeVisible()

  // Two blockers removed in quick succession are both gone.
  const path = `/api/v1/tasks/${first.id}`
  await ask('owner', `PATCH ${path}`, { blocked_by_ids: [third.id, fourth.id] })
  const released = Promise.withResolvers<void>()
  await routeRequests(page, `**${path}`, async (route) => {
    if (route.request().method() === 'PATCH') await released.promise
    await route.continue()
  })
  await page.getByRole('button', { name: `Remove ${third.short_id}` }).click()
  await page.getByRole('button', { name: `Remove ${fourth.short_id}` }).click()
  released.resolve()
  await page.getByRole('button', { name: 'Blocked by: None. Change' }).waitFor()
  const saved = await ask<{ blocked_by_ids: string[] }>('owner', `GET ${path}`)
  assert.deepEqual(saved.blocked_by_ids, [])
})

browserTest('keeps dependencies that were set offline until they are sent', async (fixture) => {
  const { as, team, ask, allow } = fixture
  allow(CONNECTION_ERRORS)
  const [first, second, third] = await seedTasks(fixture, 3)
  assert.ok(first && second && third)
  const page = await as('member')
  page.on('dialog', (dialog) => dialog.accept())
  await page.goto(`/w/${team.workspace}/p/ENG?task=${first.short_id}`)
  const panel = page.getByRole('complementary')
  const change = panel.getByRole('button', { name: /^Blocked by: .*Change/ })
  await panel.getByRole('button', { name: 'Add property' }).click()
  await change.waitFor()
  const path = `/api/v1/tasks/${first.id}`
  await routeRequests(page, `**${path}`, (route) =>
    route.request().method() === 'PATCH' ? route.abort() : route.fallback(),
  )
  for (const other of [second, third]) {
    await change.click()
    await typeInFocusedField(page, other.short_id)
    await page.getByRole('option', { name: other.title }).click()
    await page.keyboard.press('Escape')
    await expect(panel.getByRole('button', { name: `Remove ${other.short_id}` })).toBeVisible()
  }
  await expect.poll(() => countStoredMutations(page)).toBeGreaterThan(0)
  await page.unroute(`**${path}`)
  await page.reload()
  const readBlockers = async () =>
    (await ask<{ blocked_by_ids: string[] }>('owner', `GET ${path}`)).blocked_by_ids
  await expect.poll(readBlockers).toEqual([second.id, third.id].toSorted())
  await expect.poll(() => countStoredMutations(page)).toBe(0)
})
