import assert from 'node:assert/strict'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { holdDeferredCode } from '../support/reads/hold-reads.ts'
import { dateFromToday, seedTasks } from '../support/seed.ts'

browserTest('N begins in the group of the task that has the focus', async (fixture) => {
  const { as, ask, team } = fixture
  await seedTasks(fixture, 2, (n) => ({
    title: `Task ${n + 1}`,
    status: n === 0 ? 'in_progress' : 'todo',
  }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.locator('[data-number="1"]').focus()
  await page.keyboard.press('n')
  const begun = page.getByRole('combobox', { name: 'New task in In progress' })
  await expect(begun).toBeFocused()
  await page.keyboard.type('Half of it !high tomorrow ')
  await page.getByRole('button', { name: /^Remove due/ }).click()
  await expect(begun).toHaveValue('Half of it tomorrow ')

  // What is typed goes with the field, and waits for the person.
  await page.locator('[data-number="2"]').focus()
  await page.keyboard.press('n')
  const moved = page.getByRole('combobox', { name: 'New task in To do' })
  await expect(moved).toBeFocused()
  await expect(moved).toHaveValue('Half of it tomorrow ')
  await page.reload()
  await page.locator('[data-number="2"]').focus()
  await page.keyboard.press('n')
  await page.getByRole('button', { name: 'Remove priority High' }).waitFor()
  await moved.press('Enter')
  await expect(page.getByRole('link', { name: 'ENG-3', exact: true })).toBeVisible()
  const path = `GET /api/v1/projects/${team.project}/tasks?sort=-created_at`
  const newest = async () => {
    const [task] = (await ask<{ data: Record<string, string>[] }>('owner', path)).data
    return [task?.title, task?.priority]
  }
  await expect.poll(newest).toEqual(['Half of it tomorrow', 'high'])
  await moved.fill('Nothing of this')
  await moved.press('Escape')
  await page.keyboard.press('n')
  await expect(page.getByRole('combobox', { name: /^New task in/ })).toHaveValue('')
})

browserTest(
  'N shows the field at the end of a long group, and keeps what is typed',
  async (fixture) => {
    const { as, team } = fixture
    await seedTasks(fixture, 80, (n) => ({
      title: `Task ${n + 1}`,
      status: 'todo',
      due_date: dateFromToday(0),
    }))
    const page = await as('member')
    const loadCode = await holdDeferredCode(page)
    await page.goto(`/w/${team.workspace}/p/ENG`)
    const first = page.locator('[data-number="1"]')
    await first.waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('n')
    const field = page.getByRole('combobox', { name: 'New task in To do' })
    await expect(field).toBeFocused()
    await expect(field).toBeInViewport()
    await page.keyboard.type('Fix 3 !high ')
    await page.locator('.scroll').evaluate((scroll) => scroll.scrollTo(0, 0))
    await expect(first).toBeInViewport()
    // The field that is loaded takes the focus from the one that it replaces, and scrolls nothing.
    loadCode()
    await page.getByRole('button', { name: 'Remove priority High' }).waitFor()
    await expect(field).toBeFocused()
    await expect(first).toBeInViewport()
    await expect(field).toHaveValue('Fix 3 ')
    // Asked for again, the field is shown again.
    await first.focus()
    await page.keyboard.press('n')
    await expect(field).toBeFocused()
    await expect(field).toBeInViewport()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('link', { name: 'ENG-81', exact: true })).toBeVisible()
    await page.keyboard.press('Escape')

    await page.keyboard.press('3')
    await page.locator('.plan-grid [data-number="1"]').focus()
    await page.keyboard.press('n')
    await expect(field).toBeFocused()
    await expect(field).toBeInViewport()
  },
)

browserTest('a new task in the group of a parent becomes its subtask', async (fixture) => {
  const { as, ask, team } = fixture
  const [parent, child] = await seedTasks(fixture, 2, (n) => ({ title: `Task ${n + 1}` }))
  await ask('owner', `PATCH /api/v1/tasks/${child?.id}`, { parent_id: parent?.id })
  const page = await as('member')
  // The filter leaves out the parent itself, which is not loaded then.
  await page.goto(`/w/${team.workspace}/p/ENG?group=parent&f=2`)
  await page.locator('[data-number="2"]').focus()
  await page.keyboard.press('n')
  await expect(page.getByRole('combobox', { name: 'New subtask of ENG-1' })).toBeFocused()
  await page.keyboard.type('Part 2 of it')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('link', { name: 'ENG-3', exact: true })).toBeVisible()
  const { parent_id } = await ask<{ parent_id: string }>('owner', 'GET /api/v1/tasks/ENG-3')
  assert.equal(parent_id, parent?.id)
})

browserTest('a new task begins without a date where a group has no single day', async (fixture) => {
  const { as, ask, team } = fixture
  await seedTasks(fixture, 1, () => ({ title: 'First', due_date: dateFromToday(60) }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG?group=due`)
  await page.locator('[data-number="1"]').focus()
  await page.keyboard.press('n')
  await expect(page.getByRole('combobox', { name: 'New task in No due date' })).toBeFocused()
  await page.keyboard.type('Some day')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('link', { name: 'ENG-2', exact: true })).toBeVisible()
  const { due_date } = await ask<{ due_date: string | null }>('owner', 'GET /api/v1/tasks/ENG-2')
  assert.equal(due_date, null)
})

browserTest(
  'N shows the new task field in an empty project, however it is grouped',
  async (fixture) => {
    const { as, team } = fixture
    const page = await as('member')
    for (const group of ['due', 'none']) {
      await page.goto(`/w/${team.workspace}/p/ENG?group=${group}`)
      await page.getByText('No tasks yet. Create one, or press C.').waitFor()
      await page.keyboard.press('n')
      await expect(page.getByRole('combobox', { name: /^New task in/ })).toBeFocused()
      await page.keyboard.press('Escape')
      await page.getByRole('main').getByRole('button', { name: 'New task' }).click()
      await page.getByRole('dialog', { name: 'New task' }).waitFor()
    }
  },
)
