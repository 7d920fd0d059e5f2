import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { blockLiveUpdates } from '../support/reads/hold-reads.ts'
import { routeRequests } from '../support/route-requests.ts'
import { archiveOpenProject, seedTasks } from '../support/seed.ts'

const messages = (page: Page) => page.getByRole('region', { name: 'Messages' })

const readTask = ({ ask }: BrowserFixture, id: string) =>
  ask<{ assignee_ids: string[]; priority: string; title: string }>(
    'owner',
    `GET /api/v1/tasks/${id}`,
  )

browserTest(
  'a person who does not see a private project is added to it and then assigned',
  async (fixture) => {
    const { as, ask, team, allow } = fixture
    allow(422)
    const { member } = team.people
    await ask('owner', 'POST /api/v1/tasks', { project_id: team.hidden, title: 'Secret plan' })
    const page = await as('owner')
    // Until the page knows who sees the project, it offers everybody.
    const people = Promise.withResolvers<void>()
    await page.route(/\/people(\?|$)/, async (route) => {
      await people.promise
      await route.continue()
    })
    await page.goto(`/w/${team.workspace}/t/HID-1`)
    await page.locator('[data-does="people"]').click()
    await page.getByRole('option', { name: member.name }).click()
    await page.keyboard.press('Escape')
    await expect(
      messages(page).getByText(/HID-1 was not changed: This person has no/),
    ).toBeVisible()
    people.resolve()
    await page.getByRole('button', { name: 'Add The member to Hidden' }).click()
    await expect(messages(page).getByText('Added The member to Hidden')).toBeVisible()
    await expect
      .poll(async () => (await readTask(fixture, 'HID-1')).assignee_ids)
      .toEqual([member.id])
    await expect(page.locator('[data-does="people"]')).toContainText(member.name)
    await expect(page.getByRole('button', { name: 'Add The member to Hidden' })).toBeHidden()
  },
)

browserTest(
  'a project that was archived meanwhile is unarchived beside the refusal',
  async (fixture) => {
    const { as, team, allow } = fixture
    allow(409, 412, /ERR_FAILED/)
    const [task] = await seedTasks(fixture, 1, () => ({ title: 'One' }))
    assert.ok(task)
    const page = await as('owner')
    await blockLiveUpdates(page)
    await page.goto(`/w/${team.workspace}/t/ENG-1`)
    await page.getByRole('heading', { name: 'One' }).waitFor()
    await archiveOpenProject(fixture)
    await page.keyboard.press('p')
    await page.getByRole('option', { name: 'Urgent' }).click()
    // What was typed waits above the screen, everything else is a message.
    await messages(page).getByRole('button', { name: 'Unarchive Engineering' }).click()
    await expect.poll(async () => (await readTask(fixture, 'ENG-1')).priority).toBe('urgent')

    await archiveOpenProject(fixture)
    await page.getByRole('heading', { name: 'One' }).dblclick()
    await page.getByLabel('Title').fill('Two')
    await page.getByLabel('Title').press('Enter')
    await page.getByRole('button', { name: 'Unarchive Engineering' }).click()
    await expect.poll(async () => (await readTask(fixture, 'ENG-1')).title).toBe('Two')
  },
)

browserTest(
  'a remedy does not overwrite what others have set since the refusal',
  async (fixture) => {
    const { as, ask, team, allow } = fixture
    allow(412, 422, /ERR_FAILED/)
    const { member, owner } = team.people
    const task = await ask<{ id: string }>('owner', 'POST /api/v1/tasks', {
      project_id: team.hidden,
      title: 'Secret plan',
    })
    const page = await as('owner')
    await blockLiveUpdates(page)
    const people = Promise.withResolvers<void>()
    await page.route(/\/people(\?|$)/, async (route) => {
      await people.promise
      await route.continue()
    })
    await page.goto(`/w/${team.workspace}/t/HID-1`)
    await page.locator('[data-does="people"]').click()
    await page.getByRole('option', { name: member.name }).click()
    await page.keyboard.press('Escape')
    const add = page.getByRole('button', { name: 'Add The member to Hidden' })
    await add.waitFor()
    await ask('owner', `PATCH /api/v1/tasks/${task.id}`, { assignee_ids: [owner.id] })
    people.resolve()
    const repeated = page.waitForResponse((one) => one.request().method() === 'PATCH')
    await add.click()
    assert.equal((await repeated).status(), 412)
    assert.deepEqual((await readTask(fixture, 'HID-1')).assignee_ids, [owner.id])
  },
)

browserTest('a discarded task is not offered again beside a message', async (fixture) => {
  const { as, team, allow } = fixture
  allow(409, /ERR_FAILED/)
  const page = await as('owner')
  await blockLiveUpdates(page)
  await page.goto(`/w/${team.workspace}/p/ENG`)
  const line = page.getByRole('combobox', { name: 'New task in To do' })
  await page.getByText('No tasks yet. Create one, or press C.').waitFor()
  await page.keyboard.press('n')
  await line.waitFor()
  await archiveOpenProject(fixture)
  await line.fill('Never mind')
  await line.press('Enter')
  const unarchive = page.getByRole('button', { name: 'Unarchive Engineering' })
  await expect(unarchive).toBeVisible()
  await page.getByRole('button', { name: 'Discard' }).click()
  await expect(page.getByText('Never mind')).toHaveCount(0)
  await expect(unarchive).toHaveCount(0)
})

browserTest('a button leads only those whom its screen helps', async (fixture) => {
  const { as, team, allow } = fixture
  allow(403, 409)
  await seedTasks(fixture, 1, () => ({ title: 'One' }))
  const buttons = { insufficient_role: 'Show owners and admins', storage_full: 'Open usage' }
  for (const [role, helpful] of [
    ['member', 'insufficient_role'],
    ['owner', 'storage_full'],
  ] as const) {
    const page = await as(role)
    await page.goto(`/w/${team.workspace}/t/ENG-1`)
    await page.getByRole('heading', { name: 'One' }).waitFor()
    let code: keyof typeof buttons = 'insufficient_role'
    await routeRequests(page, /\/api\/v1\/tasks\/tsk_/, (route) => {
      if (route.request().method() !== 'PATCH') return route.fallback()
      const error = { code, message: 'Refused.', details: [], request_id: 'req_1' }
      return route.fulfill({ status: code === 'storage_full' ? 409 : 403, json: { error } })
    })
    for (code of ['insufficient_role', 'storage_full'] as const) {
      await page.keyboard.press('p')
      await page.getByRole('option', { name: 'Urgent' }).click()
      const refusal = messages(page).getByText(/ENG-1 was not changed/)
      await expect(refusal).toBeVisible()
      const offered = page.getByRole('button', { name: buttons[code] })
      await expect(offered).toHaveCount(code === helpful ? 1 : 0)
      await page.getByRole('button', { name: 'Dismiss' }).click()
      await expect(refusal).toBeHidden()
    }
  }
})

browserTest('an archived project offers to be unarchived to those who may', async (fixture) => {
  const { as, team } = fixture
  await archiveOpenProject(fixture)
  const member = await as('member')
  await member.goto(`/w/${team.workspace}/p/ENG`)
  await expect(member.getByRole('button', { name: /^New task/ })).toHaveAttribute(
    'title',
    /archived/,
  )
  await expect(member.getByRole('button', { name: 'Unarchive project' })).toHaveCount(0)
  const page = await as('owner')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.getByRole('button', { name: 'Unarchive project' }).click()
  await expect(page.getByRole('button', { name: /^New task/ })).not.toHaveAttribute('title', /./)
})
