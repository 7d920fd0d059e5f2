import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { assertAccessible } from '../support/accessibility.ts'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { typeInFocusedField } from '../support/keyboard/type-in-focused-field.ts'
import { holdOverlayCode } from '../support/reads/hold-reads.ts'
import { dateFromToday, seedTasks } from '../support/seed.ts'

const rowOf = (page: Page, number: number) => page.locator(`[data-number="${number}"]`)
const header = (page: Page, key: string) => page.locator(`[data-group="${key}"]`)

browserTest('arrow keys reach every row and every cell of the list', async (fixture) => {
  const { as, ask, team } = fixture
  const tasks = await seedTasks(fixture, 4, (n) => ({
    title: `Task ${n + 1}`,
    status: n < 3 ? 'todo' : 'in_progress',
  }))
  await ask('owner', `PATCH /api/v1/tasks/${tasks[2]?.id}`, { parent_id: tasks[0]?.id })
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await expect(rowOf(page, 4)).toBeVisible()
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  await expect(header(page, 'todo')).toHaveAttribute('aria-level', '1')
  await expect(rowOf(page, 1)).toHaveAttribute('aria-level', '2')
  await expect(rowOf(page, 3)).toHaveAttribute('aria-level', '3')

  // The keys of cells are loaded after the first rows, together with this.
  await expect(page.getByRole('button', { name: 'Saved views' })).toBeVisible()

  // Rows: a subtask, its parent, the header of its group, which collapses and expands.
  // A click on the project in the sidebar has left the focus there.
  await page.getByRole('link', { name: /^ENG Engineering/ }).focus()
  await press('j', 'ArrowDown')
  await expect(rowOf(page, 3)).toBeFocused()
  await press('ArrowLeft')
  await expect(rowOf(page, 1)).toBeFocused()
  await press('ArrowLeft')
  await expect(header(page, 'todo')).toBeFocused()
  await press('ArrowLeft')
  await expect(header(page, 'todo')).toHaveAttribute('aria-expanded', 'false')
  await expect(rowOf(page, 1)).toBeHidden()
  await press('ArrowDown')
  await expect(header(page, 'in_progress')).toBeFocused()
  await press('ArrowUp', 'ArrowRight')
  await expect(header(page, 'todo')).toHaveAttribute('aria-expanded', 'true')
  await press('ArrowRight')
  await expect(rowOf(page, 1)).toBeFocused()
  await press('End')
  await expect(rowOf(page, 4)).toBeFocused()
  await press('Home')
  await expect(header(page, 'todo')).toBeFocused()
  await press('Enter')
  await expect(rowOf(page, 1)).toBeHidden()
  await press('Enter', 'ArrowDown')
  await expect(rowOf(page, 1)).toBeFocused()

  // Cells: the first one selects, the last one picks people, and the column stays.
  const cell = (number: number, at: number) => rowOf(page, number).getByRole('gridcell').nth(at)
  await press('ArrowRight')
  await expect(cell(1, 0)).toBeFocused()
  await press('Enter')
  await expect(rowOf(page, 1)).toHaveAttribute('aria-selected', 'true')
  await press('Enter', 'End')
  await expect(cell(1, 6)).toBeFocused()
  await press('ArrowLeft', 'ArrowDown')
  await expect(cell(3, 5)).toBeFocused()
  await press('Enter')
  await typeInFocusedField(page, 'Urgent')
  await expect(page.getByRole('option', { name: 'Urgent' })).toHaveAttribute('data-focused', 'true')
  await press('Enter')
  await expect(rowOf(page, 3).getByRole('img', { name: 'Urgent' })).toBeVisible()
  await expect(cell(3, 5)).toBeFocused()
  await assertAccessible(page, { themes: ['light'] })
  await press('Escape')
  await expect(rowOf(page, 3)).toBeFocused()
  await expect(page).not.toHaveURL(/task=/)

  // They do so as well when the list comes back from the board, with all of its parts at once.
  await press('2')
  await expect(page.locator('.board')).toBeVisible()
  await rowOf(page, 1).focus()
  await press('e')
  const field = page.getByRole('textbox', { name: 'Title of ENG-1' })
  await expect(field).toBeFocused()
  await page.keyboard.type('Renamed')
  await page.goBack()
  await expect(header(page, 'todo')).toBeVisible()
  await expect(field).toHaveCount(0)
  await expect(rowOf(page, 1)).toContainText('Renamed')
  await rowOf(page, 1).focus()
  await press('ArrowUp')
  await expect(header(page, 'todo')).toBeFocused()
})

