import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { blockLiveUpdates } from '../support/reads/hold-reads.ts'
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
