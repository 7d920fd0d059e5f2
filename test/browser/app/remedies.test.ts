import type { Page } from '@playwright/test'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { holdRequests } from '../support/route-requests.ts'

const messages = (page: Page) => page.getByRole('region', { name: 'Messages' })

const readTask = ({ ask }: BrowserFixture, id: string) =>
  ask<{ assignee_ids: string[]; priority: string; title: string }>(
    'owner',
    `GET /api/v1/tasks/${id}`,
  )

browserTest('adds a person to a private project and then assigns them', async (fixture) => {
  const { as, ask, team, allow } = fixture
  allow(422)
  const { member } = team.people
  await ask('owner', 'POST /api/v1/tasks', { project_id: team.hidden, title: 'Secret plan' })
  const page = await as('owner')
  // Until the page knows who sees the project, it offers everybody.
  const people = await holdRequests(page, /\/people(\?|$)/)
  await page.goto(`/w/${team.workspace}/t/HID-1`)
  await page.locator('[data-does="people"]').click()
  await page.getByRole('option', { name: member.name }).click()
  await page.keyboard.press('Escape')
  await expect(messages(page).getByText(/HID-1 was not changed: This person has no/)).toBeVisible()
  people()
  await page.getByRole('button', { name: 'Add The member to Hidden' }).click()
  await expect(messages(page).getByText('Added The member to Hidden')).toBeVisible()
  await expect
    .poll(async () => (await readTask(fixture, 'HID-1')).assignee_ids)
    .toEqual([member.id])
  await expect(page.locator('[data-does="people"]')).toContainText(member.name)
  await expect(page.getByRole('button', { name: 'Add The member to Hidden' })).toBeHidden()
})
