import type { Page } from '@playwright/test'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { openScreen } from '../support/open-screen.ts'
import { archiveOpenProject, seedTasks } from '../support/seed.ts'

const message = (page: Page) =>
  page
    .getByRole('region', { name: 'Messages' })
    .getByText('This project is archived. Its tasks are read-only.')

/** Waits for the message, and for its end, by itself after eight seconds. */
async function expectMessage(page: Page): Promise<void> {
  await expect(message(page)).toHaveCount(1)
  await page.clock.fastForward(10_000)
  await expect(message(page)).toHaveCount(0)
}

browserTest('an archived project says why it takes no new tasks', async (fixture) => {
  const { as, team } = fixture
  await seedTasks(fixture, 2, (n) => ({ title: `Task ${n + 1}`, status: 'todo' }))
  await archiveOpenProject(fixture)
  const page = await as('member')
  await page.clock.install()
  const field = page.getByRole('combobox', { name: /^New (task|subtask)/ })
  for (const view of ['list', 'board', 'timeline']) {
    await page.goto(`/w/${team.workspace}/p/ENG${view === 'list' ? '' : `?view=${view}`}`)
    await expect(page.getByText('Archived', { exact: true })).toBeVisible()
    await page.getByText(view === 'timeline' ? '2 without dates' : 'Task 2').waitFor()
    // The timeline has no place for the field.
    if (view === 'timeline') continue
    await page.keyboard.press('n')
    await expectMessage(page)
    await expect(field).toHaveCount(0)
    await page.keyboard.press('j')
    await page.keyboard.press('Shift+C')
    await expectMessage(page)
    await expect(field).toHaveCount(0)
  }
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.getByText('Task 2').waitFor()
  await page.getByRole('button', { name: 'New', exact: true }).click()
  await expect(page.getByRole('dialog', { name: 'New project' })).toBeVisible()
  await expect(field).toHaveCount(0)
})

browserTest('My work says why tasks of an archived project do not change', async (fixture) => {
  const { as, team } = fixture
  await seedTasks(fixture, 2, (n, { people }) => ({
    title: `Task ${n + 1}`,
    assignee_ids: [people.member.id],
  }))
  await archiveOpenProject(fixture)
  const page = await as('member')
  await page.clock.install()
  await page.goto(`/w/${team.workspace}/my`)
  await page.getByText('Task 1', { exact: true }).waitFor()
  await page.keyboard.press('j')
  for (const key of ['p', 'ControlOrMeta+Enter', '#']) {
    await page.keyboard.press(key)
    await expectMessage(page)
  }
  await expect(page.getByText('Task 1', { exact: true })).toBeVisible()
  const status = page.getByRole('button', { name: /Complete or reopen ENG-1/ })
  await expect(status).toHaveAttribute('aria-disabled', 'true')
  await page.keyboard.press('x')
  const priority = page.getByRole('button', { name: 'Priority' })
  await expect(priority).toHaveAttribute('aria-disabled', 'true')
  await expect(priority).toHaveAttribute('title', /archived/)
})

browserTest('an archived project says why a task does not move', async (fixture) => {
  const { as, team } = fixture
  const [, parent] = await seedTasks(fixture, 2, (n) => ({
    title: `Task ${n + 1}`,
    status: 'todo',
  }))
  await seedTasks(fixture, 2, (n) => ({ title: `Part ${n + 1}`, parent_id: parent?.id }))
  await archiveOpenProject(fixture)
  const page = await as('member')
  for (const [view, key] of [
    ['list', 'Alt+ArrowDown'],
    ['board', 'Alt+ArrowRight'],
  ] as const) {
    await page.goto(`/w/${team.workspace}/p/ENG${view === 'list' ? '' : `?view=${view}`}`)
    await page.getByText('Task 1').waitFor()
    await page.keyboard.press('j')
    await expect(page.locator('[data-number]:focus')).toHaveCount(1)
    await page.keyboard.press(key)
    await expect(message(page)).toBeVisible()
    await expect(page.getByText(/^Moved ENG-/)).toHaveCount(0)
  }
  await openScreen(page, `/w/${team.workspace}/t/${parent?.short_id}`)
  await page.getByRole('link', { name: 'Part 1' }).press('Alt+ArrowDown')
  const messages = page.getByRole('region', { name: 'Messages' })
  await expect(messages.getByText('This project is archived and read-only.')).toBeVisible()
})