browserTest('Alt+arrow moves a task, or says that it cannot be moved there', async (fixture) => {
  const { as, team } = fixture
  const days = [1, 1, 60]
  await seedTasks(fixture, 3, (n) => ({
    title: `Task ${n + 1}`,
    due_date: dateFromToday(days[n] ?? 0),
  }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG?group=due`)
  await rowOf(page, 1).focus()
  await page.keyboard.press('Alt+ArrowDown')
  const announced = page.getByRole('status').filter({ hasText: /^Moved/ })
  await expect(announced).toHaveText('Moved ENG-1 below ENG-2')
  await page.keyboard.press('Alt+ArrowDown')
  // "Later" does not say on which day the task would be due.
  await expect(
    page.getByRole('region', { name: 'Messages' }).getByText('You cannot move it there.'),
  ).toBeVisible()
  await expect(announced).toHaveText('Moved ENG-1 below ENG-2')
})

browserTest(
  'Shift selects a range from the task selected last, or from the cursor',
  async (fixture) => {
    const { as, team } = fixture
    await seedTasks(fixture, 12, (n) => ({ title: `Task ${n + 1}`, status: 'todo' }))
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/p/ENG`)
    await expect(rowOf(page, 12)).toBeVisible()
    const selected = () =>
      page
        .locator('[role="row"][aria-selected="true"]')
        .evaluateAll((rows) => rows.map((row) => Number(row.getAttribute('data-number'))))
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    // A selection that was cleared leaves no anchor behind.
    await press('j', 'x', 'Escape', 'j', 'j', 'j', 'Shift+J')
    await expect.poll(selected).toEqual([4, 5])
    await press('Escape')
    await rowOf(page, 8)
      .locator('.what')
      .click({ modifiers: ['Shift'], position: { x: 200, y: 8 } })
    await expect.poll(selected).toEqual([5, 6, 7, 8])
    // The checkboxes select a range as well, with its last task.
    await press('Escape')
    const checkbox = (number: number) => rowOf(page, number).getByRole('checkbox')
    await rowOf(page, 2).hover()
    await checkbox(2).click()
    await rowOf(page, 4).hover()
    await checkbox(4).click({ modifiers: ['Shift'] })
    await expect.poll(selected).toEqual([2, 3, 4])
  },
)

browserTest(
  'acts in the group of the row or header, of a task in several groups',
  async (fixture) => {
    const { as, ask, team } = fixture
    const { member, owner, admin } = team.people
    const assignees = [[member.id, owner.id], [member.id], [owner.id], [admin.id]]
    await seedTasks(fixture, 4, (n) => ({ title: `Task ${n + 1}`, assignee_ids: assignees[n] }))
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/p/ENG?group=assignee`)
    const group = page
      .getByRole('rowgroup')
      .filter({ has: rowOf(page, 1) })
      .nth(1)
    const row = group.locator('[data-number="1"]')
    await row.focus()
    await page.keyboard.press('ControlOrMeta+a')
    await expect(page.getByText('2 selected')).toBeVisible()
    await expect(group.locator('[aria-selected="true"]')).toHaveCount(2)
    await page.keyboard.press('Escape')
    await header(page, admin.id).focus()
    await page.keyboard.press('n')
    await expect(page.getByRole('combobox', { name: 'New task in The admin' })).toBeFocused()
    await page.keyboard.press('Escape')

    const key = await group.locator('[data-group]').getAttribute('data-group')
    const to = await rowOf(page, 4).boundingBox()
    await row.locator('.no').hover()
    await page.mouse.down()
    await page.mouse.move((to?.x ?? 0) + 5, (to?.y ?? 0) + 4, { steps: 5 })
    await page.mouse.up()
    const assigneesOf = async () =>
      (await ask<{ assignee_ids: string[] }>('owner', 'GET /api/v1/tasks/ENG-1')).assignee_ids
    const kept = [member.id, owner.id].filter((id) => id !== key)
    await expect
      .poll(async () => (await assigneesOf()).toSorted())
      .toEqual([...kept, admin.id].toSorted())
  },
)

browserTest(
  'what is typed after the key of a picker reaches its field, however late',
  async (fixture) => {
    const { as, team } = fixture
    await seedTasks(fixture, 1)
    const page = await as('member')
    await page.clock.install()
    const loadCode = await holdOverlayCode(page)
    await page.goto(`/w/${team.workspace}/p/ENG`)
    await rowOf(page, 1).press('p')
    await page.keyboard.type('urg')
    await page.clock.fastForward(5_000)
    loadCode()
    await expect(page.getByRole('option', { name: 'Urgent' })).toHaveAttribute(
      'data-focused',
      'true',
    )
    await expect(page.getByRole('option')).toHaveCount(1)
    await page.keyboard.press('Enter')
    await expect(rowOf(page, 1).getByRole('img', { name: 'Urgent' })).toBeVisible()

    // No time passes: the field of the closed picker has not taken its text yet.
    await page.clock.pauseAt(Date.now() + 60_000)
    await rowOf(page, 1).press('p')
    await page.getByRole('dialog', { name: /Priority/ }).waitFor()
    await page.keyboard.press('Escape')
    await rowOf(page, 1).press('s')
    await page.getByRole('dialog', { name: /Status/ }).waitFor()
  },
)

browserTest('keys for the list that wait for a picker keep their Alt', async (fixture) => {
  const { as, team } = fixture
  await seedTasks(fixture, 2, (n) => ({ title: `Task ${n + 1}`, status: 'todo' }))
  const page = await as('member')
  const loadCode = await holdOverlayCode(page)
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await rowOf(page, 1).press('p')
  await page.keyboard.type('urg')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Alt+ArrowDown')
  loadCode()
  await expect(rowOf(page, 1).getByRole('img', { name: 'Urgent' })).toBeVisible()
  await expect(page.locator('[data-number]').nth(1)).toHaveAttribute('data-number', '1')
})

browserTest('a task is triaged with eight keys, as fast as one types', async (fixture) => {
  const { as, ask, team } = fixture
  const [first] = await seedTasks(fixture, 2, (n) => ({
    title: `Task ${n + 1}`,
    status: 'backlog',
  }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await rowOf(page, 1).focus()
  // By number: the third status, the second priority, oneself; and today.
  for (const key of ['s', '3', 'p', '2', 'a', '1', 'd', 'Enter']) await page.keyboard.press(key)
  const read = () => ask('owner', `GET /api/v1/tasks/${first?.id}`)
  await expect.poll(read).toMatchObject({
    status: 'in_progress',
    priority: 'high',
    assignee_ids: [team.people.member.id],
    due_date: dateFromToday(0),
  })
  await page.keyboard.press('s')
  await page.getByRole('option', { name: 'Done' }).waitFor()
  await assertAccessible(page)
})

browserTest(
  'the keys go on from the place of a task that has moved away, and scroll to it before a change',
  async (fixture) => {
    const { as, team } = fixture
    await seedTasks(fixture, 60, (n) => ({
      title: `Task ${n + 1}`,
      status: n < 50 ? 'todo' : 'in_progress',
    }))
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/p/ENG`)
    // What keeps the place is loaded after the first rows, together with this.
    await expect(page.getByRole('button', { name: 'Saved views' })).toBeVisible()
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    const begin = async (number: number) => {
      await press('s', '3')
      await expect(rowOf(page, number).getByRole('button', { name: /^In progress/ })).toBeVisible()
      await expect(rowOf(page, number)).not.toBeInViewport()
    }
    await rowOf(page, 3).focus()
    await begin(3)
    await press('j')
    await expect(rowOf(page, 4)).toBeFocused()
    await begin(4)
    await press('ArrowUp')
    await expect(rowOf(page, 2)).toBeFocused()

    await begin(2)
    await press('p')
    await expect(page.getByRole('dialog', { name: 'Priority of ENG-2' })).toBeInViewport({
      ratio: 1,
    })
    await expect(rowOf(page, 2)).toBeInViewport({ ratio: 1 })
    await press('2', 'j')
    await expect(rowOf(page, 5)).toBeFocused()
    await expect(rowOf(page, 5)).toBeInViewport({ ratio: 1 })

    // A command without a picker, and a range, which begins at the row that is seen.
    await begin(5)
    await press('x')
    await expect(rowOf(page, 5)).toBeInViewport({ ratio: 1 })
    await press('Shift+ArrowDown')
    await expect(page.getByText('2 selected')).toBeVisible()
    // Where the person moves a task by hand, they go on.
    await press('Escape', 'Home', 'j', 'j')
    await expect(rowOf(page, 6)).toBeFocused()
    await begin(6)
    await press('Alt+ArrowDown', 'j')
    await expect(rowOf(page, 51)).toBeVisible()
    const focused = await page.evaluate(() => document.activeElement?.getAttribute('data-number'))
    assert.notEqual(focused, '7')

    // In the panel as well.
    await press('Home', 'j', 'j', 'j', 'Enter')
    const panel = page.getByRole('complementary', { name: /^Task ENG/ })
    await expect(panel.getByRole('heading', { name: /^Task 8\b/ })).toBeFocused()
    await press('s', '3')
    await expect(panel.getByRole('button', { name: /^Status: In progress/ })).toBeVisible()
    await press('j')
    await expect(panel.getByRole('heading', { name: /^Task 9\b/ })).toBeVisible()
    await press('s', '3')
    await expect(panel.getByRole('button', { name: /^Status: In progress/ })).toBeVisible()
    await press('k')
    await expect(panel.getByRole('heading', { name: /^Task 7\b/ })).toBeVisible()
  },
)
