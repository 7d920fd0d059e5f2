import type { Page } from '@playwright/test'
import { assertAccessible } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { holdUndo, pressUndo } from '../support/keyboard/press-undo.ts'
import { typeInFocusedField } from '../support/keyboard/type-in-focused-field.ts'
import { seedTasks } from '../support/seed.ts'

const lane = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

/** The task numbers of the cards in a cell, which is found by its accessible name. */
const cards = (page: Page, cell: string) =>
  page
    .getByRole('list', { name: cell, exact: true })
    .locator('[data-number]')
    .evaluateAll((all) => all.map((card) => Number(card.getAttribute('data-number'))))

const item = (page: Page, menu: string, name: string) =>
  page.getByRole('menu', { name: menu }).getByText(name, { exact: true })

/** Two tasks of the member, one of the owner, one of both and one without an assignee. */
const seedAssignedTasks = (fixture: BrowserFixture) =>
  seedTasks(fixture, 5, (n, { people: { member, owner } }) => ({
    title: `Task ${n + 1}`,
    status: 'todo',
    priority: n === 0 ? 'high' : 'none',
    ...(n < 4 && {
      assignee_ids: [[member.id], [member.id], [owner.id], [member.id, owner.id]][n],
    }),
  }))

browserTest(
  'groups the board into lanes by assignee, and moves cards between lanes',
  async (fixture) => {
    const { as, ask, team } = fixture
    await seedAssignedTasks(fixture)
    const page = await as('member', { viewport: { width: 1400, height: 1100 } })
    await page.goto(`/w/${team.workspace}/p/ENG?view=board`)
    await page.getByRole('button', { name: 'Group Status' }).click()
    await page
      .getByRole('group', { name: 'Swimlanes' })
      .getByText('Assignee', { exact: true })
      .click()
    await expect(page).toHaveURL(/lanes=assignee/)
    await expect(page.locator('.lane h2')).toHaveText([
      'The member',
      'The owner',
      'The member, The owner',
      'Unassigned',
    ])
    expect(await cards(page, 'To do, The member')).toEqual([1, 2])
    expect(await cards(page, 'To do, The member, The owner')).toEqual([4])
    await assertAccessible(page)

    // By pointer, into another lane and another column at the same time.
    const to = await page.getByRole('list', { name: 'In progress, Unassigned' }).boundingBox()
    await page.getByText('Task 2', { exact: true }).hover()
    await page.mouse.down()
    await page.mouse.move((to?.x ?? 0) + 60, (to?.y ?? 0) + 12, { steps: 8 })
    await page.mouse.up()
    await holdUndo(page)
    await expect.poll(() => cards(page, 'In progress, Unassigned')).toEqual([2])
    const assigneesOf = async (number: number) =>
      (await ask<{ assignee_ids: string[] }>('owner', `GET /api/v1/tasks/ENG-${number}`))
        .assignee_ids
    await expect.poll(() => assigneesOf(2)).toEqual([])
    await pressUndo(page)
    await expect.poll(() => cards(page, 'To do, The member')).toEqual([1, 2])
    await expect.poll(() => assigneesOf(2)).toEqual([team.people.member.id])

    // By keyboard: down within the cell, into the lane below, then to the next column.
    await page.locator('[data-number="1"]').focus()
    await page.keyboard.press('Alt+ArrowDown')
    await expect.poll(() => cards(page, 'To do, The member')).toEqual([2, 1])
    await page.keyboard.press('Alt+ArrowDown')
    await expect.poll(() => cards(page, 'To do, The owner')).toEqual([1, 3])
    await expect(page.getByText('Moved ENG-1 to To do, The owner').first()).toBeAttached()
    await page.keyboard.press('Alt+ArrowRight')
    await expect.poll(() => cards(page, 'In progress, The owner')).toEqual([1])
    await expect(page.locator('.card[data-number="1"]')).toBeFocused()
    await expect.poll(() => assigneesOf(1)).toEqual([team.people.owner.id])

    // By the menu: to the lane of tasks that two people share.
    await page.getByRole('button', { name: 'More for ENG-1' }).click()
    await page.getByRole('menuitem', { name: 'Move to swimlane' }).click()
    await item(page, 'Move to swimlane', 'The member, The owner').click()
    await expect.poll(() => cards(page, 'In progress, The member, The owner')).toEqual([1])
    await expect
      .poll(async () => (await assigneesOf(1)).toSorted())
      .toEqual([team.people.member.id, team.people.owner.id].toSorted())

    // A lane that is out of sight is shown when a task is added to it.
    await page.setViewportSize({ width: 1400, height: 420 })
    await expect(lane(page, 'Unassigned').getByRole('list')).toHaveCount(0)
    await page.getByRole('button', { name: 'New task in To do' }).click()
    const field = page.getByRole('combobox', { name: 'New task in To do, Unassigned' })
    await expect(field).toBeFocused()
    await expect(field).toBeInViewport()
  },
)

browserTest(
  'collapses a lane, adds tasks to it, and stores the lanes in a saved view',
  async (fixture) => {
    const { as, team } = fixture
    await seedAssignedTasks(fixture)
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/p/ENG?view=board&lanes=priority`)
    await expect(page.locator('.lane h2')).toHaveText(['High', 'No priority'])
    await page.getByRole('button', { name: 'High', exact: true }).click()
    await expect(page.locator('[data-number="1"]')).toHaveCount(0)
    await page.reload()
    await expect(lane(page, 'No priority').locator('[data-number]')).toHaveCount(4)
    await expect(page.locator('[data-number="1"]')).toHaveCount(0)
    // A card can be dropped on the header of a collapsed lane.
    const head = await page.getByRole('button', { name: 'High', exact: true }).boundingBox()
    await page.getByText('Task 5', { exact: true }).hover()
    await page.mouse.down()
    await page.mouse.move((head?.x ?? 0) + 8, (head?.y ?? 0) + 8, { steps: 6 })
    await page.mouse.up()
    await expect(lane(page, 'High').locator('.n')).toContainText('2')
    await page.getByRole('button', { name: 'High', exact: true }).click()
    await expect.poll(() => cards(page, 'To do, High')).toEqual([1, 5])

    await page.locator('[data-number="1"]').focus()
    await page.keyboard.press('n')
    await typeInFocusedField(page, 'Urgent enough')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await expect.poll(() => cards(page, 'To do, High')).toHaveLength(3)

    await page.keyboard.press('Shift+V')
    await page.getByRole('dialog').getByLabel('Name').fill('By urgency')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/saved=viw_/)
    await page.goto(`/w/${team.workspace}/p/ENG`)
    await page.getByRole('button', { name: /^Saved views/ }).click()
    await page.locator('[role^="menuitem"]').filter({ hasText: 'By urgency' }).click()
    await expect(page).toHaveURL(/lanes=priority/)
    await expect(page.locator('.lane h2')).toHaveText(['High', 'No priority'])
  },
)
